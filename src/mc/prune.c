/*
 * Simulates `kubectl apply --prune`: removes objects that users wrote and that the change does not
 * have. Objects of operators, installers and controllers are never removed.
 */
#include "mc/prune.h"

#include "base/map.h"
#include "mc/types.h"

struct pruner {
	struct arena *a;
	const struct mc_set *base, *change;
	const struct selector *selector;
	struct mc_set kept;
	struct mc_set *removed;
};

/* ---- ownership ----------------------------------------------------------- */

static bool has_key(const struct json *notes, const char *part)
{
	for (const struct json *m = json_first(notes); m; m = json_next(m))
		if (str_find(json_key(m), str_of(part)) >= 0)
			return true;
	return false;
}

/* Whether an operator or the release created the object. */
static bool is_system(const struct mc_meta *m, const struct json *tree)
{
	return json_first(json_at(tree, "metadata.ownerReferences")) ||
	       has_key(m->annotations, "/generated-by-controller-version") ||
	       has_key(m->annotations, KEY_RELEASE);
}

/* MachineConfigs of the installer, one per role. */
static bool is_installers(struct str name)
{
	return str_starts(name, S("99-")) && str_ends(name, S("-ssh"));
}

static bool own_mc(const struct mc *mc)
{
	return !str_starts(mc->meta.name, S("rendered-")) && !is_installers(mc->meta.name) &&
	       !is_system(&mc->meta, mc->doc.tree);
}

static bool own_pool(const struct mcp *p)
{
	return !mcp_is_built_in(p->meta.name) && !json_member(p->meta.labels, S(LABEL_BUILT_IN)) &&
	       !is_system(&p->meta, p->tree);
}

static bool own_other(const struct mc_object *o)
{
	return (o->kind == MC_KUBELET_CONFIG || o->kind == MC_RUNTIME_CONFIG ||
		o->kind == MC_CONTENT_POLICY || o->kind == MC_DIGEST_MIRRORS ||
		o->kind == MC_TAG_MIRRORS || o->kind == MC_CLUSTER_IMAGE_POLICY ||
		o->kind == MC_IMAGE_POLICY) &&
	       !is_system(&o->meta, o->doc.tree);
}

/* ---- removal ------------------------------------------------------------- */

static bool selected(const struct selector *s, const struct mc_meta *m)
{
	return !s || selector_matches(s, m->labels);
}

static void prune_others(struct pruner *p)
{
	const struct mc_object_list *given = &p->change->others;

	for (size_t i = 0; i < p->base->others.n; i++) {
		struct mc_object *o = p->base->others.v[i];
		bool stays = !own_other(o) || !selected(p->selector, &o->meta);

		for (size_t k = 0; k < given->n && !stays; k++)
			stays = given->v[k]->kind == o->kind &&
				str_eq(given->v[k]->namespace, o->namespace) &&
				str_eq(given->v[k]->meta.name, o->meta.name);
		if (stays) {
			VEC_PUSH(p->a, &p->kept.others, o);
			continue;
		}
		VEC_PUSH(p->a, &p->removed->others, o);
	}
}

static void prune_mcs(struct pruner *p)
{
	struct map given;

	map_init(&given, p->a);
	for (size_t i = 0; i < p->change->mcs.n; i++)
		(void)map_put(&given, p->change->mcs.v[i]->meta.name, p);
	for (size_t i = 0; i < p->base->mcs.n; i++) {
		struct mc *mc = p->base->mcs.v[i];
		bool own = own_mc(mc) && selected(p->selector, &mc->meta) &&
			   !map_find(&given, mc->meta.name);

		if (own)
			VEC_PUSH(p->a, &p->removed->mcs, mc);
		else
			VEC_PUSH(p->a, &p->kept.mcs, mc);
	}
}

static void prune_pools(struct pruner *p)
{
	const struct mcp_list *given = &p->change->pools;

	for (size_t i = 0; i < p->base->pools.n; i++) {
		struct mcp *pool = p->base->pools.v[i];
		bool stays = !own_pool(pool) || !selected(p->selector, &pool->meta);

		for (size_t k = 0; k < given->n && !stays; k++)
			stays = str_eq(given->v[k]->meta.name, pool->meta.name);
		if (stays)
			VEC_PUSH(p->a, &p->kept.pools, pool);
		else
			VEC_PUSH(p->a, &p->removed->pools, pool);
	}
}

struct mc_set mc_prune(struct arena *a, const struct mc_set *base, const struct mc_set *change,
		       const struct selector *selector, struct mc_set *removed)
{
	struct pruner p = { .a = a,
			    .base = base,
			    .change = change,
			    .selector = selector,
			    .kept = *base,
			    .removed = removed };

	*removed = (struct mc_set){ 0 };
	p.kept.mcs = (struct mc_list){ 0 };
	p.kept.pools = (struct mcp_list){ 0 };
	p.kept.others = (struct mc_object_list){ 0 };
	prune_others(&p);
	prune_mcs(&p);
	prune_pools(&p);
	return p.kept;
}

struct mc_set mc_selected(struct arena *a, const struct mc_set *set,
			  const struct selector *selector)
{
	struct mc_set out = *set;

	out.mcs = (struct mc_list){ 0 };
	out.pools = (struct mcp_list){ 0 };
	out.others = (struct mc_object_list){ 0 };
	for (size_t i = 0; i < set->mcs.n; i++)
		if (selected(selector, &set->mcs.v[i]->meta))
			VEC_PUSH(a, &out.mcs, set->mcs.v[i]);
	for (size_t i = 0; i < set->pools.n; i++)
		if (selected(selector, &set->pools.v[i]->meta))
			VEC_PUSH(a, &out.pools, set->pools.v[i]);
	for (size_t i = 0; i < set->others.n; i++)
		if (selected(selector, &set->others.v[i]->meta))
			VEC_PUSH(a, &out.others, set->others.v[i]);
	return out;
}

struct strs mc_set_names(struct arena *a, const struct mc_set *set)
{
	struct strs out = { 0 };

	for (size_t i = 0; i < set->mcs.n; i++)
		VEC_PUSH(a, &out, str_fmt(a, "MachineConfig %.*s", STRF(set->mcs.v[i]->meta.name)));
	for (size_t i = 0; i < set->pools.n; i++)
		VEC_PUSH(a, &out,
			 str_fmt(a, "MachineConfigPool %.*s", STRF(set->pools.v[i]->meta.name)));
	for (size_t i = 0; i < set->others.n; i++) {
		const struct mc_object *o = set->others.v[i];

		VEC_PUSH(a, &out,
			 str_fmt(a, "%.*s %.*s%s%.*s",
				 STRF(shape_name(&mc_shapes, mc_type(o->kind))), STRF(o->namespace),
				 o->namespace.n ? "/" : "", STRF(o->meta.name)));
	}
	return out;
}
