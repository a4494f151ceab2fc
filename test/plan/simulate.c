/*
 * Time stands still while plans are made and executed, then jumps to the next
 * time that an agent, a pod or a drain requested. A crash drops the rest of the
 * plan and all of the controller's memory; writes that were done persist.
 */
#include "simulate.h"

#include <stdlib.h>

#include "data/patch.h"
#include "plan/trigger.h"

#define NEVER INT64_MAX

static uint32_t roll(struct sim *s, uint32_t below)
{
	s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(s->seed >> 33) % below;
}

void sim_init(struct sim *s, uint64_t seed, struct instant now)
{
	*s = (struct sim){ .seed = seed,
			   .now = now,
			   .crashes_left = 50,
			   .apply_ms = 20000,
			   .reboot_ms = 120000,
			   .pod_ms = 10000 };
	map_init(&s->mcns, &s->a);
	map_init(&s->configs, &s->a);
}

void sim_free(struct sim *s)
{
	for (size_t i = 0; i < s->n_nodes; i++) {
		arena_free(&s->nodes[i].a);
		arena_free(&s->nodes[i].mcn_a);
		drain_free(&s->nodes[i].drain);
	}
	for (size_t i = 0; i < s->pools.n; i++)
		arena_free(&s->pool_arenas[i]);
	arena_free(&s->a);
}

/* ---- objects ------------------------------------------------------------- */

/* A copy that owns all its bytes in a. */
static struct json *own(struct arena *a, const struct json *tree)
{
	struct err err = ERR_INIT(a);
	struct json *out = NULL;

	if (json_parse(a, json_format(a, tree, 0), NULL, &out, &err) < 0)
		abort(); /* encoded JSON always parses */
	return out;
}

static void stamp(struct sim *s, struct arena *a, struct json *tree)
{
	struct json *meta = json_at(tree, "metadata");

	json_set(meta, S("resourceVersion"), json_new_str(a, str_fmt(a, "%lu", ++s->version)));
}

static void enqueue(struct sim *s, struct str pool)
{
	for (size_t i = 0; i < s->pools.n; i++)
		if (str_eq(s->pools.v[i]->meta.name, pool))
			s->queued[i] = true;
}

/* Queues what the watch on nodes would queue. */
static void node_changed(struct sim *s, const struct knode *old, const struct knode *new)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct knode_event_view v = { .pools = &s->pools, .old = old, .new = new };
	struct mcp_list queue = { 0 };
	struct actions out = { 0 };

	plan_knode_event(&a, &v, &queue, &out);
	for (size_t i = 0; i < queue.n; i++)
		enqueue(s, queue.v[i]->meta.name);
}

static void set_node(struct sim *s, struct sim_node *n, const struct json *tree)
{
	struct arena fresh = ARENA_INIT;
	struct json *t = own(&fresh, tree);
	struct knode view;

	stamp(s, &fresh, t);
	knode_decode(&fresh, t, &view);
	node_changed(s, n->tree ? &n->view : NULL, &view);
	arena_free(&n->a);
	n->a = fresh;
	n->tree = t;
	n->view = view;
	n->drain_due = 0;
}

static void set_mcn(struct sim *s, struct sim_node *n, const struct json *tree)
{
	struct arena fresh = ARENA_INIT;
	struct json *t = own(&fresh, tree);
	struct mcn mcn;

	mcn_decode(t, &mcn);
	enqueue(s, trigger_mcn(n->mcn_tree ? &n->mcn : NULL, &mcn));
	arena_free(&n->mcn_a);
	n->mcn_a = fresh;
	n->mcn_tree = t;
	n->mcn = mcn;
	/* the key must live as long as the map */
	if (!map_find(&s->mcns, n->mcn.name))
		map_put(&s->mcns, str_dup(&s->a, n->mcn.name), &n->mcn);
}

static void set_pool(struct sim *s, size_t i, const struct json *tree)
{
	struct arena fresh = ARENA_INIT;
	struct json *t = own(&fresh, tree);
	struct err err = ERR_INIT(&fresh);

	stamp(s, &fresh, t);
	arena_free(&s->pool_arenas[i]);
	s->pool_arenas[i] = fresh;
	s->pool_trees[i] = t;
	s->queued[i] = true;
	(void)mcp_read(&s->pool_arenas[i], t, s->pools.v[i], &err);
}

void sim_nodes(struct sim *s, const struct json *const *trees, size_t n)
{
	s->nodes = arena_array(&s->a, n, sizeof(*s->nodes));
	s->n_nodes = n;
	for (size_t i = 0; i < n; i++)
		set_node(s, &s->nodes[i], trees[i]);
}

void sim_pool(struct sim *s, const struct json *tree)
{
	size_t n = s->pools.n;

	s->pool_trees = arena_grow(&s->a, s->pool_trees, n * sizeof(*s->pool_trees),
				   (n + 1) * sizeof(*s->pool_trees));
	s->pool_arenas = arena_grow(&s->a, s->pool_arenas, n * sizeof(*s->pool_arenas),
				    (n + 1) * sizeof(*s->pool_arenas));
	s->pool_arenas[n] = ARENA_INIT;
	s->queued = arena_grow(&s->a, s->queued, n, n + 1);
	VEC_PUSH(&s->a, &s->pools, ARENA_NEW(&s->a, struct mcp));
	set_pool(s, n, tree);
}

void sim_config(struct sim *s, struct str name)
{
	map_put(&s->configs, str_dup(&s->a, name), ARENA_NEW(&s->a, struct pool_config));
}

void sim_pod(struct sim *s, size_t node, struct str name, int64_t blocked_until)
{
	struct sim_pod p = {
		.pod = { .ns = S("ns"), .name = str_dup(&s->a, name), .uid = str_dup(&s->a, name) },
		.blocked_until = blocked_until
	};
	struct sim_node *n = &s->nodes[node];

	if (n->n_pods == n->cap_pods)
		n->pods = vec_grow(&s->a, n->pods, &n->cap_pods, sizeof(*n->pods));
	n->pods[n->n_pods++] = p;
}

static struct json *parse(struct arena *a, struct str text)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	return json_parse(a, text, NULL, &j, &err) < 0 ? NULL : j;
}

static void patch_node(struct sim *s, struct sim_node *n, struct str patch)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *p = parse(&a, patch);

	if (!p)
		s->fault = S("a patch is not JSON");
	else
		set_node(s, n, patch_apply(&a, n->tree, p));
}

void sim_patch_node(struct sim *s, size_t node, const char *patch)
{
	patch_node(s, &s->nodes[node], str_of(patch));
}

void sim_patch_pool(struct sim *s, struct str name, const char *patch)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *p = parse(&a, str_of(patch));

	for (size_t i = 0; p && i < s->pools.n; i++)
		if (str_eq(s->pools.v[i]->meta.name, name))
			set_pool(s, i, patch_apply(&a, s->pool_trees[i], p));
}

/* ---- the agents ---------------------------------------------------------- */

static void annotate(struct sim *s, struct sim_node *n, const char *text, ...)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;
	va_list ap;

	buf_init(&b, &a);
	va_start(ap, text);
	buf_vaddf(&b, text, ap);
	va_end(ap);
	patch_node(s, n, buf_str(&b));
}

#define NOTES "{\"metadata\":{\"annotations\":{"
#define NOTE(key) "\"" key "\":\"%.*s\""

static void agent_begins(struct sim *s, struct sim_node *n, int64_t now)
{
	struct str want = n->view.desired_config;

	n->agent = SIM_DRAINING;
	n->due = 0;
	annotate(s, n,
		 NOTES "\"" ANNO_STATE "\":\"Working\",\"" ANNO_DESIRED_DRAIN
		       "\":\"drain-%.*s\"}}}",
		 STRF(want));
	(void)now;
}

static void agent_fails(struct sim *s, struct sim_node *n, int64_t now)
{
	n->failures--;
	n->agent = SIM_IDLE;
	n->due = now + s->apply_ms;
	annotate(s, n, NOTES "\"" ANNO_STATE "\":\"Degraded\",\"" ANNO_REASON "\":\"no luck\"}}}");
}

static bool agent_acts(struct sim *s, struct sim_node *n, int64_t now)
{
	const struct knode *v = &n->view;
	bool drained = v->desired_drain.n && str_eq(v->desired_drain, v->applied_drain);

	if (n->due > now)
		return false;
	switch (n->agent) {
	case SIM_IDLE:
		if (!v->desired_config.n || str_eq(v->current_config, v->desired_config))
			return false;
		agent_begins(s, n, now);
		return true;
	case SIM_DRAINING:
		if (!drained)
			return false;
		if (n->failures && roll(s, 2)) {
			agent_fails(s, n, now);
			return true;
		}
		n->agent = SIM_REBOOTING;
		n->due = now + s->apply_ms + s->reboot_ms;
		annotate(s, n,
			 "{\"status\":{\"conditions\":[{\"type\":\"Ready\","
			 "\"status\":\"Unknown\"}]}}");
		return true;
	case SIM_REBOOTING:
		n->agent = SIM_UNCORDONING;
		n->due = 0;
		annotate(s, n,
			 NOTES NOTE(ANNO_CURRENT_CONFIG) ",\"" ANNO_REASON
							 "\":\"\",\"" ANNO_DESIRED_DRAIN
							 "\":\"uncordon-%.*s\"}},\"status\":{"
							 "\"conditions\":[{\"type\":\"Ready\","
							 "\"status\":\"True\"}]}}",
			 STRF(v->desired_config), STRF(v->desired_config));
		return true;
	case SIM_UNCORDONING:
		if (!drained)
			return false;
		n->agent = SIM_IDLE;
		annotate(s, n, NOTES "\"" ANNO_STATE "\":\"Done\"}}}");
		return true;
	}
	return false;
}

static bool pods_leave(struct sim_node *n, int64_t now)
{
	size_t kept = 0;

	for (size_t i = 0; i < n->n_pods; i++)
		if (!n->pods[i].leaves_at || n->pods[i].leaves_at > now)
			n->pods[kept++] = n->pods[i];
	if (kept == n->n_pods)
		return false;
	n->n_pods = kept;
	n->drain_due = 0;
	return true;
}

/* ---- the server ---------------------------------------------------------- */

static struct sim_node *node_of(struct sim *s, struct str path, const char *prefix)
{
	struct str name;

	if (!str_starts(path, str_of(prefix)))
		return NULL;
	name = str_from(path, strlen(prefix));
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '/' || name.p[i] == '?')
			name.n = i;
	for (size_t i = 0; i < s->n_nodes; i++)
		if (str_eq(s->nodes[i].view.name, name))
			return &s->nodes[i];
	return NULL;
}

#define NODES "/api/v1/nodes/"
#define MCNS PATH_MC "machineconfignodes/"
#define POOLS PATH_MC "machineconfigpools/"

static int serve_patch(struct sim *s, const struct action *act)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sim_node *n = node_of(s, act->path, NODES);
	const struct json *p = parse(&a, act->body);
	struct str version = json_str(p, "metadata.resourceVersion");

	if (n && version.n && !str_eq(version, n->view.version))
		return 409;
	if (n) {
		patch_node(s, n, act->body);
		return 200;
	}
	n = node_of(s, act->path, MCNS);
	if (!n || !n->mcn_tree || !p)
		return 404;
	set_mcn(s, n, patch_apply(&a, n->mcn_tree, p));
	return 200;
}

static int serve_create(struct sim *s, const struct action *act)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *p = parse(&a, act->body);
	struct str name = json_str(p, "metadata.name");

	for (size_t i = 0; i < s->n_nodes; i++)
		if (str_eq(s->nodes[i].view.name, name)) {
			set_mcn(s, &s->nodes[i], p);
			return 201;
		}
	return 404;
}

static int serve_replace(struct sim *s, const struct action *act)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *p = parse(&a, act->body);

	for (size_t i = 0; p && i < s->pools.n; i++) {
		struct str name = json_str(p, "metadata.name");

		if (!str_eq(s->pools.v[i]->meta.name, name))
			continue;
		if (!str_eq(json_str(p, "metadata.resourceVersion"),
			    json_str(s->pool_trees[i], "metadata.resourceVersion")))
			return 409;
		set_pool(s, i, p);
		return 200;
	}
	return 404;
}

static int serve_evict(struct sim *s, const struct action *act)
{
	int64_t now = drain_ms(s->now);

	for (size_t i = 0; i < s->n_nodes; i++)
		for (size_t k = 0; k < s->nodes[i].n_pods; k++) {
			struct sim_pod *p = &s->nodes[i].pods[k];
			struct str want = act->path, ns;

			(void)ns;
			if (str_find(want, p->pod.name) < 0)
				continue;
			if (p->blocked_until > now)
				return 429;
			p->leaves_at = now + s->pod_ms;
			return 201;
		}
	return 404;
}

static int serve(struct sim *s, const struct action *act)
{
	switch (act->kind) {
	case ACTION_STRATEGIC:
	case ACTION_MERGE:
	case ACTION_APPLY:
		return serve_patch(s, act);
	case ACTION_CREATE:
		return serve_create(s, act);
	case ACTION_REPLACE:
		return serve_replace(s, act);
	case ACTION_EVICT:
		return serve_evict(s, act);
	case ACTION_GET:
		return node_of(s, act->path, MCNS) && node_of(s, act->path, MCNS)->mcn_tree ? 200
											    : 404;
	case ACTION_DELETE:
	case ACTION_EVENT:
	case ACTION_METRIC:
	case ACTION_UNMETRIC:
	case ACTION_LOG:
	case ACTION_REQUEUE:
		return 0;
	}
	return 0;
}

static bool is_request(const struct action *act)
{
	return act->kind <= ACTION_EVICT;
}

/* ---- the controller ------------------------------------------------------ */

static void forget(struct sim *s)
{
	s->crashes++;
	s->crashes_left--;
	for (size_t i = 0; i < s->n_nodes; i++) {
		drain_free(&s->nodes[i].drain);
		s->nodes[i].drain_due = 0;
	}
	/* a new controller lists everything again */
	for (size_t i = 0; i < s->pools.n; i++)
		s->queued[i] = true;
}

/* Executes a plan; false when the controller crashed. */
static bool carry_out(struct sim *s, const struct mcp *by, struct sim_node *n,
		      const struct actions *list, bool *changed)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct action *act = &list->v[i];
		struct drain_answer answer = { .message = S("no") };

		if (s->watch)
			s->watch(s->ctx, s, by, act);
		if (act->kind == ACTION_REQUEUE && n)
			n->drain_due = drain_ms(s->now) + act->after;
		if (!is_request(act))
			continue;
		s->actions++;
		answer.status = serve(s, act);
		*changed = true;
		if (s->crash && s->crashes_left && roll(s, s->crash) == 0) {
			forget(s);
			return false;
		}
		if (answer.status >= 400 && by && act->fail != ACTION_SHRUG)
			enqueue(s, by->meta.name);
		if (answer.status >= 400 && act->fail == ACTION_STOP && !act->tag)
			return true;
		if (!act->tag || !n)
			continue;
		if (act->kind == ACTION_GET && answer.status == 200) {
			AUTO(arena) struct arena a = ARENA_INIT;

			answer.body = json_format(&a, n->mcn_tree, 0);
			drain_reply(&n->drain, act->tag, s->now, &answer);
		} else {
			drain_reply(&n->drain, act->tag, s->now, &answer);
		}
		n->drain_due = 0;
	}
	return true;
}

static bool plan_one_pool(struct sim *s, size_t at, bool *changed)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct mcp *pool = s->pools.v[at];
	struct actions out = { 0 };
	struct err err = ERR_INIT(&a);
	const struct knode **nodes = arena_array(&a, s->n_nodes, sizeof(*nodes));
	size_t n = 0;
	struct pool_view v = { .now = s->now,
			       .pool = pool,
			       .pools = &s->pools,
			       .nodes = nodes,
			       .mcns = &s->mcns,
			       .configs = &s->configs,
			       .controller_config = s->controller_config };

	if (!s->queued[at])
		return true;
	s->queued[at] = false;
	for (size_t i = 0; i < s->n_nodes; i++) {
		struct mcp_of_node of = { 0 };

		if (mcp_of_node(&s->pools, &s->nodes[i].view, &of, &err) == 0 && of.n &&
		    of.v[0] == pool)
			nodes[n++] = &s->nodes[i].view;
	}
	v.n_nodes = n;
	(void)plan_pool(&a, &v, &out, &err);
	return carry_out(s, pool, NULL, &out, changed);
}

static bool plan_one_drain(struct sim *s, struct sim_node *n, bool *changed)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct actions out = { 0 };
	struct err err = ERR_INIT(&a);
	struct mcp_of_node of = { 0 };
	struct mc_pod *pods = arena_array(&a, n->n_pods, sizeof(*pods));
	struct drain_view v = { .now = s->now,
				.node = &n->view,
				.pool = S(MCN_NOT_YET_SET),
				.pods = pods,
				.n_pods = n->n_pods,
				.pods_known = true,
				.eviction_api = S("policy/v1") };

	if (n->drain_due > drain_ms(s->now))
		return true;
	n->drain_due = NEVER;
	if (mcp_of_node(&s->pools, &n->view, &of, &err) == 0 && of.n)
		v.pool = of.v[0]->meta.name;
	for (size_t i = 0; i < n->n_pods; i++)
		pods[i] = n->pods[i].pod;
	(void)plan_drain(&a, &v, &n->drain, &out, &err);
	return carry_out(s, NULL, n, &out, changed);
}

/* Plans until nothing more is written at this time. */
static void reconcile(struct sim *s)
{
	bool changed = true;

	for (int i = 0; changed && i < 1000; i++) {
		bool alive = true;

		changed = false;
		for (size_t k = 0; k < s->n_nodes; k++)
			changed |= agent_acts(s, &s->nodes[k], drain_ms(s->now));
		for (size_t k = 0; alive && k < s->pools.n; k++)
			alive = plan_one_pool(s, k, &changed);
		for (size_t k = 0; alive && k < s->n_nodes; k++)
			alive = plan_one_drain(s, &s->nodes[k], &changed);
	}
	if (changed)
		s->fault = S("the controller never comes to rest");
}

static int64_t next_due(const struct sim *s, int64_t now)
{
	int64_t at = NEVER;

	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct sim_node *n = &s->nodes[i];

		if (n->due > now && n->due < at)
			at = n->due;
		if (n->drain_due > now && n->drain_due < at)
			at = n->drain_due;
		for (size_t k = 0; k < n->n_pods; k++)
			if (n->pods[k].leaves_at > now && n->pods[k].leaves_at < at)
				at = n->pods[k].leaves_at;
	}
	return at;
}

bool sim_step(struct sim *s, int64_t ms)
{
	int64_t at;

	reconcile(s);
	at = next_due(s, drain_ms(s->now));
	if (at > ms)
		at = ms;
	if (at <= drain_ms(s->now))
		return false;
	s->now = (struct instant){ at / 1000, (int32_t)(at % 1000) * 1000000 };
	for (size_t i = 0; i < s->n_nodes; i++)
		(void)pods_leave(&s->nodes[i], at);
	return true;
}

bool sim_settled(struct sim *s)
{
	for (size_t i = 0; i < s->pools.n; i++)
		if (!conditions_true(&s->pools.v[i]->conditions, "Updated"))
			return false;
	return next_due(s, drain_ms(s->now)) == NEVER;
}
