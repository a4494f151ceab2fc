/*
 * Until "active" is there and durable nothing but the journal has changed; what
 * a cut before that leaves behind is swept away by the next start. Undoing puts
 * back each path by itself and may be repeated: a file's second name is moved to
 * its place, so that one which is gone has been put back already.
 */
#include "node/journal.h"

#include <stdlib.h>

#include "io/log.h"
#include "journal_links.h"

#define LOG_MAX ((size_t)64 << 20)

static const char *const state_names[] = { "", JOURNAL_DIR "/active",
					   JOURNAL_DIR "/undo",
					   JOURNAL_DIR "/last" };

/* ---- keeping ------------------------------------------------------------------ */

struct keeper {
	struct arena *a;
	struct tree *t;
	struct str pre; /* the folder of second names */
	struct json *paths, *dirs;
	struct map seen_dirs;
	int64_t n;
};

static void num(struct keeper *k, struct json *o, struct str key, int64_t v)
{
	json_add(o, key, json_new_i64(k->a, v));
}

/* Folders above path that are not there yet. */
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

static int keep_copy(struct keeper *k, const char *path, struct err *err)
{
	char *to = str_z(k->a, str_fmt(k->a, "%.*s/%lld", STRF(k->pre),
				       (long long)k->n));
	int rc = tree_link(k->t, path, to, err);

	if (rc == -ERR_INVALID)
		rc = tree_copy(k->t, path, to, err);
	return rc;
}

static int keep(struct keeper *k, struct str path, struct err *err)
{
	struct json *e = json_new(k->a, JSON_OBJECT);
	char *z = str_z(k->a, path);
	struct stat st;
	int rc = tree_lstat(k->t, z, &st, err);

	json_add(e, S("path"), json_new_str(k->a, path));
	json_push(k->paths, e);
	if (rc == -ERR_NOTFOUND)
		return 0;
	if (rc < 0)
		return rc;
	num(k, e, S("mode"), st.st_mode & 07777);
	num(k, e, S("uid"), st.st_uid);
	num(k, e, S("gid"), st.st_gid);
	if (S_ISDIR(st.st_mode))
		return 0;
	num(k, e, S("kept"), ++k->n);
	return keep_copy(k, z, err);
}

/* ---- beginning ------------------------------------------------------------------- */

static int read_log(struct arena *a, struct tree *t, const char *path,
		    struct json **out, struct err *err)
{
	struct str text;
	int rc = tree_read(a, t, path, LOG_MAX, &text, err);

	if (rc == 0 && json_parse(a, text, NULL, out, err) < 0)
		rc = -ERR_INVALID;
	if (rc == 0 && (json_kind(json_at(*out, "paths")) != JSON_ARRAY ||
			!json_str(*out, "pre", S("")).n))
		rc = err_set(err, ERR_INVALID, "it has no paths");
	if (rc < 0 && rc != -ERR_NOTFOUND)
		return err_wrap(err, "the update journal %s is damaged", path);
	return rc;
}

/* Removes second names that no journal speaks of. */
static int tidy(struct arena *a, struct tree *t, struct err *err)
{
	struct strs names = { 0 };
	struct map used;
	int rc = tree_list(a, t, JOURNAL_DIR, &names, err);

	map_init(&used, a);
	for (int s = JOURNAL_ACTIVE; rc == 0 && s <= JOURNAL_LAST; s++) {
		struct json *log = NULL;

		rc = read_log(a, t, state_names[s], &log, err);
		if (rc == 0)
			(void)map_put(&used, json_str(log, "pre", S("")), t);
		rc = rc == -ERR_NOTFOUND ? 0 : rc;
		if (rc == -ERR_INVALID && s == JOURNAL_LAST) {
			/* the update holds; only the way back is lost */
			log_warn("%.*s: there is no going back from the last "
				 "update",
				 STRF(err->msg));
			rc = tree_remove(t, state_names[s], err);
		}
		if (rc == 0)
			rc = tree_clean(t, state_names[s], err);
	}
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		if (str_starts(names.v[i], S("pre.")) &&
		    !map_find(&used, names.v[i]))
			rc = tree_remove_all(t,
					     str_fmt(a, JOURNAL_DIR "/%.*s",
						     STRF(names.v[i]))
						     .p,
					     err);
	return rc;
}

static struct str next_pre(struct arena *a, struct tree *t)
{
	struct err err = ERR_INIT(a);
	struct json *last = NULL;

	if (read_log(a, t, state_names[JOURNAL_LAST], &last, &err) == 0 &&
	    str_is(json_str(last, "pre", S("")), "pre.0"))
		return S("pre.1");
	return S("pre.0");
}

static void allow(struct arena *a, struct journal *j)
{
	map_init(&j->allowed, a);
	for (struct json *e = json_first(json_at(j->log, "paths")); e;
	     e = json_next(e))
		(void)map_put(&j->allowed, json_str(e, "path", S("")), e);
	for (struct json *e = json_first(json_at(j->log, "dirs")); e;
	     e = json_next(e))
		if (!map_find(&j->allowed, json_text(e)))
			(void)map_put(&j->allowed, json_text(e), e);
}

static int write_log(struct arena *a, struct tree *t, const struct json *log,
		     struct err *err)
{
	struct tree_attr attr = { 0600, 0700, -1, -1 };
	struct buf b;
	int rc = tree_sync(t, err);

	buf_init(&b, a);
	json_encode(&b, log, 0);
	if (rc == 0)
		rc = tree_write(t, state_names[JOURNAL_ACTIVE], buf_str(&b),
				attr, err);
	return rc < 0 ? rc : tree_sync(t, err);
}

/* Takes back a beginning that failed: nothing else has changed yet. */
static void abandon(struct arena *a, struct tree *t)
{
	struct err ignored = ERR_INIT(a);

	(void)tree_remove(t, state_names[JOURNAL_ACTIVE], &ignored);
	(void)tidy(a, t, &ignored);
	(void)tree_remove(t, JOURNAL_DIR, &ignored);
	(void)tree_remove(t, NODE_STATE_DIR, &ignored);
	(void)tree_sync(t, &ignored);
}

int journal_begin(struct arena *a, struct tree *t, const struct strs *paths,
		  struct json *facts, struct journal *out, struct err *err)
{
	struct str pre = next_pre(a, t);
	struct keeper k = { .a = a, .t = t };
	struct json *links, *link_dirs, *log = json_new(a, JSON_OBJECT);
	struct map seen;
	int rc = journal_links(a, t, &links, &link_dirs, err);

	map_init(&k.seen_dirs, a);
	map_init(&seen, a);
	k.pre = str_fmt(a, JOURNAL_DIR "/%.*s", STRF(pre));
	k.paths = json_new(a, JSON_ARRAY);
	k.dirs = json_new(a, JSON_ARRAY);
	for (size_t i = 0; i < paths->n; i++)
		if (!tree_lexists(t, str_z(a, paths->v[i])))
			note_dirs(&k, paths->v[i]);
	if (rc == 0)
		rc = tidy(a, t, err);
	if (rc == 0)
		rc = tree_mkdirs(t, NODE_STATE_DIR, 0755, -1, -1, err);
	if (rc == 0)
		rc = tree_mkdirs(t, k.pre.p, 0700, -1, -1, err);
	for (size_t i = 0; rc == 0 && i < paths->n; i++)
		if (map_put(&seen, paths->v[i], t))
			rc = keep(&k, paths->v[i], err);
	json_add(log, S("pre"), json_new_str(a, pre));
	json_add(log, S("facts"), facts);
	json_add(log, S("paths"), k.paths);
	json_add(log, S("dirs"), k.dirs);
	json_add(log, S("links"), links);
	json_add(log, S("linkDirs"), link_dirs);
	if (rc == 0)
		rc = write_log(a, t, log, err);
	if (rc < 0) {
		abandon(a, t);
		return err_wrap(err, "could not begin the update's journal");
	}
	*out = (struct journal){ .state = JOURNAL_ACTIVE, .log = log };
	allow(a, out);
	return 0;
}

int journal_load(struct arena *a, struct tree *t, struct journal *out,
		 struct err *err)
{
	*out = (struct journal){ .state = JOURNAL_NONE };
	map_init(&out->allowed, a);
	for (int s = JOURNAL_UNDO; s >= JOURNAL_ACTIVE; s--) {
		int rc = read_log(a, t, state_names[s], &out->log, err);

		if (rc == 0)
			out->state = (enum journal_state)s;
		if (rc != -ERR_NOTFOUND) {
			allow(a, out);
			return rc;
		}
	}
	if (read_log(a, t, state_names[JOURNAL_LAST], &out->log, err) == 0) {
		out->state = JOURNAL_LAST;
		allow(a, out);
	}
	return 0;
}

static int move(struct tree *t, struct journal *j, enum journal_state to,
		struct err *err)
{
	int rc = tree_sync(t, err);

	if (rc == 0)
		rc = tree_rename(t, state_names[j->state], state_names[to],
				 err);
	if (rc < 0)
		return rc;
	j->state = to; /* by its name, durable or not */
	return tree_sync(t, err);
}

int journal_commit(struct tree *t, struct journal *j, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err ignored = ERR_INIT(&a);
	int rc = move(t, j, JOURNAL_LAST, err);

	if (rc == 0) /* what is left is swept away next time */
		(void)tidy(&a, t, &ignored);
	return rc;
}

int journal_undo(struct tree *t, struct journal *j, struct err *err)
{
	return j->state == JOURNAL_UNDO ? 0 : move(t, j, JOURNAL_UNDO, err);
}

/* ---- putting back ------------------------------------------------------------------- */

static int fix_attrs(struct tree *t, const char *path, const struct json *e,
		     struct err *err)
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

static int put_back(struct tree *t, const char *path, const char *kept,
		    struct err *err)
{
	struct stat was, is;
	struct err ignored = *err;
	int rc = tree_lstat(t, kept, &was, err);

	if (rc == -ERR_NOTFOUND)
		return 0; /* done already */
	if (rc < 0)
		return rc;
	if (tree_lstat(t, path, &is, &ignored) == 0) {
		if (is.st_ino == was.st_ino && is.st_dev == was.st_dev)
			return 0;
		if (S_ISDIR(is.st_mode))
			rc = tree_remove_all(t, path, err);
	}
	if (rc == 0)
		rc = tree_rename(t, kept, path, err);
	return rc == -ERR_INVALID ? tree_copy(t, kept, path, err) : rc;
}

static int restore(struct arena *a, struct tree *t, const struct journal *j,
		   const struct json *e, struct err *err)
{
	const char *path = str_z(a, json_str(e, "path", S("")));
	int64_t n = json_i64(e, "kept", 0);
	struct err ignored = *err;
	struct stat st;
	int rc = tree_clean(t, path, err);

	if (rc < 0)
		return rc;
	if (!json_member(e, S("mode"))) {
		if (tree_lstat(t, path, &st, &ignored) < 0 ||
		    S_ISDIR(st.st_mode))
			return 0; /* folders go when they are empty */
		return tree_remove(t, path, err);
	}
	if (n)
		rc = put_back(t, path,
			      str_fmt(a, JOURNAL_DIR "/%.*s/%lld",
				      STRF(json_str(j->log, "pre", S(""))),
				      (long long)n)
				      .p,
			      err);
	else
		rc = tree_mkdirs(t, path, (mode_t)json_i64(e, "mode", 0755), -1,
				 -1, err);
	return rc < 0 ? rc : fix_attrs(t, path, e, err);
}

int journal_restore(struct arena *a, struct tree *t, struct journal *j,
		    struct str path, struct err *err)
{
	const struct json *e = map_get(&j->allowed, path);

	return e && json_kind(e) == JSON_OBJECT ? restore(a, t, j, e, err) : 0;
}

static int by_path(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

/* Folders that were not there, the deepest first. */
static int remove_dirs(struct arena *a, struct tree *t, const struct journal *j,
		       struct err *err)
{
	struct strs dirs = { 0 };
	int rc = 0;

	for (struct json *d = json_first(json_at(j->log, "dirs")); d;
	     d = json_next(d))
		VEC_PUSH(a, &dirs, json_text(d));
	for (struct json *e = json_first(json_at(j->log, "paths")); e;
	     e = json_next(e))
		if (!json_member(e, S("mode")))
			VEC_PUSH(a, &dirs, json_str(e, "path", S("")));
	if (dirs.n > 1)
		qsort(dirs.v, dirs.n, sizeof(*dirs.v), by_path);
	for (size_t i = dirs.n; rc == 0 && i-- > 0;)
		rc = journal_remove_empty(t, str_z(a, dirs.v[i]), err);
	return rc;
}

int journal_restore_all(struct arena *a, struct tree *t, struct journal *j,
			struct err *err)
{
	int rc = 0;

	t->allowed = NULL;
	for (int pass = 0; pass < 2; pass++)
		for (struct json *e = json_first(json_at(j->log, "paths"));
		     rc == 0 && e; e = json_next(e)) {
			bool dir = json_member(e, S("mode")) &&
				   !json_member(e, S("kept"));

			if (dir == (pass == 0))
				rc = restore(a, t, j, e, err);
		}
	if (rc == 0)
		rc = journal_restore_links(a, t, j, err);
	if (rc == 0)
		rc = remove_dirs(a, t, j, err);
	return rc < 0 ? rc : tree_sync(t, err);
}

int journal_end(struct arena *a, struct tree *t, struct journal *j,
		struct err *err)
{
	int rc = tree_sync(t, err);

	if (rc == 0 && j->state != JOURNAL_NONE)
		rc = tree_remove(t, state_names[j->state], err);
	if (rc == 0)
		rc = tree_sync(t, err);
	if (rc == 0)
		rc = tidy(a, t, err);
	if (rc == 0)
		rc = journal_remove_empty(t, JOURNAL_DIR, err);
	if (rc == 0)
		rc = journal_remove_empty(t, NODE_STATE_DIR, err);
	if (rc == 0)
		j->state = JOURNAL_NONE;
	return rc < 0 ? rc : tree_sync(t, err);
}

int journal_tidy(struct arena *a, struct tree *t, struct err *err)
{
	int rc = tidy(a, t, err);

	if (rc == 0)
		rc = journal_remove_empty(t, JOURNAL_DIR, err);
	if (rc == 0)
		rc = journal_remove_empty(t, NODE_STATE_DIR, err);
	return rc < 0 ? rc : tree_sync(t, err);
}
