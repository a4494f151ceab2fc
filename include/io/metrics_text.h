/*
 * metrics_text: writes metrics in the Prometheus text format, version 0.0.4.
 *
 * A metric is a head, then its samples, each a series followed by a value. Names
 * and help texts are written as they are: they contain no line break and no
 * backslash. Label values are escaped.
 */
#ifndef IO_METRICS_TEXT_H
#define IO_METRICS_TEXT_H

#include "base/buf.h"

/* The value of Content-Type. */
#define METRICS_TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"

struct metrics_label {
	struct str name, value;
};

/* The HELP and TYPE lines; type is "gauge" or "counter". */
void metrics_head(struct buf *b, const char *name, const char *type, const char *help);

/* name{a="x",b="y"}, the labels in the given order; the name alone when n is 0. */
void metrics_series(struct buf *b, const char *name, const struct metrics_label *labels, size_t n);

/* The value after a series, with the end of the line. */
void metrics_int(struct buf *b, int64_t value);
void metrics_float(struct buf *b, double value);

#endif
