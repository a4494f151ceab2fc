/*
 * Drains nodes by the decisions of plan/drain.
 *
 * Pods are watched only on nodes that are being drained, and on at most WATCHED_MAX of them at the
 * same time, because each watch is a connection; the other nodes wait. Upstream drains five nodes
 * at the same time.
 */
#include <stdlib.h>

#include "controller_state.h"
#include "io/clock.h"
#include "plan/drain.h"

#define WATCHED_MAX 64

struct kept_pod {
	struct arena a;
	struct mc_pod pod;
};

static void *keep_pod(const struct json *tree, void *ctx)
{
	struct kept_pod *k = calloc(1, sizeof(*k));
	struct mc_pod p;

	(void)ctx;
	if (!k)
		abort();
	pod_decode(tree, &p);
	k->pod = pod_copy(&k->a, &p);
	return k;
}

static void drop_pod(void *value)
{
	struct kept_pod *k = value;

	arena_free(&k->a);
	free(k);
}

static void plan_again(struct drainer *d)
{
	kube_queue_add(d->c->queue, SYNC_DRAIN, d->node);
}

void drains_again(struct controller *c)
{
	for (struct drainer *d = c->drainers; d; d = d->next)
		plan_again(d);
}

static void pod_changed(void *ctx, struct str key, const void *before, const void *now)
{
	(void)key;
	(void)before;
	(void)now;
	plan_again(ctx);
}

static void pods_synced(void *ctx)
{
	plan_again(ctx);
}

static struct drainer **find(struct controller *c, struct str node)
{
	struct drainer **p = &c->drainers;

	while (*p && !str_eq((*p)->node, node))
		p = &(*p)->next;
	return p;
}

static struct drainer *get(struct controller *c, struct str node)
{
	struct drainer **p = find(c, node), *d = *p;

	if (d)
		return d;
	d = calloc(1, sizeof(*d) + sizeof(*d->drain) + node.n);
	if (!d)
		abort();
	d->drain = (struct drain *)(d + 1);
	memcpy(d->drain + 1, node.p, node.n);
	d->node = (struct str){ (char *)(d->drain + 1), node.n };
	d->c = c;
	*p = d;
	return d;
}

/* Ends the watch, and plans the next node that waits for one. */
static void stop_watching(struct drainer *d)
{
	struct drainer *next = d->c->drainers;

	if (!d->pods)
		return;
	kube_cache_free(d->pods);
	d->pods = NULL;
	d->c->n_watched--;
	while (next && (next == d || next->pods || !drain_wants_pods(next->drain)))
		next = next->next;
	if (next)
		plan_again(next);
}

static void end(struct controller *c, struct str node)
{
	struct drainer **p = find(c, node), *d = *p;

	if (!d)
		return;
	*p = d->next;
	stop_watching(d);
	drain_free(d->drain);
	arena_free(&d->a);
	free(d);
}

static void watch_pods(struct drainer *d)
{
	struct kube_cache_opts o = { .kube = d->c->kube,
				     .path = PATH_CORE "pods",
				     .what = "pods of a node being drained",
				     .make = keep_pod,
				     .drop = drop_pod,
				     .changed = pod_changed,
				     .synced = pods_synced,
				     .ctx = d,
				     /* do not miss a pod that was bound just before
				      * the node was cordoned */
				     .fresh = true };
	struct buf b;

	arena_free(&d->a);
	buf_init(&b, &d->a);
	buf_addz(&b, "fieldSelector=spec.nodeName%3D");
	kube_escape(&b, d->node);
	o.query = buf_str(&b);
	d->pods = kube_cache_start(&o);
	d->c->n_watched++;
}

/* Watches the node's pods while the drain needs them. */
static void look(struct drainer *d)
{
	bool wants = drain_wants_pods(d->drain);

	if (!wants)
		stop_watching(d);
	else if (!d->pods && d->c->n_watched < WATCHED_MAX)
		watch_pods(d);
}

int sync_drain(struct controller *c, struct str name, struct arena *a, struct actions *out,
	       struct err *err)
{
	struct kube_cache *nodes = c->watches[W_NODE].cache;
	const struct knode *node = kube_cache_get(nodes, name);
	struct drain_view v = { .now = clock_wall(),
				.node = node,
				.pool = S(MCN_NOT_YET_SET),
				.eviction_api = c->eviction_api,
				.evict_ms = c->evict_ms,
				.image_mode =
					mc_gate(&c->gates.names, "ImageModeStatusReporting") };
	struct mcp_of_node of = { 0 };
	struct mcp_list pools = { 0 };
	struct kube_item *const *items;
	struct drainer *d;
	struct mc_pod *pods;
	int rc;

	if (!node || str_eq(node->desired_drain, node->applied_drain)) {
		end(c, name);
		return 0;
	}
	d = get(c, name);
	known_pools(c, a, &pools);
	if (mcp_of_node(&pools, node, &of, err) == 0 && of.n)
		v.pool = of.v[0]->meta.name;
	if (d->pods && kube_cache_synced(d->pods)) {
		v.pods_known = true;
		v.n_pods = kube_cache_all(d->pods, &items);
		pods = arena_array(a, v.n_pods, sizeof(*pods));
		for (size_t i = 0; i < v.n_pods; i++)
			pods[i] = ((struct kept_pod *)items[i]->value)->pod;
		v.pods = pods;
	}
	rc = plan_drain(a, &v, d->drain, out, err);
	look(d);
	return rc;
}

/* The message of the cause with this reason in a Status; n 0: none. */
static struct str cause_of(struct arena *a, struct str body, const char *reason)
{
	struct err err = ERR_INIT(a);
	struct json *tree = NULL;

	if (json_parse(a, body, NULL, &tree, &err) < 0)
		return S("");
	for (const struct json *j = json_first(json_at(tree, "details.causes")); j;
	     j = json_next(j))
		if (str_is(json_str(j, "reason"), reason))
			return json_str_or(j, "message", S("?"));
	return S("");
}

void drain_answered(struct controller *c, struct str node, const struct action *act,
		    const struct kube_answer *ans)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct drainer *d = *find(c, node);
	struct drain_answer answer = { .status = ans->status,
				       .message = ans->message,
				       .body = ans->body };

	if (!d)
		return;
	if (ans->status == 403)
		answer.terminating = cause_of(&a, ans->body, "NamespaceTerminating").n > 0;
	else if (ans->status == 429)
		answer.budget = cause_of(&a, ans->body, "DisruptionBudget");
	drain_reply(d->drain, act->tag, clock_wall(), &answer);
	plan_again(d);
}
