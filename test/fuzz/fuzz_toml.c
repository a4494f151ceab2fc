/*
 * TOML: written text reads back as the same tree, after one round trip: an
 * integral float (-0.0) becomes an integer on the first.
 */
#include "fuzz.h"

#include "data/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str in = { (const char *)data, size };
	struct json *j, *again;
	struct buf b;

	if (toml_parse(&a, in, &j, &err) < 0) {
		MUST(err.msg.n);
	} else {
		buf_init(&b, &a);
		toml_emit(&b, j);
		MUST(toml_parse(&a, buf_str(&b), &again, &err) == 0);
		buf_init(&b, &a);
		toml_emit(&b, again);
		MUST(toml_parse(&a, buf_str(&b), &j, &err) == 0);
		MUST(json_eq(j, again));
	}
	arena_free(&a);
	return 0;
}
