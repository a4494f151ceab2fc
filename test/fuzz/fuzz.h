#ifndef TEST_FUZZ_FUZZ_H
#define TEST_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdlib.h>

/* The fuzz entry point; aborts when a property is violated. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(what)               \
	do {                     \
		if (!(what))     \
			abort(); \
	} while (0)

#endif
