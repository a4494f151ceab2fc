/*
 * Layered pools: which MachineOSConfig and MachineOSBuild a pool has, and whether its image exists.
 */
#include "pool_parts.h"

static const struct os_build *build_named(const struct pool_view *in, struct str name)
{
	for (size_t i = 0; i < in->n_os_builds; i++)
		if (str_eq(in->os_builds[i].name, name))
			return &in->os_builds[i];
	return NULL;
}

struct pool_layers pool_layers(const struct pool_view *in)
{
	struct pool_layers l = { 0 };
	struct str target = in->pool->target;

	for (size_t i = 0; i < in->n_os_configs && !l.config; i++)
		if (str_eq(in->os_configs[i].pool, in->pool->meta.name))
			l.config = &in->os_configs[i];
	if (!l.config)
		return l;
	if (l.config->build.p) {
		const struct os_build *b = build_named(in, l.config->build);

		if (b && str_eq(b->config, target)) {
			l.build = b;
			return l;
		}
		l.stale = b || str_eq(l.config->build, in->no_build);
		l.unknown = !l.stale;
	}
	for (size_t i = 0; i < in->n_os_builds && !l.build; i++)
		if (str_eq(in->os_builds[i].os_config, l.config->name) &&
		    str_eq(in->os_builds[i].config, target))
			l.build = &in->os_builds[i];
	return l;
}

void pool_clear_stale_build(struct arena *a, const struct pool_layers *l, struct actions *out)
{
	struct json *j = json_clone(a, l->config->tree);

	json_remove(json_at(j, "metadata.annotations"), S(ANNO_CURRENT_BUILD));
	action_add(a, out, ACTION_REPLACE, action_path(a, "machineosconfigs", l->config->name),
		   json_format(a, j, 0),
		   str_fmt(a, "its annotation has build %.*s, which is not for the pool's config",
			   STRF(l->config->build)))
		->wrap = str_fmt(a,
				 "could not get config and build: failed to "
				 "clear stale annotation from MachineOSConfig "
				 "\"%.*s\"",
				 STRF(l->config->name));
	actions_step(out);
}

void pool_ask_build(struct arena *a, const struct pool_layers *l, struct actions *out)
{
	action_add(a, out, ACTION_GET, action_path(a, "machineosbuilds", l->config->build), S(""),
		   S("a MachineOSConfig refers to it"))
		->tag = POOL_TAG_BUILD;
}

bool pool_image_ready(const struct pool_layers *l, int *rc, struct err *err)
{
	const struct os_build *b = l->build;

	if (!b || !l->config->image.n)
		return false;
	if (b->succeeded)
		return str_eq(b->image, l->config->image);
	if (b->failed && !b->building)
		*rc = err_set(err, ERR_AGAIN, "image build for MachineConfigPool %.*s failed",
			      STRF(b->name));
	return false;
}

bool pool_node_targeted(const struct pool_view *in, const struct pool_layers *l,
			const struct knode *n)
{
	if (!l->config)
		return str_eq(n->desired_config, in->pool->target) && !n->desired_image.p;
	return l->build && l->config->image.n && str_eq(n->desired_image, l->config->image) &&
	       str_eq(n->desired_config, l->build->config);
}
