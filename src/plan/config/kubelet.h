/*
 * kubelet: the kubelet's configuration: the templates' with the cluster's feature
 * gates, with the Node config, and with what a KubeletConfig asks for.
 *
 * Each answer is a MachineConfig that holds the whole kubelet.conf. The same
 * calls serve the bootstrap run, the controller and the previews of mcoctl.
 */
#ifndef PLAN_KUBELET_H
#define PLAN_KUBELET_H

#include "mc/generated.h"

#define KUBELET_CONF "/etc/kubernetes/kubelet.conf"

struct kubelet_in {
	struct str pool; /* the pool's name, which is its role */
	struct str base; /* kubelet.conf as the role's templates have it */
	struct strs gates_on, gates_off; /* the cluster's feature gates */
	const struct json *node; /* Node config "cluster", or NULL */
	struct str hash; /* the version this program stands for */
};

/* Upstream's checks of a KubeletConfig. ERR_INVALID in its words. */
int kubelet_validate(struct arena *a, const struct mc_object *kc, struct err *err);

/* 98-<pool>-generated-kubelet: with feature gates alone. */
int kubelet_features(struct arena *a, const struct kubelet_in *in, struct mc **out,
		     struct err *err);

/* Whether the cgroup mode decides kernel arguments of that pool in a running
 * cluster: other pools take theirs from the worker's. */
bool kubelet_has_kargs(struct str pool);

/*
 * 97-<pool>-generated-kubelet: with the Node config, whose cgroup mode also
 * decides kernel arguments: now are those of the MachineConfig as it is (or
 * none); NULL leaves them alone.
 */
int kubelet_node(struct arena *a, const struct kubelet_in *in, const struct strs *now,
		 struct mc **out, struct err *err);

/*
 * The MachineConfig of that name for a KubeletConfig, without an owner. It has
 * to be valid.
 */
int kubelet_config(struct arena *a, const struct kubelet_in *in, const struct mc_object *kc,
		   struct str name, struct mc **out, struct err *err);

/* Whether the kubelet.conf of mc has the feature gates that in gives. */
bool kubelet_same_gates(struct arena *a, const struct kubelet_in *in, const struct mc *mc);

#endif
