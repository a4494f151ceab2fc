/*
 * gzip: compresses input for flate_gunzip. The programs themselves only decompress.
 */
#ifndef TEST_GZIP_H
#define TEST_GZIP_H

#include <stdlib.h>
#include <zlib.h>

#include "base/buf.h"

static inline struct str gzip(struct arena *a, struct str in)
{
	const int window = 15 + 16; /* with gzip header and checksum */
	z_stream z = { 0 };
	struct buf b;
	size_t room;

	if (deflateInit2(&z, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	room = deflateBound(&z, in.n);
	buf_init(&b, a);
	buf_reserve(&b, room);
	z.next_in = (unsigned char *)(uintptr_t)in.p;
	z.avail_in = (uInt)in.n;
	z.next_out = (unsigned char *)b.p;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort(); /* deflateBound guarantees the size */
	b.n = z.total_out;
	(void)deflateEnd(&z);
	return buf_str(&b);
}

#endif
