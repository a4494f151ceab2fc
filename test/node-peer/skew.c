/*
 * Preloaded into mco-daemon: advances its monotonic clock by the number of seconds in the file
 * named by SKEW, which may grow at any time. Waits are cut short so that the process notices; a
 * loop that checks the clock is not affected by waits that end early.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 50

int clock_gettime(clockid_t clock, struct timespec *out)
{
	const char *file = getenv("SKEW");
	long rc = syscall(SYS_clock_gettime, clock, out);
	char text[32] = "";
	int fd;

	if (rc < 0 || clock != CLOCK_MONOTONIC || !file)
		return (int)rc;
	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) > 0)
		out->tv_sec += strtol(text, NULL, 10);
	(void)close(fd);
	return 0;
}

int epoll_wait(int epoll, struct epoll_event *events, int n, int ms)
{
	if (ms < 0 || ms > LOOK_MS)
		ms = LOOK_MS;
	return (int)syscall(SYS_epoll_pwait, epoll, events, n, ms, NULL, 0);
}
