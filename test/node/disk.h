/*
 * disk: simulates what is left of a tree after a power cut.
 *
 * Records every call by which the code changes a disk, and what it changes: entries of directories,
 * data, modes, owners and extended attributes of files. An fsync of a directory makes its entries
 * durable, an fsync of a file its data and attributes. At a power cut any of the other calls may be
 * lost: the disk is then as if they had never been made, whatever followed them. A lost rename
 * loses both of its names, unless one of them is durable.
 *
 * Directories named in devices are file systems of their own: link and rename do not work across
 * them.
 */
#ifndef TEST_NODE_DISK_H
#define TEST_NODE_DISK_H

#include <errno.h>
#include <sys/resource.h>
#include <sys/xattr.h>

#include "scratch.h"

enum fault {
	CUT_KEPT, /* nothing is lost */
	CUT_LOST, /* everything that may be lost is lost */
	CUT_SOME, /* a part of it: pick is the seed */
	CUT_ONE, /* only call number pick of those */
	CUT_BUT_ONE, /* all except that one */
	FAIL_ENOSPC,
	FAIL_EIO,
	FULL_DISK,
};

struct disk_value {
	enum { NOTHING, THING, DIRECTORY } kind;
	int stash; /* of a THING */
	mode_t mode; /* of a DIRECTORY */
	uid_t uid;
	gid_t gid;
};

struct disk_change {
	enum { ENTRY, DATA, MODE, OWNER, XATTR } what;
	bool durable, lost;
	long call;
	int fd; /* of our own: of the directory, or of the file */
	ino_t ino, child; /* child: the directory of an entry */
	char name[256];
	struct disk_value before, after;
	off_t off, len; /* DATA */
	char value[2][64]; /* XATTR: before, after */
	ssize_t len_of[2]; /* -1: there was none */
};

static struct {
	enum fault fault;
	long calls, at; /* at: 0 for never */
	long pick, open_calls; /* how many could be lost */
	int stash_dir, stashed;
	ino_t *stash_ino;
	struct disk_change *v;
	size_t n;
	const char *root;
	const char *const *devices;
} disk;

static ino_t disk_ino(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

static void disk_name(int i, char out[32])
{
	(void)snprintf(out, 32, "%d", i);
}

/* The type of an entry; a file stays accessible by a name of our own. */
static struct disk_value disk_value(int dir, const char *name)
{
	struct disk_value v = { .kind = NOTHING };
	struct stat st;
	char to[32];

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return v;
	v.mode = st.st_mode & 07777;
	v.uid = st.st_uid;
	v.gid = st.st_gid;
	v.kind = S_ISDIR(st.st_mode) ? DIRECTORY : THING;
	if (v.kind == DIRECTORY)
		return v;
	for (v.stash = 1; v.stash <= disk.stashed; v.stash++)
		if (disk.stash_ino[v.stash] == st.st_ino)
			return v;
	disk.stash_ino = realloc(disk.stash_ino, ((size_t)v.stash + 1) * sizeof(ino_t));
	disk.stash_ino[v.stash] = st.st_ino;
	disk.stashed = v.stash;
	disk_name(v.stash, to);
	if (linkat(dir, name, disk.stash_dir, to, 0) < 0)
		abort();
	return v;
}

static struct disk_change *disk_note(int what, int fd, const char *name)
{
	struct disk_change *c;

	disk.v = realloc(disk.v, (disk.n + 1) * sizeof(*disk.v));
	if (!disk.v)
		abort();
	c = &disk.v[disk.n++];
	*c = (struct disk_change){ .call = disk.calls };
	c->what = what;
	c->fd = dup(fd);
	if (c->fd < 0)
		abort();
	c->ino = disk_ino(fd);
	(void)snprintf(c->name, sizeof(c->name), "%s", name);
	return c;
}

static void disk_entry(int dir, const char *name, struct disk_value before, ino_t child)
{
	struct disk_change *c = disk_note(ENTRY, dir, name);

	c->before = before;
	c->after = disk_value(dir, name);
	c->child = child;
}

/* ---- the power cut ------------------------------------------------------- */

static bool disk_picked(long call, long index)
{
	struct test_rng rng = { .state = (uint64_t)disk.pick * 1000003u + (uint64_t)call };

	switch (disk.fault) {
	case CUT_LOST:
		return true;
	case CUT_SOME:
		(void)test_rand(&rng, 2);
		(void)test_rand(&rng, 2);
		return test_rand(&rng, 4) < 1 + (uint32_t)disk.pick % 3;
	case CUT_ONE:
		return index == disk.pick;
	case CUT_BUT_ONE:
		return index != disk.pick;
	case CUT_KEPT:
	case FAIL_ENOSPC:
	case FAIL_EIO:
	case FULL_DISK:
		break;
	}
	return false;
}

static void disk_decide(void)
{
	long last = -1;
	bool lost = false;

	for (size_t i = 0; i < disk.n; i++) {
		struct disk_change *c = &disk.v[i];

		if (c->durable)
			continue;
		if (c->call != last)
			lost = disk_picked(c->call, disk.open_calls++);
		last = c->call;
		c->lost = lost;
	}
}

static bool disk_same(const struct disk_change *x, const struct disk_change *y)
{
	return x->what == y->what && x->ino == y->ino &&
	       (x->what != ENTRY || strcmp(x->name, y->name) == 0) &&
	       (x->what != XATTR || strcmp(x->name, y->name) == 0);
}

/* The first call that is not durable and concerns the same thing; NULL: not v[i]. */
static struct disk_change *disk_first(size_t i)
{
	if (disk.v[i].durable)
		return NULL;
	for (size_t k = 0; k < i; k++)
		if (!disk.v[k].durable && disk_same(&disk.v[k], &disk.v[i]))
			return NULL;
	return &disk.v[i];
}

/* The final state: that before the first call, plus all calls that are not lost. */
static const struct disk_change *disk_last(size_t first)
{
	const struct disk_change *last = NULL;

	for (size_t k = first; k < disk.n; k++)
		if (disk_same(&disk.v[k], &disk.v[first]) && !disk.v[k].lost)
			last = &disk.v[k];
	return last;
}

static void disk_remove(int dir, const char *name)
{
	if (unlinkat(dir, name, 0) < 0 && errno != ENOENT)
		(void)tree_remove_at(dir, name);
}

/* A restored directory is a new one: its entries have to be put into it. */
static void disk_make_dir(const struct disk_change *c, struct disk_value v)
{
	ino_t old = 0;
	int fd;

	disk_remove(c->fd, c->name);
	if (mkdirat(c->fd, c->name, 0700) < 0)
		return;
	fd = openat(c->fd, c->name, O_RDONLY | O_DIRECTORY);
	(void)fchown(fd, v.uid, v.gid);
	(void)fchmod(fd, v.mode);
	for (size_t k = 0; k < disk.n; k++)
		if (disk.v[k].child && disk_same(&disk.v[k], c))
			old = disk.v[k].child;
	for (size_t k = 0; k < disk.n; k++)
		if (disk.v[k].ino == old)
			(void)dup2(fd, disk.v[k].fd);
	(void)close(fd);
}

static void disk_set_entry(const struct disk_change *c, struct disk_value v, int pass)
{
	struct disk_value now = disk_value(c->fd, c->name);
	char from[32];

	if (now.kind == v.kind && (v.kind != THING || now.stash == v.stash))
		return;
	if (v.kind == DIRECTORY) {
		if (pass == 0)
			disk_make_dir(c, v);
		return;
	}
	if (pass != (now.kind == DIRECTORY ? 2 : 1))
		return;
	disk_remove(c->fd, c->name);
	if (v.kind == NOTHING)
		return;
	disk_name(v.stash, from);
	(void)linkat(disk.stash_dir, from, c->fd, c->name, 0);
}

static void disk_set_entries(void)
{
	for (int pass = 0; pass < 3; pass++)
		for (size_t k = disk.n; k-- > 0;) {
			/* directories removed last are restored first */
			size_t i = pass == 0 ? k : disk.n - 1 - k;
			const struct disk_change *c = &disk.v[i], *last;

			if (c->what != ENTRY || !disk_first(i))
				continue;
			last = disk_last(i);
			disk_set_entry(c, last ? last->after : c->before, pass);
		}
}

static void disk_set_rest(void)
{
	static const char zeros[1 << 16];

	for (size_t i = disk.n; i-- > 0;) {
		const struct disk_change *c = &disk.v[i];
		struct stat st;

		if (c->what != DATA || !c->lost || fstat(c->fd, &st) < 0)
			continue;
		if (st.st_size == c->off + c->len) {
			if (ftruncate(c->fd, c->off) < 0)
				abort();
		} else if (pwrite(c->fd, zeros, (size_t)c->len, c->off) < 0) {
			abort();
		}
	}
	for (size_t i = 0; i < disk.n; i++) {
		const struct disk_change *c = &disk.v[i], *last;
		struct disk_value v;
		int is;

		if (c->what == ENTRY || c->what == DATA || !disk_first(i))
			continue;
		last = disk_last(i);
		v = last ? last->after : c->before;
		is = last ? 1 : 0;
		if (c->what == MODE)
			(void)fchmod(c->fd, v.mode);
		else if (c->what == OWNER)
			(void)fchown(c->fd, v.uid, v.gid);
		else if ((last ? last : c)->len_of[is] < 0)
			(void)fremovexattr(c->fd, c->name);
		else
			(void)fsetxattr(c->fd, c->name, (last ? last : c)->value[is],
					(size_t)(last ? last : c)->len_of[is], 0);
	}
}

static void (*disk_tell)(void); /* before it ends */

/* Undoes the lost calls. */
static void disk_forget(void)
{
	node_sys = &node_sys_real;
	disk_decide();
	if (disk.fault > CUT_KEPT && disk.fault < FAIL_ENOSPC) {
		disk_set_rest();
		disk_set_entries();
	}
}

static void power_cut(void)
{
	disk_forget();
	if (disk_tell)
		disk_tell();
	_exit(42);
}

/* Counts a call; true, with errno set, when it has to fail. */
static bool disk_fails(bool needs_room)
{
	disk.calls++;
	if (!disk.at || disk.calls < disk.at)
		return false;
	switch (disk.fault) {
	case CUT_KEPT:
	case CUT_LOST:
	case CUT_SOME:
	case CUT_ONE:
	case CUT_BUT_ONE:
		power_cut();
		break;
	case FULL_DISK: /* from now on, permanently */
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

/* ---- the calls ----------------------------------------------------------- */

static int disk_device(int dir)
{
	char link[64], path[4096];
	size_t root = strlen(disk.root ? disk.root : "");
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0 || !disk.root || strncmp(path, disk.root, root) != 0)
		return 0;
	path[n] = '\0';
	for (int i = 0; disk.devices && disk.devices[i]; i++) {
		size_t k = strlen(disk.devices[i]);

		if (strncmp(path + root, disk.devices[i], k) == 0 &&
		    (path[root + k] == '/' || !path[root + k]))
			return i + 1;
	}
	return 0;
}

static bool disk_apart(int x, int y)
{
	if (disk_device(x) == disk_device(y))
		return false;
	errno = EXDEV;
	return true;
}

static int disk_openat(int dir, const char *name, int flags, mode_t mode)
{
	struct disk_value before;
	int fd;

	if (disk_fails(true))
		return -1;
	before = disk_value(dir, name);
	fd = openat(dir, name, flags, mode);
	if (fd >= 0 && before.kind == NOTHING)
		disk_entry(dir, name, before, 0);
	return fd;
}

static ssize_t disk_write(int fd, const void *p, size_t n)
{
	struct disk_change *c;
	off_t off;

	if (disk_fails(true))
		return -1;
	/* short writes happen too */
	off = lseek(fd, 0, SEEK_CUR);
	n = (size_t)write(fd, p, n > 7 ? n / 2 + 1 : n);
	c = disk_note(DATA, fd, "");
	c->off = off;
	c->len = (off_t)n;
	return (ssize_t)n;
}

static int disk_fsync(int fd)
{
	ino_t ino = disk_ino(fd);

	if (disk_fails(false))
		return -1;
	for (size_t i = 0; i < disk.n; i++)
		if (disk.v[i].ino == ino)
			disk.v[i].durable = true;
	return 0;
}

static struct disk_change *disk_attr(int what, int fd)
{
	struct disk_change *c = disk_note(what, fd, "");
	struct stat st;

	if (fstat(fd, &st) < 0)
		abort();
	c->before.mode = st.st_mode & 07777;
	c->before.uid = st.st_uid;
	c->before.gid = st.st_gid;
	return c;
}

static int disk_fchmod(int fd, mode_t mode)
{
	if (disk_fails(false))
		return -1;
	disk_attr(MODE, fd)->after.mode = mode;
	return fchmod(fd, mode);
}

static int disk_fchown(int fd, uid_t uid, gid_t gid)
{
	struct disk_change *c;

	if (disk_fails(false))
		return -1;
	c = disk_attr(OWNER, fd);
	c->after.uid = uid;
	c->after.gid = gid;
	return fchown(fd, uid, gid);
}

static int disk_fsetxattr(int fd, const char *name, const void *p, size_t n, int flags)
{
	struct disk_change *c;

	if (disk_fails(true))
		return -1;
	c = disk_note(XATTR, fd, name);
	c->len_of[0] = fgetxattr(fd, name, c->value[0], sizeof(c->value[0]));
	c->len_of[1] = (ssize_t)n;
	if (n > sizeof(c->value[1]))
		abort();
	memcpy(c->value[1], p, n);
	return fsetxattr(fd, name, p, n, flags);
}

static int disk_renameat(int from, const char *x, int to, const char *y)
{
	struct disk_value was, over;

	if (disk_fails(false) || disk_apart(from, to))
		return -1;
	was = disk_value(from, x);
	over = disk_value(to, y);
	if (renameat(from, x, to, y) < 0)
		return -1;
	disk_entry(from, x, was, 0);
	disk_entry(to, y, over, 0);
	return 0;
}

static int disk_linkat(int from, const char *x, int to, const char *y)
{
	if (disk_fails(true) || disk_apart(from, to) || linkat(from, x, to, y, 0) < 0)
		return -1;
	disk_entry(to, y, (struct disk_value){ .kind = NOTHING }, 0);
	return 0;
}

static int disk_symlinkat(const char *target, int dir, const char *name)
{
	if (disk_fails(true) || symlinkat(target, dir, name) < 0)
		return -1;
	disk_entry(dir, name, (struct disk_value){ .kind = NOTHING }, 0);
	return 0;
}

static int disk_unlinkat(int dir, const char *name, int flags)
{
	struct disk_value before;
	struct stat st = { 0 };

	if (disk_fails(false))
		return -1;
	before = disk_value(dir, name);
	(void)fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);
	if (before.kind == DIRECTORY && flags) /* it must stay accessible */
		(void)openat(dir, name, O_RDONLY | O_DIRECTORY);
	if (unlinkat(dir, name, flags) < 0)
		return -1;
	disk_entry(dir, name, before, before.kind == DIRECTORY ? st.st_ino : 0);
	return 0;
}

static int disk_mkdirat(int dir, const char *name, mode_t mode)
{
	struct stat st = { 0 };

	if (disk_fails(true) || mkdirat(dir, name, mode) < 0)
		return -1;
	(void)fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW);
	disk_entry(dir, name, (struct disk_value){ .kind = NOTHING }, st.st_ino);
	return 0;
}

static int disk_command(const char *name)
{
	(void)name;
	return disk_fails(false) ? -1 : 0;
}

static const struct node_sys disk_sys = {
	.openat = disk_openat,
	.write = disk_write,
	.fsync = disk_fsync,
	.fchmod = disk_fchmod,
	.fchown = disk_fchown,
	.fsetxattr = disk_fsetxattr,
	.renameat = disk_renameat,
	.linkat = disk_linkat,
	.symlinkat = disk_symlinkat,
	.unlinkat = disk_unlinkat,
	.mkdirat = disk_mkdirat,
	.command = disk_command,
};

/* From now on, in this process, which may run out of descriptors. */
static inline void disk_start(const char *root, const char *stash, enum fault fault, long at,
			      long pick)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	scratch_remove(stash); /* names of an earlier run */
	(void)mkdir(stash, 0700);
	disk.stash_dir = open(stash, O_RDONLY | O_DIRECTORY);
	disk.fault = fault;
	disk.at = at;
	disk.pick = pick;
	disk.root = root;
	node_sys = &disk_sys;
}

#endif
