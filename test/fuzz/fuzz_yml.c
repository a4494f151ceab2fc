/*
 * Accepted YAML is written as YAML and reads back as the same tree. The same
 * bytes also go through the document splitter.
 */
#include "fuzz.h"

#include "data/docs.h"
#include "data/yml.h"

static void check(struct arena *a, struct str in)
{
	struct err err = ERR_INIT(a);
	struct yml_fault fault = { 0 };
	struct yml_opts opts = { .fault = &fault };
	struct json *j, *again, *detoured;
	struct buf text, b, x, y;
	int rc = yml_parse(a, in, &opts, &j, &err);

	if (rc < 0) {
		MUST(err.msg.n);
		MUST(rc == -ERR_LIMIT || fault.upstream.n);
		return;
	}
	buf_init(&b, a);
	if (yml_emit(&b, j, &err) < 0)
		return; /* control characters and the like: refused */
	if (str_find(buf_str(&b), S("<<")) >= 0)
		return; /* as a key, upstream writes it so that it merges */
	/* the output has been through JSON and YAML once */
	buf_init(&text, a);
	json_encode(&text, j, 0);
	MUST(yml_parse(a, buf_str(&text), NULL, &detoured, &err) == 0);
	MUST(yml_parse(a, buf_str(&b), NULL, &again, &err) == 0);
	buf_init(&x, a);
	json_encode(&x, again, JSON_SORTED);
	buf_init(&y, a);
	json_encode(&y, detoured, JSON_SORTED);
	MUST(str_eq(buf_str(&x), buf_str(&y)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size };
	struct docs docs = { 0 };

	check(&a, in);
	if (docs_parse(&a, in, &docs, NULL, &err) < 0)
		MUST(err.msg.n);
	arena_free(&a);
	return 0;
}
