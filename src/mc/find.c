/*
 * Finds objects of a set by command-line arguments. Every error suggests the object with the
 * nearest name.
 */
#include "mc/find.h"

#include "base/flag.h"
#include "mc/api.h"
#include "mc/ref.h"

const char *mc_set_where(const struct mc_set *set)
{
	return set->live ? "in the cluster" : "among the manifests";
}

int mc_no_pool(const struct mc_set *set, struct err *err)
{
	return err_set(err, ERR_NOTFOUND, "no MachineConfigPool %s", mc_set_where(set));
}

int mc_find_pool(struct arena *a, const struct mc_set *set, struct str name, struct mcp **out,
		 struct err *err)
{
	struct strs names = { 0 };
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < set->pools.n; i++) {
		struct str have = set->pools.v[i]->meta.name;

		if (str_eq(have, name)) {
			*out = set->pools.v[i];
			return 0;
		}
		buf_addf(&b, "%s%.*s", b.n ? ", " : "", STRF(have));
		VEC_PUSH(a, &names, have);
	}
	if (!b.n)
		return mc_no_pool(set, err);
	return err_set(err, ERR_NOTFOUND,
		       "no MachineConfigPool \"%.*s\" %s%.*s: the pools "
		       "are %s",
		       STRF(name), mc_set_where(set), STRF(flag_hint(a, name, &names)), b.p);
}

static struct mc *find_mc(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->mcs.n; i++)
		if (str_eq(set->mcs.v[i]->meta.name, name))
			return set->mcs.v[i];
	return NULL;
}

/* " (did you mean …)" with the nearest MachineConfig; with pools, or pool. */
static struct str near_config(struct arena *a, const struct mc_set *set, struct str name,
			      bool pools)
{
	struct strs names = { 0 };

	for (size_t i = 0; pools && i < set->pools.n; i++)
		VEC_PUSH(a, &names, set->pools.v[i]->meta.name);
	for (size_t i = 0; i < set->mcs.n; i++)
		VEC_PUSH(a, &names, set->mcs.v[i]->meta.name);
	return flag_hint(a, name, &names);
}

static struct str near_node(struct arena *a, const struct mc_set *set, struct str name)
{
	struct strs names = { 0 };

	for (size_t i = 0; i < set->nodes.n; i++)
		VEC_PUSH(a, &names, set->nodes.v[i]->name);
	return flag_hint(a, name, &names);
}

/* The MachineConfig that a Node runs, by its annotation. */
static int find_current(struct arena *a, const struct mc_set *set, struct str name, struct mc **out,
			struct err *err)
{
	const struct knode *node = NULL;

	for (size_t i = 0; i < set->nodes.n; i++)
		if (str_eq(set->nodes.v[i]->name, name))
			node = set->nodes.v[i];
	if (!node)
		return err_set(err, ERR_NOTFOUND, "no Node \"%.*s\" %s%.*s", STRF(name),
			       mc_set_where(set), STRF(near_node(a, set, name)));
	if (!node->current_config.n)
		return err_set(err, ERR_NOTFOUND,
			       "node %.*s has no current config: the "
			       "annotation " ANNO_CURRENT_CONFIG " is not set",
			       STRF(name));
	*out = find_mc(set, node->current_config);
	return *out ? 0
		    : err_set(err, ERR_NOTFOUND,
			      "node %.*s: no MachineConfig \"%.*s\" %s, which "
			      "is its current config",
			      STRF(name), STRF(node->current_config), mc_set_where(set));
}

int mc_find_named(struct arena *a, const struct mc_set *set, struct str word, struct mc **mc,
		  struct mcp **pool, struct err *err)
{
	struct mc_ref ref = { 0 };
	int rc = mc_ref_parse(word, &ref, err);

	*mc = NULL;
	*pool = NULL;
	if (rc < 0)
		return rc;
	switch (ref.type) {
	case MC_REF_NODE:
		return find_current(a, set, ref.name, mc, err);
	case MC_REF_POOL:
		return mc_find_pool(a, set, ref.name, pool, err);
	case MC_REF_CONFIG:
		*mc = find_mc(set, ref.name);
		return *mc ? 0
			   : err_set(err, ERR_NOTFOUND, "no MachineConfig \"%.*s\" %s%.*s",
				     STRF(ref.name), mc_set_where(set),
				     STRF(near_config(a, set, ref.name, false)));
	case MC_REF_ANY:
		break;
	}
	*mc = find_mc(set, word);
	if (*mc || mc_find_pool(a, set, word, pool, err) == 0)
		return 0;
	return err_set(err, ERR_NOTFOUND,
		       "\"%.*s\" is neither a MachineConfigPool nor a "
		       "MachineConfig %s%.*s",
		       STRF(word), mc_set_where(set), STRF(near_config(a, set, word, true)));
}
