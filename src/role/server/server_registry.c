/*
 * Upstream's role may list Services and Routes, not watch them: they are polled, and only while
 * the cluster builds layered images.
 */
#include "server_registry.h"

#include <stdlib.h>

#include "io/repeat.h"
#include "mc/api.h"
#include "plan/serve.h"

#define POLL_MS 15000

static const char *const paths[2] = {
	PATH_CORE "namespaces/" NS_IMAGE_REGISTRY "/services",
	PATH_ROUTE "namespaces/" NS_IMAGE_REGISTRY "/routes",
};

/* Services or Routes. */
struct hosts {
	struct registry *registry;
	struct kube_call call;
	bool busy, asked, known;
	struct arena a;
	struct strs names;
};

struct registry {
	struct kube *kube;
	void (*changed)(void *ctx);
	void *ctx;
	struct hosts hosts[2]; /* as paths */
	struct source timer;
	bool on;
};

static bool same(const struct strs *x, const struct strs *y)
{
	size_t i = 0;

	while (i < x->n && i < y->n && str_eq(x->v[i], y->v[i]))
		i++;
	return i == x->n && i == y->n;
}

static void set_hosts(struct hosts *h, const struct json *list)
{
	struct serve_objects items = { 0 }, none = { 0 };
	const struct json *j = json_first(json_at(list, "items"));
	AUTO(arena) struct arena a = ARENA_INIT;
	struct strs names = { 0 };
	bool services = h == &h->registry->hosts[0];

	for (; j; j = json_next(j))
		VEC_PUSH(&a, &items, j);
	serve_registry_hosts(&a, services ? &items : &none, services ? &none : &items, &names);
	if (h->known && same(&names, &h->names))
		return;
	arena_free(&h->a);
	h->names = (struct strs){ 0 };
	for (size_t i = 0; i < names.n; i++)
		VEC_PUSH(&h->a, &h->names, str_dup(&h->a, names.v[i]));
	h->known = true;
	h->registry->changed(h->registry->ctx);
}

static void listed(struct kube_call *call, const struct kube_answer *ans)
{
	struct hosts *h = call->ctx;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *list;

	h->busy = false;
	h->asked = true;
	if (ans->rc == 0 && json_parse(&a, ans->body, NULL, &list, &err) == 0) {
		if (log_over(call->path))
			log_info("listing %.*s succeeds again", STRF(call->path));
		set_hosts(h, list);
		return;
	}
	log_again(LOG_ERROR, call->path,
		  "layered images are not served until %.*s can be listed: %.*s", STRF(call->path),
		  STRF(ans->rc ? ans->message : err.msg));
	if (h->known)
		h->registry->changed(h->registry->ctx);
	h->known = false;
}

static void on_timer(struct source *s, short events)
{
	struct registry *r = s->ctx;

	(void)events;
	s->due = loop_now(kube_loop(r->kube)) + POLL_MS;
	for (size_t i = 0; r->on && i < 2; i++) {
		struct hosts *h = &r->hosts[i];

		if (h->busy)
			continue;
		h->busy = true;
		h->call = (struct kube_call){
			.method = "GET", .path = str_of(paths[i]), .done = listed, .ctx = h
		};
		kube_start(r->kube, &h->call);
	}
}

struct registry *registry_new(struct kube *k, void (*changed)(void *ctx), void *ctx)
{
	struct registry *r = calloc(1, sizeof(*r));

	if (!r)
		abort();
	r->kube = k;
	r->changed = changed;
	r->ctx = ctx;
	r->hosts[0].registry = r->hosts[1].registry = r;
	r->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = r };
	loop_add(kube_loop(k), &r->timer);
	return r;
}

void registry_free(struct registry *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < 2; i++) {
		if (r->hosts[i].busy)
			kube_cancel(&r->hosts[i].call);
		arena_free(&r->hosts[i].a);
	}
	loop_remove(kube_loop(r->kube), &r->timer);
	free(r);
}

void registry_follow(struct registry *r, bool on)
{
	r->on = on;
	r->timer.due = loop_now(kube_loop(r->kube));
	loop_update(kube_loop(r->kube), &r->timer);
}

bool registry_asked(const struct registry *r)
{
	return r->hosts[0].asked && r->hosts[1].asked;
}

bool registry_hosts(const struct registry *r, struct arena *a, struct strs *out)
{
	if (!r->hosts[0].known || !r->hosts[1].known)
		return false;
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < r->hosts[i].names.n; k++)
			VEC_PUSH(a, out, r->hosts[i].names.v[k]);
	return true;
}
