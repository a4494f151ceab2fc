/*
 * A change of a cluster: the objects after it, with what the controllers would
 * generate from them, and what they would refuse.
 *
 * Refusals that the change causes are told apart from those that were there before.
 */
#include "plan/change.h"

#include "mc/api.h"
#include "mc/lint.h"
#include "mc/prune.h"

static bool has_mc(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->mcs.n; i++)
		if (str_eq(set->mcs.v[i]->meta.name, name))
			return true;
	return false;
}

/*
 * An API server stores one compact text of each config, however it was written, and
 * messages give places in that text.
 */
static void as_stored(struct mc_set *set)
{
	for (size_t i = 0; i < set->mcs.n; i++)
		set->mcs.v[i]->doc.json = false;
}

/* Another operator turns a feature set into gates. */
static void warn_of_gates(struct arena *a, const struct mc_set *base, const struct mc_set *change,
			  struct strs *warnings)
{
	const struct mc_object *o = mc_find(change, MC_FEATURE_GATE, NAME_CLUSTER);
	const struct mc_object *was = mc_find(base, MC_FEATURE_GATE, NAME_CLUSTER);

	if (o && !json_at(o->doc.tree, "status.featureGates") &&
	    !(was && json_eq(json_at(was->doc.tree, "spec"), json_at(o->doc.tree, "spec"))))
		VEC_PUSH(a, warnings,
			 S("FeatureGate cluster: its effect cannot be predicted: another "
			   "operator writes the gates into its status, and the manifest has "
			   "no status"));
}

/* A new config that no pool selects has no effect: silence would look like success. */
static void warn_of_unselected(struct arena *a, const struct mc_set *base,
			       const struct mc_set *change, const struct mc_set *after,
			       struct strs *warnings)
{
	struct mc_findings list = { 0 };
	struct mc_list added = { 0 };

	for (size_t i = 0; i < change->mcs.n; i++)
		if (!has_mc(base, change->mcs.v[i]->meta.name))
			VEC_PUSH(a, &added, change->mcs.v[i]);
	mc_lint_selected(a, &added, &after->pools, &list);
	for (size_t i = 0; i < list.n; i++)
		VEC_PUSH(a, warnings,
			 str_fmt(a, "%.*s: %.*s", STRF(list.v[i].object), STRF(list.v[i].message)));
}

/* Applies the change to base: *after. change becomes what controllers react to. */
static void apply_change(struct arena *a, const struct change_in *in, struct mc_set *change,
			 struct change *out)
{
	struct mc_set removed = { 0 }, kept = *in->base;

	if (in->selector)
		*change = mc_selected(a, change, in->selector);
	if (in->prune)
		kept = mc_prune(a, in->base, change, in->selector, &removed);
	out->pruned = mc_set_names(a, &removed);
	*change = mc_applied(a, in->base, change);
	out->after = mc_overlay(a, &kept, change);
	for (size_t i = 0; i < removed.others.n; i++)
		VEC_PUSH(a, &change->others, removed.others.v[i]);
}

void plan_change_preview(struct arena *a, struct preview_in *in, struct change *out)
{
	struct preview p = { 0 };

	plan_preview(a, in, &p);
	for (size_t i = 0; i < p.notes.n; i++)
		VEC_PUSH(a, &out->warnings, p.notes.v[i]);
	for (size_t i = 0; i < p.refused.n; i++) {
		const struct preview_refusal *f = &p.refused.v[i];

		if (in->touched ? f->touched : !f->known)
			VEC_PUSH(a, &out->caused, *f);
		else
			VEC_PUSH(a, &out->warnings, preview_refusal_text(a, f));
	}
	out->refused = p.refused;
	out->partial |= p.partial;
	out->after = p.set;
}

void plan_change(struct arena *a, const struct change_in *in, struct change *out)
{
	struct mc_set change = *in->given, base = *in->base;
	struct preview_in p = { .hash = in->hash, .adopt_hash = in->adopt_hash };
	struct preview before;

	*out = (struct change){ 0 };
	as_stored(in->base);
	as_stored(&change);
	warn_of_gates(a, in->base, &change, &out->warnings);
	apply_change(a, in, &change, out);
	warn_of_unselected(a, in->base, &change, &out->after, &out->warnings);
	forecast_assumptions(a, &out->after, &change, &out->assumed);
	if (base.others.n) {
		p.set = in->base;
		plan_preview(a, &p, &before);
		*in->base = before.set;
	}
	p.set = &out->after;
	p.touched = &change;
	p.base = in->base;
	plan_change_preview(a, &p, out);
}
