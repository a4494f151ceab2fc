/*
 * Ignition: one config per line. Configs that parse are written, read back
 * equal, merged with the others, and down-converted.
 */
#include "fuzz.h"

#include "ign/ign.h"

static struct str text_of(struct arena *a, const struct ign_obj *o)
{
	struct buf b;

	buf_init(&b, a);
	json_encode(&b, ign_encode(a, o), 0);
	return buf_str(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str rest = { (const char *)data, size }, line;
	struct ign_objs all = { 0 };

	while (str_line(&rest, &line)) {
		struct json_opts go = { .flags = JSON_FIX_UTF8 };
		struct ign_obj *x, *y;
		struct ign_parsed p;
		struct json *j;
		struct semver v = { .major = 2, .minor = 2 };

		if (ign_parse_35(&a, line, &x, &err) < 0) {
			MUST(err.msg.n);
			MUST(json_parse(&a, line, &go, &j, &err) < 0 || !ign_take(&a, j, &p));
			continue;
		}
		MUST(json_parse(&a, line, &go, &j, &err) == 0);
		if (ign_take(&a, j, &p))
			MUST(ign_eq(x, p.config));
		VEC_PUSH(&a, &all, x);
		/* a config that 3.0 allowed may not parse as 3.5 */
		if (ign_parse_35(&a, text_of(&a, x), &y, &err) == 0)
			MUST(str_eq(text_of(&a, x), text_of(&a, y)));
		(void)ign_down(&a, x, v, &j, &err);
	}
	if (all.n) {
		struct str once = text_of(&a, ign_fold(&a, &all));

		MUST(str_eq(once, text_of(&a, ign_fold(&a, &all))));
	}
	arena_free(&a);
	return 0;
}
