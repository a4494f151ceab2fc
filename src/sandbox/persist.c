#include "sandbox/persist.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hash.h"
#include "io/file.h"

/*
 * A record: "SUM LENGTH\n", LENGTH bytes, "\n". SUM is the beginning of the
 * bytes' md5: it tells half a record from a whole one. The bytes are
 * "VERSION GROUP PLURAL KEY\n" and the object, or no object when it was
 * deleted; GROUP is - for the core's. A snapshot begins with a record without
 * PLURAL that gives the version only.
 */
#define SUM_LEN 16
#define FILE_MAX ((size_t)1 << 30)
#define LOG_MIN ((size_t)1 << 20) /* a log this short is not worth replacing */

struct persist {
	struct sandbox *s;
	char *path;
	int fd;
	struct arena arena; /* of what waits */
	struct buf waiting;
	size_t log; /* bytes in the file */
	size_t snapshot; /* of them, those it began with */
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

static void add_object(struct buf *b, const struct sb_kind *k,
		       const struct sb_object *o, bool deleted)
{
	struct arena tmp = ARENA_INIT;
	struct buf r;

	buf_init(&r, &tmp);
	buf_addf(&r, "%llu %.*s %.*s %.*s\n", (unsigned long long)o->rv,
		 STRF(k->group.n ? k->group : S("-")), STRF(k->plural),
		 STRF(o->key));
	if (!deleted)
		buf_add(&r, o->text);
	add_record(b, buf_str(&r));
	arena_free(&tmp);
}

/* ---- reading ---------------------------------------------------------------- */

static void forget(struct sandbox *s)
{
	for (struct sb_kind *k = s->kinds.first; k; k = k->next)
		list_free(&k->objects);
	store_compact(&s->store);
	s->store.rv = s->store.compacted = 0;
}

static void restore(struct sandbox *s, struct sb_kind *k, struct str key,
		    struct str text, uint64_t rv)
{
	struct arena tmp = ARENA_INIT;
	struct sb_object *old = store_get(&k->objects, key);
	bool crd = str_is(k->plural, "customresourcedefinitions");

	if (text.n)
		store_restore(&s->store, &k->objects, key, text, rv);
	else if (old && crd)
		crd_removed(s, sb_tree(&tmp, old));
	if (!text.n && old)
		store_forget(&s->store, &k->objects, key, rv);
	else if (text.n && crd)
		crd_changed(s, sb_tree(&tmp, store_get(&k->objects, key)));
	arena_free(&tmp);
}

static bool take(struct sandbox *s, struct str record)
{
	struct str head, text, version, group, plural, key;
	struct sb_kind *k;
	int64_t rv;

	if (!str_cut(record, '\n', &head, &text) ||
	    !str_cut(head, ' ', &version, &head) || !str_to_i64(version, &rv) ||
	    rv < 0 || !str_cut(head, ' ', &group, &head) ||
	    !str_cut(head, ' ', &plural, &key))
		return false;
	if (!plural.n) {
		forget(s);
		s->store.rv = s->store.compacted = (uint64_t)rv;
		return true;
	}
	k = kinds_of(&s->kinds, str_is(group, "-") ? S("") : group, plural);
	/* Deletions of what went with its CRD come after it. */
	if (!k)
		return !text.n;
	if (text.n) {
		struct arena tmp = ARENA_INIT;
		struct err err = ERR_INIT(&tmp);
		struct json *j = NULL;
		bool whole = json_parse(&tmp, text, NULL, &j, &err) == 0 &&
			     json_kind(j) == JSON_OBJECT;

		arena_free(&tmp);
		if (!whole)
			return false;
	}
	restore(s, k, key, text, (uint64_t)rv);
	if ((uint64_t)rv > s->store.rv)
		s->store.rv = s->store.compacted = (uint64_t)rv;
	return true;
}

/* The record at the beginning of rest; 0 when it is cut short. */
static size_t record_at(struct str rest, struct str *record, bool *bad)
{
	struct arena tmp = ARENA_INIT;
	struct str head, sum, len;
	int64_t n;
	size_t all = 0;

	if (!str_cut(rest, '\n', &head, &rest))
		return 0;
	*bad = !str_cut(head, ' ', &sum, &len) || !str_to_i64(len, &n) ||
	       n < 0 || sum.n != SUM_LEN;
	if (*bad || rest.n <= (size_t)n)
		return 0;
	*record = str_sub(rest, 0, (size_t)n);
	*bad = rest.p[n] != '\n' ||
	       !str_starts(hash_hex_of(&tmp, HASH_MD5, *record), sum);
	if (!*bad)
		all = head.n + 1 + (size_t)n + 1;
	arena_free(&tmp);
	return all;
}

int persist_replay(struct sandbox *s, struct str text, size_t *used,
		   struct err *err)
{
	*used = 0;
	while (*used < text.n) {
		struct str record = S("");
		bool bad = false;
		size_t n = record_at(str_from(text, *used), &record, &bad);

		if (bad || (n && !take(s, record)))
			return err_set(err, ERR_INVALID,
				       "damaged at byte %zu; take it away or "
				       "bring back a whole copy",
				       *used);
		if (!n)
			break;
		*used += n;
	}
	return 0;
}

/* ---- writing ---------------------------------------------------------------- */

static int open_log(struct persist *p, struct err *err)
{
	if (p->fd >= 0)
		(void)close(p->fd);
	p->fd = open(p->path, O_WRONLY | O_APPEND | O_CLOEXEC);
	return p->fd < 0 ? err_sys(err, "open %s", p->path) : 0;
}

/* CRDs come first: their kinds must be there before their objects. */
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
	add_record(&b, str_fmt(&a, "%llu   \n",
			       (unsigned long long)p->s->store.rv));
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

/* ---- life ------------------------------------------------------------------- */

static int read_all(struct persist *p, struct err *err)
{
	struct arena a = ARENA_INIT;
	struct str text;
	size_t used;
	int rc = file_read(&a, p->path, FILE_MAX, &text, err);

	if (rc == 0) {
		rc = persist_replay(p->s, text, &used, err);
		if (rc < 0)
			(void)err_wrap(err, "%s", p->path);
	}
	arena_free(&a);
	/* Uids go on from elsewhere than they began. */
	p->s->seed += p->s->store.rv * 0x9E3779B97F4A7C15u;
	p->s->dirty = true;
	return rc;
}

int persist_open(struct sandbox *s, const char *path, struct persist **out,
		 struct err *err)
{
	struct persist *p = calloc(1, sizeof(*p));
	int rc = 0;

	if (!p)
		abort();
	*p = (struct persist){ .s = s, .path = strdup(path), .fd = -1 };
	if (!p->path)
		abort();
	buf_init(&p->waiting, &p->arena);
	if (access(path, F_OK) == 0)
		rc = read_all(p, err);
	/* A new snapshot also takes off what was cut short. */
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
