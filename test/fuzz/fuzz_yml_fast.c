/*
 * The library accepts everything that the fast reader accepts, and both give
 * the same tree, positions included.
 */
#include "fuzz.h"

#include "data/yml/yml_fast.h"
#include "../data/same_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct yml_opts opts = { .flags = JSON_DUP_ERROR };
	struct json *fast, *slow;
	struct str in = { (const char *)data, size };

	if (yml_fast(&a, in, &fast)) {
		MUST(yml_parse_events(&a, in, &opts, &slow, &err) == 0);
		MUST(same_tree(slow, fast));
	}
	arena_free(&a);
	return 0;
}
