/* Each label is: key length, value length (two bytes each), key, value. */
#include "mc/labels.h"

#include <stdlib.h>

#include "base/vec.h"

#define LENGTH_MAX 0xFFFFu

static int by_key(const void *x, const void *y)
{
	const struct json *const *p = x, *const *q = y;

	return str_cmp(json_key(*p), json_key(*q));
}

static void add_length(struct buf *b, size_t n)
{
	buf_addc(b, (char)(n & 0xFF));
	buf_addc(b, (char)(n >> 8));
}

struct labels labels_pack(struct arena *a, const struct json *map)
{
	VEC(const struct json *) list = { 0 };
	struct buf b;

	buf_init(&b, a);
	if (json_kind(map) == JSON_OBJECT)
		for (const struct json *m = json_first(map); m; m = json_next(m))
			VEC_PUSH(a, &list, m);
	if (list.n > 1)
		qsort(list.v, list.n, sizeof(*list.v), by_key);
	for (size_t i = 0; i < list.n; i++) {
		struct str key = json_key(list.v[i]);
		struct str value = json_text(list.v[i]);

		if (key.n > LENGTH_MAX || value.n > LENGTH_MAX)
			continue;
		add_length(&b, key.n);
		add_length(&b, value.n);
		buf_add(&b, key);
		buf_add(&b, value);
	}
	return (struct labels){ buf_str(&b) };
}

static size_t length(struct str s, size_t at)
{
	return (size_t)(unsigned char)s.p[at] | (size_t)(unsigned char)s.p[at + 1] << 8;
}

bool labels_get(struct labels l, struct str key, struct str *value)
{
	struct str b = l.bytes;
	size_t k, v;

	/* called for every node and pool, so without intermediate views */
	for (size_t at = 0; at + 4 <= b.n; at += 4 + k + v) {
		k = length(b, at);
		v = length(b, at + 2);
		if (k != key.n || memcmp(b.p + at + 4, key.p, k) != 0)
			continue;
		*value = (struct str){ b.p + at + 4 + k, v };
		return true;
	}
	return false;
}
