/*
 * The upstream version that wrote a cluster's objects, by the annotation of the MachineConfig with
 * the largest weight.
 */
#include "mc/made_by.h"

/* How reliably a MachineConfig shows the version of the cluster. */
enum weight { NOTHING, OLD_RENDERED, GENERATED, CURRENT, TEMPLATE };

static bool from_template(const struct mc *mc)
{
	const struct json *owners = json_at(mc->doc.tree, "metadata.ownerReferences");

	for (const struct json *o = json_first(owners); o; o = json_next(o))
		if (str_is(json_str(o, "kind"), "ControllerConfig"))
			return true;
	return false;
}

static bool is_current(const struct mc *mc, const struct mcp_list *pools)
{
	for (size_t i = 0; pools && i < pools->n; i++)
		if (str_eq(json_str(pools->v[i]->tree, "spec.configuration.name"), mc->meta.name))
			return true;
	return false;
}

static enum weight weigh(const struct mc *mc, const struct mcp_list *pools)
{
	if (from_template(mc))
		return TEMPLATE;
	if (is_current(mc, pools))
		return CURRENT;
	return str_starts(mc->meta.name, S("rendered-")) ? OLD_RENDERED : GENERATED;
}

struct made_by made_by(const struct mc_controller_config *cc, const struct mc_list *mcs,
		       const struct mcp_list *pools)
{
	struct made_by out = { S(""), S("") };
	enum weight best = NOTHING;

	if (cc)
		out.raw = mc_annotation(&cc->meta, ANNO_BY_VERSION);
	for (size_t i = 0; i < mcs->n; i++) {
		const struct mc *mc = mcs->v[i];
		struct str hash = mc_annotation(&mc->meta, ANNO_BY_CONTROLLER);
		enum weight w = hash.n ? weigh(mc, pools) : NOTHING;

		if (w > best) {
			best = w;
			out.hash = hash;
		}
	}
	return out;
}
