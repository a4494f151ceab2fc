/*
 * Rendering a pool of a loaded set, and the config of one MachineConfig: what
 * commands show of manifests and clusters. Both use the live controller's code.
 */
#include "plan/render_set.h"

#include "plan/render_sync.h"

int plan_render_set(struct arena *a, const struct render_version *v, const struct mc_set *set,
		    const struct mcp *pool, struct arena *keep, struct rendered *out,
		    struct err *err)
{
	struct render_in in = { .raw = v->raw,
				.hash = v->hash,
				.pool = pool,
				.mcs = &set->mcs,
				.keep = keep,
				.controller_config = set->controller_config };
	struct mc_controller_config cc = { 0 };
	const struct mc *culprit = NULL;
	struct render_view view;
	int rc;

	if (v->adopt)
		plan_render_adopt(a, set, &in);
	render_view_of(a, set, &in, &view);
	if (in.controller_config)
		cc = *in.controller_config;
	rc = render_use_stream(&view, &cc, err);
	if (in.controller_config)
		in.controller_config = &cc;
	if (rc == 0)
		rc = plan_render(a, &in, out, &culprit, err);
	if (rc < 0 && culprit)
		return err_wrap(err, "pool %.*s: MachineConfig %.*s (%.*s)", STRF(pool->meta.name),
				STRF(culprit->meta.name), STRF(culprit->file));
	return rc < 0 ? err_wrap(err, "pool %.*s", STRF(pool->meta.name)) : 0;
}

int named_config_mc(struct arena *a, struct mc *mc, struct named_config *out, struct err *err)
{
	struct mc_list one = { 0 };
	int rc;

	VEC_PUSH(a, &one, mc);
	rc = mc_validate(a, mc, err);
	if (rc == 0)
		rc = mc_merge(a, &one, S(""), S(""), &out->spec, err);
	if (rc < 0)
		return err_wrap(err, "MachineConfig %.*s (%.*s)", STRF(mc->meta.name),
				STRF(mc->file));
	/* of a rendered config the images are its own, whoever made it */
	out->spec.os_image = mc->os_image;
	out->spec.extensions_image = mc->extensions_image;
	out->ignition = out->spec.config;
	out->name = mc->meta.name;
	return 0;
}
