/*
 * A cache under changes without end keeps what it needs and no more. The bench
 * (bench_memory) does the same for an hour's worth of a large cluster.
 */
#include "../test.h"

#include <fcntl.h>

#include "firehose.h"

/* What pages a malloc may give back a moment later. */
#define SLACK_KIB 64

TEST memory_is_flat(void)
{
	struct firehose f = { .nodes = 50, .bytes = 25000, .changes = 3000 };
	struct fire_result r;

	fire_start(&f);
	r = fire_follow(&f, 60000);
	fire_stop(&f);
	ASSERT_INT((long long)f.changes, (long long)r.changes);
	(void)printf("%zu changes: %zu KiB, then %zu KiB\n", r.changes, r.warm_kib, r.end_kib);
#ifndef __GLIBC__ /* whose malloc keeps more; checkers, too, build on it */
	ASSERT(r.end_kib <= r.warm_kib + SLACK_KIB);
#endif
	PASS();
}

SUITE(suite)
{
	RUN_TEST(memory_is_flat);
}

TEST_MAIN(suite)
