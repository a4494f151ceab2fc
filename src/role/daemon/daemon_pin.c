/*
 * daemon_pin: pulls and pins the images of PinnedImageSets, in rounds that run beside the
 * daemon's steps. A round that fails is retried; a change of the sets starts another at once.
 */
#include "base/backoff.h"
#include "daemon_pin.h"
#include "io/repeat.h"

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

static void stop(struct pinning *p)
{
	for (size_t i = 0; i < PIN_WORKERS; i++)
		pinning_release(&p->slots[i]);
	job_cancel(&p->job);
	p->stage = PINNING_REST;
	p->draining = false;
	p->failed = S("");
	arena_free(&p->a);
}

void pinning_fail(struct pinning *p, struct str why)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str text = str_dup(&a, why);
	struct str sets = pin_status(&a, &p->now, false, text);
	int64_t ms = backoff_next(&p->failures, BACKOFF_RETRIES);

	stop(p);
	log_again(LOG_ERROR, S("pin"), "Pinning images: %.*s", STRF(text));
	if (!str_eq(sets, p->reported) || !p->failures) {
		arena_free(&p->kept);
		p->reported = str_dup(&p->kept, sets);
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
	p->reported = S("");
	report(p, PROGRESSING, 'F', "AsExpected", "All pinned image sets complete",
	       pin_status(&a, &p->now, true, S("")));
	report(p, DEGRADED, 'F', "AsExpected", "All is good", S(""));
	wake(p, 0);
}

/* ---- the node's side ----------------------------------------------------- */

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
		pinning_fail(p, err.msg);
}

static enum pinning_stage stage_after(enum pinning_stage s)
{
	switch (s) {
	case PINNING_ASK:
		return PINNING_SIZE;
	case PINNING_SIZE:
		return PINNING_PULL;
	case PINNING_PULL:
		return PINNING_VERIFY;
	case PINNING_VERIFY:
		return PINNING_WRITE;
	case PINNING_WRITE:
		return PINNING_DONE;
	case PINNING_REST:
	case PINNING_DONE:
		break;
	}
	return PINNING_REST;
}

static void next_stage(struct pinning *p)
{
	p->stage = stage_after(p->stage);
	p->at = 0;
}

static void on_pin_msg(void *ctx, const struct job_msg *m)
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
		pinning_fail(p, text);
	} else {
		next_stage(p);
		pinning_advance(p);
	}
}

/* ---- a round ------------------------------------------------------------- */

/* Works on the stage; true when the next one may start. */
static bool over(struct pinning *p)
{
	struct err err = ERR_INIT(&p->a);
	int rc = 0;

	switch (p->stage) {
	case PINNING_REST:
		return false;
	case PINNING_ASK:
	case PINNING_VERIFY:
		return !pinning_busy(p);
	case PINNING_SIZE:
		if (missing(&p->now, true)) {
			start_job(p, JOB_SIZES, S(""));
			return false;
		}
		return true;
	case PINNING_PULL:
		if (!p->at && missing(&p->now, false)) {
			rc = pin_fits(&p->now) ? pinning_load_auth(p, &err)
					       : err_set(&err, ERR_AGAIN, PIN_NO_ROOM);
		}
		if (rc < 0) {
			pinning_fail(p, err.msg);
			return false;
		}
		if (pinning_busy(p))
			return false;
		if (p->failed.n) {
			pinning_fail(p, p->failed);
			return false;
		}
		pin_pulled(&p->now);
		return true;
	case PINNING_WRITE:
		if (p->now.images.n || tree_exists(&p->d->node->tree, PIN_CONFIG)) {
			start_job(p, JOB_PIN, pin_config(&p->a, &p->now));
			return false;
		}
		return true;
	case PINNING_DONE:
		complete(p);
	}
	return false;
}

void pinning_advance(struct pinning *p)
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
		pinning_fail(p, err.msg);
		return;
	}
	p->n_slots = daemon_is_master(p->d) ? 1 : PIN_WORKERS;
	p->stage = PINNING_ASK;
	p->at = 0;
	wake(p, clock_ms() + PIN_ROUND_MS);
	pinning_advance(p);
}

static void on_timer(struct source *t, short events)
{
	struct pinning *p = t->ctx;

	(void)events;
	if (p->changed) {
		p->changed = false;
		look(p, false);
	} else if (p->stage == PINNING_REST) {
		look(p, true);
	} else if (p->stage == PINNING_PULL) {
		/* let the pulls that are running end */
		p->due = 0;
		p->draining = true;
		if (!p->failed.n)
			p->failed = S(PINNING_TIMEOUT);
		for (size_t i = 0; i < p->n_slots; i++)
			if (!p->slots[i].call.running)
				pinning_release(&p->slots[i]);
		pinning_advance(p);
	} else {
		pinning_fail(p, S(PINNING_TIMEOUT));
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
			       .on_msg = on_pin_msg,
			       .done = on_job };
	p->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = p };
	loop_add(d->loop, &p->timer);
	for (size_t i = 0; i < PIN_WORKERS; i++) {
		struct pinning_slot *s = &p->slots[i];

		s->p = p;
		s->call = (struct grpc_call){ .loop = d->loop, .socket = socket, .ctx = s };
		s->timer = (struct source){ .fd = -1, .ready = pinning_on_slot, .ctx = s };
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
