/*
 * bench_memory NODES BYTES CHANGES: the changes of an hour at full speed.
 * Prints for run.sh: seconds, resident KiB after a tenth of them, and the
 * growth in KiB at the end.
 */
#include <fcntl.h>
#include <time.h>

#include "../kube/firehose.h"

int main(int argc, char **argv)
{
	struct firehose f = { 0 };
	struct fire_result r;
	struct timespec from, to;

	if (argc != 4)
		return 2;
	f.nodes = strtoul(argv[1], NULL, 10);
	f.bytes = strtoul(argv[2], NULL, 10);
	f.changes = strtoul(argv[3], NULL, 10);
	fire_start(&f);
	(void)clock_gettime(CLOCK_MONOTONIC, &from);
	r = fire_follow(&f, 60000);
	(void)clock_gettime(CLOCK_MONOTONIC, &to);
	fire_stop(&f);
	(void)printf("%.1f %zu %zd\n",
		     (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9,
		     r.warm_kib, (ssize_t)r.end_kib - (ssize_t)r.warm_kib);
	return r.changes == f.changes ? 0 : 1;
}
