/*
 * cache: keeps the objects of one collection current by list and watch.
 *
 * Three states: a list is being read, a watch is open, or the cache waits before the next attempt.
 * A list marks the items that it contains; items without the mark are deleted when it ends.
 *
 * No answer of the server causes a busy loop: a watch that ends at once, and a second 410 in a row,
 * count as failures. Attempts back off until an event with a newer version arrives; a bookmark of
 * the current version does not count.
 */
#include "cache_index.h"

#include <stdlib.h>

#include "base/backoff.h"
#include "data/json_split.h"
#include "io/repeat.h"

#define OBJECT_MAX ((size_t)12 << 20)
#define BACKOFF_FIRST 800
#define BACKOFF_LAST 30000
#define CALM_MS 10000
#define SHORT_MS 1000
#define WATCH_S 300
#define REFUSED_MAX 2

enum state { CACHE_WAIT, CACHE_LIST, CACHE_WATCH };

struct kube_cache {
	struct kube_cache_opts o;
	enum state state;
	struct kube_call call;
	struct json_split split;
	struct source timer, resync;
	struct cache_items items;
	uint32_t round; /* number of the current list */
	uint64_t version; /* newest seen; 0: list next */
	uint64_t newest; /* the same, but not reset before a list */
	bool synced;
	bool full; /* list everything at once, without a version */
	bool gone; /* 410 was returned, and no newer event has arrived since */
	bool rewound; /* versions went back: accept the list, whatever its versions */
	unsigned refused; /* refused watches since the last newer event */
	struct arena page_arena;
	struct str next; /* continue token of the next page */
	struct arena call_arena;
	int64_t began;
	unsigned failures; /* since the last event */
	uint64_t at_begin; /* version when the request began */
	uint64_t events, lists, random;
};

static struct loop *loop_of(struct kube_cache *c)
{
	return kube_loop(c->o.kube);
}
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
	c->timer = (struct source){
		.fd = -1, .due = loop_now(loop_of(c)) + ms + 1, .ready = on_timer, .ctx = c
	};
	loop_add(loop_of(c), &c->timer);
}

#define API_SERVER S("API server")

/* The cause in "GET URL: cause": the URL differs from cache to cache. */
static struct str cause_of(const struct kube_cache *c, struct str why)
{
	struct str path = str_of(c->o.path);
	ptrdiff_t at = str_find(why, path);

	if (at < 0)
		return why;
	why = str_from(why, (size_t)at + path.n);
	return str_starts(why, S(": ")) ? str_from(why, 2) : why;
}

/*
 * An unreachable server is logged once, not once per cache. said: the server itself refused
 * this request.
 */
static void log_failure(const struct kube_cache *c, struct str why, bool said)
{
	if (said)
		log_again(LOG_WARNING, str_of(c->o.what), "failed to %s %s: %.*s; retrying",
			  c->state == CACHE_LIST ? "list" : "watch", c->o.what, STRF(why));
	else
		log_again(LOG_WARNING, API_SERVER, "API server: %.*s; retrying",
			  STRF(cause_of(c, why)));
}

/* Logs the end of a failure. */
static void log_success(const struct kube_cache *c)
{
	if (log_over(API_SERVER))
		log_info("API server: reachable again");
	if (log_over(str_of(c->o.what)))
		log_info("%s: listed and watched again", c->o.what);
}

static void back_off(struct kube_cache *c)
{
	int64_t ms;

	if (loop_now(loop_of(c)) - c->began > CALM_MS)
		c->failures = 0;
	ms = backoff_ms(BACKOFF_FIRST, BACKOFF_LAST, c->failures++);
	wait(c, backoff_jitter(ms, 100, dice(c)));
}

/* ---- lists --------------------------------------------------------------- */

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
		cache_take(&c->items, tree, c->round, c->rewound);
	arena_free(&a);
	return rc;
}

static void list_ended(struct kube_cache *c, uint64_t version)
{
	bool first = !c->synced;

	cache_sweep(&c->items, c->round, c->rewound ? UINT64_MAX : version);
	c->version = c->newest = version;
	c->rewound = false;
	c->synced = true;
	c->full = false;
	c->lists++;
	log_success(c);
	if (first && c->o.synced)
		c->o.synced(c->o.ctx);
	begin(c);
}

/* etcd was restored: the server assigns versions again, perhaps to other objects. */
static void list_rewound(struct kube_cache *c, uint64_t version)
{
	log_warn("%s: the server's resourceVersion went back from %llu to %llu: listing "
		 "again and replacing the cache",
		 c->o.what, (unsigned long long)c->newest, (unsigned long long)version);
	c->rewound = true;
	c->next = S("");
	begin(c);
}

static void page_done(struct kube_cache *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *rest = NULL;
	struct str next;
	uint64_t version;
	int rc = json_parse(&a, split_rest(&c->split), NULL, &rest, &err);

	if (rc < 0 || !split_between(&c->split)) {
		log_failure(c, rc < 0 ? err.msg : S("the response ends inside the list"), true);
		back_off(c);
		return;
	}
	version = cache_version_of(rest);
	/* without a version this is not an empty list: do not delete all items */
	if (!version) {
		log_failure(c, S("the response is not a list: it has no resourceVersion"), true);
		back_off(c);
		return;
	}
	if (version < c->newest && !c->rewound) {
		list_rewound(c, version);
		return;
	}
	next = json_str(rest, "metadata.continue");
	arena_free(&c->page_arena);
	c->next = str_dup(&c->page_arena, next);
	if (next.n)
		begin(c);
	else
		list_ended(c, version);
}

/* ---- watches ------------------------------------------------------------- */

static int on_error_event(const struct json *status, struct err *err)
{
	int64_t code = json_i64(status, "code", 500);

	return err_set(err, code == 410 ? ERR_GONE : ERR_AGAIN, "%.*s",
		       STRF(json_str_or(status, "message", S("watch failed"))));
}

static int apply_event(struct kube_cache *c, const struct json *event, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str type = json_str(event, "type");
	const struct json *object = json_at(event, "object");
	uint64_t version = cache_version_of(object);

	if (str_is(type, "ERROR"))
		return on_error_event(object, err);
	if (str_is(type, "ADDED") || str_is(type, "MODIFIED"))
		cache_take(&c->items, object, c->round, false);
	else if (str_is(type, "DELETED"))
		cache_forget(&c->items, cache_key_of(&a, object), version ? version : UINT64_MAX);
	else if (!str_is(type, "BOOKMARK"))
		return err_set(err, ERR_INVALID, "an event of type \"%.*s\"", STRF(type));
	c->events++;
	if (version <= c->version)
		return 0;
	if (c->failures)
		log_success(c);
	c->version = c->newest = version;
	c->failures = 0;
	c->refused = 0;
	c->gone = false;
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
		(void)err_set(err, err_code(rc), "%.*s", STRF(e.msg));
	arena_free(&a);
	return rc;
}

/* ---- the request --------------------------------------------------------- */

/* said: the server itself refused this request. */
static void broken(struct kube_cache *c, int rc, struct str why, bool said)
{
	bool gone = rc == -ERR_GONE, twice = c->gone;
	bool absent = rc == -ERR_NOTFOUND && !c->synced && c->o.absent;

	/* It may refuse this version because it has not reached it yet: list again. */
	if (!gone && said && c->state == CACHE_WATCH && ++c->refused >= REFUSED_MAX) {
		c->version = 0;
		c->refused = 0;
	}
	if (gone) {
		/* The version is compacted: list again; without pages if a continue token
		 * has expired. */
		c->full = c->state == CACHE_LIST;
		c->version = 0;
		arena_free(&c->page_arena);
		c->next = S("");
		c->gone = true;
	}
	if (!gone || twice) {
		if (!absent)
			log_failure(c, why, said);
		back_off(c);
		if (absent)
			c->o.absent(c->o.ctx);
		return;
	}
	log_v(2, "%s: listing again: %.*s", c->o.what, STRF(why));
	wait(c, 0);
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
	broken(c, rc, err.msg, true);
}

static void ended_at_once(struct kube_cache *c)
{
	log_failure(c, S("watches end immediately"), false);
	back_off(c);
}

static void on_done(struct kube_call *call, const struct kube_answer *ans)
{
	struct kube_cache *c = call->ctx;

	if (ans->rc < 0)
		broken(c, ans->rc, ans->message, ans->status && ans->status != 429);
	else if (c->state == CACHE_LIST)
		page_done(c);
	else if (c->version == c->at_begin && loop_now(loop_of(c)) - c->began < SHORT_MS)
		ended_at_once(c);
	else
		wait(c, 0); /* the watch ended by its timeout */
}

static struct str list_path(struct kube_cache *c)
{
	struct arena *a = &c->call_arena;
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b, "%s?limit=%lld", c->o.path,
		 c->full ? 0LL : (long long)(c->o.page ? c->o.page : 500));
	if (c->o.query.n)
		buf_addf(&b, "&%.*s", STRF(c->o.query));
	if (c->next.n) {
		buf_addz(&b, "&continue=");
		kube_escape(&b, c->next);
	} else if (!c->full && !c->synced && !c->o.fresh) {
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
	c->at_begin = c->version;
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

/* ---- resync -------------------------------------------------------------- */

static int64_t next_resync(struct kube_cache *c)
{
	int64_t third = c->o.resync_ms / 3;

	return loop_now(loop_of(c)) + 2 * third + (int64_t)(dice(c) % (uint64_t)(2 * third + 1));
}

static void on_resync(struct source *s, short events)
{
	struct kube_cache *c = s->ctx;

	(void)events;
	s->due = next_resync(c);
	cache_retell(&c->items);
}

/* ---- interface ----------------------------------------------------------- */

struct kube_cache *kube_cache_start(const struct kube_cache_opts *o)
{
	struct kube_cache *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->o = *o;
	c->items.o = &c->o;
	c->random = (uint64_t)(uintptr_t)c | 1;
	if (o->index)
		c->items.index = cache_index_new();
	c->resync = (struct source){
		.fd = -1, .due = o->resync_ms ? next_resync(c) : 0, .ready = on_resync, .ctx = c
	};
	loop_add(loop_of(c), &c->resync);
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
	loop_remove(loop_of(c), &c->resync);
	cache_items_free(&c->items);
	split_free(&c->split);
	arena_free(&c->page_arena);
	arena_free(&c->call_arena);
	free(c);
}

bool kube_cache_synced(const struct kube_cache *c)
{
	return c->synced;
}

void *kube_cache_get(const struct kube_cache *c, struct str key)
{
	struct kube_item *it = cache_find(&c->items, key);

	return it ? it->value : NULL;
}

size_t kube_cache_all(const struct kube_cache *c, struct kube_item *const **out)
{
	*out = c->items.v;
	return c->items.n;
}

size_t kube_cache_of(const struct kube_cache *c, struct str name, struct kube_item *const **out)
{
	return cache_index_get(c->items.index, name, out);
}

void kube_cache_reindex(struct kube_cache *c)
{
	cache_reindex(&c->items);
}

void kube_cache_put(struct kube_cache *c, struct str text)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *tree = NULL;

	if (json_parse(&a, text, NULL, &tree, &err) < 0)
		return;
	/* The watch is past this version: the object was deleted, or is not selected. */
	if (cache_version_of(tree) <= c->version && !cache_find(&c->items, cache_key_of(&a, tree)))
		return;
	cache_take(&c->items, tree, 0, false);
}

uint64_t kube_cache_version(const struct kube_cache *c, struct str key)
{
	const struct kube_item *it = cache_find(&c->items, key);

	return it ? it->version : 0;
}

void kube_cache_remove(struct kube_cache *c, struct str key, uint64_t version)
{
	cache_forget(&c->items, key, version);
}

uint64_t kube_cache_events(const struct kube_cache *c)
{
	return c->events;
}

uint64_t kube_cache_lists(const struct kube_cache *c)
{
	return c->lists;
}
