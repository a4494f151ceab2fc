/*
 * process_metrics: the metrics of the process itself, as Prometheus libraries have them.
 */
#ifndef IO_PROCESS_METRICS_H
#define IO_PROCESS_METRICS_H

#include "base/buf.h"

/* Adds process_cpu_seconds_total etc.; leaves out what cannot be read. */
void process_metrics(struct buf *b);

#endif
