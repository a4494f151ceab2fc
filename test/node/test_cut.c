/*
 * Power cuts, full disks and I/O errors at every single call by which an update or a rollback
 * changes the disk. Afterwards the tree is the old one or the new one, in every byte, mode and
 * link.
 *
 * A cut ends the process before the call. Of the changes that were not fsynced before it, all, none
 * or any part has reached the disk: see disk.h. MCO_CUT_STRIDE=1 tries every call, as `make
 * test-cut` does; unset, updates and rollbacks that lose everything not fsynced are cut at every
 * call, the others at every third. MCO_CUT_ALL=1 also tries the loss of each single call, and full
 * disks, at every call.
 */
#include "disk.h"
#include "sample.h"

#include "io/log.h"
#include "node/ignite.h"

/* Slow variants of the build try some of the calls, the normal one all. */
#ifdef ARENA_MALLOC
#define STRIDE 13
#else
#define STRIDE 1
#endif

static bool cut_all(void)
{
	return getenv("MCO_CUT_ALL") != NULL;
}

static long stride(void)
{
	const char *s = getenv("MCO_CUT_STRIDE");
	long n = s ? strtol(s, NULL, 10) : 3;

	if (cut_all() || n < 1)
		n = 1;
	return n > STRIDE ? n : STRIDE;
}

/* ---- the update ---------------------------------------------------------- */

/* A system runs on the root: programs are stand-ins that change nothing; a cut can also happen
 * before and after each of them. */
static void stand_in(struct arena *a, const char *dir, const char *name, const char *text)
{
	scratch_put(a, dir, str_fmt(a, "/host/%s", name).p, text, 0755);
}

static void go_online(struct arena *a, const char *dir)
{
	static const char *const silent[] = { "systemctl", "usermod", "chpasswd",
					      "runuser",   "logger",  "chcon" };

	for (size_t i = 0; i < ARRAY_LEN(silent); i++)
		stand_in(a, dir, silent[i], "#!/bin/sh\n");
	stand_in(a, dir, "rpm", "#!/bin/sh\necho file $2 is not owned by any package\nexit 1\n");
	stand_in(a, dir, "getent", "#!/bin/sh\necho 'core:$6$old:1::::::'\n");
	stand_in(a, dir, "rpm-ostree",
		 "#!/bin/sh\n[ \"$1\" != status ] || echo "
		 "'{\"deployments\":[{\"booted\":true}]}'\n");
	(void)setenv("MCO_HOST_PATH", str_z(a, str_fmt(a, "%s/host", dir)), 1);
}

static int no_fsync(int fd)
{
	(void)fd;
	return 0;
}

static int first_boot(struct arena *a, const char *root, struct err *err)
{
	static const char config[] =
		"{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{"
		"\"directories\":[{\"path\":\"/srv/d\",\"mode\":448,"
		"\"user\":{\"id\":7}}],"
		"\"files\":[" FILE_JSON("/srv/d/new", "new", ",\"mode\":384") "," FILE_JSON(
			"/etc/target", "other",
			",\"overwrite\":true") ",{\"path\":\"/etc/kubernetes/kubeconfig\",\"append\":"
					       "[{\"source\":\"data:,more\"}]}],"
					       "\"links\":[{\"path\":\"/srv/soft\",\"target\":\"d\"},"
					       "{\"path\":\"/srv/hard\",\"target\":\"/etc/target\","
					       "\"hard\":true}]},\"passwd\":{\"groups\":[{\"name\":\"g\"}],"
					       "\"users\":[{\"name\":\"u\",\"groups\":[\"g\"],"
					       "\"sshAuthorizedKeys\":[\"k\"]}]},"
					       "\"systemd\":{\"units\":[{\"name\":\"n.service\","
					       "\"enabled\":true,\"contents\":\"[Unit]\\n\"},"
					       "{\"name\":\"m.service\",\"mask\":true}]}}";
	const struct ignite_source none = { 0 };
	struct node n;
	int rc = node_open(&n, a, root, err);

	if (rc < 0)
		return rc;
	n.offline = true;
	rc = ignite_apply(&n, a, str_of(config), &none, err);
	node_close(&n);
	return rc;
}

/* ---- one run ------------------------------------------------------------- */

enum what { UPDATE, ROLLBACK, RECOVER, FIRST_BOOT };

struct bench {
	struct arena a;
	char *dir, *before, *after, *work;
	struct str before_text, after_text;
	struct mc_current r1, r2;
	const char *const *devices; /* see disk.h */
};

static int do_it(struct arena *a, const struct bench *b, enum what what, struct err *err)
{
	switch (what) {
	case UPDATE:
		return sample_apply(a, b->work, &b->r1, &b->r2, err);
	case ROLLBACK:
		return sample_rollback(a, b->work, err);
	case FIRST_BOOT:
		return first_boot(a, b->work, err);
	case RECOVER:
		break;
	}
	return sample_recover(a, b->work, err);
}

/* What a child reports at its end. */
static int told = -1;
static long told_at_cut;

static void tell(void)
{
	long v[2] = { disk.calls, disk.open_calls };

	if (write(told, v, sizeof(v)) < 0)
		abort();
}

/* Runs in a child process; returns its exit status, 42 for a cut. *calls is then 0, and
 * told_at_cut the number of calls that could have been lost. */
static int run_picked(const struct bench *b, enum what what, enum fault fault, long at, long pick,
		      long *calls)
{
	int status = 0, p[2];
	long v[2] = { 0, 0 };
	pid_t pid;

	if (pipe(p) < 0)
		abort();
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		int rc;

		told = p[1];
		(void)umask(077); /* modes have to be set, and so can be lost */
		disk_tell = tell;
		disk.devices = b->devices;
		disk_start(b->work, str_z(&a, str_fmt(&a, "%s/stash", b->dir)), fault, at, pick);
		rc = do_it(&a, b, what, &err);
		if (rc == 0) /* a completed run is durable: cut the power now */
			disk_forget();
		tell();
		arena_free(&a);
		_exit(rc < 0 ? 1 : 0);
	}
	(void)close(p[1]);
	if (read(p[0], v, sizeof(v)) != (ssize_t)sizeof(v))
		v[0] = v[1] = 0;
	(void)close(p[0]);
	(void)waitpid(pid, &status, 0);
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
	*calls = status == 42 ? 0 : v[0];
	told_at_cut = v[1];
	return status;
}

static int run_with_fault(const struct bench *b, enum what what, enum fault fault, long at,
			  long *calls)
{
	return run_picked(b, what, fault, at, 0, calls);
}

static void reset(struct bench *b, const char *from)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	scratch_remove(b->work);
	scratch_remove(str_z(&a, str_fmt(&a, "%s/stash", b->dir)));
	scratch_copy(&a, from, b->work);
}

static void setup(struct bench *b)
{
	struct err err = ERR_INIT(&b->a);
	struct mc_current none;

	*b = (struct bench){ .a = ARENA_INIT };
	err.a = &b->a;
	b->dir = scratch_new(&b->a);
	b->before = str_z(&b->a, str_fmt(&b->a, "%s/before", b->dir));
	b->after = str_z(&b->a, str_fmt(&b->a, "%s/after", b->dir));
	b->work = str_z(&b->a, str_fmt(&b->a, "%s/work", b->dir));
	if (sample_online)
		go_online(&b->a, b->dir);
	b->r1 = sample_old(&b->a);
	b->r2 = sample_new(&b->a);
	mc_current_empty(&b->a, &none);
	(void)mkdir(b->before, 0755);
	sample_root(&b->a, b->before);
	if (sample_apply(&b->a, b->before, &none, &b->r1, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		abort();
	}
	sample_labels(&b->a, b->before);
	(void)chmod(str_fmt(&b->a, "%s/etc/kubernetes/kubeconfig", b->before).p, 0644);
	/* an update may replace files that the last one did not write */
	(void)unlink(str_fmt(&b->a, "%s/etc/linked", b->before).p);
	(void)symlink("target", str_fmt(&b->a, "%s/etc/linked", b->before).p);
	scratch_copy(&b->a, b->before, b->after);
	if (sample_apply(&b->a, b->after, &b->r1, &b->r2, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		abort();
	}
	b->before_text = scratch_text(&b->a, b->before);
	b->after_text = scratch_text(&b->a, b->after);
}

static void teardown(struct bench *b)
{
	scratch_remove(b->dir);
	arena_free(&b->a);
}

/* The first line that differs. */
static void show_diff(const char *name, struct str want, struct str is)
{
	struct str x = S(""), y = S("");

	while (str_eq(x, y) && str_line(&want, &x) && str_line(&is, &y))
		;
	(void)printf("  %s: %.*s\n  is:  %.*s\n", name, STRF(x), STRF(y));
}

/* The tree after the next start: 'b' for before, 'a' for after, or '?' */
static char settled(struct bench *b, const char *what, long at)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct node_sys sys = node_sys_real;
	struct str text;
	int rc;

	sys.fsync = no_fsync;
	node_sys = &sys;
	rc = sample_recover(&a, b->work, &err);
	node_sys = &node_sys_real;
	if (rc < 0) {
		(void)printf("%s, call %ld: recovery: %.*s\n", what, at, STRF(err.msg));
		return '?';
	}
	text = scratch_text(&a, b->work);
	if (str_eq(text, b->before_text))
		return 'b';
	if (str_eq(text, b->after_text))
		return 'a';
	(void)printf("%s, call %ld: a mix\n", what, at);
	show_diff("old", b->before_text, text);
	show_diff("new", b->after_text, text);
	return '?';
}

static bool try_all(struct bench *b, enum what what, enum fault fault, const char *name)
{
	const char *from = what == UPDATE ? b->before : b->after;
	bool plain = fault == CUT_LOST && !b->devices && !sample_online;
	long n, calls, old = 0, new = 0, step = plain ? STRIDE : stride();

	/* a full disk fails neighbouring calls alike */
	if ((fault == FAIL_ENOSPC || fault == FULL_DISK) && !cut_all())
		step *= 2;
	/* each fault starts with another call */
	for (n = 1 + (long)fault % step;; n += step) {
		int status;
		char is;

		reset(b, from);
		status = run_with_fault(b, what, fault, n, &calls);
		is = settled(b, name, n);
		if (status == 255 || is == '?')
			return false;
		/* a run that reports success is complete */
		if (status == 0 && is != (what == UPDATE ? 'a' : 'b'))
			return false;
		old += is == 'b';
		new += is == 'a';
		if (status == 0 && calls < n)
			break;
	}
	(void)printf("%s: %ld places, %ld times the old tree, %ld the new\n", name, old + new, old,
		     new);
	return n > 50;
}

/* Any part of what was not fsynced is lost: a random part, each call alone, and all except one. */
static bool try_parts(struct bench *b, enum what what, const char *name)
{
	static const enum fault faults[] = { CUT_SOME, CUT_ONE, CUT_BUT_ONE };
	const char *from = what == UPDATE ? b->before : b->after;
	bool all = cut_all();
	long singles = all ? 1 : 8, seeds = all ? 3 : 1;
	long step = all ? 1 : STRIDE > 1 ? STRIDE : stride() * 4;
	long n, calls, tried = 0, most = 0;
	int status = 42;

	for (n = 1; status == 42; n += step)
		for (int f = 0; f < 3; f++) {
			long many = f == 0 ? seeds : 1;

			if (f > 0 && n / step % singles != 0)
				break;
			for (long pick = 0; pick < many; pick++) {
				reset(b, from);
				status = run_picked(b, what, faults[f], n, pick + (f ? 0 : n * 7),
						    &calls);
				if (status != 42)
					break;
				if (settled(b, name, n) == '?') {
					(void)printf("fault %d, pick %ld\n", f, pick);
					return false;
				}
				tried++;
				many = f ? told_at_cut : many;
				most = told_at_cut > most ? told_at_cut : most;
			}
			if (status != 42)
				break;
		}
	(void)printf("%s: %ld losses, of up to %ld calls\n", name, tried, most);
	return status == 0 && tried > 100 / stride() && most > 3;
}

TEST every_cut_of_an_update(void)
{
	struct bench b;
	bool ok;

	setup(&b);
	ASSERT(!str_eq(b.before_text, b.after_text));
	ok = try_all(&b, UPDATE, CUT_KEPT, "update cut, writes kept") &&
	     try_all(&b, UPDATE, CUT_LOST, "update cut, unsynced lost");
	teardown(&b);
	ASSERT(ok);
	PASS();
}

TEST every_cut_of_a_rollback(void)
{
	struct bench b;
	bool ok;

	setup(&b);
	ok = try_all(&b, ROLLBACK, CUT_KEPT, "rollback cut, writes kept") &&
	     try_all(&b, ROLLBACK, CUT_LOST, "rollback cut, unsynced lost");
	teardown(&b);
	ASSERT(ok);
	PASS();
}

TEST every_failing_call(void)
{
	struct bench b;
	bool ok;

	setup(&b);
	ok = try_all(&b, UPDATE, FAIL_ENOSPC, "update, one ENOSPC") &&
	     try_all(&b, UPDATE, FULL_DISK, "update, disk full") &&
	     try_all(&b, UPDATE, FAIL_EIO, "update, one EIO") &&
	     try_all(&b, ROLLBACK, FAIL_EIO, "rollback, one EIO") &&
	     try_all(&b, ROLLBACK, FULL_DISK, "rollback, disk full");
	teardown(&b);
	ASSERT(ok);
	PASS();
}

TEST any_part_of_an_update_is_lost(void)
{
	struct bench b;
	bool ok;

	setup(&b);
	ok = try_parts(&b, UPDATE, "update, parts lost") &&
	     try_parts(&b, ROLLBACK, "rollback, parts lost");
	teardown(&b);
	ASSERT(ok);
	PASS();
}

/* Owners and modes that are restored on the same file or directory. */
TEST owners_that_a_rollback_puts_back(void)
{
	struct bench b;
	bool ok;

	if (geteuid() != 0)
		SKIPm("only root can give files away");
	setup(&b);
	(void)chown(str_fmt(&b.a, "%s/etc/kubernetes/kubeconfig", b.after).p, 3, 4);
	b.after_text = scratch_text(&b.a, b.after);
	ok = try_all(&b, ROLLBACK, CUT_LOST, "owners, rollback lost");
	teardown(&b);
	ASSERT(ok);
	PASS();
}

/* The same where /var and /boot are file systems of their own. */
TEST several_file_systems(void)
{
	static const char *const devices[] = { "/var", "/boot", NULL };
	struct bench b;
	bool ok;

	setup(&b);
	b.devices = devices;
	ok = try_all(&b, UPDATE, CUT_LOST, "file systems, update lost") &&
	     try_parts(&b, UPDATE, "file systems, parts of an update lost") &&
	     try_parts(&b, ROLLBACK, "file systems, parts of a rollback lost");
	teardown(&b);
	ASSERT(ok);
	PASS();
}

/* The recovery from a cut is cut too, at every call. */
TEST a_cut_recovery(void)
{
	struct bench b;
	long calls, tried = 0;
	bool ok = true;

	setup(&b);
	for (long first = 40; ok && first < 1000; first += 31 * stride()) {
		reset(&b, b.before);
		if (run_with_fault(&b, UPDATE, CUT_KEPT, first, &calls) != 42)
			break;
		for (long n = 1; ok; n += STRIDE + 1) {
			int status;

			reset(&b, b.before);
			(void)run_with_fault(&b, UPDATE, CUT_LOST, first, &calls);
			status = run_with_fault(&b, RECOVER, CUT_LOST, n, &calls);
			ok = settled(&b, "recovery cut", n) != '?';
			tried++;
			if (status == 0)
				break;
		}
	}
	teardown(&b);
	(void)printf("recovery cut: %ld places\n", tried);
	ASSERT(ok);
	ASSERT(tried > 100 / (STRIDE * stride()));
	PASS();
}

TEST cuts_around_programs(void)
{
	struct bench b;
	bool ok;

	sample_online = true;
	setup(&b);
	ok = try_all(&b, UPDATE, CUT_KEPT, "update with programs cut") &&
	     try_all(&b, UPDATE, FAIL_EIO, "update with programs, one EIO") &&
	     try_all(&b, ROLLBACK, CUT_LOST, "rollback with programs cut");
	teardown(&b);
	sample_online = false;
	(void)unsetenv("MCO_HOST_PATH");
	ASSERT(ok);
	PASS();
}

/* A first boot that was cut is repeated: the tree is the same as without the cut. */
static bool try_first_boot(struct bench *b, enum fault fault)
{
	struct err err = ERR_INIT(&b->a);
	long n = 1, calls = 0;
	struct str want;
	int status;

	reset(b, b->before);
	if (first_boot(&b->a, b->work, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		return false;
	}
	want = scratch_text(&b->a, b->work);
	do {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err why = ERR_INIT(&a);
		struct str text;

		reset(b, b->before);
		status = run_with_fault(b, FIRST_BOOT, fault, n, &calls);
		/* cut after its last change, it is complete */
		if (status != 0 && !str_eq(scratch_text(&a, b->work), want) &&
		    first_boot(&a, b->work, &why) < 0) {
			(void)printf("call %ld: %.*s\n", n, STRF(why.msg));
			return false;
		}
		text = scratch_text(&a, b->work);
		if (!str_eq(text, want)) {
			(void)printf("call %ld:\n%.*s\nnot:\n%.*s\n", n, STRF(text), STRF(want));
			return false;
		}
		n += status == 42 ? stride() : 0;
	} while (status == 42);
	(void)printf("first boot cut: %ld places\n", n);
	return status == 0 && n > 50;
}

TEST every_cut_of_a_first_boot(void)
{
	struct bench b;
	bool ok;

	setup(&b);
	ok = try_first_boot(&b, CUT_KEPT) && try_first_boot(&b, CUT_LOST);
	teardown(&b);
	ASSERT(ok);
	PASS();
}

/* ---- each change by itself ----------------------------------------------- */

enum {
	WRITE,
	WRITE_OWNED,
	WRITE_EMPTY,
	LINK,
	MKDIRS,
	MKDIRS_OWNED,
	MKDIRS_SETGID,
	CHMOD,
	CHOWN,
	REMOVE,
	REMOVE_ALL,
	RENAME,
	SYMLINK,
	COPY,
	CHANGES
};

static int change(struct tree *t, int which, struct err *err)
{
	const struct tree_attr plain = { 0640, 0755, -1, -1 }, owned = { 04755, 0711, 7, 8 };

	switch (which) {
	case WRITE:
		return tree_write(t, "/etc/x/y", S("data"), plain, err);
	case WRITE_OWNED:
		return tree_write(t, "/etc/changed", S("data"), owned, err);
	case WRITE_EMPTY:
		return tree_write(t, "/etc/changed", S(""), owned, err);
	case LINK:
		return tree_link(t, "/etc/changed", "/var/hard", err);
	case MKDIRS:
		return tree_mkdirs(t, "/a/b/c", 0755, -1, -1, err);
	case MKDIRS_OWNED:
		return tree_mkdirs(t, "/a/b/c", 0750, 7, 8, err);
	case MKDIRS_SETGID:
		return tree_mkdirs(t, "/a/b/c", 02775, -1, -1, err);
	case CHMOD:
		return tree_chmod(t, "/etc/changed", 0400, err);
	case CHOWN:
		return tree_chown(t, "/etc/changed", 7, 8, err);
	case REMOVE:
		return tree_remove(t, "/etc/changed", err);
	case REMOVE_ALL:
		return tree_remove_all(t, "/etc/gone", err);
	case RENAME:
		return tree_rename(t, "/etc/changed", "/var/moved", err);
	case SYMLINK:
		return tree_symlink(t, "target", "/etc/changed", err);
	default:
		break;
	}
	return tree_copy(t, "/etc/changed", "/var/copied", err);
}

/* The change, then tree_sync, then a power cut. */
static bool change_then_cut(struct bench *b, int which, enum fault fault)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct tree t;
		int rc = tree_open(&t, b->work, &err);

		(void)umask(077);
		disk_start(b->work, str_z(&a, str_fmt(&a, "%s/stash", b->dir)), fault, 0, 0);
		rc = rc < 0 ? rc : change(&t, which, &err);
		rc = rc < 0 ? rc : tree_sync(&t, &err);
		disk_forget();
		_exit(rc < 0);
	}
	(void)waitpid(pid, &status, 0);
	return status == 0;
}

TEST each_change_is_durable_when_synced(void)
{
	struct bench b;

	if (geteuid() != 0)
		SKIPm("only root can give files away");
	setup(&b);
	for (int i = 0; i < CHANGES; i++) {
		struct str want;

		reset(&b, b.before);
		ASSERT(change_then_cut(&b, i, CUT_KEPT));
		want = scratch_text(&b.a, b.work);
		ASSERT(!str_eq(want, b.before_text));
		reset(&b, b.before);
		ASSERT(change_then_cut(&b, i, CUT_LOST));
		ASSERT_STR_M(str_fmt(&b.a, "change %d", i).p, want, scratch_text(&b.a, b.work));
	}
	teardown(&b);
	PASS();
}

SUITE(cuts)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	log_init(0, null);
	RUN_TEST(each_change_is_durable_when_synced);
	RUN_TEST(every_cut_of_an_update);
	RUN_TEST(every_cut_of_a_rollback);
	RUN_TEST(every_failing_call);
	RUN_TEST(any_part_of_an_update_is_lost);
	RUN_TEST(owners_that_a_rollback_puts_back);
	RUN_TEST(several_file_systems);
	RUN_TEST(a_cut_recovery);
	RUN_TEST(cuts_around_programs);
	RUN_TEST(every_cut_of_a_first_boot);
}

TEST_MAIN(cuts)
