#include "live.h"

#include "plan/kubelet_sync.h"
#include "plan/owned.h"

void live_objects(struct arena *a, struct mc_set *set, struct str text)
{
	struct err err = ERR_INIT(a);
	struct mc_fault fault = { 0 };

	if (mc_load(a, S("t"), text, set, &fault, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		abort();
	}
}

/* ---- the API server ------------------------------------------------------ */

static struct json *meta_of(struct json *tree)
{
	struct json *meta = json_at(tree, "metadata");

	if (!meta)
		abort();
	return meta;
}

/* Sets the fields that a server sets on a new object. */
static void admit(struct live *l, struct json *tree)
{
	struct json *meta = meta_of(tree);

	if (!json_member(meta, S("uid")))
		json_set(meta, S("uid"), json_new_str(l->a, str_fmt(l->a, "uid-%lu", ++l->uids)));
	if (!json_member(meta, S("creationTimestamp"))) {
		l->clock++;
		json_set(meta, S("creationTimestamp"),
			 json_new_str(l->a,
				      str_fmt(l->a, "2026-01-01T%02lu:%02lu:%02luZ",
					      l->clock / 3600, l->clock / 60 % 60, l->clock % 60)));
	}
	if (!json_member(meta, S("generation")))
		json_set(meta, S("generation"), json_new_i64(l->a, 1));
}

static struct mc_object *stored(struct live *l, const struct mc_object *o)
{
	struct mc_object *copy = ARENA_NEW(l->a, struct mc_object);
	struct err err = ERR_INIT(l->a);
	struct doc d = o->doc;

	d.tree = json_clone(l->a, o->doc.tree);
	admit(l, d.tree);
	if (mc_object_decode(l->a, &d, o->kind, copy, &err) < 0)
		abort();
	copy->file = o->file;
	return copy;
}

/* ---- the controller ------------------------------------------------------ */

static void see_gates(struct live *l, struct generate_view *v)
{
	const struct mc_object *o = mc_find(&l->set, MC_FEATURE_GATE, "cluster");
	struct err err = ERR_INIT(l->a);

	if (o)
		(void)mc_gates_read(l->a, o->tree, S("4.22.0"), &v->gates, &err);
}

static void begin(struct live *l, struct settle *s)
{
	const struct mc_object *secret = mc_find(&l->set, MC_SECRET, "pull-secret");

	settle_init(s, l->a, &l->set);
	s->bodies = true;
	s->view.now = (struct instant){ 1700000000, 0 };
	s->view.raw = S(LIVE_RAW);
	s->view.hash = S(LIVE_HASH);
	s->view.tree = l->tree;
	s->view.node = l->node;
	s->view.pull_secret = secret ? secret->doc.tree : NULL;
	see_gates(l, &s->view);
}

static void end(struct live *l, struct settle *s)
{
	struct mc_object_list others = { 0 };

	for (size_t i = 0; i < s->pools.n; i++)
		settle_add(s, GENERATE_RENDER, s->pools.v[i]->meta.name, false);
	settle_run(s);
	if (s->restless)
		abort();
	for (size_t i = 0; i < l->set.others.n; i++)
		if (l->set.others.v[i]->kind != MC_KUBELET_CONFIG &&
		    l->set.others.v[i]->kind != MC_RUNTIME_CONFIG)
			VEC_PUSH(l->a, &others, l->set.others.v[i]);
	for (size_t i = 0; i < s->kubelets.n; i++)
		VEC_PUSH(l->a, &others, s->kubelets.v[i]);
	for (size_t i = 0; i < s->runtimes.n; i++)
		VEC_PUSH(l->a, &others, s->runtimes.v[i]);
	l->set.others = others;
	l->set.mcs = s->mcs;
	l->set.pools = s->pools;
	l->set.controller_config = ARENA_NEW(l->a, struct mc_controller_config);
	*l->set.controller_config = s->cc;
	l->failed = (struct settle_keys){ 0 };
	l->waiting = (struct generate_keys){ 0 };
	for (size_t i = 0; i < s->keys.n; i++) {
		if (s->keys.v[i].rc == 0)
			continue;
		VEC_PUSH(l->a, &l->failed, s->keys.v[i]);
		if (s->keys.v[i].rc != -ERR_INVALID)
			VEC_PUSH(l->a, &l->waiting, s->keys.v[i].key);
	}
}

static void add_all(struct settle *s, enum generate_kind kind, const struct mc_object_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		settle_add(s, kind, list->v[i]->meta.name, false);
}

static void add_kubelets(struct settle *s)
{
	settle_add(s, GENERATE_NODE, S("cluster"), false);
	settle_add(s, GENERATE_FEATURES, S("cluster"), false);
	add_all(s, GENERATE_KUBELET, &s->kubelets);
}

static void add_start(struct live *l, struct settle *s)
{
	if (!l->templated)
		settle_add(s, GENERATE_TEMPLATES, S("machine-config-controller"), false);
	settle_add(s, GENERATE_REGISTRIES, S("cluster"), false);
	settle_add(s, GENERATE_CREDENTIALS, S("cluster"), false);
	add_kubelets(s);
	add_all(s, GENERATE_RUNTIME, &s->runtimes);
}

static const struct json *node_config(const struct live *l)
{
	const struct mc_object *o = mc_find(&l->set, MC_NODE_CONFIG, "cluster");

	return o ? o->tree : NULL;
}

void live_start(struct live *l)
{
	struct settle s;

	for (size_t i = 0; i < l->set.others.n; i++)
		l->set.others.v[i] = stored(l, l->set.others.v[i]);
	l->node = node_config(l);
	begin(l, &s);
	add_start(l, &s);
	end(l, &s);
}

/* Adds what the controller plans for a changed object; see
 * src/role/controller/controller_trigger.c. */
static void triggered(struct live *l, struct settle *s, const struct mc_object *o)
{
	struct actions ignored = { 0 };

	switch (o->kind) {
	case MC_KUBELET_CONFIG:
		settle_add(s, GENERATE_KUBELET, o->meta.name, false);
		break;
	case MC_RUNTIME_CONFIG:
		settle_add(s, GENERATE_RUNTIME, o->meta.name, false);
		break;
	case MC_NODE_CONFIG:
		if (!node_config_allowed(l->a, l->node, o->tree, &ignored))
			break;
		l->node = s->view.node = o->tree;
		add_kubelets(s);
		break;
	case MC_FEATURE_GATE: /* the controller restarts */
		add_start(l, s);
		break;
	case MC_SECRET:
		settle_add(s, GENERATE_TEMPLATES, S("machine-config-controller"), false);
		break;
	case MC_API_SERVER:
		settle_add(s, GENERATE_TEMPLATES, S("machine-config-controller"), false);
		if (s->view.node)
			add_kubelets(s);
		break;
	case MC_CREDENTIALS:
		settle_add(s, GENERATE_CREDENTIALS, S("cluster"), false);
		break;
	default:
		settle_add(s, GENERATE_REGISTRIES, S("cluster"), false);
		break;
	}
}

static bool is_waiting(const struct live *l, enum generate_kind kind, struct str name)
{
	for (size_t i = 0; i < l->waiting.n; i++)
		if (l->waiting.v[i].kind == kind && str_eq(l->waiting.v[i].name, name))
			return true;
	return false;
}

/* The oldest first. */
static void add_waiting(struct live *l, struct settle *s)
{
	for (size_t i = 0; i < s->runtimes.n; i++)
		if (is_waiting(l, GENERATE_RUNTIME, s->runtimes.v[i]->meta.name))
			settle_add(s, GENERATE_RUNTIME, s->runtimes.v[i]->meta.name, false);
	for (size_t i = 0; i < s->kubelets.n; i++)
		if (is_waiting(l, GENERATE_KUBELET, s->kubelets.v[i]->meta.name))
			settle_add(s, GENERATE_KUBELET, s->kubelets.v[i]->meta.name, false);
}

/* Applying a pool keeps its spec.configuration. */
static struct mcp *pool_over(struct live *l, const struct mcp *pool)
{
	struct mcp *out = ARENA_NEW(l->a, struct mcp);
	struct err err = ERR_INIT(l->a);
	struct doc d = { .tree = json_clone(l->a, pool->tree) };

	for (size_t i = 0; i < l->set.pools.n; i++) {
		const struct mcp *was = l->set.pools.v[i];
		const struct json *c = json_at(was->tree, "spec.configuration");

		if (c && str_eq(was->meta.name, pool->meta.name))
			json_set(json_at(d.tree, "spec"), S("configuration"), json_clone(l->a, c));
	}
	if (mcp_decode(l->a, &d, out, &err) < 0)
		abort();
	return out;
}

void live_apply(struct live *l, const struct mc_set *change)
{
	struct mc_set applied = mc_applied(l->a, &l->set, change);
	struct settle s;

	for (size_t i = 0; i < applied.others.n; i++)
		applied.others.v[i] = stored(l, applied.others.v[i]);
	for (size_t i = 0; i < applied.pools.n; i++)
		applied.pools.v[i] = pool_over(l, applied.pools.v[i]);
	l->set = mc_overlay(l->a, &l->set, &applied);
	begin(l, &s);
	for (size_t i = 0; i < applied.others.n; i++)
		triggered(l, &s, applied.others.v[i]);
	if (applied.pools.n)
		settle_add(&s, GENERATE_REGISTRIES, S("cluster"), false);
	add_waiting(l, &s);
	end(l, &s);
}

/* No finalizer holds the object: it is deleted at once, and what it owns is garbage-collected. */
static void collect(struct live *l, struct settle *s, const struct mc_object *o)
{
	bool kubelet = o->kind == MC_KUBELET_CONFIG;
	struct mc_object_list *list = kubelet ? &s->kubelets : &s->runtimes;
	struct strs names = { 0 };
	size_t kept = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->v[i] != o)
			list->v[kept++] = list->v[i];
	list->n = kept;
	for (size_t i = 0; i < s->mcs.n; i++)
		if (owned_controls(kubelet ? &owned_kubelet : &owned_runtime, o, s->mcs.v[i]))
			VEC_PUSH(l->a, &names, s->mcs.v[i]->meta.name);
	for (size_t i = 0; i < names.n; i++)
		settle_put(s, names.v[i], NULL);
}

void live_delete(struct live *l, enum mc_kind kind, struct str name)
{
	struct mc_object *o = mc_find(&l->set, kind, str_z(l->a, name));
	struct settle s;

	json_set(meta_of(o->doc.tree), S("deletionTimestamp"),
		 json_new_str(l->a, S("2026-02-01T00:00:00Z")));
	*o = *stored(l, o);
	begin(l, &s);
	if (json_len(json_at(o->doc.tree, "metadata.finalizers")))
		triggered(l, &s, o);
	else
		collect(l, &s, o);
	add_waiting(l, &s);
	end(l, &s);
}

struct str live_target(const struct live *l, struct str pool)
{
	for (size_t i = 0; i < l->set.pools.n; i++)
		if (str_eq(l->set.pools.v[i]->meta.name, pool))
			return json_str(l->set.pools.v[i]->tree, "spec.configuration.name");
	return S("");
}

struct str live_error(const struct live *l, enum generate_kind kind, struct str name)
{
	for (size_t i = 0; i < l->failed.n; i++)
		if (l->failed.v[i].key.kind == kind && str_eq(l->failed.v[i].key.name, name))
			return l->failed.v[i].error;
	return S("");
}
