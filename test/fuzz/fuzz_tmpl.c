/* Templates: any bytes parse or fail, run or fail, and terminate. */
#include "fuzz.h"

#include "data/tmpl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char values[] =
		"{\"a\":1,\"s\":\"x\\ny\",\"l\":[\"p\",\"q\"],\"m\":{\"k\":null},"
		"\"f\":1.5,\"b\":true}";
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size };
	struct json *j;
	struct tmpl *t;
	struct buf b;

	MUST(json_parse(&a, str_of(values), NULL, &j, &err) == 0);
	buf_init(&b, &a);
	if (tmpl_parse(&a, "t", in, NULL, &t, &err) < 0 ||
	    tmpl_run(&a, t, tmpl_from_json(&a, j), NULL, &b, &err) < 0)
		MUST(err.msg.n);
	arena_free(&a);
	return 0;
}
