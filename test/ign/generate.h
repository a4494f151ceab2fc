/*
 * Generates random Ignition configs from the type table: every field of every
 * type. Most are not valid; merging and encoding must handle them too.
 */
#ifndef TEST_IGN_GENERATE_H
#define TEST_IGN_GENERATE_H

#include "../test.h"

#include "ign/ign.h"

static inline struct str generate_word(struct arena *a, struct test_rng *r)
{
	static const char *const words[] = {
		"",	     "a",      "b",	  "c",		 "/etc/a",
		"/etc/a/b",  "/etc/c", "data:,x", "https://h",	 "gzip",
		"u.service", "core",   "x\ny\n",  "\xC3\xA9<&>", "3.5.0",
	};

	(void)a;
	return str_of(words[test_rand(r, ARRAY_LEN(words))]);
}

static inline struct ign_obj *generate(struct arena *a, struct test_rng *r,
				       const struct ign_type *type)
{
	struct ign_obj *o = ign_new(a, type);

	for (size_t i = 0; i < type->n; i++) {
		const struct ign_field *f = &type->fields[i];
		struct ign_val *v = &o->v[i];
		uint32_t n = test_rand(r, 4);

		/* always set identifying names; set other fields sometimes */
		if (!(f->flags & IGN_PLAIN) && test_rand(r, 2))
			continue;
		v->set = f->kind != IGN_OBJ;
		switch (f->kind) {
		case IGN_STR:
			v->u.s = generate_word(a, r);
			break;
		case IGN_INT:
			v->u.i = test_rand(r, 5);
			break;
		case IGN_BOOL:
			v->u.b = test_rand(r, 2);
			break;
		case IGN_OBJ:
			v->u.o = generate(a, r, f->sub);
			break;
		case IGN_STRS:
			for (; n; n--)
				VEC_PUSH(a, &v->u.strs, generate_word(a, r));
			break;
		case IGN_OBJS:
			for (; n; n--)
				VEC_PUSH(a, &v->u.objs, generate(a, r, f->sub));
			break;
		}
	}
	return o;
}

#endif
