/*
 * lease: leader election with a Lease object, compatible with client-go's.
 *
 * Every attempt is a GET, then a POST or PUT with the resourceVersion that was read. Expiry is
 * measured by this machine's clock, from when a change of the spec was seen: clocks of other
 * machines do not matter. There is one timer: it starts the next attempt, and while a request is
 * running it is the deadline by which the leader must have renewed.
 */
#include "kube/lease.h"

#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/backoff.h"
#include "data/json.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "mc/api.h"

struct kube_lease {
	struct kube_lease_opts o;
	struct kube_call call;
	struct source timer;
	struct arena a; /* of the current attempt */
	struct arena seen_arena;
	struct str seen; /* the spec that was read last */
	int64_t seen_at, renewed_at; /* the loop's time */
	bool leading, writing, releasing, busy;
	bool giving; /* the current request releases the lease */
};

/* Time limit of the release: if it fails, others wait until the lease expires. */
#define RELEASE_MS 1000

static void attempt(struct kube_lease *l);

static void set_due(struct kube_lease *l, int64_t due)
{
	l->timer.due = due;
	loop_update(kube_loop(l->o.kube), &l->timer);
}

static void again(struct kube_lease *l, int64_t ms)
{
	set_due(l, clock_ms() + ms);
}

/* Jitter as client-go's: up to 2.2 times retry_ms, so that candidates do not come at once. */
static void wait(struct kube_lease *l)
{
	again(l, backoff_jitter(l->o.retry_ms, 120, (uint64_t)clock_us()));
}

static void ended(struct kube_lease *l)
{
	l->leading = false;
	set_due(l, 0);
	l->o.released(l->o.ctx);
}

static void lose(struct kube_lease *l)
{
	set_due(l, 0);
	l->o.lost(l->o.ctx);
}

static void on_timer(struct source *s, short events)
{
	struct kube_lease *l = s->ctx;

	(void)events;
	if (!l->busy) {
		attempt(l);
		return;
	}
	/* No renewal before the deadline: another candidate may take the lease. */
	kube_cancel(&l->call);
	l->busy = false;
	log_error("lease %.*s/%.*s: not %s in time", STRF(l->o.namespace), STRF(l->o.name),
		  l->releasing ? "given up" : "renewed");
	if (l->releasing)
		ended(l);
	else
		lose(l);
}

static struct str lease_path(struct kube_lease *l, bool list)
{
	return str_fmt(&l->a,
		       PATH_LEASE "namespaces/%.*s/leases%s"
				  "%.*s",
		       STRF(l->o.namespace), list ? "" : "/", list ? 0 : (int)l->o.name.n,
		       l->o.name.p);
}

static struct str now_text(struct kube_lease *l)
{
	struct buf b;

	buf_init(&b, &l->a);
	rfc3339_add_micro(&b, clock_wall());
	return buf_str(&b);
}

static void set_str(struct arena *a, struct json *o, const char *key, struct str v)
{
	json_set(o, str_of(key), json_new_str(a, v));
}

static void answered(struct kube_call *c, const struct kube_answer *ans);

static void send(struct kube_lease *l, const char *method, struct str path, const struct json *body)
{
	struct buf b;

	buf_init(&b, &l->a);
	if (body)
		json_encode(&b, body, 0);
	l->call = (struct kube_call){
		.method = method, .path = path, .body = buf_str(&b), .done = answered, .ctx = l
	};
	l->writing = body != NULL;
	l->giving = l->releasing;
	l->busy = true;
	kube_start(l->o.kube, &l->call);
}

/* Takes or renews the lease that was read; tree NULL: creates it. */
static void take(struct kube_lease *l, struct json *tree)
{
	struct arena *a = &l->a;
	bool create = !tree, mine;
	struct str now = now_text(l);
	struct json *meta, *spec;
	int64_t turns;

	if (create) {
		tree = json_new(a, JSON_OBJECT);
		set_str(a, tree, "apiVersion", S(API_LEASE));
		set_str(a, tree, "kind", S("Lease"));
		meta = json_new(a, JSON_OBJECT);
		set_str(a, meta, "name", l->o.name);
		set_str(a, meta, "namespace", l->o.namespace);
		json_set(tree, S("metadata"), meta);
	}
	spec = json_at(tree, "spec");
	if (json_kind(spec) != JSON_OBJECT) {
		spec = json_new(a, JSON_OBJECT);
		json_set(tree, S("spec"), spec);
	}
	mine = str_eq(json_str(spec, "holderIdentity"), l->o.identity);
	turns = json_i64(spec, "leaseTransitions", 0);
	if (!mine || l->releasing)
		set_str(a, spec, "acquireTime", now);
	turns += !mine && !create;
	set_str(a, spec, "holderIdentity", l->releasing ? S("") : l->o.identity);
	json_set(spec, S("leaseDurationSeconds"), json_new_i64(a, l->releasing ? 1 : l->o.lasts_s));
	set_str(a, spec, "renewTime", now);
	json_set(spec, S("leaseTransitions"), json_new_i64(a, turns));
	send(l, create ? "POST" : "PUT", lease_path(l, create), tree);
}

/* Logged when the holder changes, and repeated with back-off; not at each renewal. */
static void log_holder(struct kube_lease *l, const struct json *spec, struct str holder)
{
	if (log_due(LOG_INFO, l->o.name, holder))
		log_info("waiting for lease %.*s/%.*s, held by %.*s, renewed "
			 "%.*s",
			 STRF(l->o.namespace), STRF(l->o.name), STRF(holder),
			 STRF(json_str_or(spec, "renewTime", S("never"))));
}

/* Decides what to do with the lease that was read: free, ours, or held by another. */
static void judge(struct kube_lease *l, struct json *tree)
{
	const struct json *spec = json_at(tree, "spec");
	struct str holder = json_str(spec, "holderIdentity");
	int64_t lasts = json_i64(spec, "leaseDurationSeconds", 0) * 1000;
	bool mine = str_eq(holder, l->o.identity);
	struct buf b;

	buf_init(&b, &l->a);
	if (spec)
		json_encode(&b, spec, 0);
	if (!str_eq(buf_str(&b), l->seen)) {
		arena_free(&l->seen_arena);
		l->seen = str_dup(&l->seen_arena, buf_str(&b));
		l->seen_at = clock_ms();
	}
	if (l->releasing && !mine)
		ended(l);
	else if (mine || !holder.n || l->seen_at + lasts < clock_ms())
		take(l, tree);
	else {
		log_holder(l, spec, holder);
		if (l->leading)
			lose(l);
		else
			wait(l);
	}
}

/* A request that was running when the release began may have renewed the lease. */
static void give_up(struct kube_lease *l)
{
	if (l->giving)
		ended(l);
	else
		attempt(l);
}

static void wrote(struct kube_lease *l)
{
	l->renewed_at = clock_ms();
	if (l->releasing) {
		give_up(l);
		return;
	}
	again(l, l->o.retry_ms);
	if (l->leading)
		return;
	l->leading = true;
	log_info("successfully acquired lease %.*s/%.*s", STRF(l->o.namespace), STRF(l->o.name));
	l->o.leads(l->o.ctx);
}

static void answered(struct kube_call *c, const struct kube_answer *ans)
{
	struct kube_lease *l = c->ctx;
	struct err err = ERR_INIT(&l->a);
	struct json *tree = NULL;

	l->busy = false;
	if (ans->rc == 0 && log_over(l->o.name))
		log_info("lease %.*s/%.*s: the server responds again", STRF(l->o.namespace),
			 STRF(l->o.name));
	if (ans->rc == 0 && l->writing) {
		wrote(l);
		return;
	}
	if (!l->writing && !l->releasing && ans->rc == -ERR_NOTFOUND) {
		take(l, NULL);
		return;
	}
	if (ans->rc == 0 && json_parse(&l->a, str_dup(&l->a, ans->body), NULL, &tree, &err) == 0) {
		judge(l, tree);
		return;
	}
	log_again(LOG_ERROR, l->o.name, "lease %.*s/%.*s: %.*s", STRF(l->o.namespace),
		  STRF(l->o.name), STRF(ans->rc < 0 ? ans->message : err.msg));
	if (l->releasing)
		give_up(l);
	else if (!l->leading)
		wait(l);
	else
		again(l, l->o.retry_ms > 2000 ? 2000 : l->o.retry_ms);
}

static void attempt(struct kube_lease *l)
{
	arena_free(&l->a);
	/* the only deadline of a leader that cannot renew; if it is past already, the
	 * timer ends this attempt at once */
	if (l->leading && !l->releasing)
		set_due(l, l->renewed_at + l->o.renew_ms);
	send(l, "GET", lease_path(l, false), NULL);
}

struct str kube_lease_identity(struct arena *a)
{
	char host[256] = "";
	unsigned char r[16];
	struct buf b;

	(void)gethostname(host, sizeof(host) - 1);
	if (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r))
		abort();
	r[6] = (unsigned char)((r[6] & 15) | 64);
	r[8] = (unsigned char)((r[8] & 63) | 128);
	buf_init(&b, a);
	buf_addf(&b, "%s_", host);
	for (int i = 0; i < 16; i++)
		buf_addf(&b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", r[i]);
	return buf_str(&b);
}

struct kube_lease *kube_lease_start(const struct kube_lease_opts *o)
{
	struct kube_lease *l = calloc(1, sizeof(*l));

	if (!l)
		abort();
	l->o = *o;
	l->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = l };
	loop_add(kube_loop(o->kube), &l->timer);
	log_info("attempting to acquire leader lease %.*s/%.*s...", STRF(o->namespace),
		 STRF(o->name));
	attempt(l);
	return l;
}

void kube_lease_release(struct kube_lease *l)
{
	bool held = l->leading;

	l->releasing = true;
	if (!held && !l->busy) {
		ended(l);
		return;
	}
	again(l, RELEASE_MS);
	if (!l->busy)
		attempt(l);
}

void kube_lease_free(struct kube_lease *l)
{
	loop_remove(kube_loop(l->o.kube), &l->timer);
	arena_free(&l->a);
	arena_free(&l->seen_arena);
	free(l);
}
