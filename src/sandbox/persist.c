/*
 * The file of the sandbox's objects: snapshot, log of changes, lock.
 *
 * A change is written and fsynced before its request is answered. Replacing the file by a new
 * snapshot is a rename; the lock moves to the new file before the old one is closed.
 */
#include "sandbox/persist.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/file.h"
#include "io/log.h"

/*
 * A record is "SUM LENGTH\n", LENGTH bytes, "\n". SUM is a prefix of the md5 of the bytes: it
 * detects a truncated record. The bytes are "VERSION GROUP PLURAL KEY\n" and the object, or no
 * object for a deletion; GROUP is "-" for the core group. A snapshot begins with a record without
 * PLURAL, which has only the version. Objects contain no line breaks, so a record has three lines.
 */
#define RECORD_LINES 3
#define SUM_LEN 16
#define FILE_MAX ((size_t)1 << 30)
#define LOG_MIN ((size_t)1 << 20) /* a shorter log is never replaced */

struct persist {
	struct sandbox *s;
	char *path;
	int fd;
	struct arena arena; /* of waiting */
	struct buf waiting;
	size_t log; /* the size of the file */
	size_t snapshot; /* the part of it that is the snapshot */
};

static void add_record(struct buf *b, struct str record)
{
	struct arena tmp = ARENA_INIT;
	struct str sum = hash_hex_of(&tmp, HASH_MD5, record);

	buf_addf(b, "%.*s %zu\n", SUM_LEN, sum.p, record.n);
	buf_add(b, record);
	buf_addc(b, '\n');
	arena_free(&tmp);
}

static void add_object(struct buf *b, const struct sb_kind *k, const struct sb_object *o,
		       bool deleted)
{
	struct arena tmp = ARENA_INIT;
	struct buf r;

	buf_init(&r, &tmp);
	buf_addf(&r, "%llu %.*s %.*s %.*s\n", (unsigned long long)o->rv,
		 STRF(k->group.n ? k->group : S("-")), STRF(k->plural), STRF(o->key));
	if (!deleted)
		buf_add(&r, o->text);
	add_record(b, buf_str(&r));
	arena_free(&tmp);
}

/* ---- reading ------------------------------------------------------------- */

static void forget_objects(struct sandbox *s)
{
	for (struct sb_kind *k = s->kinds.first; k; k = k->next)
		list_free(&k->objects);
	store_begin(&s->store, 0);
}

static void restore_object(struct sandbox *s, struct sb_kind *k, struct str key, struct str text,
			   uint64_t rv)
{
	struct arena tmp = ARENA_INIT;
	struct sb_object *old = store_get(&k->objects, key);
	bool crd = str_is(k->plural, "customresourcedefinitions");

	if (text.n)
		store_restore(&s->store, &k->objects, key, text, rv);
	else if (old && crd)
		crd_removed(s, sb_tree(&tmp, old));
	/* there are no watches yet: no events for deletions */
	if (s->store.n)
		store_compact(&s->store);
	if (!text.n && old)
		store_forget(&s->store, &k->objects, key, rv);
	else if (text.n && crd)
		crd_changed(s, sb_tree(&tmp, store_get(&k->objects, key)));
	arena_free(&tmp);
}

static bool take_record(struct sandbox *s, struct str record)
{
	struct str head, text, version, group, plural, key;
	struct sb_kind *k;
	int64_t rv;

	if (!str_cut(record, '\n', &head, &text) || !str_cut(head, ' ', &version, &head) ||
	    !str_to_i64(version, &rv) || rv < 0 || !str_cut(head, ' ', &group, &head) ||
	    !str_cut(head, ' ', &plural, &key))
		return false;
	if (!plural.n) {
		forget_objects(s);
		s->store.rv = s->store.compacted = (uint64_t)rv;
		return true;
	}
	k = kinds_of(&s->kinds, str_is(group, "-") ? S("") : group, plural);
	/* deletions of objects follow the deletion of their CRD */
	if (!k)
		return !text.n;
	if (text.n) {
		struct arena tmp = ARENA_INIT;
		struct err err = ERR_INIT(&tmp);
		struct json *j = NULL;
		bool whole =
			json_parse(&tmp, text, NULL, &j, &err) == 0 && json_kind(j) == JSON_OBJECT;

		arena_free(&tmp);
		if (!whole)
			return false;
	}
	restore_object(s, k, key, text, (uint64_t)rv);
	if ((uint64_t)rv > s->store.rv)
		s->store.rv = s->store.compacted = (uint64_t)rv;
	return true;
}

/* The length of the record at the start of rest; 0 when it is truncated or damaged. */
static size_t record_at(struct str rest, struct str *record)
{
	AUTO(arena) struct arena tmp = ARENA_INIT;
	struct str head, sum, len;
	int64_t n;

	if (!str_cut(rest, '\n', &head, &rest) || !str_cut(head, ' ', &sum, &len) ||
	    !str_to_i64(len, &n) || n < 0 || sum.n != SUM_LEN || rest.n <= (size_t)n ||
	    rest.p[n] != '\n')
		return 0;
	*record = str_sub(rest, 0, (size_t)n);
	if (!str_starts(hash_hex_of(&tmp, HASH_MD5, *record), sum))
		return 0;
	return head.n + 1 + (size_t)n + 1;
}

/* Whether more than one record follows: only the last one can be unacknowledged. */
static bool is_inside(struct str rest)
{
	struct str line;
	int lines = 0;

	while (lines <= RECORD_LINES && str_cut(rest, '\n', &line, &rest))
		lines++;
	return lines > RECORD_LINES || (lines == RECORD_LINES && rest.n);
}

int persist_replay(struct sandbox *s, struct str text, size_t *used, struct err *err)
{
	*used = 0;
	while (*used < text.n) {
		struct str record = S(""), rest = str_from(text, *used);
		size_t n = record_at(rest, &record);

		if (n ? !take_record(s, record) : is_inside(rest))
			return err_set(err, ERR_INVALID,
				       "damaged at byte %zu; remove it or restore a complete "
				       "copy",
				       *used);
		if (!n)
			break;
		*used += n;
	}
	return 0;
}

/* ---- writing ------------------------------------------------------------- */

static int lock_file(const struct persist *p, int fd, struct err *err)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK)
		return err_set(err, ERR_INVALID, "%s is in use by another sandbox", p->path);
	return err_sys(err, "lock %s", p->path);
}

/* Releases the lock on the old file after the new one is locked. */
static int open_log(struct persist *p, struct err *err)
{
	int fd = open(p->path, O_WRONLY | O_APPEND | O_CLOEXEC), rc;

	if (fd < 0)
		return err_sys(err, "open %s", p->path);
	rc = lock_file(p, fd, err);
	if (rc < 0) {
		(void)close(fd);
		return rc;
	}
	(void)close(p->fd);
	p->fd = fd;
	return 0;
}

/* CRDs first: a kind must be defined before its objects. */
static void add_kinds(struct persist *p, struct buf *b, bool crds)
{
	for (const struct sb_kind *k = p->s->kinds.first; k; k = k->next) {
		if (str_is(k->plural, "customresourcedefinitions") != crds)
			continue;
		for (size_t i = 0; i < k->objects.n; i++)
			add_object(b, k, k->objects.v[i], false);
	}
}

static int write_snapshot(struct persist *p, struct err *err)
{
	struct arena a = ARENA_INIT;
	struct buf b;
	int rc;

	buf_init(&b, &a);
	add_record(&b, str_fmt(&a, "%llu   \n", (unsigned long long)p->s->store.rv));
	add_kinds(p, &b, true);
	add_kinds(p, &b, false);
	rc = file_replace(p->path, buf_str(&b), 0600, err);
	p->log = p->snapshot = b.n;
	arena_free(&a);
	return rc < 0 ? rc : open_log(p, err);
}

int persist_flush(struct persist *p, struct err *err)
{
	struct str text = buf_str(&p->waiting);
	int rc;

	if (!text.n)
		return 0;
	rc = file_write_fd(p->fd, text, p->path, err);
	if (rc < 0)
		return rc;
	if (fdatasync(p->fd) < 0)
		return err_sys(err, "sync %s", p->path);
	p->log += text.n;
	arena_free(&p->arena);
	buf_init(&p->waiting, &p->arena);
	if (p->log > LOG_MIN && p->log > 4 * p->snapshot)
		return write_snapshot(p, err);
	return 0;
}

static void on_change(void *ctx, const struct sb_event *e)
{
	struct persist *p = ctx;
	const struct sb_kind *k = p->s->kinds.first;

	while (k && &k->objects != e->list)
		k = k->next;
	if (k)
		add_object(&p->waiting, k, e->now, e->change == SB_DELETED);
}

/* ---- open, flush, close -------------------------------------------------- */

/* Opens or creates the file and locks it. */
static int open_first(struct persist *p, struct err *err)
{
	struct stat own, there;
	int rc;

	for (;;) {
		p->fd = open(p->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (p->fd < 0)
			return err_sys(err, "open %s", p->path);
		rc = lock_file(p, p->fd, err);
		if (rc < 0)
			return rc;
		/* the previous holder may have replaced the file meanwhile */
		if (fstat(p->fd, &own) == 0 && stat(p->path, &there) == 0 &&
		    own.st_ino == there.st_ino && own.st_dev == there.st_dev)
			return 0;
		(void)close(p->fd);
	}
}

static int read_all(struct persist *p, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str text;
	size_t used;
	int rc = file_read_fd(&a, p->fd, p->path, FILE_MAX, &text, err);

	if (rc < 0)
		return rc;
	rc = persist_replay(p->s, text, &used, err);
	if (rc < 0)
		return err_wrap(err, "%s", p->path);
	if (used < text.n)
		log_warn("%s: the last record, of %zu bytes, is truncated or "
			 "damaged and ignored: it was never acknowledged",
			 p->path, text.n - used);
	/* do not repeat uids of an earlier run */
	p->s->seed += p->s->store.rv * 0x9E3779B97F4A7C15u;
	p->s->dirty = true;
	return 0;
}

int persist_open(struct sandbox *s, const char *path, struct persist **out, struct err *err)
{
	struct persist *p = calloc(1, sizeof(*p));
	int rc;

	if (!p)
		abort();
	*p = (struct persist){ .s = s, .path = strdup(path), .fd = -1 };
	if (!p->path)
		abort();
	buf_init(&p->waiting, &p->arena);
	rc = open_first(p, err);
	if (rc == 0)
		rc = read_all(p, err);
	/* a new snapshot also removes a truncated record */
	if (rc == 0)
		rc = write_snapshot(p, err);
	if (rc < 0) {
		persist_close(p);
		return rc;
	}
	s->store.changed = on_change;
	s->store.ctx = p;
	*out = p;
	return 0;
}

void persist_close(struct persist *p)
{
	if (!p)
		return;
	p->s->store.changed = NULL;
	if (p->fd >= 0)
		(void)close(p->fd);
	arena_free(&p->arena);
	free(p->path);
	free(p);
}
