/*
 * process_metrics: what Prometheus libraries tell of the process itself.
 */
#ifndef IO_PROCESS_METRICS_H
#define IO_PROCESS_METRICS_H

#include "base/buf.h"

/* Adds process_cpu_seconds_total and the like; what cannot be told is left out. */
void process_metrics(struct buf *b);

#endif
