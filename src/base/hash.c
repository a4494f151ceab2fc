/*
 * Hashes from BearSSL behind one struct. The only file outside io that includes
 * bearssl.h.
 */
#include "base/hash.h"

#include <bearssl_hash.h>

#include "base/buf.h"

_Static_assert(sizeof(br_sha512_context) <= sizeof(((struct hash *)0)->state),
	       "room for the largest context");

static const br_hash_class *class_of(enum hash_kind kind)
{
	switch (kind) {
	case HASH_MD5:
		return &br_md5_vtable;
	case HASH_SHA256:
		return &br_sha256_vtable;
	case HASH_SHA512:
		return &br_sha512_vtable;
	}
	return NULL;
}

static const br_hash_class **ctx(const struct hash *h)
{
	return (const br_hash_class **)(uintptr_t)h->state;
}

void hash_init(struct hash *h, enum hash_kind kind)
{
	*h = (struct hash){ .kind = kind };
	class_of(kind)->init(ctx(h));
}

void hash_add(struct hash *h, struct str s)
{
	if (s.n)
		class_of(h->kind)->update(ctx(h), s.p, s.n);
}

size_t hash_sum(const struct hash *h, unsigned char out[HASH_MAX])
{
	const br_hash_class *c = class_of(h->kind);

	c->out(ctx(h), out);
	return c->desc >> BR_HASHDESC_OUT_OFF & BR_HASHDESC_OUT_MASK;
}

struct str hash_hex(struct arena *a, const struct hash *h)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char sum[HASH_MAX];
	size_t n = hash_sum(h, sum);
	char *p = arena_alloc(a, 2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		p[2 * i] = hex[sum[i] >> 4];
		p[2 * i + 1] = hex[sum[i] & 15];
	}
	return (struct str){ p, 2 * n };
}

struct str hash_hex_of(struct arena *a, enum hash_kind kind, struct str s)
{
	struct hash h;

	hash_init(&h, kind);
	hash_add(&h, s);
	return hash_hex(a, &h);
}
