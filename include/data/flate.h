/*
 * flate: gzip, unpacked.
 */
#ifndef DATA_FLATE_H
#define DATA_FLATE_H

#include "base/sink.h"

/*
 * Unpacks gzip (several members in a row too). ERR_LIMIT when the result would
 * be larger than max bytes; ERR_INVALID for a bad header ("gzip: invalid
 * header"), checksum or stream, worded as in Go; trailing bytes are an error.
 */
int flate_gunzip(struct arena *a, struct str in, size_t max, struct str *out, struct err *err);

/*
 * The same for gzip that comes in parts, giving what is unpacked in parts of at
 * most 64 KiB: no more memory than that and zlib's window is needed. Errors of
 * the sink end it, too. flate_end says whether the stream was whole.
 */
struct flate;
struct flate *flate_new(void);
void flate_free(struct flate *f);
int flate_push(struct flate *f, struct str in, const struct sink *to, struct err *err);
int flate_end(const struct flate *f, struct err *err);

#endif
