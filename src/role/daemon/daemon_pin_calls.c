/*
 * daemon_pin_calls: asks the container runtime for images and has it pull them, several at once.
 * A pull is retried in its slot; when the round must end, running pulls may end first.
 */
#include "daemon_pin.h"
#include "io/log.h"

#define SERVICE "/runtime.v1.ImageService/"
#define AUTH_MAX ((size_t)4 << 20)

void pinning_release(struct pinning_slot *s)
{
	struct pinning *p = s->p;

	grpc_call_cancel(&s->call);
	arena_free(&s->a);
	s->timer.due = 0;
	loop_update(p->d->loop, &s->timer);
	p->busy -= s->image != NULL;
	s->image = NULL;
}

/* Why a call failed, or "". */
static struct str trouble(struct arena *a, const struct grpc *g)
{
	return g->status ? grpc_error(a, g->status, g->text) : S("");
}

static void on_status(struct grpc_call *c, const struct grpc *g)
{
	struct pinning_slot *s = c->ctx;
	struct pinning *p = s->p;
	struct pin_image *im = s->image;
	struct str why = trouble(g->a, g), found;
	int here = proto_find(g->message, 1, &found);

	if (!why.n && here < 0)
		why = S("broken answer");
	pinning_release(s);
	if (why.n) {
		pinning_fail(p, clock_ms() >= p->due ? S(PINNING_TIMEOUT)
						     : str_fmt(g->a,
							       "failed to get image status for "
							       "\"%.*s\": %.*s",
							       STRF(im->name), STRF(why)));
		return;
	}
	im->here = here > 0;
	if (p->stage == PINNING_VERIFY && !im->here) {
		pin_forget(&p->now);
		pinning_fail(p, str_fmt(g->a,
					"failed to pull image: image removed during "
					"sync: %.*s",
					STRF(im->name)));
		return;
	}
	pinning_advance(p);
}

static void on_pulled(struct grpc_call *c, const struct grpc *g)
{
	struct pinning_slot *s = c->ctx;
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
	pinning_release(s);
	pinning_advance(p);
}

static void ask(struct pinning_slot *s)
{
	struct pinning *p = s->p;
	bool pull = p->stage == PINNING_PULL;
	int64_t left = p->due - clock_ms();

	s->call.path = pull ? S(SERVICE "PullImage") : S(SERVICE "ImageStatus");
	s->call.ms = pull ? PIN_PULL_MS : left > 1 ? left : 1;
	s->call.done = pull ? on_pulled : on_status;
	s->call.message = pin_request(&s->a, pull ? &p->auth : NULL, s->image->name);
	grpc_call_start(&s->call);
}

void pinning_on_slot(struct source *t, short events)
{
	struct pinning_slot *s = t->ctx;

	(void)events;
	if (s->tries && !s->p->draining) {
		ask(s);
	} else {
		pinning_release(s);
		pinning_advance(s->p);
	}
}

bool pinning_busy(struct pinning *p)
{
	for (size_t i = 0; i < p->n_slots && !p->draining; i++) {
		struct pinning_slot *s = &p->slots[i];

		while (!s->image && p->at < p->now.images.n) {
			struct pin_image *im = &p->now.images.v[p->at++];

			if (im->here && p->stage != PINNING_VERIFY)
				continue;
			s->image = im;
			s->tries = 0;
			p->busy++;
			ask(s);
		}
	}
	return p->busy > 0;
}

int pinning_load_auth(struct pinning *p, struct err *err)
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
