/*
 * The feature gates: known before other kinds are watched, and fixed while the process
 * lives. It ends when they change, and restarts with the new ones.
 */
#include "io/repeat.h"
#include "mc/api.h"
#include "operator_state.h"

static void end_late(struct op_role *op, struct str release)
{
	log_error("timed out waiting for FeatureGate " NAME_CLUSTER
		  " to have an entry for version %.*s",
		  STRF(release));
	op->on_end(op, 255);
}

void operator_gates(struct op_role *op)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct kube_gates_in in = {
		.feature_gate = operator_known(op, OPERATOR_FEATURE_GATES, NAME_CLUSTER, &a),
		.cluster_version = operator_known(op, OPERATOR_CLUSTER_VERSIONS, "version", &a),
		.listed = kube_watch_known(&op->watches[OPERATOR_FEATURE_GATES]) &&
			  kube_watch_known(&op->watches[OPERATOR_CLUSTER_VERSIONS]),
	};
	struct str release = kube_gates_release(&op->gates, in.cluster_version);
	struct err err = ERR_INIT(&a);
	struct mc_gates now;

	switch (kube_gates_read(&op->gates, &in, &a, &now, &err)) {
	case KUBE_GATES_WAITING:
		if (in.listed)
			log_again(LOG_INFO, S("gates"),
				  "waiting for FeatureGate " NAME_CLUSTER ": %.*s",
				  STRF(in.feature_gate ? err.msg : S("there is no such object")));
		break;
	case KUBE_GATES_LATE:
		end_late(op, release);
		break;
	case KUBE_GATES_KNOWN:
	case KUBE_GATES_ABSENT:
		log_info("feature gates of %.*s: %zu on, %zu off", STRF(release),
			 op->gates.names.enabled.n, op->gates.names.disabled.n);
		kube_gates_announce(&op->events, "FeatureGatesInitialized", &op->gates.names);
		op->on_gates(op);
		break;
	case KUBE_GATES_CHANGED:
		log_info("feature gates have changed: ending, to be started with the new ones");
		kube_gates_announce(&op->events, "FeatureGatesModified", &now);
		op->on_end(op, 0);
		break;
	case KUBE_GATES_SAME:
		break;
	}
}
