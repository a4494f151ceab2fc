/*
 * Power cuts, full disks and failing ones, at every single call by which an
 * update or a rollback changes the disk. Afterwards the tree is that of before
 * or that of after, byte for byte, mode for mode, link for link.
 *
 * A cut ends the process before the call. Of what the calls before it did,
 * either all has reached the disk, or only what was fsynced: data of a file by
 * an fsync of the file, names by one of their folder.
 */
#include "sample.h"

#include <errno.h>

#include "io/log.h"
#include "node/ignite.h"

/* Slow variants of the build try some of the places, the plain one all. */
#ifdef ARENA_MALLOC
#define STRIDE 13
#else
#define STRIDE 1
#endif

enum fault { CUT_KEPT, CUT_LOST, FAIL_ENOSPC, FAIL_EIO, FULL_DISK };

/* ---- the disk that forgets --------------------------------------------------- */

struct op {
	enum { MADE, DATA, ATTR, MOVED, REMOVED, MADE_DIR } kind;
	int dir[2]; /* descriptors of our own */
	char name[2][256];
	ino_t ino[2]; /* folders still to be fsynced; 0: done */
	int fd; /* of DATA and ATTR */
	mode_t mode;
	uid_t uid;
	gid_t gid;
	int stash; /* what was in the way, or -1 */
};

static struct {
	enum fault fault;
	long calls, at; /* at: 0 for never */
	int stash_dir, stashed;
	struct op *ops;
	size_t n;
} disk;

static ino_t ino_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static void stash_name(int i, char out[32])
{
	(void)snprintf(out, 32, "%d", i);
}

/* Keeps what an operation is about to take away. */
static int stash(int dir, const char *name)
{
	char to[32];

	stash_name(++disk.stashed, to);
	return linkat(dir, name, disk.stash_dir, to, 0) == 0 ? disk.stashed
							     : -1;
}

static struct op *remember(int kind, int dir, const char *name)
{
	struct op *o;

	disk.ops = realloc(disk.ops, (disk.n + 1) * sizeof(*disk.ops));
	if (!disk.ops)
		abort();
	o = &disk.ops[disk.n++];
	*o = (struct op){ .fd = -1, .stash = -1 };
	o->kind = kind;
	o->dir[0] = dup(dir);
	o->dir[1] = -1;
	o->ino[0] = ino_of(dir);
	(void)snprintf(o->name[0], sizeof(o->name[0]), "%s", name);
	return o;
}

static void synced(int fd)
{
	ino_t ino = ino_of(fd);

	for (size_t i = 0; i < disk.n; i++) {
		struct op *o = &disk.ops[i];

		if (o->kind == DATA || o->kind == ATTR) {
			if (o->ino[0] == ino)
				o->ino[0] = 0;
			continue;
		}
		for (int k = 0; k < 2; k++)
			if (o->ino[k] == ino)
				o->ino[k] = 0;
	}
}

static void take_back(const struct op *o)
{
	char from[32];

	stash_name(o->stash, from);
	switch (o->kind) {
	case MADE:
		(void)unlinkat(o->dir[0], o->name[0], 0);
		break;
	case MADE_DIR:
		(void)unlinkat(o->dir[0], o->name[0], AT_REMOVEDIR);
		break;
	case DATA:
		if (ftruncate(o->fd, 0) < 0)
			abort();
		break;
	case ATTR:
		(void)fchown(o->fd, o->uid, o->gid);
		(void)fchmod(o->fd, o->mode);
		break;
	case MOVED:
		(void)renameat(o->dir[1], o->name[1], o->dir[0], o->name[0]);
		if (o->stash >= 0)
			(void)renameat(disk.stash_dir, from, o->dir[1],
				       o->name[1]);
		break;
	case REMOVED:
		if (o->stash >= 0)
			(void)renameat(disk.stash_dir, from, o->dir[0],
				       o->name[0]);
		else
			(void)mkdirat(o->dir[0], o->name[0], o->mode);
		break;
	}
}

static void power_cut(void)
{
	if (disk.fault == CUT_LOST)
		for (size_t i = disk.n; i-- > 0;)
			if (disk.ops[i].ino[0] || disk.ops[i].ino[1])
				take_back(&disk.ops[i]);
	_exit(42);
}

/* Counts a call; true when it is to fail, with errno set. */
static bool fails(bool needs_room)
{
	disk.calls++;
	if (!disk.at || disk.calls < disk.at)
		return false;
	switch (disk.fault) {
	case CUT_KEPT:
	case CUT_LOST:
		power_cut();
		break;
	case FULL_DISK: /* from now on, for good */
		errno = ENOSPC;
		return needs_room;
	case FAIL_ENOSPC:
		errno = ENOSPC;
		return disk.calls == disk.at && needs_room;
	case FAIL_EIO:
		errno = EIO;
		return disk.calls == disk.at;
	}
	return false;
}

static int t_openat(int dir, const char *name, int flags, mode_t mode)
{
	int fd;

	if (fails(true))
		return -1;
	fd = openat(dir, name, flags, mode);
	if (fd >= 0)
		(void)remember(MADE, dir, name);
	return fd;
}

static ssize_t t_write(int fd, const void *p, size_t n)
{
	struct op *o;

	if (fails(true))
		return -1;
	o = remember(DATA, fd, "");
	o->fd = dup(fd);
	/* short writes happen too */
	return write(fd, p, n > 7 ? n / 2 + 1 : n);
}

static int t_fsync(int fd)
{
	if (fails(false))
		return -1;
	synced(fd);
	return 0;
}

static struct op *attr_op(int fd)
{
	struct op *o = remember(ATTR, fd, "");
	struct stat st;

	if (fstat(fd, &st) < 0)
		abort();
	o->fd = dup(fd);
	o->mode = st.st_mode & 07777;
	o->uid = st.st_uid;
	o->gid = st.st_gid;
	return o;
}

static int t_fchmod(int fd, mode_t mode)
{
	if (fails(false))
		return -1;
	(void)attr_op(fd);
	return fchmod(fd, mode);
}

static int t_fchown(int fd, uid_t uid, gid_t gid)
{
	if (fails(false))
		return -1;
	(void)attr_op(fd);
	return fchown(fd, uid, gid);
}

static int t_renameat(int from, const char *x, int to, const char *y)
{
	struct op *o;
	int rc, kept;

	if (fails(false))
		return -1;
	kept = stash(to, y);
	rc = renameat(from, x, to, y);
	if (rc < 0)
		return rc;
	o = remember(MOVED, from, x);
	o->dir[1] = dup(to);
	o->ino[1] = ino_of(to);
	(void)snprintf(o->name[1], sizeof(o->name[1]), "%s", y);
	o->stash = kept;
	return 0;
}

static int t_linkat(int from, const char *x, int to, const char *y)
{
	int rc;

	if (fails(true))
		return -1;
	rc = linkat(from, x, to, y, 0);
	if (rc == 0)
		(void)remember(MADE, to, y);
	return rc;
}

static int t_symlinkat(const char *target, int dir, const char *name)
{
	int rc;

	if (fails(true))
		return -1;
	rc = symlinkat(target, dir, name);
	if (rc == 0)
		(void)remember(MADE, dir, name);
	return rc;
}

static int t_unlinkat(int dir, const char *name, int flags)
{
	struct op *o;
	struct stat st = { 0 };
	int rc, kept = -1;

	if (fails(false))
		return -1;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !S_ISDIR(st.st_mode))
		kept = stash(dir, name);
	rc = unlinkat(dir, name, flags);
	if (rc < 0)
		return rc;
	o = remember(REMOVED, dir, name);
	o->stash = kept;
	o->mode = st.st_mode & 07777;
	return 0;
}

static int t_mkdirat(int dir, const char *name, mode_t mode)
{
	int rc;

	if (fails(true))
		return -1;
	rc = mkdirat(dir, name, mode);
	if (rc == 0)
		(void)remember(MADE_DIR, dir, name);
	return rc;
}

static int t_command(const char *name)
{
	(void)name;
	if (fails(false))
		return -1;
	return 0;
}

static const struct node_sys test_sys = {
	.openat = t_openat,
	.write = t_write,
	.fsync = t_fsync,
	.fchmod = t_fchmod,
	.fchown = t_fchown,
	.renameat = t_renameat,
	.linkat = t_linkat,
	.symlinkat = t_symlinkat,
	.unlinkat = t_unlinkat,
	.mkdirat = t_mkdirat,
	.command = t_command,
};

/* ---- the update ------------------------------------------------------------------ */

/* A system runs on the root: programs are asked, which are stand-ins that change
 * nothing; before and after each of them is a place to cut, too. */
static void stand_in(struct arena *a, const char *dir, const char *name,
		     const char *text)
{
	scratch_put(a, dir, str_fmt(a, "/host/%s", name).p, text, 0755);
}

static void go_online(struct arena *a, const char *dir)
{
	static const char *const silent[] = { "systemctl", "usermod",
					      "chpasswd",  "runuser",
					      "logger",	   "chcon" };

	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
		stand_in(a, dir, silent[i], "#!/bin/sh\n");
	stand_in(
		a, dir, "rpm",
		"#!/bin/sh\necho file $2 is not owned by any package\nexit 1\n");
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
	rc = node_ignite(&n, a, str_of(config), &none, err);
	node_close(&n);
	return rc;
}

/* ---- trying it --------------------------------------------------------------------- */

enum what { UPDATE, ROLLBACK, RECOVER, FIRST_BOOT };

struct bench {
	struct arena a;
	char *dir, *before, *after, *work;
	struct str before_text, after_text;
	struct mc_current r1, r2;
};

static int do_it(struct arena *a, const struct bench *b, enum what what,
		 struct err *err)
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

/* In a process of its own; its exit status: 42 when it was cut. */
static int run_with_fault(const struct bench *b, enum what what,
			  enum fault fault, long at, long *calls)
{
	int status = 0, p[2];
	pid_t pid;

	if (pipe(p) < 0)
		abort();
	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		char *s = str_z(&a, str_fmt(&a, "%s/stash", b->dir));
		int rc;

		scratch_remove(s); /* another run's names */
		(void)mkdir(s, 0700);
		disk.stash_dir = open(s, O_RDONLY | O_DIRECTORY);
		disk.fault = fault;
		disk.at = at;
		node_sys = &test_sys;
		rc = do_it(&a, b, what, &err);
		if (write(p[1], &disk.calls, sizeof(disk.calls)) < 0)
			abort();
		arena_free(&a);
		_exit(rc < 0 ? 1 : 0);
	}
	(void)close(p[1]);
	if (read(p[0], calls, sizeof(*calls)) != (ssize_t)sizeof(*calls))
		*calls = 0;
	(void)close(p[0]);
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
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
	/* what an update replaces need not be what the last one wrote */
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

/* Which of the two the tree is, after a start: 'b', 'a', or '?' */
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
		(void)printf("%s, call %ld: recovery: %.*s\n", what, at,
			     STRF(err.msg));
		return '?';
	}
	text = scratch_text(&a, b->work);
	if (str_eq(text, b->before_text))
		return 'b';
	if (str_eq(text, b->after_text))
		return 'a';
	(void)printf("%s, call %ld: a mix:\n%.*s\nbefore:\n%.*s\n", what, at,
		     STRF(text), STRF(b->before_text));
	return '?';
}

static bool try_all(struct bench *b, enum what what, enum fault fault,
		    const char *name)
{
	const char *from = what == UPDATE ? b->before : b->after;
	long n, calls, old = 0, new = 0;

	for (n = 1;; n += STRIDE) {
		int status;
		char is;

		reset(b, from);
		status = run_with_fault(b, what, fault, n, &calls);
		is = settled(b, name, n);
		if (status == 255 || is == '?')
			return false;
		/* what says that it is done, is */
		if (status == 0 && is != (what == UPDATE ? 'a' : 'b'))
			return false;
		old += is == 'b';
		new += is == 'a';
		if (status == 0 && calls < n)
			break;
	}
	(void)printf("%s: %ld places, %ld times the old tree, %ld the new\n",
		     name, old + new, old, new);
	return n > 50;
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

/* The recovery from a cut is cut too, wherever that may be. */
TEST a_cut_recovery(void)
{
	struct bench b;
	long calls, tried = 0;
	bool ok = true;

	setup(&b);
	for (long first = 40; ok && first < 1000; first += 31 * STRIDE) {
		reset(&b, b.before);
		if (run_with_fault(&b, UPDATE, CUT_KEPT, first, &calls) != 42)
			break;
		for (long n = 1; ok; n += STRIDE + 1) {
			int status;

			reset(&b, b.before);
			(void)run_with_fault(&b, UPDATE, CUT_LOST, first,
					     &calls);
			status = run_with_fault(&b, RECOVER, CUT_LOST, n,
						&calls);
			ok = settled(&b, "recovery cut", n) != '?';
			tried++;
			if (status == 0)
				break;
		}
	}
	teardown(&b);
	(void)printf("recovery cut: %ld places\n", tried);
	ASSERT(ok);
	ASSERT(tried > 100 / (STRIDE * STRIDE));
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

/* A first boot that was cut is repeated: the tree is as if it had not been. */
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
		if (status == 0)
			break;
		/* cut after its last change it is as whole as it gets */
		if (!str_eq(scratch_text(&a, b->work), want) &&
		    first_boot(&a, b->work, &why) < 0) {
			(void)printf("call %ld: %.*s\n", n, STRF(why.msg));
			return false;
		}
		text = scratch_text(&a, b->work);
		if (!str_eq(text, want)) {
			(void)printf("call %ld:\n%.*s\nnot:\n%.*s\n", n,
				     STRF(text), STRF(want));
			return false;
		}
		n += STRIDE;
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

SUITE(cuts)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	log_init(0, null);
	RUN_TEST(every_cut_of_an_update);
	RUN_TEST(every_cut_of_a_rollback);
	RUN_TEST(every_failing_call);
	RUN_TEST(a_cut_recovery);
	RUN_TEST(cuts_around_programs);
	RUN_TEST(every_cut_of_a_first_boot);
}

TEST_MAIN(cuts)
