/* clock, log, file and loop, on pipes and a scratch directory. */
#include "../test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/file.h"
#include "io/log.h"
#include "io/loop.h"

static char scratch[] = "/tmp/mco-test-XXXXXX";

static const char *path_of(struct arena *a, const char *name)
{
	return str_fmt(a, "%s/%s", scratch, name).p;
}

static int64_t libc_ms(clockid_t id)
{
	struct timespec t;

	(void)clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

TEST the_clocks_are_libcs(void)
{
	int64_t before = libc_ms(CLOCK_MONOTONIC), wall = libc_ms(CLOCK_REALTIME);
	int64_t us = clock_us(), ms = clock_ms(), wall_ms = clock_wall_ms(), s = clock_wall_s();
	struct instant now = clock_wall();

	ASSERT(before <= us / 1000 && us / 1000 <= ms && ms <= libc_ms(CLOCK_MONOTONIC));
	ASSERT(wall <= wall_ms && wall / 1000 <= s && s <= now.sec);
	ASSERT(wall_ms <= now.sec * 1000 + now.nsec / 1000000);
	ASSERT(now.sec <= libc_ms(CLOCK_REALTIME) / 1000);
	ms = clock_ms();
	clock_sleep_ms(20);
	ASSERT(clock_ms() - ms >= 20);
	PASS();
}

TEST a_log_line_is_klogs(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str line, rest;
	int fds[2];

	ASSERT_INT(0, pipe(fds));
	log_init(4, fds[1]);
	log_info("pool %s", "worker");
	log_v(4, "seen");
	log_v(5, "not seen");
	log_error("ends itself\n");
	log_init(0, STDERR_FILENO);
	(void)close(fds[1]);
	ASSERT_INT(0, file_read_fd(&a, fds[0], "pipe", 4096, &rest, &err));
	(void)close(fds[0]);
	ASSERT(str_line(&rest, &line));
	/* I1116 02:10:46.123456       7 test_io.c:12] pool worker */
	ASSERT_INT('I', line.p[0]);
	ASSERT_INT(' ', line.p[5]);
	ASSERT_INT(':', line.p[8]);
	ASSERT_INT('.', line.p[14]);
	ASSERT_INT(' ', line.p[21]);
	ASSERT(str_find(line, S(" test_io.c:")) == 29);
	ASSERT(str_ends(line, S("] pool worker")));
	ASSERT(str_line(&rest, &line));
	ASSERT(str_ends(line, S("] seen")));
	ASSERT(str_line(&rest, &line));
	ASSERT_INT('E', line.p[0]);
	ASSERT(str_ends(line, S("] ends itself")));
	ASSERT(!str_line(&rest, &line));
	PASS();
}

#define LINES 2000
static char logged[4 << 20];
static size_t n_logged;

static void read_all(int fd)
{
	ssize_t n;

	while ((n = read(fd, logged + n_logged, sizeof(logged) - n_logged)) > 0)
		n_logged += (size_t)n;
}

/* The reader stops, then reads again: each line arrives or is counted as lost. */
static enum greatest_test_res loses_lines(int in, int out)
{
	char text[1000];
	struct str rest, line;
	long whole = 0, lost = 0, notes = 0;

	memset(text, 'x', sizeof(text));
	n_logged = 0;
	ASSERT_INT(0, fcntl(in, F_SETFL, O_NONBLOCK));
	log_init(0, out);
	log_never_wait();
	ASSERT_INT(0, fcntl(out, F_GETFL) & O_NONBLOCK); /* other writers use it */
	for (int i = 0; i < LINES; i++)
		log_info("%.*s", (int)sizeof(text), text);
	read_all(in);
	log_info("more");
	read_all(in);
	log_init(0, STDERR_FILENO);
	rest = (struct str){ logged, n_logged };
	while (str_line(&rest, &line)) {
		ptrdiff_t at = str_find(line, S("] "));

		ASSERT(at > 0 || line.n < sizeof(text));
		whole += line.n > sizeof(text);
		if (!str_ends(line, S("the reader is too slow")))
			continue;
		notes++;
		ASSERT_INT('W', line.p[0]);
		lost = strtol(line.p + at + 2, NULL, 10);
	}
	ASSERT_INT(1, notes);
	ASSERT_INT(LINES, whole + lost);
	ASSERT(whole > 10 && lost > 10);
	ASSERT(str_ends((struct str){ logged, n_logged }, S("] more\n")));
	PASS();
}

TEST a_log_that_nobody_reads_does_not_stop_the_process(void)
{
	int p[2];

	ASSERT_INT(0, pipe(p));
	CHECK_CALL(loses_lines(p[0], p[1]));
	(void)close(p[0]);
	(void)close(p[1]);
	ASSERT_INT(0, socketpair(AF_UNIX, SOCK_STREAM, 0, p));
	CHECK_CALL(loses_lines(p[0], p[1]));
	(void)close(p[0]);
	(void)close(p[1]);
	PASS();
}

TEST a_file_is_replaced_whole(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const char *path = path_of(&a, "f");
	struct stat st;
	struct str got;

	ASSERT_INT(0, file_replace(path, S("one"), 0640, &err));
	ASSERT_INT(0, file_replace(path, S("two\n"), 0604, &err));
	ASSERT_INT(0, file_read(&a, path, 100, &got, &err));
	ASSERT_STR("two\n", got);
	ASSERT_INT(0, stat(path, &st));
	ASSERT_INT(0604, st.st_mode & 07777);
	ASSERT_INT(0, unlink(path));
	ASSERT_INT(0, rmdir(scratch)); /* no temporary file is left */
	ASSERT_INT(0, mkdir(scratch, 0700));
	PASS();
}

TEST a_failed_replace_leaves_the_old_file(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const char *dir = path_of(&a, "d");

	ASSERT_INT(0, mkdir(dir, 0700));
	ASSERT_INT(0, mkdir(str_fmt(&a, "%s/in", dir).p, 0700));
	/* a file cannot replace a directory */
	ASSERT_INT(-ERR_SYS, file_replace(dir, S("x"), 0600, &err));
	ASSERT_STR(str_fmt(&a, "rename to %s: Is a directory", dir).p, err.msg);
	ASSERT_INT(-ERR_NOTFOUND, file_replace(path_of(&a, "no/f"), S("x"), 0600, &err));
	ASSERT_INT(0, rmdir(str_fmt(&a, "%s/in", dir).p));
	ASSERT_INT(0, rmdir(dir));
	ASSERT_INT(0, rmdir(scratch)); /* the new file is removed too */
	ASSERT_INT(0, mkdir(scratch, 0700));
	PASS();
}

TEST reading_is_bounded(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const char *path = path_of(&a, "big");
	struct str got;
	struct buf b;

	buf_init(&b, &a);
	buf_fill(&b, 'x', 200000);
	ASSERT_INT(0, file_replace(path, buf_str(&b), 0600, &err));
	ASSERT_INT(0, file_read(&a, path, 200000, &got, &err));
	ASSERT_INT(200000, (long long)got.n);
	ASSERT_INT(-ERR_LIMIT, file_read(&a, path, 199999, &got, &err));
	ASSERT_INT(0, unlink(path));
	ASSERT_INT(-ERR_NOTFOUND, file_read(&a, path, 10, &got, &err));
	PASS();
}

/* ---- loop ---------------------------------------------------------------- */

struct seen {
	struct loop *loop;
	int ready, due, signals, status;
	char last;
};

static void on_ready(struct source *s, short events)
{
	struct seen *seen = s->ctx;

	if (!events) {
		seen->due++;
		return;
	}
	seen->ready++;
	if (read(s->fd, &seen->last, 1) != 1)
		loop_remove(seen->loop, s);
}

TEST readiness_and_deadlines(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct seen seen = { .loop = loop_new(&err) };
	struct source s = { .want = POLLIN, .ready = on_ready, .ctx = &seen };
	struct source timer = { .fd = -1, .ready = on_ready, .ctx = &seen };
	int fds[2];

	ASSERT(seen.loop);
	ASSERT_INT(0, pipe(fds));
	s.fd = fds[0];
	loop_add(seen.loop, &s);
	loop_add(seen.loop, &timer);
	timer.due = clock_ms() + 20;
	loop_update(seen.loop, &timer);
	while (!seen.due)
		ASSERT_INT(0, loop_turn(seen.loop, -1, &err));
	ASSERT_INT(1, seen.due);
	ASSERT_INT(0, timer.due);
	ASSERT(loop_now(seen.loop) <= clock_ms());
	ASSERT_INT(1, write(fds[1], "x", 1));
	ASSERT_INT(0, loop_turn(seen.loop, 1000, &err));
	ASSERT_INT('x', seen.last);
	s.want = 0;
	loop_update(seen.loop, &s);
	ASSERT_INT(1, write(fds[1], "y", 1));
	ASSERT_INT(0, loop_turn(seen.loop, 0, &err));
	ASSERT_INT(1, seen.ready);
	s.want = POLLIN;
	loop_update(seen.loop, &s);
	(void)close(fds[1]);
	ASSERT_INT(0, loop_turn(seen.loop, 1000, &err));
	ASSERT_INT(0, loop_turn(seen.loop, 1000, &err)); /* removes itself */
	ASSERT_INT(0, loop_turn(seen.loop, 0, &err));
	ASSERT_INT(3, seen.ready);
	(void)close(fds[0]);
	loop_free(seen.loop);
	PASS();
}

static void on_signal(void *ctx, int signo)
{
	struct seen *seen = ctx;

	seen->signals += signo == SIGTERM;
	loop_stop(seen->loop);
}

static void on_child(struct child *c, int status)
{
	struct seen *seen = c->ctx;

	seen->status = status;
	loop_stop(seen->loop);
}

TEST signals_and_children(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct seen seen = { .loop = loop_new(&err), .status = -1 };
	struct child c = { .done = on_child, .ctx = &seen };

	ASSERT(seen.loop);
	ASSERT_INT(0, loop_signal(seen.loop, SIGTERM, on_signal, &seen, &err));
	ASSERT_INT(-ERR_INVALID, loop_signal(seen.loop, 99, on_signal, &seen, &err));
	ASSERT_INT(0, kill(getpid(), SIGTERM));
	ASSERT_INT(0, loop_run(seen.loop, &err));
	ASSERT_INT(1, seen.signals);
	c.pid = fork();
	if (c.pid == 0)
		_exit(7);
	(void)usleep(20000); /* the child may end before the loop watches it */
	loop_child(seen.loop, &c);
	ASSERT_INT(0, loop_run(seen.loop, &err));
	ASSERT(WIFEXITED(seen.status));
	ASSERT_INT(7, WEXITSTATUS(seen.status));
	loop_free(seen.loop);
	PASS();
}

static void remove_other(struct source *s, short events)
{
	struct source **pair = s->ctx;

	(void)events;
	loop_remove((struct loop *)(void *)pair[2], pair[0]);
	loop_remove((struct loop *)(void *)pair[2], pair[1]);
}

TEST a_callback_may_remove_what_is_ready_too(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct source x = { .fd = -1, .ready = remove_other };
	struct source y = { .fd = -1, .ready = remove_other };
	struct source *pair[3] = { &x, &y, (struct source *)(void *)l };

	x.ctx = y.ctx = pair;
	x.due = y.due = 1; /* both are overdue */
	loop_add(l, &x);
	loop_add(l, &y);
	ASSERT_INT(0, loop_turn(l, 0, &err));
	ASSERT_INT(0, x.due);
	ASSERT_INT(1, y.due); /* never called */
	ASSERT_INT(0, loop_turn(l, 0, &err));
	loop_free(l);
	PASS();
}

/* Deadlines that are set, moved and removed at random fire in order, each once. */
struct alarm {
	struct source s;
	int64_t *last;
	int *n;
	bool late;
};

static void on_alarm(struct source *s, short events)
{
	struct alarm *t = s->ctx;

	t->late |= events != 0 || s->key < *t->last;
	*t->last = s->key;
	(*t->n)++;
}

TEST many_deadlines(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct test_rng r = { 7 };
	struct alarm *t = arena_array(&a, 500, sizeof(*t));
	int64_t last = 0, base = clock_ms();
	int n = 0, set = 0;

	for (size_t i = 0; i < 500; i++) {
		t[i] = (struct alarm){ .last = &last, .n = &n };
		t[i].s = (struct source){
			.fd = -1, .due = base - test_rand(&r, 1000), .ready = on_alarm, .ctx = &t[i]
		};
		loop_add(l, &t[i].s);
	}
	for (size_t i = 0; i < 2000; i++) {
		struct source *s = &t[test_rand(&r, 500)].s;

		s->due = test_rand(&r, 3) ? base - test_rand(&r, 1000) : 0;
		loop_update(l, s);
	}
	for (size_t i = 0; i < 500; i++)
		set += t[i].s.due != 0;
	ASSERT_INT(0, loop_turn(l, 0, &err));
	ASSERT_INT(set, n);
	for (size_t i = 0; i < 500; i++)
		ASSERT(!t[i].late && t[i].s.due == 0);
	ASSERT_INT(0, loop_turn(l, 0, &err));
	ASSERT_INT(set, n);
	loop_free(l);
	PASS();
}

static void on_refused(struct source *s, short events)
{
	*(int *)s->ctx += events == POLLERR;
}

TEST a_descriptor_that_cannot_be_watched(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	int n = 0, fd = open("/proc/self/exe", O_RDONLY);
	struct source s = { .fd = fd, .want = POLLIN, .ready = on_refused, .ctx = &n };

	ASSERT(fd >= 0);
	loop_add(l, &s); /* a regular file: epoll refuses it */
	ASSERT_INT(0, loop_turn(l, 0, &err));
	ASSERT_INT(1, n);
	loop_remove(l, &s);
	(void)close(fd);
	loop_free(l);
	PASS();
}

SUITE(suite)
{
	if (!mkdtemp(scratch))
		abort();
	RUN_TEST(the_clocks_are_libcs);
	RUN_TEST(a_log_line_is_klogs);
	RUN_TEST(a_log_that_nobody_reads_does_not_stop_the_process);
	RUN_TEST(a_file_is_replaced_whole);
	RUN_TEST(a_failed_replace_leaves_the_old_file);
	RUN_TEST(reading_is_bounded);
	RUN_TEST(readiness_and_deadlines);
	RUN_TEST(signals_and_children);
	RUN_TEST(a_callback_may_remove_what_is_ready_too);
	RUN_TEST(many_deadlines);
	RUN_TEST(a_descriptor_that_cannot_be_watched);
	(void)rmdir(scratch);
}

TEST_MAIN(suite)
