/*
 * kubelet_sync: the kubelet config controller: KubeletConfigs, feature gates and
 * the Node config, each as MachineConfigs of its own.
 */
#ifndef PLAN_KUBELET_SYNC_H
#define PLAN_KUBELET_SYNC_H

#include "plan/owned.h"
#include "plan/template.h"

struct kubelet_view {
	struct owned_view owned; /* config and configs: for KubeletConfigs only */
	const struct mc_controller_config *controller_config; /* or NULL */
	const struct template_input *templates;
	struct strs gates_on, gates_off; /* the cluster's feature gates */
	/* The gates are unknown (previews): KubeletConfigs start from the pool's 98- config. */
	bool gates_unknown;
	const struct json *node; /* Node config "cluster", or NULL */
	struct str only; /* the pool to plan 97- and 98- configs for; "": all */
};

/*
 * Plans one KubeletConfig. ERR_INVALID when it is invalid and only an edit helps,
 * ERR_AGAIN otherwise. The actions in out are valid in any case.
 */
int plan_kubelet_sync(struct arena *a, const struct kubelet_view *in, struct actions *out,
		      struct err *err);

/*
 * Plans 98-<pool>-generated-kubelet of every pool.
 *
 * Upstream writes these, and the 97- ones, when it starts and when the feature gates, the
 * Node config or the APIServer change. A pool that is created in between has none until
 * then, so do not call this for a new pool.
 */
int plan_features_sync(struct arena *a, const struct kubelet_view *in, struct actions *out,
		       struct err *err);

/* Plans 97-<pool>-generated-kubelet of every pool. */
int plan_node_sync(struct arena *a, const struct kubelet_view *in, struct actions *out,
		   struct err *err);

/*
 * True when a change of the Node config is allowed; otherwise out has the event that says
 * why not. old is NULL for a new one.
 */
bool node_config_allowed(struct arena *a, const struct json *old, const struct json *new,
			 struct actions *out);

#endif
