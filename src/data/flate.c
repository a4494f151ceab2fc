/*
 * gzip by zlib, as a stream: flate_gunzip is the stream with a buffer for a sink.
 *
 * The next member starts where the last one ends, so concatenated members decompress as one. Output
 * that has no room in the step buffer is fetched before more input is taken.
 */
#include "data/flate.h"

#include <stdlib.h>
#include <zlib.h>

#define GZIP_WINDOW (15 + 16)
#define STEP ((size_t)1 << 16)

struct flate {
	z_stream z;
	bool any; /* input has arrived */
	bool member; /* inside a member */
	char out[STEP];
};

struct flate *flate_new(void)
{
	struct flate *f = calloc(1, sizeof(*f));

	if (!f || inflateInit2(&f->z, GZIP_WINDOW) != Z_OK)
		abort(); /* out of memory */
	return f;
}

void flate_free(struct flate *f)
{
	if (!f)
		return;
	(void)inflateEnd(&f->z);
	free(f);
}

static int bad(const struct flate *f, int z, struct err *err)
{
	if (z == Z_DATA_ERROR && f->z.total_out)
		return err_set(err, ERR_INVALID, "flate: corrupt input");
	return err_set(err, ERR_INVALID, "gzip: invalid header");
}

/* Inflates as much as the buffer holds, and passes it on. */
static int step(struct flate *f, const struct sink *to, struct err *err)
{
	struct str part = { f->out, 0 };
	int z, rc = 0;

	f->member = true;
	f->z.next_out = (unsigned char *)f->out;
	f->z.avail_out = STEP;
	z = inflate(&f->z, Z_NO_FLUSH);
	part.n = STEP - f->z.avail_out;
	if (part.n)
		rc = to->put(to->ctx, part, err);
	if (rc < 0)
		return rc;
	if (z == Z_STREAM_END) {
		f->member = false;
		(void)inflateReset(&f->z);
		return 0;
	}
	/* Z_BUF_ERROR: more input is needed */
	return z == Z_OK || z == Z_BUF_ERROR ? 0 : bad(f, z, err);
}

int flate_push(struct flate *f, struct str in, const struct sink *to, struct err *err)
{
	int rc = 0;

	while (rc == 0 && in.n) {
		size_t n = in.n < UINT32_MAX ? in.n : UINT32_MAX;

		f->any = true;
		f->z.next_in = (unsigned char *)(uintptr_t)in.p;
		f->z.avail_in = (uInt)n;
		in = str_from(in, n);
		/* output that did not fit comes without more input */
		do {
			rc = step(f, to, err);
		} while (rc == 0 && (f->z.avail_in || (f->member && !f->z.avail_out)));
	}
	return rc;
}

int flate_end(const struct flate *f, struct err *err)
{
	if (!f->any)
		return err_set(err, ERR_INVALID, "EOF");
	return f->member ? err_set(err, ERR_INVALID, "unexpected EOF") : 0;
}

int flate_gunzip(struct arena *a, struct str in, size_t max, struct str *out, struct err *err)
{
	struct sink_buf b = { .max = max };
	const struct sink to = sink_to_buf(&b);
	struct flate *f = flate_new();
	int rc;

	buf_init(&b.b, a);
	rc = flate_push(f, in, &to, err);
	if (rc == 0)
		rc = flate_end(f, err);
	flate_free(f);
	if (rc == -ERR_LIMIT)
		return err_set(err, ERR_LIMIT, "unpacks to more than %zu bytes", max);
	if (rc == 0)
		*out = buf_str(&b.b);
	return rc;
}
