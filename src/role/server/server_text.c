/* One allocation per object, of exactly its size. */
#include "server_text.h"

#include <stdlib.h>

void *text_make(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct text *t;
	struct buf b;

	(void)ctx;
	buf_init(&b, &a);
	json_encode(&b, tree, JSON_NO_HTML);
	t = malloc(sizeof(*t) + b.n);
	if (!t)
		abort();
	t->n = b.n;
	memcpy(t->p, b.p, b.n);
	return t;
}

int text_parse(struct arena *a, const struct text *t, struct json **out, struct err *err)
{
	return json_parse(a, (struct str){ t->p, t->n }, NULL, out, err);
}
