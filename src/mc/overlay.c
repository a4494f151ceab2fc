/*
 * Combines two sets into what an API server has after objects are applied.
 */
#include "base/map.h"
#include "mc/load.h"

/* The unique key of an object in a set. */
static struct str identity(struct arena *a, const struct mc_object *o)
{
	return str_fmt(a, "%d/%.*s/%.*s", (int)o->kind, STRF(o->namespace), STRF(o->meta.name));
}

/* The members of from that to lacks. */
static void add_missing(struct arena *a, struct json *to, const struct json *from)
{
	for (const struct json *m = json_first(from); m; m = json_next(m))
		if (!json_member(to, json_key(m)))
			json_set(to, json_key(m), json_clone(a, m));
}

/* o in place of was, as an API server keeps it: a new generation. */
static void apply_over(struct arena *a, const struct mc_object *was, struct mc_object *o)
{
	struct json *meta = json_at(o->doc.tree, "metadata");
	const struct json *old = json_at(was->doc.tree, "metadata");
	const struct json *status = json_at(was->doc.tree, "status");
	struct json *notes = json_member(meta, S("annotations"));

	if (notes)
		add_missing(a, notes, json_member(old, S("annotations")));
	add_missing(a, meta, old);
	json_set(meta, S("generation"), json_new_i64(a, json_i64(old, "generation", 0) + 1));
	if (status)
		json_set(o->doc.tree, S("status"), json_clone(a, status));
	o->meta.annotations = json_member(meta, S("annotations"));
	o->meta.uid = json_str(meta, "uid");
	o->meta.version = json_str(meta, "resourceVersion");
}

static const struct mcp *find_pool(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->pools.n; i++)
		if (str_eq(set->pools.v[i]->meta.name, name))
			return set->pools.v[i];
	return NULL;
}

/* A pool in place of was: manifests have neither its config nor its status. */
static struct mcp *pool_over(struct arena *a, const struct mcp *was, struct mcp *p)
{
	struct json *tree = json_clone(a, p->tree), *meta, *labels, *spec;
	const struct json *old = json_at(was->tree, "metadata");
	const struct json *config = json_at(was->tree, "spec.configuration");
	struct mcp *out = ARENA_NEW(a, struct mcp);
	struct doc d = { .tree = tree };
	struct err ignored = ERR_INIT(a);

	meta = json_at(tree, "metadata");
	spec = json_at(tree, "spec");
	labels = json_member(meta, S("labels"));
	if (labels)
		add_missing(a, labels, json_member(old, S("labels")));
	add_missing(a, meta, old);
	if (json_kind(spec) == JSON_OBJECT && config && !json_at(spec, "configuration.name"))
		json_set(spec, S("configuration"), json_clone(a, config));
	add_missing(a, tree, was->tree);
	if (mcp_decode(a, &d, out, &ignored) < 0)
		return p;
	out->file = p->file;
	return out;
}

static void apply_pools(struct arena *a, const struct mc_set *base, struct mc_set *out)
{
	struct mcp_list pools = { 0 };

	for (size_t i = 0; i < out->pools.n; i++) {
		struct mcp *p = out->pools.v[i];
		const struct mcp *was = find_pool(base, p->meta.name);

		VEC_PUSH(a, &pools, was ? pool_over(a, was, p) : p);
	}
	out->pools = pools;
}

/* Clients do not write a status: it is computed from the spec. */
static void apply_configuration(struct arena *a, const struct json *was, struct json *is)
{
	const struct json *status = json_member(was, S("status"));

	json_remove(is, S("status"));
	if (status && json_eq(json_member(was, S("spec")), json_member(is, S("spec"))))
		json_set(is, S("status"), json_clone(a, status));
}

struct mc_set mc_applied(struct arena *a, const struct mc_set *base, const struct mc_set *over)
{
	struct mc_set out = *over;

	apply_pools(a, base, &out);
	if (out.configuration)
		apply_configuration(a, base->configuration, out.configuration);
	out.others = (struct mc_object_list){ 0 };
	for (size_t i = 0; i < over->others.n; i++) {
		struct mc_object *o = over->others.v[i];
		const struct mc_object *was = NULL;

		if (o->kind == MC_KUBELET_CONFIG || o->kind == MC_RUNTIME_CONFIG)
			was = mc_find(base, o->kind, str_z(a, o->meta.name));
		if (was && json_eq(json_at(was->doc.tree, "spec"), json_at(o->doc.tree, "spec")))
			continue;
		if (was)
			apply_over(a, was, o);
		VEC_PUSH(a, &out.others, o);
	}
	return out;
}

struct mc_set mc_overlay(struct arena *a, const struct mc_set *base, const struct mc_set *over)
{
	const struct mc_set *sets[] = { base, over };
	struct mc_set out = *base;
	struct map mcs, pools, others, nodes;

	map_init(&nodes, a);
	map_init(&mcs, a);
	map_init(&pools, a);
	map_init(&others, a);
	for (size_t k = 0; k < 2; k++) {
		const struct mc_set *s = sets[k];

		for (size_t i = 0; i < s->mcs.n; i++)
			(void)map_put(&mcs, s->mcs.v[i]->meta.name, s->mcs.v[i]);
		for (size_t i = 0; i < s->pools.n; i++)
			(void)map_put(&pools, s->pools.v[i]->meta.name, s->pools.v[i]);
		for (size_t i = 0; i < s->nodes.n; i++)
			(void)map_put(&nodes, s->nodes.v[i]->name, s->nodes.v[i]);
		for (size_t i = 0; i < s->others.n; i++)
			(void)map_put(&others, identity(a, s->others.v[i]), s->others.v[i]);
	}
	out.mcs = (struct mc_list){ 0 };
	out.pools = (struct mcp_list){ 0 };
	out.others = (struct mc_object_list){ 0 };
	out.nodes = (struct knode_list){ 0 };
	for (size_t i = 0; i < nodes.n; i++)
		VEC_PUSH(a, &out.nodes, nodes.v[i].value);
	for (size_t i = 0; i < mcs.n; i++)
		VEC_PUSH(a, &out.mcs, mcs.v[i].value);
	for (size_t i = 0; i < pools.n; i++)
		VEC_PUSH(a, &out.pools, pools.v[i].value);
	for (size_t i = 0; i < others.n; i++)
		VEC_PUSH(a, &out.others, others.v[i].value);
	if (over->controller_config)
		out.controller_config = over->controller_config;
	if (over->configuration)
		out.configuration = over->configuration;
	if (over->cluster_version)
		out.cluster_version = over->cluster_version;
	if (over->os_image_stream)
		out.os_image_stream = over->os_image_stream;
	return out;
}
