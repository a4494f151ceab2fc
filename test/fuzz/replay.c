/*
 * Runs a fuzz target over every file of a corpus, without a fuzzer, so that
 * `make test` repeats what fuzzing once found.
 */
#include <dirent.h>
#include <stdio.h>

#include "fuzz.h"
#include "../test.h"

int main(int argc, char **argv)
{
	DIR *d = argc > 1 ? opendir(argv[1]) : NULL;
	struct dirent *e;
	size_t n = 0;

	if (!d) {
		(void)fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 2;
	}
	while ((e = readdir(d))) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct str text;

		if (e->d_name[0] == '.')
			continue;
		text = test_file(&a, str_fmt(&a, "%s/%s", argv[1], e->d_name).p);
		(void)LLVMFuzzerTestOneInput((const uint8_t *)text.p, text.n);
		n++;
	}
	(void)closedir(d);
	(void)printf("%zu passed, 0 failed\n", n);
	return n == 0;
}
