/*
 * Lists the objects that a set lacks and what a forecast assumes instead.
 */
#include "plan/forecast.h"

static bool has_current(const struct mc_set *set)
{
	for (size_t i = 0; i < set->pools.n; i++) {
		struct str name = json_str(set->pools.v[i]->tree, "spec.configuration.name");

		for (size_t k = 0; k < set->mcs.n; k++)
			if (str_eq(set->mcs.v[k]->meta.name, name))
				return true;
	}
	return false;
}

static bool touches(const struct mc_set *change, const enum mc_kind *kinds)
{
	for (size_t i = 0; i < change->others.n; i++)
		for (const enum mc_kind *k = kinds; *k != MC_OTHER; k++)
			if (change->others.v[i]->kind == *k)
				return true;
	return false;
}

/* The kinds of objects that kubelet and registries configs are generated from. */
static const enum mc_kind kubelet[] = { MC_KUBELET_CONFIG, MC_FEATURE_GATE, MC_NODE_CONFIG,
					MC_API_SERVER, MC_OTHER };
static const enum mc_kind registries[] = {
	MC_IMAGE,	MC_CONTENT_POLICY,	 MC_DIGEST_MIRRORS,
	MC_TAG_MIRRORS, MC_CLUSTER_IMAGE_POLICY, MC_IMAGE_POLICY,
	MC_OTHER
};

static void assume_inputs(struct arena *a, const struct mc_set *set, const struct mc_set *change,
			  struct strs *out)
{
	bool kubelets = touches(change, kubelet);
	bool images = touches(change, registries);

	if ((kubelets || images) && !mc_find(set, MC_FEATURE_GATE, NULL))
		VEC_PUSH(a, out,
			 S("no FeatureGate: feature gates are taken from the generated "
			   "MachineConfigs"));
	if ((kubelets || images) && !set->cluster_version)
		VEC_PUSH(a, out,
			 S("no ClusterVersion: the release and its image are taken from the "
			   "ControllerConfig"));
	if (images && !mc_find(set, MC_IMAGE, NULL))
		VEC_PUSH(a, out, S("no Image config: no registry is restricted"));
	if (kubelets && !mc_find(set, MC_API_SERVER, NULL))
		VEC_PUSH(a, out,
			 S("no APIServer config: kubelets use the TLS profile Intermediate"));
	if (kubelets && !mc_find(set, MC_NODE_CONFIG, NULL))
		VEC_PUSH(a, out,
			 S("no Node config: cgroups and worker latency have their defaults"));
}

void forecast_assumptions(struct arena *a, const struct mc_set *set, const struct mc_set *change,
			  struct strs *out)
{
	if (!set->configuration)
		VEC_PUSH(a, out, S(ASSUMED_POLICIES));
	if (!set->nodes.n)
		VEC_PUSH(a, out, S("no Nodes: the number of nodes of a pool is unknown"));
	if (!set->controller_config)
		VEC_PUSH(a, out,
			 has_current(set) ? S("no ControllerConfig: OS images and release "
					      "are taken from the pools' current configs")
					  : S("no ControllerConfig: configs are "
					      "rendered without OS images"));
	assume_inputs(a, set, change, out);
}
