/*
 * Restores what a journal has. Each path is restored by itself, and restoring is idempotent: the
 * second name of a file is moved to its place, so a missing second name means that the file has
 * been restored.
 */
#include <stdlib.h>

#include "journal_keep.h"
#include "journal_links.h"
#include "journal_log.h"

static bool was(const struct json *entry, const char *what)
{
	return str_is(json_str(entry, "was"), what);
}

static int fix_attrs(struct tree *t, const char *path, const struct json *e, struct err *err)
{
	mode_t mode = (mode_t)json_i64(e, "mode", 0644);
	uid_t uid = (uid_t)json_i64(e, "uid", 0);
	gid_t gid = (gid_t)json_i64(e, "gid", 0);
	struct stat st;
	int rc = tree_lstat(t, path, &st, err);

	if (rc < 0 || S_ISLNK(st.st_mode))
		return rc;
	if (st.st_uid != uid || st.st_gid != gid) {
		rc = tree_chown(t, path, uid, gid, err);
		if (rc == 0)
			rc = tree_chmod(t, path, mode, err);
	} else if ((st.st_mode & 07777) != mode) {
		rc = tree_chmod(t, path, mode, err);
	}
	return rc;
}

static int put_back(struct tree *t, const char *path, const char *kept, struct err *err)
{
	struct stat old, is;
	struct err ignored = *err;
	int rc = tree_lstat(t, kept, &old, err);

	if (rc == -ERR_NOTFOUND)
		return 0; /* restored already */
	if (rc < 0)
		return rc;
	if (tree_lstat(t, path, &is, &ignored) == 0) {
		if (is.st_ino == old.st_ino && is.st_dev == old.st_dev)
			return 0;
		if (S_ISDIR(is.st_mode))
			rc = tree_remove_all(t, path, err);
	}
	if (rc == 0)
		rc = tree_rename(t, kept, path, err);
	return rc == -ERR_INVALID ? tree_copy(t, kept, path, err) : rc;
}

static int restore(struct arena *a, struct tree *t, const struct journal *j, const struct json *e,
		   struct err *err)
{
	const char *path = str_z(a, json_str(e, "path"));
	struct str kept = journal_kept(a, j->log, e);
	struct err ignored = *err;
	struct stat st;
	int rc = tree_clean(t, path, err);

	if (rc < 0)
		return rc;
	if (was(e, WAS_ABSENT)) {
		if (tree_lstat(t, path, &st, &ignored) < 0 || S_ISDIR(st.st_mode))
			return 0; /* directories are removed later, if they are empty */
		return tree_remove(t, path, err);
	}
	if (was(e, WAS_DIR))
		rc = tree_mkdirs(t, path, (mode_t)json_i64(e, "mode", 0755), -1, -1, err);
	else if (kept.n)
		rc = put_back(t, path, kept.p, err);
	else if (!tree_lexists(t, path))
		return 0; /* the update left it alone; it was removed since */
	return rc < 0 ? rc : fix_attrs(t, path, e, err);
}

int journal_restore(struct arena *a, struct tree *t, struct journal *j, struct str path,
		    struct err *err)
{
	const struct json *e = map_get(&j->allowed, path);

	return e && json_kind(e) == JSON_OBJECT ? restore(a, t, j, e, err) : 0;
}

static int by_path(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

/* Removes directories that did not exist, the deepest first. */
static int remove_dirs(struct arena *a, struct tree *t, const struct journal *j, struct err *err)
{
	struct strs dirs = { 0 };
	int rc = 0;

	for (struct json *d = json_first(json_at(j->log, "dirs")); d; d = json_next(d))
		VEC_PUSH(a, &dirs, json_text(d));
	for (struct json *e = json_first(json_at(j->log, "paths")); e; e = json_next(e))
		if (was(e, WAS_ABSENT))
			VEC_PUSH(a, &dirs, json_str(e, "path"));
	if (dirs.n > 1)
		qsort(dirs.v, dirs.n, sizeof(*dirs.v), by_path);
	for (size_t i = dirs.n; rc == 0 && i-- > 0;)
		rc = journal_remove_empty(t, str_z(a, dirs.v[i]), err);
	return rc;
}

int journal_restore_all(struct arena *a, struct tree *t, struct journal *j, struct err *err)
{
	int rc = 0;

	t->allowed = NULL;
	for (int pass = 0; pass < 2; pass++)
		for (struct json *e = json_first(json_at(j->log, "paths")); rc == 0 && e;
		     e = json_next(e))
			if (was(e, WAS_DIR) == (pass == 0))
				rc = restore(a, t, j, e, err);
	if (rc == 0)
		rc = journal_restore_links(a, t, j, err);
	if (rc == 0)
		rc = remove_dirs(a, t, j, err);
	return rc < 0 ? rc : tree_sync(t, err);
}
