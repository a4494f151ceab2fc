/*
 * A journal that is damaged or lacks kept files: it is reported, and neither the journal nor the
 * node changes. The permissions of the journal, and the owners that a rollback restores.
 */
#include "sample.h"

#include <errno.h>

#include "io/log.h"
#include "node/journal_log.h"

struct world {
	struct arena a;
	char *root;
	struct str before, now; /* the tree */
	struct mc_current r1, r2;
};

/* ---- an update that is cut ----------------------------------------------- */

static int fsyncs_left;

static int cut_fsync(int fd)
{
	(void)fd;
	if (fsyncs_left-- == 0)
		_exit(42);
	return 0;
}

static int skip_fsync(int fd)
{
	(void)fd;
	return 0;
}

static struct node_sys fast;

static bool cut_at(struct world *w, int n, bool recovering)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct err err = ERR_INIT(&w->a);
		struct node_sys sys = node_sys_real;

		fsyncs_left = n;
		sys.fsync = cut_fsync;
		node_sys = &sys;
		(void)umask(0);
		if (recovering)
			(void)sample_recover(&w->a, w->root, &err);
		else
			(void)sample_apply(&w->a, w->root, &w->r1, &w->r2, &err);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 42;
}

static char *at(struct world *w, const char *path)
{
	return str_z(&w->a, str_fmt(&w->a, "%s%s", w->root, path));
}

static void setup(struct world *w)
{
	struct mc_current none;
	struct err err;

	*w = (struct world){ .a = ARENA_INIT };
	err = ERR_INIT(&w->a);
	fast = node_sys_real;
	fast.fsync = skip_fsync;
	node_sys = &fast;
	w->root = scratch_new(&w->a);
	w->r1 = sample_old(&w->a);
	w->r2 = sample_new(&w->a);
	mc_current_empty(&w->a, &none);
	sample_root(&w->a, w->root);
	if (sample_apply(&w->a, w->root, &none, &w->r1, &err) < 0)
		abort();
	w->before = scratch_text(&w->a, w->root);
}

static void teardown(struct world *w)
{
	scratch_remove(w->root);
	arena_free(&w->a);
	node_sys = &node_sys_real;
}

/* An update that was cut in the middle: some of its files exist. */
static bool half_done(struct world *w)
{
	setup(w);
	for (int n = 40; n > 0; n--) {
		if (!cut_at(w, n, false))
			continue;
		w->now = scratch_text(&w->a, w->root);
		return access(at(w, JOURNAL_DIR "/active"), F_OK) == 0 &&
		       !str_eq(w->now, w->before);
	}
	return false;
}

/* ---- one bit flipped ----------------------------------------------------- */

static bool flip(const char *path, off_t i, int bit)
{
	char c;
	int fd = open(path, O_RDWR);
	bool ok = fd >= 0 && pread(fd, &c, 1, i) == 1;

	c = (char)(c ^ (1 << bit));
	ok = ok && pwrite(fd, &c, 1, i) == 1;
	(void)close(fd);
	return ok;
}

typedef int undo_fn(struct arena *a, const char *root, struct err *err);

/* Either reported and nothing changed, or fully undone. */
static bool left_alone(struct world *w, undo_fn *undo, bool look, const char *what)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int rc = undo(&a, w->root, &err);

	if (rc == -ERR_INVALID && str_find(err.msg, S(" is damaged: ")) >= 0 &&
	    str_ends(err.msg, S("; nothing was changed and the journal is "
				"kept: see DAMAGED JOURNAL in "
				"mco-daemon(1)")) &&
	    (!look || str_eq(scratch_text(&a, w->root), w->now)))
		return true;
	(void)printf("%s: %d %.*s\n", what, rc, STRF(err.msg));
	return false;
}

/* Some bits of every byte of a file; all of the first bytes. */
static bool flip_all(struct world *w, const char *path, undo_fn *undo)
{
	char *full = at(w, path);
	struct stat st;
	long tried = 0;

	if (stat(full, &st) < 0)
		return false;
	for (off_t i = 0; i < st.st_size; i += i < 100 ? 1 : 3)
		for (int bit = i < 100 ? 0 : (int)(i % 8); bit < 8; bit += i < 100 ? 1 : 8) {
			if (!flip(full, i, bit) || !left_alone(w, undo, tried % 64 == 0, path) ||
			    !flip(full, i, bit)) {
				(void)printf("byte %ld, bit %d\n", (long)i, bit);
				return false;
			}
			tried++;
		}
	(void)printf("%s: %ld bits\n", path, tried);
	return true;
}

/* All kept files, except those that are still the same inode. */
static bool flip_kept(struct world *w, undo_fn *undo)
{
	struct dirent **v;
	int n = 0, tried = 0;
	bool ok = true;

	for (int p = 0; p < 3; p++) {
		char *dir = at(w, str_fmt(&w->a, JOURNAL_DIR "/pre.%d", p).p);

		n = scandir(dir, &v, NULL, scratch_by_name);
		for (int i = 0; i < n; i++) {
			struct str path = str_fmt(&w->a, JOURNAL_DIR "/pre.%d/%s", p, v[i]->d_name);
			struct stat st;

			if (lstat(at(w, path.p), &st) == 0 && S_ISREG(st.st_mode) &&
			    st.st_nlink == 1 && st.st_size > 0) {
				ok = ok && flip_all(w, path.p, undo);
				tried++;
			}
			free(v[i]);
		}
		if (n >= 0)
			free(v);
	}
	return ok && tried > 2;
}

/* Truncated, extended, without its kept files. */
static bool other_damage(struct world *w, const char *log, undo_fn *undo)
{
	char *full = at(w, log);
	struct str text = test_file(&w->a, full);
	static const int parts[] = { 0, 1, 2, 4 };
	bool ok = true;

	for (size_t i = 0; ok && i < 4; i++) {
		ok = truncate(full, parts[i] ? (off_t)text.n * parts[i] / 5 : 0) == 0 &&
		     left_alone(w, undo, true, "cut off");
		scratch_put(&w->a, w->root, log, str_z(&w->a, text), 0600);
	}
	scratch_put(&w->a, w->root, log, str_fmt(&w->a, "%.*s\n", STRF(text)).p, 0600);
	ok = ok && left_alone(w, undo, true, "longer");
	/* the format before there were checksums */
	scratch_put(&w->a, w->root, log, strchr(str_z(&w->a, text), '{'), 0600);
	ok = ok && left_alone(w, undo, true, "no checksum");
	scratch_put(&w->a, w->root, log, str_z(&w->a, text), 0600);
	return ok;
}

static bool settled(struct world *w, undo_fn *undo)
{
	struct err err = ERR_INIT(&w->a);
	int rc = undo(&w->a, w->root, &err);

	if (rc < 0)
		(void)printf("%.*s\n", STRF(err.msg));
	return rc == 0 && str_eq(scratch_text(&w->a, w->root), w->before);
}

/* ---- tests --------------------------------------------------------------- */

TEST a_bit_of_an_update_cut_short(void)
{
	struct world w;

	ASSERT(half_done(&w));
	ASSERT(flip_all(&w, JOURNAL_DIR "/active", sample_recover));
	ASSERT(flip_kept(&w, sample_recover));
	ASSERT(other_damage(&w, JOURNAL_DIR "/active", sample_recover));
	ASSERT(settled(&w, sample_recover));
	teardown(&w);
	PASS();
}

TEST a_bit_of_an_undo_cut_short(void)
{
	struct world w;
	bool cut = false;

	ASSERT(half_done(&w));
	/* until the undo has started and has restored some files */
	for (int n = 1; n < 30 && !cut; n++)
		cut = cut_at(&w, n, true) && access(at(&w, JOURNAL_DIR "/undo"), F_OK) == 0 &&
		      !str_eq(scratch_text(&w.a, w.root), w.now);
	ASSERT(cut);
	w.now = scratch_text(&w.a, w.root);
	ASSERT(flip_all(&w, JOURNAL_DIR "/undo", sample_recover));
	ASSERT(other_damage(&w, JOURNAL_DIR "/undo", sample_recover));
	ASSERT(settled(&w, sample_recover));
	teardown(&w);
	PASS();
}

TEST a_bit_of_what_a_rollback_needs(void)
{
	struct world w;
	struct err err;

	setup(&w);
	err = ERR_INIT(&w.a);
	ASSERT_INT(0, sample_apply(&w.a, w.root, &w.r1, &w.r2, &err));
	w.now = scratch_text(&w.a, w.root);
	ASSERT(flip_all(&w, JOURNAL_DIR "/last", sample_rollback));
	ASSERT(flip_kept(&w, sample_rollback));
	ASSERT(other_damage(&w, JOURNAL_DIR "/last", sample_rollback));
	/* the update is complete, and a start ignores the journal */
	ASSERT(flip(at(&w, JOURNAL_DIR "/last"), 200, 3));
	ASSERT_INT(0, sample_recover(&w.a, w.root, &err));
	ASSERT(str_eq(w.now, scratch_text(&w.a, w.root)));
	ASSERT(flip(at(&w, JOURNAL_DIR "/last"), 200, 3));
	ASSERT(settled(&w, sample_rollback));
	teardown(&w);
	PASS();
}

/* The next update replaces a damaged "last" and its kept files. */
TEST the_next_update_replaces_damage(void)
{
	struct world w;
	struct err err;
	struct mc_current r3;
	struct str two;

	setup(&w);
	err = ERR_INIT(&w.a);
	ASSERT_INT(0, sample_apply(&w.a, w.root, &w.r1, &w.r2, &err));
	two = scratch_text(&w.a, w.root);
	ASSERT(flip(at(&w, JOURNAL_DIR "/last"), 300, 1));
	r3 = sample_old(&w.a);
	ASSERT_INT(0, sample_apply(&w.a, w.root, &w.r2, &r3, &err));
	ASSERT(access(at(&w, JOURNAL_DIR "/pre.1"), F_OK) < 0);
	ASSERT_INT(0, sample_rollback(&w.a, w.root, &err));
	ASSERT(str_eq(two, scratch_text(&w.a, w.root)));
	teardown(&w);
	PASS();
}

TEST what_is_kept_is_gone(void)
{
	struct world w;
	struct dirent **v;
	char *dir;
	int n, tried = 0;

	ASSERT(half_done(&w));
	dir = at(&w, JOURNAL_DIR "/pre.1"); /* pre.0 is that of the last update */
	n = scandir(dir, &v, NULL, scratch_by_name);
	for (int i = 0; i < n; i++) {
		char *x = str_z(&w.a, str_fmt(&w.a, "%s/%s", dir, v[i]->d_name));
		char *y = at(&w, "/away");

		if (v[i]->d_name[0] != '.') {
			ASSERT_INT(0, rename(x, y));
			ASSERT(left_alone(&w, sample_recover, false, x));
			ASSERT_INT(0, rename(y, x));
			tried++;
		}
		free(v[i]);
	}
	free(v);
	ASSERT(tried > 5);
	ASSERT(settled(&w, sample_recover));
	teardown(&w);
	PASS();
}

/* The marker for kernel arguments is checked too. */
TEST a_bit_of_a_marker(void)
{
	static const char *const names[] = { "tuning", "tuned" };
	struct world w;

	ASSERT(half_done(&w));
	for (int i = 0; i < 2; i++) {
		struct str path = str_fmt(&w.a, JOURNAL_DIR "/pre.1/%s", names[i]);

		scratch_put(&w.a, w.root, path.p, str_z(&w.a, journal_seal(&w.a, S("ADD a\n"))),
			    0600);
		ASSERT(flip_all(&w, path.p, sample_recover));
		ASSERT_INT(0, unlink(at(&w, path.p)));
	}
	ASSERT(settled(&w, sample_recover));
	teardown(&w);
	PASS();
}

static bool mode_is(struct world *w, const char *path, mode_t mode)
{
	struct stat st;

	if (lstat(at(w, path), &st) < 0 || (st.st_mode & 07777) != mode) {
		(void)printf("%s: %o\n", path, (unsigned)st.st_mode & 07777);
		return false;
	}
	return true;
}

/* It contains secrets: the node's old files, and password hashes. */
TEST only_root_reads_the_journal(void)
{
	struct world w;
	struct err err;
	mode_t old = umask(0);

	ASSERT(half_done(&w));
	err = ERR_INIT(&w.a);
	ASSERT(mode_is(&w, JOURNAL_DIR, 0700));
	ASSERT(mode_is(&w, JOURNAL_DIR "/active", 0600));
	ASSERT(mode_is(&w, JOURNAL_DIR "/pre.1", 0700));
	ASSERT(settled(&w, sample_recover));
	ASSERT_INT(0, sample_apply(&w.a, w.root, &w.r1, &w.r2, &err));
	ASSERT(mode_is(&w, JOURNAL_DIR, 0700));
	ASSERT(mode_is(&w, JOURNAL_DIR "/last", 0600));
	(void)umask(old);
	teardown(&w);
	PASS();
}

/* Owners and modes that were changed since the update, and those that the update has changed. */
TEST a_rollback_puts_owners_back(void)
{
	struct world w;
	struct err err;

	if (geteuid() != 0)
		SKIPm("only root can give files away");
	setup(&w);
	err = ERR_INIT(&w.a);
	(void)chown(at(&w, "/etc/changed"), 7, 8);
	(void)chown(at(&w, "/etc/same"), 9, 10);
	w.before = scratch_text(&w.a, w.root);
	ASSERT_INT(0, sample_apply(&w.a, w.root, &w.r1, &w.r2, &err));
	/* not changed by the update, then given another owner */
	(void)chown(at(&w, "/etc/kubernetes/kubeconfig"), 3, 4);
	(void)chmod(at(&w, "/etc/kubernetes/kubeconfig"), 0640);
	ASSERT(settled(&w, sample_rollback));
	teardown(&w);
	PASS();
}

/* A file that the update left alone may be edited in place or replaced later: that is not
 * damage. */
TEST an_edit_is_no_damage(void)
{
	struct world w;
	struct err err;

	setup(&w);
	err = ERR_INIT(&w.a);
	ASSERT_INT(0, sample_apply(&w.a, w.root, &w.r1, &w.r2, &err));
	scratch_put(&w.a, w.root, "/etc/same", "edited", 0644);
	(void)unlink(at(&w, "/etc/same"));
	scratch_put(&w.a, w.root, "/etc/same", "same", 0644);
	ASSERT(settled(&w, sample_rollback));
	teardown(&w);
	PASS();
}

SUITE(journal)
{
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(a_bit_of_an_update_cut_short);
	RUN_TEST(a_bit_of_an_undo_cut_short);
	RUN_TEST(a_bit_of_what_a_rollback_needs);
	RUN_TEST(the_next_update_replaces_damage);
	RUN_TEST(what_is_kept_is_gone);
	RUN_TEST(a_bit_of_a_marker);
	RUN_TEST(only_root_reads_the_journal);
	RUN_TEST(a_rollback_puts_owners_back);
	RUN_TEST(an_edit_is_no_damage);
}

TEST_MAIN(journal)
