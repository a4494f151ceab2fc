/*
 * An accepted text is written and read back as the same tree, and the output is
 * stable; a refused text gives a position and a reason.
 */
#include "fuzz.h"

#include "data/json.h"

static void check(struct arena *a, struct str in, unsigned flags)
{
	struct err err = ERR_INIT(a);
	struct json_fault fault = { 0 };
	struct json_opts opts = { .flags = flags, .fault = &fault };
	struct json *j, *again;
	struct buf b, c;
	int rc = json_parse(a, in, &opts, &j, &err);

	if (rc < 0) {
		MUST(err.msg.n);
		MUST(rc == -ERR_LIMIT || fault.line >= 1);
		MUST(fault.offset <= in.n);
		return;
	}
	buf_init(&b, a);
	json_encode(&b, j, JSON_SORTED);
	MUST(json_parse(a, buf_str(&b), NULL, &again, &err) == 0);
	buf_init(&c, a);
	json_encode(&c, again, JSON_SORTED);
	MUST(str_eq(buf_str(&b), buf_str(&c)));
	MUST(json_eq(j, json_clone(a, j)));
	if (flags & JSON_DUP_ERROR)
		MUST(json_eq(j, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct str in = { (const char *)data, size };

	check(&a, in, JSON_DUP_ERROR);
	check(&a, in, JSON_DUP_LAST | JSON_FIX_UTF8);
	check(&a, in, JSON_DUP_KEEP);
	arena_free(&a);
	return 0;
}
