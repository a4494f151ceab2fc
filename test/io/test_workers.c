/* stamp and workers, with real files and processes. */
#include "../test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/file.h"
#include "io/stamp.h"
#include "io/workers.h"

static char scratch[] = "/tmp/mco-test-XXXXXX";

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	(void)nanosleep(&t, NULL);
}

/* Takes the stamp while the file is new, even when this process is slow. */
static void stamp_take_soon(const char *path, struct stamp *out)
{
	struct timespec before, after;

	do {
		(void)clock_gettime(CLOCK_REALTIME, &before);
		(void)utimensat(AT_FDCWD, path, NULL, 0);
		stamp_take(path, out);
		(void)clock_gettime(CLOCK_REALTIME, &after);
	} while ((after.tv_sec - before.tv_sec) * 1000 +
			 (after.tv_nsec - before.tv_nsec) / 1000000 >
		 80);
}

TEST a_stamp_holds_until_the_file_changes(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const char *path = str_fmt(&a, "%s/f", scratch).p;
	struct timespec times[2];
	struct stamp s;

	stamp_take(path, &s);
	ASSERT(!s.there);
	ASSERT(stamp_holds(path, &s));
	ASSERT_INT(0, file_replace(path, S("one"), 0600, &err));
	ASSERT(!stamp_holds(path, &s));
	/* just written: the stamp is not trusted yet */
	stamp_take_soon(path, &s);
	ASSERT(s.there);
	ASSERT(!stamp_holds(path, &s));
	pause_ms(150);
	stamp_take(path, &s);
	ASSERT(stamp_holds(path, &s));
	/* same size and times, another file */
	times[0] = times[1] = s.mtime;
	ASSERT_INT(0, file_replace(path, S("two"), 0600, &err));
	ASSERT_INT(0, utimensat(AT_FDCWD, path, times, 0));
	ASSERT(!stamp_holds(path, &s));
	ASSERT_INT(0, unlink(path));
	ASSERT(!stamp_holds(path, &s));
	PASS();
}

/* ---- workers ------------------------------------------------------------- */

struct shared {
	_Atomic int started, died, ended, stopping;
	_Atomic int pids[64];
};

static struct shared *shared;

static void on_term(int signo)
{
	(void)signo;
	atomic_fetch_add(&shared->ended, 1);
	_exit(0);
}

static int work(void *ctx, size_t index)
{
	int i;

	(void)ctx;
	(void)index;
	(void)signal(SIGTERM, on_term); /* before the pid is published */
	i = atomic_fetch_add(&shared->started, 1);
	if (i < 64)
		atomic_store(&shared->pids[i], getpid());
	while (getpid())
		(void)pause();
	return 0;
}

static void died(void *ctx, pid_t pid, int status)
{
	(void)ctx;
	(void)pid;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		atomic_fetch_add(&shared->died, 1);
}

static void stopping(void *ctx)
{
	(void)ctx;
	atomic_fetch_add(&shared->stopping, 1);
}

static bool reaches(const _Atomic int *v, int want)
{
	for (int i = 0; i < 6000 && atomic_load(v) < want; i++)
		pause_ms(10);
	return atomic_load(v) >= want;
}

TEST workers_are_replaced_and_end_together(void)
{
	int status = -1;
	pid_t parent;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ASSERT(shared != MAP_FAILED);
	parent = fork();
	if (parent == 0) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct workers w = {
			.n = 3, .run = work, .died = died, .stopping = stopping, .grace_ms = 60000
		};

		_exit(workers_run(&w, &err) < 0);
	}
	ASSERT(reaches(&shared->started, 3));
	for (int i = 0; i < 2; i++) {
		while (!atomic_load(&shared->pids[i]))
			pause_ms(5);
		ASSERT_INT(0, kill(atomic_load(&shared->pids[i]), SIGKILL));
	}
	ASSERT(reaches(&shared->started, 5));
	ASSERT(reaches(&shared->died, 2));
	ASSERT_INT(0, kill(parent, SIGTERM));
	ASSERT_INT(parent, waitpid(parent, &status, 0));
	ASSERT(WIFEXITED(status));
	ASSERT_INT(0, WEXITSTATUS(status));
	ASSERT_INT(1, atomic_load(&shared->stopping));
	ASSERT_INT(3, atomic_load(&shared->ended));
	for (int i = 0; i < 5; i++)
		ASSERT(kill(atomic_load(&shared->pids[i]), 0) < 0);
	(void)munmap(shared, sizeof(*shared));
	PASS();
}

SUITE(suite)
{
	if (!mkdtemp(scratch))
		abort();
	RUN_TEST(a_stamp_holds_until_the_file_changes);
	RUN_TEST(workers_are_replaced_and_end_together);
	(void)rmdir(scratch);
}

TEST_MAIN(suite)
