/*
 * daemon_pin: pulls and pins the images of PinnedImageSets, in rounds that run beside the
 * daemon's steps. A round that fails is retried; a change of the sets starts another at once.
 */
#include <string.h>

#include "base/backoff.h"
#include "daemon_own.h"
#include "io/clock.h"
#include "io/grpc_call.h"
#include "io/repeat.h"
#include "plan/pin.h"

#define SERVICE "/runtime.v1.ImageService/"
#define AUTH_MAX ((size_t)4 << 20)
#define TIMEOUT "requeue: prefetching images incomplete after timeout: 5m0s"

enum stage { REST, ASK, SIZE, PULL, VERIFY, WRITE, DONE };

struct slot {
	struct pinning *p;
	struct grpc_call call;
	struct source timer; /* of the next retry, or the next image */
	struct arena a;
	struct pin_image *image; /* NULL: free */
	unsigned tries;
};

struct pinning {
	struct daemon *d;
	struct pins now;
	struct pin_auth auth;
	struct arena a; /* of the round */
	struct arena kept;
	struct str failed; /* why the round will fail, once its pulls end */
	struct str told; /* the status that the last failure reported */
	struct slot slots[PIN_WORKERS];
	struct job job;
	struct source timer;
	int64_t due; /* of the round, or of the next; 0: none */
	size_t n_slots, at, busy;
	unsigned failures;
	enum stage stage;
	bool changed, begun;
	bool draining; /* start no further pull */
};

static void advance(struct pinning *p);

/* ---- what is known ------------------------------------------------------- */

static const struct json *find(const void *ctx, struct str name)
{
	const struct daemon *d = ctx;
	const struct kube_tree *t = kube_cache_get(d->caches.image_sets, name);

	return t ? t->tree : NULL;
}

/* ---- reports ------------------------------------------------------------- */

static void report(struct pinning *p, const char *type, char status, const char *reason,
		   const char *text, struct str sets)
{
	const struct daemon_report r = {
		.type = type, .status = status, .reason = reason, .text = str_of(text), .sets = sets
	};

	daemon_report(p->d, &r);
}

#define PROGRESSING "PinnedImageSetsProgressing"
#define DEGRADED "PinnedImageSetsDegraded"

static void report_begin(struct pinning *p)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	report(p, PROGRESSING, 'T', "ImagePrefetch",
	       str_fmt(&a, "node is prefetching images: %.*s", STRF(p->d->name)).p,
	       pin_status(&a, &p->now, false, S("")));
}

/* ---- a round ends -------------------------------------------------------- */

static void wake(struct pinning *p, int64_t due)
{
	p->due = due;
	p->timer.due = p->changed ? 1 : due;
	loop_update(p->d->loop, &p->timer);
}

static void release(struct slot *s)
{
	struct pinning *p = s->p;

	grpc_call_cancel(&s->call);
	arena_free(&s->a);
	s->timer.due = 0;
	loop_update(p->d->loop, &s->timer);
	p->busy -= s->image != NULL;
	s->image = NULL;
}

static void stop(struct pinning *p)
{
	for (size_t i = 0; i < PIN_WORKERS; i++)
		release(&p->slots[i]);
	job_cancel(&p->job);
	p->stage = REST;
	p->draining = false;
	p->failed = S("");
	arena_free(&p->a);
}

static void fail(struct pinning *p, struct str why)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str text = str_dup(&a, why);
	struct str sets = pin_status(&a, &p->now, false, text);
	int64_t ms = backoff_next(&p->failures, BACKOFF_RETRIES);

	stop(p);
	log_again(LOG_ERROR, S("pin"), "Pinning images: %.*s", STRF(text));
	if (!str_eq(sets, p->told) || !p->failures) {
		arena_free(&p->kept);
		p->told = str_dup(&p->kept, sets);
		report(p, DEGRADED, 'T', "PrefetchFailed",
		       "One or more PinnedImageSet is experiencing an error. "
		       "See PinnedImageSet list for more details.",
		       sets);
	}
	wake(p, clock_ms() + (p->d->retry_ms ? p->d->retry_ms : ms));
}

static void complete(struct pinning *p)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	stop(p);
	(void)log_over(S("pin"));
	p->failures = 0;
	p->told = S("");
	report(p, PROGRESSING, 'F', "AsExpected", "All pinned image sets complete",
	       pin_status(&a, &p->now, true, S("")));
	report(p, DEGRADED, 'F', "AsExpected", "All is good", S(""));
	wake(p, 0);
}

/* ---- the runtime is asked ------------------------------------------------ */

/* Why a call failed, or "". */
static struct str trouble(struct arena *a, const struct grpc *g)
{
	return g->status ? grpc_error(a, g->status, g->text) : S("");
}

static void on_status(struct grpc_call *c, const struct grpc *g)
{
	struct slot *s = c->ctx;
	struct pinning *p = s->p;
	struct pin_image *im = s->image;
	struct str why = trouble(g->a, g), found;
	int here = proto_find(g->message, 1, &found);

	if (!why.n && here < 0)
		why = S("broken answer");
	release(s);
	if (why.n) {
		fail(p, clock_ms() >= p->due ? S(TIMEOUT)
					     : str_fmt(g->a,
						       "failed to get image status for "
						       "\"%.*s\": %.*s",
						       STRF(im->name), STRF(why)));
		return;
	}
	im->here = here > 0;
	if (p->stage == VERIFY && !im->here) {
		pin_forget(&p->now);
		fail(p, str_fmt(g->a,
				"failed to pull image: image removed during "
				"sync: %.*s",
				STRF(im->name)));
		return;
	}
	advance(p);
}

static void on_pulled(struct grpc_call *c, const struct grpc *g)
{
	struct slot *s = c->ctx;
	struct pinning *p = s->p;
	struct str ref = S(""), why = trouble(g->a, g);
	int64_t again = -1;

	if (g->status == GRPC_UNKNOWN)
		why = g->text; /* the runtime's own message */
	else if (!why.n && (proto_find(g->message, 1, &ref) <= 0 || !ref.n))
		why = str_fmt(g->a, "imageRef for %.*s not set", STRF(s->image->name));
	s->image->here = !why.n;
	s->tries++;
	if (why.n && !p->draining)
		again = pin_retry(s->tries, why);
	if (why.n && again < 0) {
		why = pin_pull_error(&p->a, s->image->name, s->tries, why);
		log_warn("failed to prefetch image \"%.*s\": %.*s", STRF(s->image->name),
			 STRF(why));
		p->draining = p->draining || pin_no_space(why);
		p->failed = why;
	}
	if (again >= 0 || (p->at < p->now.images.n && !p->draining)) {
		if (again < 0) {
			s->tries = 0;
			again = PIN_THROTTLE_MS;
		}
		s->timer.due = clock_ms() + (p->d->retry_ms ? p->d->retry_ms : again);
		loop_update(p->d->loop, &s->timer);
		return;
	}
	release(s);
	advance(p);
}

static void ask(struct slot *s)
{
	struct pinning *p = s->p;
	bool pull = p->stage == PULL;
	int64_t left = p->due - clock_ms();

	s->call.path = pull ? S(SERVICE "PullImage") : S(SERVICE "ImageStatus");
	s->call.ms = pull ? PIN_PULL_MS : left > 1 ? left : 1;
	s->call.done = pull ? on_pulled : on_status;
	s->call.message = pin_request(&s->a, pull ? &p->auth : NULL, s->image->name);
	grpc_call_start(&s->call);
}

static void on_slot(struct source *t, short events)
{
	struct slot *s = t->ctx;

	(void)events;
	if (s->tries && !s->p->draining) {
		ask(s);
	} else {
		release(s);
		advance(s->p);
	}
}

/* Gives every free slot an image; false when no slot is busy. */
static bool busy(struct pinning *p)
{
	for (size_t i = 0; i < p->n_slots && !p->draining; i++) {
		struct slot *s = &p->slots[i];

		while (!s->image && p->at < p->now.images.n) {
			struct pin_image *im = &p->now.images.v[p->at++];

			if (im->here && p->stage != VERIFY)
				continue;
			s->image = im;
			s->tries = 0;
			p->busy++;
			ask(s);
		}
	}
	return p->busy > 0;
}

/* ---- the node's side ----------------------------------------------------- */

static int load_auth(struct pinning *p, struct err *err)
{
	struct tree *t = &p->d->node->tree;
	struct str text;
	struct strs more = { 0 };
	int rc = tree_read(&p->a, t, PIN_AUTH, AUTH_MAX, &text, err);

	if (rc < 0)
		return err_wrap(err, "failed to read authfile");
	rc = pin_auth_load(&p->a, text, &p->auth, err);
	VEC_PUSH(&p->a, &more, S(""));
	if (rc == 0)
		rc = tree_list(&p->a, t, PIN_REGISTRIES ".d", &more, err);
	for (size_t i = 0; rc == 0 && i < more.n; i++) {
		const char *path =
			str_fmt(&p->a, PIN_REGISTRIES "%s%.*s", i ? ".d/" : "", STRF(more.v[i])).p;

		if (i && !str_ends(more.v[i], S(".conf")))
			continue;
		rc = tree_read(&p->a, t, path, AUTH_MAX, &text, err);
		if (rc == 0)
			rc = pin_auth_mirrors(&p->auth, text, err);
		else if (rc == -ERR_NOTFOUND)
			rc = 0;
	}
	return rc;
}

static bool missing(const struct pins *p, bool unknown)
{
	for (size_t i = 0; i < p->images.n; i++)
		if (!p->images.v[i].here && (!unknown || p->images.v[i].size < 0))
			return true;
	return false;
}

static void start_job(struct pinning *p, enum job_kind kind, struct str text)
{
	static const struct strs none;
	const struct job_in in = { .kind = kind, .logs = &none, .text = text, .pins = &p->now };
	struct err err = ERR_INIT(&p->a);

	if (job_start(&p->job, &in, &err) < 0)
		fail(p, err.msg);
}

static void next_stage(struct pinning *p)
{
	p->stage++;
	p->at = 0;
}

static void on_told(void *ctx, const struct job_msg *m)
{
	struct pinning *p = ctx;
	struct map_entry *e =
		m->kind == JOB_MSG_SIZE ? map_find(&p->now.by_name, m->size.image) : NULL;

	if (e)
		p->now.images.v[(uintptr_t)e->value].size = m->size.bytes;
}

static void on_job(void *ctx, enum job_kind kind, int rc, struct str text)
{
	struct pinning *p = ctx;

	(void)kind;
	if (rc < 0) {
		fail(p, text);
	} else {
		next_stage(p);
		advance(p);
	}
}

/* ---- a round ------------------------------------------------------------- */

/* Works on the stage; true when the next one may start. */
static bool over(struct pinning *p)
{
	struct err err = ERR_INIT(&p->a);
	int rc = 0;

	switch (p->stage) {
	case REST:
		return false;
	case ASK:
	case VERIFY:
		return !busy(p);
	case SIZE:
		if (missing(&p->now, true)) {
			start_job(p, JOB_SIZES, S(""));
			return false;
		}
		return true;
	case PULL:
		if (!p->at && missing(&p->now, false)) {
			rc = pin_fits(&p->now) ? load_auth(p, &err)
					       : err_set(&err, ERR_AGAIN, PIN_NO_ROOM);
		}
		if (rc < 0) {
			fail(p, err.msg);
			return false;
		}
		if (busy(p))
			return false;
		if (p->failed.n) {
			fail(p, p->failed);
			return false;
		}
		pin_pulled(&p->now);
		return true;
	case WRITE:
		if (p->now.images.n || tree_exists(&p->d->node->tree, PIN_CONFIG)) {
			start_job(p, JOB_PIN, pin_config(&p->a, &p->now));
			return false;
		}
		return true;
	case DONE:
		complete(p);
	}
	return false;
}

static void advance(struct pinning *p)
{
	while (over(p))
		next_stage(p);
}

/* Starts a round when the sets changed, or when the last one failed (again). */
static void look(struct pinning *p, bool again)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mcp_of_node pools = { 0 };
	struct err err = ERR_INIT(&a);
	struct pins next;
	bool news;
	int rc;

	if (daemon_pools(p->d, &a, &pools, &err) < 0 || (!pools.n && !p->begun)) {
		wake(p, p->due);
		return;
	}
	rc = pin_begin(&next, &p->now, &pools, daemon_node(p->d), find, p->d, &err);
	news = !p->begun || !str_eq(next.key, p->now.key);
	if (!news && !again) {
		pin_free(&next);
		wake(p, p->due);
		return;
	}
	stop(p);
	pin_free(&p->now);
	p->now = next;
	p->now.by_name.a = &p->now.a;
	p->begun = true;
	if (news) {
		p->failures = 0;
		report_begin(p);
	}
	if (rc < 0) {
		fail(p, err.msg);
		return;
	}
	p->n_slots = daemon_is_master(p->d) ? 1 : PIN_WORKERS;
	p->stage = ASK;
	p->at = 0;
	wake(p, clock_ms() + PIN_ROUND_MS);
	advance(p);
}

static void on_timer(struct source *t, short events)
{
	struct pinning *p = t->ctx;

	(void)events;
	if (p->changed) {
		p->changed = false;
		look(p, false);
	} else if (p->stage == REST) {
		look(p, true);
	} else if (p->stage == PULL) {
		/* let the pulls that are running end */
		p->due = 0;
		p->draining = true;
		if (!p->failed.n)
			p->failed = S(TIMEOUT);
		for (size_t i = 0; i < p->n_slots; i++)
			if (!p->slots[i].call.running)
				release(&p->slots[i]);
		advance(p);
	} else {
		fail(p, S(TIMEOUT));
	}
}

void daemon_pin(struct daemon *d)
{
	struct pinning *p = d->pins;

	/* the node's start comes first, unless it is stuck in a failure */
	if (!p || !daemon_node(d) || !kube_cache_synced(d->caches.pools) ||
	    !kube_cache_synced(d->caches.image_sets) ||
	    (d->v.start != START_OVER && !str_is(daemon_note(d, ANNO_STATE), "Degraded")))
		return;
	p->changed = true;
	wake(p, p->due);
}

void daemon_pin_begin(struct daemon *d)
{
	struct pinning *p = ARENA_NEW(d->a, struct pinning);
	const char *socket = tree_host_path(d->a, &d->node->tree, PIN_SOCKET);

	*p = (struct pinning){ .d = d };
	p->job = (struct job){ .loop = d->loop,
			       .root = d->node->tree.root,
			       .ctx = p,
			       .told = on_told,
			       .done = on_job };
	p->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = p };
	loop_add(d->loop, &p->timer);
	for (size_t i = 0; i < PIN_WORKERS; i++) {
		struct slot *s = &p->slots[i];

		s->p = p;
		s->call = (struct grpc_call){ .loop = d->loop, .socket = socket, .ctx = s };
		s->timer = (struct source){ .fd = -1, .ready = on_slot, .ctx = s };
		loop_add(d->loop, &s->timer);
	}
	d->pins = p;
}

void daemon_pin_end(struct daemon *d)
{
	struct pinning *p = d->pins;

	if (!p)
		return;
	stop(p);
	pin_free(&p->now);
	arena_free(&p->kept);
	loop_remove(d->loop, &p->timer);
	for (size_t i = 0; i < PIN_WORKERS; i++)
		loop_remove(d->loop, &p->slots[i].timer);
}
