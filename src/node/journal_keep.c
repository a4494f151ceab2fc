/*
 * What was there before an update, kept under a second name: a hard link where possible. Contents
 * are checked before they are restored: a disk that has lost a bit must not cause a mix of old and
 * new.
 *
 * A file that the update leaves alone has two names for one inode, so that editing it in place
 * later would change the kept file too. When the update is complete the second name of such a file
 * is removed: there is nothing to restore.
 */
#include "journal_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/file.h"
#include "journal_log.h"
#include "walk.h"

#define CHUNK 8192

struct keeper {
	struct arena *a;
	struct tree *t;
	struct json *log, *paths, *dirs;
	struct map seen_dirs;
	int64_t n;
};

struct str journal_kept(struct arena *a, const struct json *log, const struct json *entry)
{
	int64_t n = json_i64(entry, "kept", 0);

	return n ? str_fmt(a, JOURNAL_DIR "/%.*s/%lld", STRF(json_str(log, "pre")), (long long)n)
		 : S("");
}

static const char *type_of(mode_t mode)
{
	return S_ISDIR(mode)   ? WAS_DIR
	       : S_ISREG(mode) ? WAS_FILE
	       : S_ISLNK(mode) ? WAS_LINK
			       : WAS_OTHER;
}

/* ---- checksums ----------------------------------------------------------- */

int journal_sum(struct arena *a, struct tree *t, const char *path, struct str *out, struct err *err)
{
	const char *name = NULL;
	int dir = tree_parent(t, path, &make_none, &name);
	AUTO(fd) int fd = -1;
	char chunk[CHUNK];
	struct hash h;
	ssize_t n;

	if (dir >= 0)
		fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return tree_err(err, "open", path);
	hash_init(&h, HASH_SHA256);
	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n > 0)
			hash_add(&h, (struct str){ chunk, (size_t)n });
		else if (errno != EINTR)
			return tree_err(err, "read", path);
	}
	*out = hash_hex(a, &h);
	return 0;
}

/* The checksum of contents or target; "" for other types of files. */
static int sum_path(struct arena *a, struct tree *t, const char *path, mode_t mode, struct str *out,
		    struct err *err)
{
	struct str target;
	int rc;

	*out = S("");
	if (S_ISREG(mode))
		return journal_sum(a, t, path, out, err);
	if (!S_ISLNK(mode))
		return 0;
	rc = tree_readlink(a, t, path, &target, err);
	if (rc == 0)
		*out = hash_hex_of(a, HASH_SHA256, target);
	return rc;
}

/* ---- keeping ------------------------------------------------------------- */

static void add_num(struct keeper *k, struct json *o, struct str key, int64_t v)
{
	json_add(o, key, json_new_i64(k->a, v));
}

/* Records the directories above path that do not exist yet. */
static void note_dirs(struct keeper *k, struct str path)
{
	ptrdiff_t slash = str_rchr(path, '/');
	struct str dir;

	if (slash <= 0)
		return;
	dir = str_sub(path, 0, (size_t)slash);
	if (map_find(&k->seen_dirs, dir))
		return;
	(void)map_put(&k->seen_dirs, dir, k);
	if (tree_exists(k->t, str_z(k->a, dir)))
		return;
	note_dirs(k, dir);
	json_push(k->dirs, json_new_str(k->a, dir));
}

static int keep_copy(struct keeper *k, const char *path, const char *to, struct err *err)
{
	int rc = tree_link(k->t, path, to, err);

	return rc == -ERR_INVALID ? tree_copy(k->t, path, to, err) : rc;
}

static int keep_path(struct keeper *k, struct str path, struct err *err)
{
	struct json *e = json_new(k->a, JSON_OBJECT);
	char *z = str_z(k->a, path), *to;
	struct str hex;
	struct stat st;
	int rc = tree_lstat(k->t, z, &st, err);

	if (rc < 0 && rc != -ERR_NOTFOUND)
		return rc;
	json_add(e, S("path"), json_new_str(k->a, path));
	json_add(e, S("was"),
		 json_new_str(k->a, str_of(rc < 0 ? WAS_ABSENT : type_of(st.st_mode))));
	json_push(k->paths, e);
	if (rc < 0)
		return 0;
	add_num(k, e, S("mode"), st.st_mode & 07777);
	add_num(k, e, S("uid"), st.st_uid);
	add_num(k, e, S("gid"), st.st_gid);
	if (S_ISDIR(st.st_mode))
		return 0;
	add_num(k, e, S("kept"), ++k->n);
	to = str_z(k->a, journal_kept(k->a, k->log, e));
	rc = keep_copy(k, z, to, err);
	if (rc == 0)
		rc = sum_path(k->a, k->t, to, st.st_mode, &hex, err);
	if (rc == 0 && hex.n)
		json_add(e, S("sha256"), json_new_str(k->a, hex));
	return rc;
}

int journal_keep(struct arena *a, struct tree *t, const struct strs *paths, struct json *log,
		 struct err *err)
{
	struct keeper k = { .a = a, .t = t, .log = log };
	struct map seen;
	int rc = 0;

	k.paths = json_new(a, JSON_ARRAY);
	k.dirs = json_new(a, JSON_ARRAY);
	json_add(log, S("paths"), k.paths);
	json_add(log, S("dirs"), k.dirs);
	map_init(&k.seen_dirs, a);
	map_init(&seen, a);
	for (size_t i = 0; i < paths->n; i++)
		if (!tree_lexists(t, str_z(a, paths->v[i])))
			note_dirs(&k, paths->v[i]);
	for (size_t i = 0; rc == 0 && i < paths->n; i++)
		if (map_put(&seen, paths->v[i], t))
			rc = keep_path(&k, paths->v[i], err);
	return rc;
}

/* ---- afterwards ---------------------------------------------------------- */

static bool same_inode(struct arena *a, struct tree *t, const char *x, const char *y)
{
	struct err ignored = ERR_INIT(a);
	struct stat sx, sy;

	return tree_lstat(t, x, &sx, &ignored) == 0 && tree_lstat(t, y, &sy, &ignored) == 0 &&
	       sx.st_ino == sy.st_ino && sx.st_dev == sy.st_dev;
}

void journal_drop_same(struct arena *a, struct tree *t, struct json *log)
{
	for (struct json *e = json_first(json_at(log, "paths")); e; e = json_next(e)) {
		struct str kept = journal_kept(a, log, e);

		if (kept.n && same_inode(a, t, kept.p, str_z(a, json_str(e, "path")))) {
			(void)json_remove(e, S("kept"));
			(void)json_remove(e, S("sha256"));
		}
	}
}

int journal_sweep(struct arena *a, struct tree *t, const struct json *log, struct err *err)
{
	struct str dir = str_fmt(a, JOURNAL_DIR "/%.*s", STRF(json_str(log, "pre")));
	struct strs names = { 0 };
	struct map used;
	int64_t n;
	int rc = tree_list(a, t, dir.p, &names, err);

	map_init(&used, a);
	for (struct json *e = json_first(json_at(log, "paths")); e; e = json_next(e))
		(void)map_put(&used, journal_kept(a, log, e), t);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		struct str path = str_fmt(a, "%.*s/%.*s", STRF(dir), STRF(names.v[i]));

		if (str_to_i64(names.v[i], &n) && !map_find(&used, path))
			rc = tree_remove(t, path.p, err);
	}
	return rc;
}

/* ---- checking ------------------------------------------------------------ */

static int check_entry(struct arena *a, struct tree *t, const struct journal *j,
		       const struct json *e, struct err *err)
{
	const char *path = str_z(a, json_str(e, "path"));
	struct str kept = journal_kept(a, j->log, e), hex;
	struct stat st;
	int rc;

	if (!kept.n)
		return 0;
	rc = tree_lstat(t, kept.p, &st, err);
	/* it has been restored already */
	if (rc == -ERR_NOTFOUND && j->state == JOURNAL_UNDO && tree_lexists(t, path))
		return 0;
	if (rc == -ERR_NOTFOUND)
		return err_set(err, ERR_INVALID, "%.*s, the kept copy of %s, is missing",
			       STRF(kept), path);
	/* not replaced yet: there is nothing to restore */
	if (rc < 0 || same_inode(a, t, kept.p, path))
		return rc;
	rc = sum_path(a, t, kept.p, st.st_mode, &hex, err);
	if (rc == 0 && !(str_is(json_str(e, "was"), type_of(st.st_mode)) &&
			 str_eq(json_str(e, "sha256"), hex)))
		rc = err_set(err, ERR_INVALID,
			     "%.*s, the kept copy of %s, does not match its checksum", STRF(kept),
			     path);
	return rc;
}

int journal_check(struct tree *t, const struct journal *j, struct err *err)
{
	for (struct json *e = json_first(json_at(j->log, "paths")); e; e = json_next(e)) {
		AUTO(arena) struct arena own = ARENA_INIT;
		int rc = check_entry(&own, t, j, e, err);

		if (rc < 0)
			return rc == -ERR_INVALID ? journal_damaged(err, JOURNAL_DIR) : rc;
	}
	return 0;
}
