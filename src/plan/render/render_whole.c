/*
 * A pool's current config is rendered again at every plan and is the same as before in
 * most: its digest tells, and nothing is read. It is read when the pool gets a new target,
 * or when somebody has changed it.
 */
#include "render_whole.h"

#include "mc/brief.h"
#include "plan/apply.h"

int render_whole(struct arena *a, const struct render_view *in, const struct mc *brief,
		 const struct mc **out, struct err *err)
{
	for (size_t i = 0; in->whole && i < in->whole->n; i++)
		if (str_eq(in->whole->v[i]->meta.name, brief->meta.name)) {
			*out = in->whole->v[i];
			return 0;
		}
	if (in->wanted)
		VEC_PUSH(a, in->wanted, brief->meta.name);
	return err_set(err, ERR_AGAIN, "MachineConfig %.*s must be read first",
		       STRF(brief->meta.name));
}

static struct mc *complete(struct arena *a, const struct mc *brief, const struct rendered *r,
			   struct err *err)
{
	struct mc *mc = ARENA_NEW(a, struct mc);
	struct doc doc = { .tree = mc_brief_complete(a, brief, r->object) };

	return mc_decode(a, &doc, mc, err) < 0 ? NULL : mc;
}

static bool same_config(struct arena *a, const struct mc *brief, const struct rendered *r)
{
	return str_eq(brief->config_digest, mc_config_digest(a, r->object));
}

int render_whole_of(struct arena *a, const struct render_view *in, const struct mc *brief,
		    const struct rendered *r, const struct mc **out, struct err *err)
{
	if (!same_config(a, brief, r))
		return render_whole(a, in, brief, out, err);
	*out = complete(a, brief, r, err);
	return *out ? 0 : -ERR_AGAIN;
}

int render_existing(struct arena *a, const struct render_view *in, const struct mc *brief,
		    const struct rendered *r, const struct mc **out, struct err *err)
{
	struct actions none = { 0 };

	/* what the pool does not target is not written */
	if (!str_eq(json_str(in->pool->tree, "spec.configuration.name"), r->name)) {
		*out = brief;
		return 0;
	}
	if (render_whole_of(a, in, brief, r, out, err) < 0)
		return -ERR_AGAIN;
	/* what is written has members that a completed one lacks */
	if (same_config(a, brief, r) && apply_mc(a, (*out)->doc.tree, r->object, S(""), &none))
		return render_whole(a, in, brief, out, err);
	return 0;
}
