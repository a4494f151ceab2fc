#include "plan/backoff.h"

#define FIRST_MS 5
#define MOST_MS 1000000
#define GIVEN_UP_MS 60000

int64_t backoff_next(unsigned *failures, unsigned retries)
{
	int64_t ms = FIRST_MS;

	if (*failures >= retries) {
		*failures = 0;
		return GIVEN_UP_MS;
	}
	for (unsigned i = 0; i < *failures && ms < MOST_MS; i++)
		ms *= 2;
	++*failures;
	return ms < MOST_MS ? ms : MOST_MS;
}
