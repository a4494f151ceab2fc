/*
 * measure ROUNDS COMMAND...: prints the best wall and CPU times in ms and the
 * peak RSS in MiB of a command, whose output is discarded. This program is
 * small, so that the memory of the child before exec does not count.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

static double ms(struct timeval t)
{
	return (double)t.tv_sec * 1000 + (double)t.tv_usec / 1000;
}

int main(int argc, char **argv)
{
	double best = 1e12, least = 1e12;
	long rss = 0;

	if (argc < 3)
		return 2;
	for (long i = strtol(argv[1], NULL, 10); i > 0; i--) {
		double start = now();
		pid_t pid = fork();
		struct rusage u;
		int status;

		if (pid == 0) {
			(void)dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
			(void)execv(argv[2], argv + 2);
			_exit(127);
		}
		if (wait4(pid, &status, 0, &u) < 0 || status) {
			(void)fprintf(stderr, "%s failed\n", argv[2]);
			return 1;
		}
		start = now() - start;
		best = start < best ? start : best;
		start = ms(u.ru_utime) + ms(u.ru_stime);
		least = start < least ? start : least;
		rss = u.ru_maxrss > rss ? u.ru_maxrss : rss;
	}
	(void)printf("%.1f %.1f %.1f\n", best, least, (double)rss / 1024);
	return 0;
}
