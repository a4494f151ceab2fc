/*
 * A sink that collects everything in a buf, up to a limit.
 */
#include "base/sink.h"

static int buf_put(void *ctx, struct str part, struct err *err)
{
	struct sink_buf *s = ctx;

	if (part.n > s->max - s->b.n)
		return err_set(err, ERR_LIMIT, "larger than %zu bytes", s->max);
	buf_add(&s->b, part);
	return 0;
}

static int buf_restart(void *ctx, struct err *err)
{
	struct sink_buf *s = ctx;

	(void)err;
	s->b.n = 0;
	return 0;
}

struct sink sink_to_buf(struct sink_buf *b)
{
	return (struct sink){ buf_put, buf_restart, b };
}
