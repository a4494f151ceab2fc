/*
 * flate: gzip, unpacked.
 */
#ifndef DATA_FLATE_H
#define DATA_FLATE_H

#include "base/err.h"

/*
 * Unpacks gzip (several members in a row too). ERR_LIMIT when the result would
 * be larger than max bytes; ERR_INVALID for a bad header ("gzip: invalid
 * header"), checksum or stream, worded as in Go; trailing bytes are an error.
 */
int flate_gunzip(struct arena *a, struct str in, size_t max, struct str *out,
		 struct err *err);

#endif
