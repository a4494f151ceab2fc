#include "data/flate.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16)
#define STEP ((size_t)1 << 16)

static int bad(struct err *err, int z, bool header)
{
	if (z == Z_BUF_ERROR)
		return err_set(err, ERR_INVALID, "unexpected EOF");
	if (z == Z_DATA_ERROR && !header)
		return err_set(err, ERR_INVALID, "flate: corrupt input");
	return err_set(err, ERR_INVALID, "gzip: invalid header");
}

/* Inflates one member, appending to b. */
static int member(z_stream *z, struct buf *b, size_t max, struct err *err)
{
	uLong start = z->total_out;
	int rc;

	do {
		buf_reserve(b, STEP);
		z->next_out = (unsigned char *)b->p + b->n;
		z->avail_out = STEP;
		rc = inflate(z, Z_NO_FLUSH);
		b->n += STEP - z->avail_out;
		if (b->n > max)
			return err_set(err, ERR_LIMIT,
				       "unpacks to more than %zu bytes", max);
	} while (rc == Z_OK);
	if (rc != Z_STREAM_END)
		return bad(err, rc, z->total_out == start);
	return 0;
}

int flate_gunzip(struct arena *a, struct str in, size_t max, struct str *out,
		 struct err *err)
{
	z_stream z = { 0 };
	struct buf b;
	int rc;

	if (!in.n)
		return err_set(err, ERR_INVALID, "EOF");
	if (in.n > UINT32_MAX)
		return err_set(err, ERR_LIMIT, "gzip input of %zu bytes", in.n);
	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		abort(); /* lack of memory */
	buf_init(&b, a);
	z.next_in = (unsigned char *)(uintptr_t)in.p;
	z.avail_in = (uInt)in.n;
	do {
		rc = member(&z, &b, max, err);
	} while (rc == 0 && z.avail_in && inflateReset(&z) == Z_OK);
	(void)inflateEnd(&z);
	if (rc == 0)
		*out = buf_str(&b);
	return rc;
}
