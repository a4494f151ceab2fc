/*
 * kubelet: the kubelet's configuration: the base file with the cluster's feature gates,
 * with the Node config, and with a KubeletConfig.
 *
 * Each result is a MachineConfig with the whole kubelet.conf. Bootstrap, the controller
 * and the previews of mcoctl make the same calls.
 */
#ifndef PLAN_KUBELET_H
#define PLAN_KUBELET_H

#include "mc/generated.h"

#define KUBELET_CONF "/etc/kubernetes/kubelet.conf"

struct kubelet_in {
	struct str pool; /* the pool's name, which is also its role */
	struct str base; /* the base kubelet.conf */
	struct strs gates_on, gates_off; /* the cluster's feature gates */
	const struct json *node; /* Node config "cluster", or NULL */
	struct str hash; /* this build's version */
};

/* Upstream's checks of a KubeletConfig. ERR_INVALID in its words. */
int kubelet_validate(struct arena *a, const struct mc_object *kc, struct err *err);

/* 98-<pool>-generated-kubelet: with the feature gates only. */
int kubelet_features(struct arena *a, const struct kubelet_in *in, struct mc **out,
		     struct err *err);

/* True when the cgroup mode sets kernel arguments of that pool in a running cluster:
 * other pools inherit those of worker. */
bool kubelet_has_kargs(struct str pool);

/*
 * 97-<pool>-generated-kubelet: with the Node config, whose cgroup mode also sets kernel
 * arguments. now: those of the existing MachineConfig (or none); NULL leaves them alone.
 */
int kubelet_node(struct arena *a, const struct kubelet_in *in, const struct strs *now,
		 struct mc **out, struct err *err);

/*
 * The MachineConfig of that name for a valid KubeletConfig, without an owner.
 */
int kubelet_config(struct arena *a, const struct kubelet_in *in, const struct mc_object *kc,
		   struct str name, struct mc **out, struct err *err);

/* True when the kubelet.conf of mc has the feature gates of in. */
bool kubelet_same_gates(struct arena *a, const struct kubelet_in *in, const struct mc *mc);

#endif
