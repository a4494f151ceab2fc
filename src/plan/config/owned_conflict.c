/*
 * Finds configs of a kind that share a MachineConfig of a pool.
 */
#include "plan/owned.h"

/* The MachineConfig that both have for the pool; "" when they have different ones. */
static struct str shared_name(struct arena *a, const struct owned_view *in,
			      const struct mc_object *x, const struct mc_object *y,
			      const struct mcp *pool)
{
	const struct json *p = owned_suffix(x), *q = owned_suffix(y);
	struct err ignored = ERR_INIT(a);
	bool both, yes = false;

	if (!p || !q || !str_eq(json_text(p), json_text(q)))
		return S("");
	both = owned_matches(a, x, pool, &yes, &ignored) == 0 && yes;
	both = both && owned_matches(a, y, pool, &yes, &ignored) == 0 && yes;
	return both ? owned_mc_name(a, in->kind, pool, json_text(p)) : S("");
}

static struct str describe(struct arena *a, const struct owned_view *in, const struct mc_object *x,
			   const struct mc_object *y, struct str name)
{
	const struct mc *mc = generated_find(in->mcs, name);
	const struct mc_object *holder = NULL;

	if (mc && owned_controls(in->kind, x, mc))
		holder = x;
	else if (mc && owned_controls(in->kind, y, mc))
		holder = y;
	return str_fmt(a,
		       "%s %.*s and %.*s share MachineConfig %.*s, which contains only the "
		       "settings of %.*s: edit the other one, and it gets its own "
		       "MachineConfig",
		       in->kind->kind, STRF(x->meta.name), STRF(y->meta.name), STRF(name),
		       STRF(holder ? holder->meta.name : S("one of them")));
}

static void find_in(struct arena *a, const struct owned_view *in, struct owned_conflicts *out)
{
	for (size_t i = 0; i < in->configs->n; i++)
		for (size_t k = i + 1; k < in->configs->n; k++) {
			const struct mc_object *x = in->configs->v[i];
			const struct mc_object *y = in->configs->v[k];
			struct str name = S("");

			for (size_t p = 0; !name.n && p < in->pools->n; p++)
				name = shared_name(a, in, x, y, in->pools->v[p]);
			if (!name.n)
				continue;
			VEC_PUSH(a, out,
				 ((struct owned_conflict){ x, y, describe(a, in, x, y, name) }));
		}
}

void owned_find_conflicts(struct arena *a, const struct mc_set *set, struct owned_conflicts *out)
{
	static const struct {
		enum mc_kind kind;
		const struct owned_kind *owned;
	} kinds[] = { { MC_KUBELET_CONFIG, &owned_kubelet },
		      { MC_RUNTIME_CONFIG, &owned_runtime } };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct mc_object_list list = { 0 };
		struct owned_view in = { .kind = kinds[i].owned,
					 .configs = &list,
					 .pools = &set->pools,
					 .mcs = &set->mcs };

		for (size_t k = 0; k < set->others.n; k++)
			if (set->others.v[k]->kind == kinds[i].kind)
				VEC_PUSH(a, &list, set->others.v[k]);
		find_in(a, &in, out);
	}
}
