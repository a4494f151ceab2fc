/*
 * flate: decompresses gzip.
 */
#ifndef DATA_FLATE_H
#define DATA_FLATE_H

#include "base/sink.h"

/*
 * Decompresses gzip, also of several members. ERR_LIMIT when the result is larger than max bytes;
 * ERR_INVALID, with Go's texts, for a bad header ("gzip: invalid header"), checksum, stream or
 * trailing bytes.
 */
int flate_gunzip(struct arena *a, struct str in, size_t max, struct str *out, struct err *err);

/*
 * The same for a stream: input in parts of any size, output in parts of at most 64 KiB, so memory
 * is bounded by that and zlib's window. An error of the sink ends it. flate_end reports a truncated
 * stream.
 */
struct flate;
struct flate *flate_new(void);
void flate_free(struct flate *f);
int flate_push(struct flate *f, struct str in, const struct sink *to, struct err *err);
int flate_end(const struct flate *f, struct err *err);

#endif
