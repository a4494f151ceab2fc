/*
 * The step MachineOSBuilder: its accounts always, its Deployment while a pool is layered.
 *
 * The order is upstream's: accounts, Nodes, Secrets, MachineOSConfigs, Deployment. Each part waits
 * until the parts before it have no actions, so an error of a later part leaves them in place. While the
 * server lacks MachineOSConfigs it is unknown which pools are layered, and nothing is deleted.
 */
#include "op_builder.h"

#include "op_apply.h"
#include "op_rollout.h"

#define NAME "machine-os-builder"
#define DEPLOYMENT PATH_APPS "namespaces/" NS_MCO "/deployments/" NAME

/* Pools with the label; if there are none, those that MachineOSConfigs name. */
static int layered_pools(struct arena *a, const struct operator_view *in,
			 const struct mcp_list *pools, struct mcp_list *out, struct err *err)
{
	const struct json *const *v;
	size_t n = in->list(in, OPERATOR_OS_CONFIGS, a, &v);

	for (size_t i = 0; i < pools->n; i++)
		if (json_member(pools->v[i]->meta.labels, S(LABEL_LAYERED)))
			VEC_PUSH(a, out, pools->v[i]);
	for (size_t i = 0, labelled = out->n; i < n && !labelled; i++) {
		struct str name = json_str(v[i], "spec.machineConfigPool.name");
		const struct mcp *pool = mcp_find(pools, name);

		if (!pool)
			return err_set(
				err, ERR_AGAIN,
				"could not get layered MachineConfigPools: machineconfigpool." GROUP_MC
				" \"%.*s\" not found",
				STRF(name));
		VEC_PUSH(a, out, (struct mcp *)pool);
	}
	return 0;
}

static void stop(struct arena *a, const struct json *live, struct actions *out)
{
	if (live && json_i64(live, "spec.replicas", 1))
		(void)action_add(a, out, ACTION_DELETE, S(DEPLOYMENT), S(""),
				 S("no pool is layered"));
}

static int start(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		 struct json *deployment, const struct json *live, struct operator_result *out,
		 struct err *err)
{
	struct operator_objects one = { &deployment, 1, 1 };
	int rc;

	if (live && json_i64(live, "spec.replicas", 1) != 1)
		(void)action_add(a, &out->actions, ACTION_MERGE, S(DEPLOYMENT),
				 S("{\"spec\":{\"replicas\":1}}"), S("a pool is layered"));
	if (out->actions.n)
		return 0;
	rc = operator_roll_out(a, in, m, OPERATOR_OS_BUILDER, "", &one, out, err);
	if (out->wait.on)
		out->wait.what =
			str_fmt(a,
				"could not wait for Machine OS Builder deployment rollout: "
				"%.*s",
				STRF(out->wait.what));
	return rc;
}

int operator_os_builder(struct arena *a, const struct operator_view *in, struct operator_memory *m,
			const struct operator_render *r, struct operator_result *out,
			struct err *err)
{
	const struct json *live = in->get(in, OPERATOR_DEPLOYMENTS, S(NAME));
	struct mcp_list pools = op_pools(a, in), layered = { 0 };
	struct operator_objects objects = { 0 };
	int rc;

	operator_component_objects(a, in, r, COMPONENT_OS_BUILDER, &objects);
	for (size_t i = 0; i + 1 < objects.n; i++)
		(void)operator_apply_one(a, in, objects.v[i],
					 "failed to apply machine os builder manifests",
					 &out->actions);
	if (out->actions.n)
		return 0;
	rc = layered_pools(a, in, &pools, &layered, err);
	if (rc == 0 && !layered.n && !in->served(in, OPERATOR_OS_CONFIGS))
		return 0;
	if (rc == 0)
		rc = op_builder_check_nodes(a, in, &pools, &layered, err);
	if (rc == 0)
		rc = op_builder_secrets(a, in, &pools, &layered, &out->actions, err);
	if (rc < 0 || out->actions.n)
		return rc;
	if (!layered.n) {
		stop(a, live, &out->actions);
		return 0;
	}
	rc = op_builder_check_configs(a, in, &layered, err);
	if (rc < 0)
		return err_wrap(err, "could not update Machine OS Builder deployment");
	return start(a, in, m, objects.v[objects.n - 1], live, out, err);
}
