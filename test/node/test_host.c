/*
 * Programs of the host that misbehave: they leave processes running, do not read their input, or
 * take too long.
 */
#include "scratch.h"

#include <poll.h>
#include <signal.h>

#include "io/clock.h"
#include "io/log.h"
#include "io/loop.h"
#include "node/host.h"

#define LONG_MS 250000 /* sleeping programs sleep longer */

/* A host with that script as its only program. */
static struct host host_of(struct arena *a, const char *root, const char *name, const char *text)
{
	scratch_put(a, root, str_fmt(a, "/%s", name).p, str_fmt(a, "#!/bin/sh\n%s\n", text).p,
		    0755);
	return (struct host){ .root = root, .path = root };
}

TEST what_is_left_running_is_not_waited_for(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	char *root = scratch_new(&a);
	struct host h = host_of(&a, root, "p",
				"PATH=/usr/bin:/bin\nsleep 300 & echo $!\n"
				"head -c 70000 /dev/zero\nexit 3");
	int64_t began = clock_ms();
	struct host_out out = { 0 };
	long left;

	ASSERT_INT(0, host_cmd(&a, &h, HOST_SILENT, &out, &err, "p"));
	left = strtol(str_z(&a, str_sub(out.text, 0, 20)), NULL, 10);
	ASSERT(left > 1);
	ASSERT_INT(0, kill((pid_t)left, SIGKILL));
	ASSERT(clock_ms() - began < LONG_MS);
	ASSERT_STR("exit status 3", host_status_text(&a, out.status));
	ASSERTm("all it said", out.text.n > 70000);
	scratch_remove(root);
	PASS();
}

/* Whether every process that has inherited the descriptor ends. */
static bool all_end(int fds[2])
{
	struct pollfd p = { fds[0], POLLIN, 0 };

	(void)close(fds[1]);
	return poll(&p, 1, LONG_MS) == 1 && (p.revents & POLLHUP);
}

/* Kills its children too, and also a program that has closed its outputs. */
TEST what_takes_too_long_is_killed(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	char *root = scratch_new(&a);
	struct host h = host_of(&a, root, "p",
				"PATH=/usr/bin:/bin\nsleep 300 &\n"
				"exec >/dev/null 2>&1\nsleep 300");
	struct host_out out = { 0 };
	int fds[2];

	h.limit_ms = 1000;
	ASSERT_INT(0, pipe(fds));
	ASSERT_INT(0, host_cmd(&a, &h, HOST_SILENT, &out, &err, "p"));
	ASSERT_STR("signal: killed", host_status_text(&a, out.status));
	ASSERT(all_end(fds));
	(void)close(fds[0]);
	scratch_remove(root);
	PASS();
}

/* More than a pipe holds. */
TEST what_does_not_read_is_killed_too(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	char *root = scratch_new(&a);
	struct host h = host_of(&a, root, "logger", "PATH=/usr/bin:/bin\nexec sleep 300");
	int64_t began = clock_ms();
	struct buf b;

	h.limit_ms = 1000;
	buf_init(&b, &a);
	buf_fill(&b, 'x', 300000);
	host_log(&h, "%s", b.p);
	ASSERT(clock_ms() - began < LONG_MS);
	scratch_remove(root);
	PASS();
}

SUITE(host)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	log_init(0, null);
	/* as in a pod; on a terminal Ctrl-C ends the children */
	(void)dup2(null, STDERR_FILENO);
	RUN_TEST(what_is_left_running_is_not_waited_for);
	RUN_TEST(what_takes_too_long_is_killed);
	RUN_TEST(what_does_not_read_is_killed_too);
}

TEST_MAIN(host)
