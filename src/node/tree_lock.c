/*
 * The lock is a file that only its owner can open, in a directory that only its owner can enter:
 * flock(2) needs nothing but a descriptor, so any user who can open a file can hold a lock on it.
 *
 * The holder removes the file when it unlocks. A process that has waited for it then holds a lock
 * on an unlinked file and starts over: a lock counts only while its file still has the name.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/file.h"
#include "node/journal.h"
#include "walk.h"

#define LOCK_MS 10000
#define LOCK_PAUSE_MS 50
#define LOCK_NAME "lock"
#define LOCK_PATH JOURNAL_DIR "/" LOCK_NAME

/* Checks the owner and sets the mode. */
static int own_it(int fd, mode_t mode, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return tree_err(err, "stat", LOCK_PATH);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_SYS,
			       LOCK_PATH ": it or its directory belongs to "
					 "user %u, who could hold the lock forever; remove it",
			       (unsigned)st.st_uid);
	if ((st.st_mode & 0777) != mode && node_sys->fchmod(fd, mode) < 0)
		return tree_err(err, "chmod", LOCK_PATH);
	return 0;
}

/* Opens the directory, or makes it; the caller closes the descriptor. */
static int lock_dir(struct tree *t, struct err *err)
{
	const struct make make = { true, 0755, -1, -1 };
	const char *name = strrchr(JOURNAL_DIR, '/') + 1;
	struct walk w;
	int fd = -1, rc = 0;

	walk_start(&w, t);
	/* fsync: the journal will keep files in it */
	if (walk_to(&w, MC_STATE_DIR, NULL, true, &make) == 0 &&
	    (node_sys->mkdirat(walk_top(&w), name, 0700) == 0 || errno == EEXIST) &&
	    node_sys->fsync(walk_top(&w)) == 0)
		fd = openat(walk_top(&w), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		rc = tree_err(err, "open", JOURNAL_DIR);
	walk_end(&w);
	if (fd >= 0)
		rc = own_it(fd, 0700, err);
	if (rc < 0 && fd >= 0)
		(void)close(fd);
	return rc < 0 ? rc : fd;
}

/* ERR_AGAIN: another process holds it. ERR_NOTFOUND: the file was removed meanwhile. */
static int try_lock(struct tree *t, int dir, struct err *err)
{
	AUTO(fd) int fd = -1;
	struct stat is, named;
	int rc;

	fd = node_sys->openat(dir, LOCK_NAME,
			      O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return tree_err(err, "open", LOCK_PATH);
	rc = own_it(fd, 0600, err);
	if (rc < 0)
		return rc;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK || errno == EINTR ? -ERR_AGAIN
							      : tree_err(err, "lock", LOCK_PATH);
	if (fstat(fd, &is) < 0 || fstatat(dir, LOCK_NAME, &named, AT_SYMLINK_NOFOLLOW) < 0 ||
	    is.st_ino != named.st_ino || is.st_dev != named.st_dev)
		return err_set(err, ERR_NOTFOUND, LOCK_PATH ": removed again and again");
	t->lock = fd;
	fd = -1;
	return 0;
}

int tree_lock(struct tree *t, struct err *err)
{
	for (int ms = 0; t->lock < 0; ms += LOCK_PAUSE_MS) {
		AUTO(fd) int dir = lock_dir(t, err);
		int rc = dir < 0 ? dir : try_lock(t, dir, err);

		if (rc == 0)
			break;
		if (rc != -ERR_AGAIN && rc != -ERR_NOTFOUND)
			return rc;
		if (ms >= LOCK_MS && rc == -ERR_NOTFOUND)
			return rc;
		if (ms >= LOCK_MS)
			return err_set(err, ERR_CONFLICT,
				       "another process is changing this node: "
				       "it holds the lock %s%s; try again when it "
				       "has ended",
				       strcmp(t->root, "/") == 0 ? "" : t->root, LOCK_PATH);
		if (rc == -ERR_AGAIN)
			clock_sleep_ms(LOCK_PAUSE_MS);
	}
	return 0;
}

/* Removes the directories too, if they are empty. */
void tree_unlock(struct tree *t)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT(&a);

	if (t->lock < 0)
		return;
	(void)tree_remove(t, LOCK_PATH, &ignored);
	(void)tree_remove(t, JOURNAL_DIR, &ignored);
	(void)tree_remove(t, MC_STATE_DIR, &ignored);
	(void)close(t->lock);
	t->lock = -1;
}
