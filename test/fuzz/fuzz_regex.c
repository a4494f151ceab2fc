/* The first line is a pattern, the rest is the text to match. */
#include "fuzz.h"

#include "data/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str text = { (const char *)data, size }, pattern = text;
	struct regex *r;

	(void)str_cut(text, '\n', &pattern, &text);
	if (pattern.n < 4096 && text.n < 4096) {
		if (regex_compile(&a, pattern, &r, &err) == 0)
			(void)regex_matches(&a, r, text);
		else
			MUST(err.msg.n > 0);
	}
	arena_free(&a);
	return 0;
}
