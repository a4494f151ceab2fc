/*
 * A cache under endless changes keeps only what it needs. The bench
 * (bench_memory) does the same for one hour of a large cluster.
 */
#include "../test.h"

#include <fcntl.h>

#include "firehose.h"

/* Pages that malloc may return to the kernel a moment later. */
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
#ifndef __GLIBC__ /* glibc's malloc keeps more memory; sanitizer builds use it too */
	ASSERT(r.end_kib <= r.warm_kib + SLACK_KIB);
#endif
	PASS();
}

SUITE(suite)
{
	RUN_TEST(memory_is_flat);
}

TEST_MAIN(suite)
