/*
 * The render controller's view of a loaded set.
 */
#include "mc/gates.h"
#include "plan/render_sync.h"

/* The gates of the ControllerConfig's release; or the only ones there are. False: unknown. */
static bool gates_of(struct arena *a, const struct mc_set *set, struct mc_gates *out)
{
	const struct mc_object *o = mc_find(set, MC_FEATURE_GATE, NAME_CLUSTER);
	const struct json *all = o ? json_at(o->tree, "status.featureGates") : NULL;
	struct err ignored = ERR_INIT(a);
	struct str version = S("");

	if (set->controller_config)
		version = mc_annotation(&set->controller_config->meta, ANNO_RELEASE_VERSION);
	if (json_len(all) == 1)
		version = json_str(json_first(all), "version");
	return o && mc_gates_read(a, o->tree, version, out, &ignored) == 0;
}

void render_view_of(struct arena *a, const struct mc_set *set, const struct render_in *version,
		    struct render_view *out)
{
	struct mc_gates gates = { 0 };
	bool known = gates_of(a, set, &gates);

	*out = (struct render_view){
		.raw = version->raw,
		.hash = version->hash,
		.pool = version->pool,
		.mcs = &set->mcs,
		.controller_config = version->controller_config,
		.keep = version->keep,
		.os_image_stream = set->os_image_stream,
	};
	/* with unknown gates, objects that need a gate count */
	if (!known || mc_gate(&gates, "IrreconcilableMachineConfig"))
		out->configuration = set->configuration;
	out->os_streams = set->os_image_stream && (!known || mc_gate(&gates, "OSStreams"));
	for (size_t i = 0; i < set->pools.n; i++)
		if (str_is(set->pools.v[i]->meta.name, POOL_WORKER))
			out->worker_stream = set->pools.v[i]->os_image_stream;
}
