#include "kube/cache.h"

#include <stdlib.h>

#include "data/json_split.h"
#include "io/log.h"

/*
 * States: a list is being read, a watch is open, or we wait before the next
 * attempt. Items are sorted by key; a list marks those it saw, and what it did
 * not see is gone.
 */

#define OBJECT_MAX ((size_t)12 << 20)
#define BACKOFF_FIRST 800
#define BACKOFF_LAST 30000
#define CALM_MS 120000
#define WATCH_S 300

enum state { CACHE_WAIT, CACHE_LIST, CACHE_WATCH };

struct kube_cache {
	struct kube_cache_opts o;
	enum state state;
	struct kube_call call;
	struct json_split split;
	struct source timer;
	struct kube_item **v;
	size_t n, cap;
	uint32_t round; /* of lists */
	uint64_t version; /* newest seen */
	bool synced, full; /* full: list without a version */
	struct arena page_arena;
	struct str next; /* page */
	struct arena call_arena;
	int64_t backoff, began;
	uint64_t events, lists, random;
	struct arena trouble_arena;
	struct str trouble;
};

static struct loop *loop_of(struct kube_cache *c)
{
	return kube_loop(c->o.kube);
}

/* ---- items ------------------------------------------------------------------------------ */

static size_t seek(const struct kube_cache *c, struct str key)
{
	size_t lo = 0, hi = c->n;

	/* Lists come sorted: the end is where most belong. */
	if (hi && str_cmp(c->v[hi - 1]->key, key) < 0)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (str_cmp(c->v[mid]->key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct kube_item *find(const struct kube_cache *c, struct str key)
{
	size_t i = seek(c, key);

	return i < c->n && str_eq(c->v[i]->key, key) ? c->v[i] : NULL;
}

static void drop_value(struct kube_cache *c, void *value)
{
	if (c->o.drop)
		c->o.drop(value);
	else
		free(value);
}

static struct kube_item *insert(struct kube_cache *c, struct str key)
{
	struct kube_item *it = malloc(sizeof(*it) + key.n);
	size_t i = seek(c, key);

	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->v = realloc(c->v, c->cap * sizeof(struct kube_item *));
	}
	if (!it || !c->v)
		abort();
	memcpy(it + 1, key.p, key.n);
	*it = (struct kube_item){ .key = { (char *)(it + 1), key.n } };
	memmove(c->v + i + 1, c->v + i,
		(c->n++ - i) * sizeof(struct kube_item *));
	c->v[i] = it;
	return it;
}

static void remove_at(struct kube_cache *c, size_t i)
{
	struct kube_item *it = c->v[i];

	memmove(c->v + i, c->v + i + 1,
		(--c->n - i) * sizeof(struct kube_item *));
	if (c->o.changed)
		c->o.changed(c->o.ctx, it->key, it->value, NULL);
	drop_value(c, it->value);
	free(it);
}

static uint64_t version_of(const struct json *tree)
{
	int64_t n = 0;

	(void)str_to_i64(json_str(tree, "metadata.resourceVersion", S("")), &n);
	return (uint64_t)n;
}

static struct str key_of(struct arena *a, const struct json *tree)
{
	struct str ns = json_str(tree, "metadata.namespace", S(""));
	struct str name = json_str(tree, "metadata.name", S(""));

	return ns.n ? str_fmt(a, "%.*s/%.*s", STRF(ns), STRF(name)) : name;
}

static void take(struct kube_cache *c, const struct json *tree)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str key = key_of(&a, tree);
	struct kube_item *it = find(c, key);
	uint64_t version = version_of(tree);
	void *before = it ? it->value : NULL, *now;

	if (it)
		it->seen = c->round;
	if (!key.n || (it && version && it->version >= version))
		return;
	now = c->o.make(tree, c->o.ctx);
	if (!now) {
		if (it)
			remove_at(c, seek(c, key));
		return;
	}
	if (!it)
		it = insert(c, key);
	it->seen = c->round;
	it->version = version;
	it->value = now;
	if (c->o.changed)
		c->o.changed(c->o.ctx, it->key, before, now);
	if (before)
		drop_value(c, before);
}

static void forget(struct kube_cache *c, struct str key, uint64_t version)
{
	size_t i = seek(c, key);

	/* An object of that name may have been made again since. */
	if (i < c->n && str_eq(c->v[i]->key, key) &&
	    (!version || c->v[i]->version <= version))
		remove_at(c, i);
}

/* ---- attempts ----------------------------------------------------------------------------- */

static void begin(struct kube_cache *c);

static uint64_t dice(struct kube_cache *c)
{
	c->random ^= c->random << 13;
	c->random ^= c->random >> 7;
	c->random ^= c->random << 17;
	return c->random;
}

static void on_timer(struct source *s, short events)
{
	struct kube_cache *c = s->ctx;

	(void)events;
	loop_remove(loop_of(c), s);
	begin(c);
}

static void wait(struct kube_cache *c, int64_t ms)
{
	c->state = CACHE_WAIT;
	c->timer = (struct source){ .fd = -1,
				    .due = loop_now(loop_of(c)) + ms + 1,
				    .ready = on_timer,
				    .ctx = c };
	loop_add(loop_of(c), &c->timer);
}

static void back_off(struct kube_cache *c, struct str why)
{
	int64_t now = loop_now(loop_of(c)), ms;

	if (!c->backoff || now - c->began > CALM_MS)
		c->backoff = BACKOFF_FIRST;
	ms = c->backoff + (int64_t)(dice(c) % (uint64_t)c->backoff);
	c->backoff =
		c->backoff * 2 < BACKOFF_LAST ? c->backoff * 2 : BACKOFF_LAST;
	arena_free(&c->trouble_arena);
	c->trouble = str_dup(&c->trouble_arena, why);
	log_warn("%s: %.*s; trying again in %.1f s", c->o.what, STRF(why),
		 (double)ms / 1000);
	wait(c, ms);
}

static void well(struct kube_cache *c)
{
	arena_free(&c->trouble_arena);
	c->trouble = S("");
}

/* ---- lists --------------------------------------------------------------------------------- */

static int on_listed(void *ctx, struct str text, struct err *err)
{
	struct kube_cache *c = ctx;
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT(&a);
	struct json *tree = NULL;
	int rc = json_parse(&a, text, NULL, &tree, &e);

	if (rc < 0)
		(void)err_set(err, ERR_INVALID, "%.*s", STRF(e.msg));
	else
		take(c, tree);
	arena_free(&a);
	return rc;
}

static void list_ended(struct kube_cache *c, uint64_t version)
{
	bool first = !c->synced;

	for (size_t i = c->n; i-- > 0;)
		if (c->v[i]->seen != c->round)
			remove_at(c, i);
	c->version = version;
	c->synced = true;
	c->full = false;
	c->lists++;
	well(c);
	if (first && c->o.synced)
		c->o.synced(c->o.ctx);
	begin(c);
}

static void page_done(struct kube_cache *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *rest = NULL;
	struct str next;
	int rc = json_parse(&a, split_rest(&c->split), NULL, &rest, &err);

	if (rc < 0 || !split_between(&c->split)) {
		back_off(c, rc < 0 ? err.msg : S("the list ended too early"));
		return;
	}
	next = json_str(rest, "metadata.continue", S(""));
	arena_free(&c->page_arena);
	c->next = str_dup(&c->page_arena, next);
	if (next.n)
		begin(c);
	else
		list_ended(c, version_of(rest));
}

/* ---- watches ------------------------------------------------------------------------------- */

static int on_error_event(const struct json *status, struct err *err)
{
	int64_t code = json_i64(status, "code", 500);

	return err_set(err, code == 410 ? ERR_GONE : ERR_AGAIN, "%.*s",
		       STRF(json_str(status, "message", S("watch failed"))));
}

static int apply_event(struct kube_cache *c, const struct json *event,
		       struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str type = json_str(event, "type", S(""));
	const struct json *object = json_at(event, "object");
	uint64_t version = version_of(object);

	if (str_is(type, "ERROR"))
		return on_error_event(object, err);
	if (str_is(type, "ADDED") || str_is(type, "MODIFIED"))
		take(c, object);
	else if (str_is(type, "DELETED"))
		forget(c, key_of(&a, object), version);
	else if (!str_is(type, "BOOKMARK"))
		return err_set(err, ERR_INVALID, "an event of type \"%.*s\"",
			       STRF(type));
	c->events++;
	if (version > c->version)
		c->version = version;
	return 0;
}

static int on_event(void *ctx, struct str text, struct err *err)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT(&a);
	struct json *event = NULL;
	int rc = json_parse(&a, text, NULL, &event, &e);

	if (rc == 0)
		rc = apply_event(ctx, event, &e);
	if (rc < 0)
		(void)err_set(err, (enum err_code) - rc, "%.*s", STRF(e.msg));
	arena_free(&a);
	return rc;
}

/* ---- the request ----------------------------------------------------------------------------- */

static void broken(struct kube_cache *c, int rc, struct str why)
{
	if (rc == -ERR_GONE) {
		/* Forgotten there: list again, without asking for a version
		 * when the list itself was refused so. */
		c->full = c->state == CACHE_LIST;
		c->version = 0;
		arena_free(&c->page_arena);
		c->next = S("");
		log_info("%s: listing again: %.*s", c->o.what, STRF(why));
		wait(c, 0);
		return;
	}
	back_off(c, why);
}

static void on_part(struct kube_call *call, struct str part)
{
	struct kube_cache *c = call->ctx;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int rc = split_feed(&c->split, part, &err);

	if (rc == 0)
		return;
	kube_cancel(call);
	broken(c, rc, err.msg);
}

static void on_done(struct kube_call *call, const struct kube_answer *ans)
{
	struct kube_cache *c = call->ctx;

	if (ans->rc < 0)
		broken(c, ans->rc, ans->message);
	else if (c->state == CACHE_LIST)
		page_done(c);
	else
		wait(c, 0); /* the watch ended in its time */
}

static struct str list_path(struct kube_cache *c)
{
	struct arena *a = &c->call_arena;
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b, "%s?limit=%lld", c->o.path,
		 (long long)(c->o.page ? c->o.page : 500));
	if (c->o.query.n)
		buf_addf(&b, "&%.*s", STRF(c->o.query));
	if (c->next.n) {
		buf_addz(&b, "&continue=");
		kube_escape(&b, c->next);
	} else if (!c->full && !c->synced) {
		buf_addz(&b, "&resourceVersion=0");
	}
	return buf_str(&b);
}

static struct str watch_path(struct kube_cache *c)
{
	struct buf b;

	buf_init(&b, &c->call_arena);
	buf_addf(&b,
		 "%s?allowWatchBookmarks=true&resourceVersion=%llu"
		 "&timeoutSeconds=%llu&watch=true",
		 c->o.path, (unsigned long long)c->version,
		 (unsigned long long)(WATCH_S + dice(c) % WATCH_S));
	if (c->o.query.n)
		buf_addf(&b, "&%.*s", STRF(c->o.query));
	return buf_str(&b);
}

static void begin(struct kube_cache *c)
{
	bool watch = c->version != 0 && !c->next.n;

	if (!watch && !c->next.n)
		c->round++;
	c->state = watch ? CACHE_WATCH : CACHE_LIST;
	c->began = loop_now(loop_of(c));
	split_free(&c->split);
	split_init(&c->split, watch ? SPLIT_VALUES : SPLIT_ITEMS, OBJECT_MAX,
		   watch ? on_event : on_listed, c);
	arena_free(&c->call_arena);
	c->call = (struct kube_call){
		.method = "GET",
		.path = watch ? watch_path(c) : list_path(c),
		.watch = watch,
		.body_max = SIZE_MAX / 2,
		.on_part = on_part,
		.done = on_done,
		.ctx = c,
	};
	kube_start(c->o.kube, &c->call);
}

/* ---- outside ----------------------------------------------------------------------------------- */

struct kube_cache *kube_cache_start(const struct kube_cache_opts *o)
{
	struct kube_cache *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->o = *o;
	c->random = (uint64_t)(uintptr_t)c | 1;
	begin(c);
	return c;
}

void kube_cache_free(struct kube_cache *c)
{
	if (!c)
		return;
	if (c->state == CACHE_WAIT)
		loop_remove(loop_of(c), &c->timer);
	else
		kube_cancel(&c->call);
	for (size_t i = 0; i < c->n; i++) {
		drop_value(c, c->v[i]->value);
		free(c->v[i]);
	}
	free(c->v);
	split_free(&c->split);
	arena_free(&c->page_arena);
	arena_free(&c->call_arena);
	arena_free(&c->trouble_arena);
	free(c);
}

bool kube_cache_synced(const struct kube_cache *c)
{
	return c->synced;
}

struct str kube_cache_trouble(const struct kube_cache *c)
{
	return c->trouble;
}

void *kube_cache_get(const struct kube_cache *c, struct str key)
{
	struct kube_item *it = find(c, key);

	return it ? it->value : NULL;
}

size_t kube_cache_all(const struct kube_cache *c, struct kube_item *const **out)
{
	*out = c->v;
	return c->n;
}

void kube_cache_put(struct kube_cache *c, struct str text)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *tree = NULL;

	if (json_parse(&a, text, NULL, &tree, &err) == 0)
		take(c, tree);
}

void kube_cache_remove(struct kube_cache *c, struct str key)
{
	forget(c, key, 0);
}

void kube_cache_relist(struct kube_cache *c)
{
	c->version = 0;
	if (c->state == CACHE_WATCH) {
		kube_cancel(&c->call);
		wait(c, 0);
	}
}

uint64_t kube_cache_events(const struct kube_cache *c)
{
	return c->events;
}

uint64_t kube_cache_lists(const struct kube_cache *c)
{
	return c->lists;
}

void *kube_tree_make(const struct json *tree, void *ctx)
{
	struct kube_tree *t = calloc(1, sizeof(*t));
	struct err err;
	struct buf b;

	(void)ctx;
	if (!t)
		abort();
	err = ERR_INIT(&t->a);
	buf_init(&b, &t->a);
	json_encode(&b, tree, JSON_NO_HTML);
	(void)json_parse(&t->a, buf_str(&b), NULL, &t->tree, &err);
	return t;
}

void kube_tree_drop(void *value)
{
	struct kube_tree *t = value;

	arena_free(&t->a);
	free(t);
}
