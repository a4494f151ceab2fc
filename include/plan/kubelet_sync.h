/*
 * kubelet_sync: the kubelet config controller: KubeletConfigs, feature gates and
 * the Node config, each as MachineConfigs of its own.
 */
#ifndef PLAN_KUBELET_SYNC_H
#define PLAN_KUBELET_SYNC_H

#include "plan/owned.h"
#include "plan/template.h"

struct kubelet_view {
	struct owned_view owned; /* config and configs for KubeletConfigs only */
	const struct mc_controller_config *controller_config; /* or NULL */
	const struct template_input *templates;
	struct strs gates_on, gates_off; /* the cluster's feature gates */
	/* They are not known: KubeletConfigs start from what the 98- of their
	 * pool has. For previews. */
	bool gates_unknown;
	const struct json *node; /* Node config "cluster", or NULL */
	struct str only; /* the pool whose 97- and 98- are planned; "": all */
};

/*
 * One KubeletConfig. ERR_INVALID when it is not valid: nothing but a change of
 * it helps. ERR_AGAIN otherwise. What is in out is to be done all the same.
 */
int plan_kubelet_sync(struct arena *a, const struct kubelet_view *in, struct actions *out,
		      struct err *err);

/*
 * 98-<pool>-generated-kubelet of every pool.
 *
 * Upstream writes these, and the 97-, when it starts and when the feature gates,
 * the Node config or the APIServer change. A pool that is made in between has none
 * until then, so a new pool is no reason to call this.
 */
int plan_features_sync(struct arena *a, const struct kubelet_view *in, struct actions *out,
		       struct err *err);

/* 97-<pool>-generated-kubelet of every pool. */
int plan_node_sync(struct arena *a, const struct kubelet_view *in, struct actions *out,
		   struct err *err);

/*
 * Whether a change of the Node config may be acted on; if not, the event that
 * says so is in out. old is NULL when it is new.
 */
bool node_config_allowed(struct arena *a, const struct json *old, const struct json *new,
			 struct actions *out);

#endif
