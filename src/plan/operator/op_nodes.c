/*
 * The step MachineConfigNode: one MachineConfigNode for each Node, none without.
 *
 * The desired config is set here only until it is known for the first time; afterwards it is the
 * daemon's. Changes are merge patches, because the caches may lack what no step reads. A Node in two
 * custom pools is an error, as is an object that the server refuses, but the others do not wait.
 */
#include "mc/mcn.h"
#include "op_pools.h"
#include "plan/apply.h"

static struct str mcn_path(struct arena *a, struct str name, const char *query)
{
	return str_fmt(a, PATH_MC "machineconfignodes/%.*s%s", STRF(name), query);
}

/* The patch that the live object needs, or NULL. */
static struct json *difference(struct arena *a, const struct json *live, const struct json *new)
{
	struct json *meta = json_clone(a, json_at(live, "metadata"));
	struct json *patch = json_new(a, JSON_OBJECT);

	if (apply_meta(a, meta, json_at(new, "metadata")))
		json_set(json_make(a, patch, "metadata"), S("ownerReferences"),
			 json_clone(a, json_member(meta, S("ownerReferences"))));
	for (const struct json *m = json_first(json_at(new, "spec")); m; m = json_next(m))
		if (!str_is(json_key(m), "configVersion") &&
		    !json_eq(m, json_member(json_at(live, "spec"), json_key(m))))
			json_add(json_make(a, patch, "spec"), json_key(m), json_clone(a, m));
	return json_len(patch) ? patch : NULL;
}

static void sync_node(struct arena *a, const struct operator_view *in, const struct knode *n,
		      struct str pool, struct actions *out)
{
	const struct json *live = in->get(in, OPERATOR_CONFIG_NODES, n->name);
	AUTO(arena) struct arena scratch = ARENA_INIT;
	const struct json *patch;

	if (!live) {
		(void)action_add(a, out, ACTION_CREATE, S(PATH_MC "machineconfignodes"),
				 json_format(a, mcn_new(&scratch, n, pool), 0),
				 S("MachineConfigNode does not exist"));
		return;
	}
	patch = difference(&scratch, live, mcn_new(&scratch, n, pool));
	if (patch)
		(void)action_add(a, out, ACTION_MERGE, mcn_path(a, n->name, ""),
				 json_format(a, patch, 0), S("MachineConfigNode differs"));
	if (n->desired_config.n &&
	    str_is(json_str(live, "spec.configVersion.desired"), MCN_NOT_YET_SET))
		(void)action_add(a, out, ACTION_APPLY,
				 mcn_path(a, n->name, "?" FIELD_MANAGER "&force=true"),
				 json_format(a, mcn_spec(&scratch, n, pool), 0),
				 S("desired config is known"));
}

int operator_config_nodes(struct arena *a, const struct operator_view *in,
			  struct operator_result *out, struct err *err)
{
	struct mcp_list pools = op_pools(a, in);
	const struct json *const *v;
	size_t n = in->list(in, OPERATOR_NODES, a, &v);
	struct err bad = *err;
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		AUTO(arena) struct arena scratch = ARENA_INIT;
		struct mcp_of_node of = { 0 };
		struct knode node;

		knode_decode(&scratch, v[i], &node);
		if (node.provisioning)
			continue;
		if (mcp_of_node(&pools, &node, &of, rc ? &bad : err) < 0)
			rc = -ERR_INVALID;
		else
			sync_node(a, in, &node, of.n ? of.v[0]->meta.name : S(MCN_NOT_YET_SET),
				  &out->actions);
	}
	n = in->list(in, OPERATOR_CONFIG_NODES, a, &v);
	for (size_t i = 0; i < n; i++) {
		struct str name = json_str(v[i], "metadata.name");

		if (!in->get(in, OPERATOR_NODES, name))
			(void)action_add(a, &out->actions, ACTION_DELETE, mcn_path(a, name, ""),
					 S(""), S("its Node was removed"));
	}
	for (size_t i = 0; i < out->actions.n; i++)
		out->actions.v[i].fail = ACTION_GO_ON;
	return rc;
}
