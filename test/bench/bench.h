/* Helpers that the benchmarks measure with. */
#ifndef TEST_BENCH_H
#define TEST_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

static inline double seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A line of /proc/PID/status, "VmRSS:" or "VmHWM:", in MiB. */
static inline double status_mib(pid_t pid, const char *field)
{
	char path[64], line[256];
	long kb = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, field, strlen(field)) == 0)
			kb = strtol(line + strlen(field), NULL, 10);
	if (f)
		(void)fclose(f);
	return (double)kb / 1024;
}

#endif
