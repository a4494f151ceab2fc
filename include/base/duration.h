/*
 * duration: spans of time in Go's text form: "1h30m", "1.5s", "250ms".
 */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include "base/err.h"

/* As time.ParseDuration; ERR_INVALID in its words. */
int duration_parse(struct str s, int64_t *ns, struct err *err);

/* As time.Duration's String: "1m30s", "36h0m0s", "0s". */
void duration_add(struct buf *b, int64_t ns);

#endif
