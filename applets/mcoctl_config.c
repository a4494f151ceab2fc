/*
 * The configs that words on the command line name.
 */
#include <unistd.h>

#include "live.h"
#include "mc/ref.h"
#include "mcoctl.h"

int mcoctl_check_word(struct run *r, struct str word)
{
	struct mc_ref ref = { 0 };

	if (str_is(word, "-") || str_chr(word, '/') < 0 || str_starts(word, S("/")) ||
	    str_starts(word, S(".")) || access(str_z(r->a, word), F_OK) == 0 ||
	    mc_ref_parse(word, &ref, &r->err) == 0)
		return 0;
	return err_wrap(&r->err, "%.*s is no file here", STRF(word));
}

int mcoctl_mc(struct run *r, struct mc *mc, struct named_config *out)
{
	struct mcs one = { 0 };
	int rc;

	VEC_PUSH(r->a, &one, mc);
	rc = mc_validate(r->a, mc, &r->err);
	if (rc == 0)
		rc = mc_merge(r->a, &one, S(""), S(""), &out->spec, &r->err);
	if (rc < 0)
		return err_wrap(&r->err, "MachineConfig %.*s (%.*s)", STRF(mc->meta.name),
				STRF(mc->file));
	/* of a rendered config the images are its own, whoever made it */
	out->spec.os_image = mc->os_image;
	out->spec.extensions_image = mc->extensions_image;
	out->ignition = out->spec.config;
	out->name = mc->meta.name;
	return 0;
}

int mcoctl_pool(struct run *r, const struct mc_set *set, const struct mc_pool *pool,
		struct named_config *out)
{
	struct rendered rendered = { 0 };
	int rc = mcoctl_render_pool(r->a, r, set, pool, &rendered);

	if (rc < 0)
		return rc;
	out->name = rendered.name;
	out->ignition = rendered.merged.config;
	out->spec = rendered.merged;
	out->sources = rendered.sources;
	return 0;
}

static struct mc *find_mc(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->mcs.n; i++)
		if (str_eq(set->mcs.v[i]->meta.name, name))
			return set->mcs.v[i];
	return NULL;
}

/* Which of the configs may have been meant; pools: theirs, too. */
static struct str near_config(struct run *r, const struct mc_set *set, struct str name, bool pools)
{
	struct strs names = { 0 };

	for (size_t i = 0; pools && i < set->pools.n; i++)
		VEC_PUSH(r->a, &names, set->pools.v[i]->meta.name);
	for (size_t i = 0; i < set->mcs.n; i++)
		VEC_PUSH(r->a, &names, set->mcs.v[i]->meta.name);
	return flag_hint(r->a, name, &names);
}

static struct str near_node(struct run *r, const struct mc_set *set, struct str name)
{
	struct strs names = { 0 };

	for (size_t i = 0; i < set->nodes.n; i++)
		VEC_PUSH(r->a, &names, set->nodes.v[i]->name);
	return flag_hint(r->a, name, &names);
}

static int of_node(struct run *r, const struct mc_set *set, struct str name, struct mc **out)
{
	const struct knode *node = NULL;

	for (size_t i = 0; i < set->nodes.n; i++)
		if (str_eq(set->nodes.v[i]->name, name))
			node = set->nodes.v[i];
	if (!node)
		return err_set(&r->err, ERR_NOTFOUND, "no Node \"%.*s\" %s%.*s", STRF(name),
			       mcoctl_where(set), STRF(near_node(r, set, name)));
	if (!node->current_config.n)
		return err_set(&r->err, ERR_NOTFOUND,
			       "node %.*s has no current config: the "
			       "annotation " ANNO_CURRENT_CONFIG " is not set",
			       STRF(name));
	*out = find_mc(set, node->current_config);
	return *out ? 0
		    : err_set(&r->err, ERR_NOTFOUND,
			      "node %.*s: no MachineConfig \"%.*s\" %s, which "
			      "is its current config",
			      STRF(name), STRF(node->current_config), mcoctl_where(set));
}

int mcoctl_find(struct run *r, const struct mc_set *set, struct str word, struct mc **mc,
		struct mc_pool **pool)
{
	struct mc_ref ref = { 0 };
	int rc = mc_ref_parse(word, &ref, &r->err);

	*mc = NULL;
	*pool = NULL;
	if (rc < 0)
		return rc;
	switch (ref.type) {
	case MC_REF_NODE:
		return of_node(r, set, ref.name, mc);
	case MC_REF_POOL:
		return mcoctl_find_pool(r, set, ref.name, pool);
	case MC_REF_CONFIG:
		*mc = find_mc(set, ref.name);
		return *mc ? 0
			   : err_set(&r->err, ERR_NOTFOUND, "no MachineConfig \"%.*s\" %s%.*s",
				     STRF(ref.name), mcoctl_where(set),
				     STRF(near_config(r, set, ref.name, false)));
	case MC_REF_ANY:
		break;
	}
	*mc = find_mc(set, word);
	if (*mc || mcoctl_find_pool(r, set, word, pool) == 0)
		return 0;
	return err_set(&r->err, ERR_NOTFOUND,
		       "\"%.*s\" is neither a MachineConfigPool nor a "
		       "MachineConfig %s%.*s",
		       STRF(word), mcoctl_where(set), STRF(near_config(r, set, word, true)));
}

int mcoctl_named(struct run *r, const struct mc_set *set, struct str word, struct named_config *out)
{
	struct mc_pool *pool;
	struct mc *mc;
	int rc = mcoctl_find(r, set, word, &mc, &pool);

	*out = (struct named_config){ 0 };
	if (rc < 0)
		return rc;
	return mc ? mcoctl_mc(r, mc, out) : mcoctl_pool(r, set, pool, out);
}
