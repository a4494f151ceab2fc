/*
 * The sandbox on a socket: requests, watches as streams, injected faults.
 *
 * A reply is sent after its change is durable. A watch whose connection is full is paused until
 * on_drain.
 */
#include "sandbox/server.h"

#include <stdlib.h>

#include "io/clock.h"
#include "io/log.h"
#include "sandbox/watch.h"

/* The bytes that may wait in the connection of a watch before the watch pauses. */
#define WATCH_WAITING ((size_t)256 << 10)
#define TICK_MS 250
#define WATCH_S 2700

struct conn_watch {
	struct sb_server *server;
	struct http_exchange *x;
	struct sb_watch *watch;
	int64_t until, bookmark, cut;
	bool full; /* waiting for on_drain */
	struct conn_watch *next;
};

struct later {
	struct source src;
	struct sb_server *server;
	struct http_exchange *x;
};

struct sb_server {
	struct sb_server_opts o;
	struct http_server *http;
	struct source tick;
	struct conn_watch *watches;
	uint64_t random, compact_at;
};

/* xorshift: good enough for faults. */
static int64_t roll_dice(struct sb_server *s, int64_t sides)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (int64_t)(s->random % (uint64_t)sides);
}

/* ---- watches ------------------------------------------------------------- */

static void forget_watch(struct conn_watch *w)
{
	struct conn_watch **at = &w->server->watches;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	watch_free(w->watch);
	free(w);
}

static void watch_gone(struct http_exchange *x)
{
	forget_watch(x->state);
}

static void finish_watch(struct conn_watch *w)
{
	struct http_exchange *x = w->x;

	forget_watch(w);
	http_stream_end(x);
}

/* Sends events until the connection is full; false when the watch has ended. */
static bool push_events(struct conn_watch *w)
{
	while (!w->full) {
		struct arena a = ARENA_INIT;
		struct buf b;
		bool more;

		buf_init(&b, &a);
		more = watch_next(w->watch, &b, 64 << 10);
		if (b.n && http_stream_write(w->x, buf_str(&b)) > WATCH_WAITING)
			w->full = true;
		arena_free(&a);
		if (watch_over(w->watch)) {
			finish_watch(w);
			return false;
		}
		if (!more)
			break;
	}
	return true;
}

static void watch_drained(struct http_exchange *x)
{
	struct conn_watch *w = x->state;

	w->full = false;
	(void)push_events(w);
}

static void push_all(struct sb_server *s)
{
	struct conn_watch *next;

	for (struct conn_watch *w = s->watches; w; w = next) {
		next = w->next;
		(void)push_events(w);
	}
}

static void watch_start(struct sb_server *s, struct http_exchange *x, struct sb_watch *watch)
{
	struct conn_watch *w = calloc(1, sizeof(*w));
	int64_t now = loop_now(s->o.loop);
	/* a day at most */
	int64_t seconds = watch->timeout_s <= 0	     ? WATCH_S
			  : watch->timeout_s > 86400 ? 86400
						     : watch->timeout_s;

	if (!w)
		abort();
	*w = (struct conn_watch){
		.server = s,
		.x = x,
		.watch = watch,
		.until = now + seconds * 1000,
		.bookmark = now + s->o.bookmark_ms,
		.next = s->watches,
	};
	if (s->o.faults.drop_watch_ms)
		w->cut = now + s->o.faults.drop_watch_ms / 2 +
			 roll_dice(s, s->o.faults.drop_watch_ms);
	s->watches = w;
	x->state = w;
	x->on_gone = watch_gone;
	x->on_drain = watch_drained;
	http_stream_start(x, 200, S("Content-Type: application/json\r\n"));
	(void)push_events(w);
}

/* A change that cannot be stored must not be acknowledged: a full disk ends the process. */
static void persist_changes(struct sb_server *s)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (s->o.persist && persist_flush(s->o.persist, &err) < 0) {
		log_error("%.*s", STRF(err.msg));
		exit(1);
	}
	arena_free(&a);
}

static void send_bookmark(struct conn_watch *w)
{
	struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	watch_bookmark(w->watch, &b);
	if (b.n && !w->full)
		(void)http_stream_write(w->x, buf_str(&b));
	arena_free(&a);
}

static void on_tick(struct source *src, short events)
{
	struct sb_server *s = src->ctx;
	int64_t now = loop_now(s->o.loop);
	struct conn_watch *next;

	(void)events;
	src->due = now + TICK_MS;
	(void)sandbox_work(s->o.sandbox, clock_wall_ms());
	persist_changes(s);
	push_all(s);
	for (struct conn_watch *w = s->watches; w; w = next) {
		next = w->next;
		if (now >= w->bookmark) {
			w->bookmark = now + s->o.bookmark_ms;
			send_bookmark(w);
		}
		if (now >= w->until || (w->cut && now >= w->cut))
			finish_watch(w);
	}
}

/* ---- requests ------------------------------------------------------------ */

static bool let_in(const struct sb_server *s, const struct http_exchange *x)
{
	struct str header = http_get(x->head, S("Authorization"));
	struct str scheme, token;
	bool ok = s->o.tokens.n == 0;

	if (ok || !str_cut(header, ' ', &scheme, &token) || !str_eq_fold(scheme, S("Bearer")))
		return ok;
	for (size_t i = 0; i < s->o.tokens.n; i++)
		ok = ok || str_eq(token, s->o.tokens.v[i]);
	return ok;
}

/* Whether a segment of the path is one of the resources. */
static bool is_forbidden(const struct strs *resources, struct str target)
{
	struct str path = target, query, part;
	bool more = true;

	(void)str_cut(target, '?', &path, &query);
	while (more) {
		more = str_cut(path, '/', &part, &path);
		for (size_t i = 0; i < resources->n; i++)
			if (str_eq(more ? part : path, resources->v[i]))
				return true;
	}
	return false;
}

/* Injects a fault; false when this request gets none. */
static bool inject_fault(struct sb_server *s, struct http_exchange *x, struct sb_reply *reply)
{
	const struct sb_faults *f = &s->o.faults;

	if (f->too_many && roll_dice(s, 1000) < f->too_many) {
		reply_status(x->a, reply, 429, "TooManyRequests",
			     S("Too many requests, please try again later."));
		reply->retry_after = 1;
		return true;
	}
	if (f->errors && roll_dice(s, 1000) < f->errors) {
		reply_status(x->a, reply, 500, "InternalError",
			     S("Internal error occurred: injected"));
		return true;
	}
	if (is_forbidden(&f->forbid, x->head->target)) {
		reply_status(x->a, reply, 403, "Forbidden", S("forbidden: injected"));
		return true;
	}
	return false;
}

static void send_reply(struct http_exchange *x, const struct sb_reply *reply)
{
	struct buf b;

	buf_init(&b, x->a);
	http_add_field(&b, S("Cache-Control"), S("no-cache, private"));
	if (reply->type)
		http_add_field(&b, S("Content-Type"), str_of(reply->type));
	if (reply->retry_after)
		http_add_field(&b, S("Retry-After"), str_fmt(x->a, "%d", reply->retry_after));
	http_reply(x, reply->code, buf_str(&b), reply->body, NULL, NULL);
}

static void send_answer(struct sb_server *s, struct http_exchange *x)
{
	const struct http_head *h = x->head;
	struct sandbox *sb = s->o.sandbox;
	struct sb_reply reply = { 0 };
	struct sb_request r = {
		.method = h->method,
		.path = h->target,
		.content_type = http_get(h, S("Content-Type")),
		.accept = http_get(h, S("Accept")),
		.body = x->body,
		.now = clock_wall_ms() / 1000,
	};

	(void)str_cut(h->target, '?', &r.path, &r.query);
	if (!let_in(s, x))
		reply_status(x->a, &reply, 401, "Unauthorized", S("Unauthorized"));
	else if (!inject_fault(s, x, &reply))
		sandbox_handle(sb, x->a, &r, &reply);
	if (reply.watch) {
		watch_start(s, x, reply.watch);
		return;
	}
	persist_changes(s);
	send_reply(x, &reply);
	(void)sandbox_work(sb, clock_wall_ms());
	persist_changes(s);
	if (s->o.faults.compact_every && sb->store.rv >= s->compact_at) {
		s->compact_at = sb->store.rv + (uint64_t)s->o.faults.compact_every;
		store_compact(&sb->store);
	}
	push_all(s);
}

static void later_gone(struct http_exchange *x)
{
	struct later *l = x->state;

	loop_remove(l->server->o.loop, &l->src);
	free(l);
}

static void on_later(struct source *src, short events)
{
	struct later *l = src->ctx;
	struct http_exchange *x = l->x;
	struct sb_server *s = l->server;

	(void)events;
	x->on_gone = NULL;
	loop_remove(s->o.loop, src);
	free(l);
	send_answer(s, x);
}

static void handle_request(struct http_exchange *x, void *ctx)
{
	struct sb_server *s = ctx;
	struct later *l;

	if (!s->o.faults.latency_ms) {
		send_answer(s, x);
		return;
	}
	l = calloc(1, sizeof(*l));
	if (!l)
		abort();
	*l = (struct later){
		.src = { .fd = -1,
			 .due = loop_now(s->o.loop) + s->o.faults.latency_ms,
			 .ready = on_later,
			 .ctx = l },
		.server = s,
		.x = x,
	};
	x->state = l;
	x->on_gone = later_gone;
	loop_add(s->o.loop, &l->src);
}

static size_t body_max(const struct http_head *head, void *ctx)
{
	(void)head;
	(void)ctx;
	return SB_BODY_MAX;
}

/* ---- start and stop ------------------------------------------------------ */

struct sb_server *sb_server_new(const struct sb_server_opts *o)
{
	struct sb_server *s = calloc(1, sizeof(*s));
	struct http_server_opts http = {
		.handle = handle_request,
		.body_max = body_max,
		.ctx = s,
		.max_conns = 20000,
		.per_address = 20000, /* all clients of a test are on one host */
		.send_ms = 60000, /* for watches that are slow under a debugger */
	};

	if (!s)
		abort();
	s->o = *o;
	if (!s->o.bookmark_ms)
		s->o.bookmark_ms = 60000;
	s->random = o->sandbox->seed | 1;
	s->compact_at = o->sandbox->store.rv + (uint64_t)o->faults.compact_every;
	s->http = http_server_new(o->loop, &http);
	s->tick = (struct source){
		.fd = -1, .due = loop_now(o->loop) + TICK_MS, .ready = on_tick, .ctx = s
	};
	loop_add(o->loop, &s->tick);
	return s;
}

void sb_server_listen(struct sb_server *s, int fd, struct tls_server *tls)
{
	http_server_listen(s->http, fd, tls);
}

void sb_server_stop(struct sb_server *s, void (*done)(void *ctx), void *ctx)
{
	struct conn_watch *next;

	for (struct conn_watch *w = s->watches; w; w = next) {
		next = w->next;
		finish_watch(w);
	}
	http_server_stop(s->http, 1000, done, ctx);
}

void sb_server_free(struct sb_server *s)
{
	loop_remove(s->o.loop, &s->tick);
	http_server_free(s->http);
	free(s);
}
