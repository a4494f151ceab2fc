/*
 * The feature gates: known before other kinds are watched, and fixed while the process
 * lives. It ends when they change, and restarts with the new ones.
 */
#include "controller_sync.h"
#include "io/repeat.h"

struct str controller_version(const struct controller *c)
{
	return kube_gates_release(&c->gates, known_tree(c, W_VERSION, "version"));
}

static void wait_for_gates(const struct controller *c, const struct json *tree, struct str why)
{
	const struct json *version = known_tree(c, W_VERSION, "version");

	if (!version && str_is(c->gates.release, MC_GATES_SNAPSHOT))
		log_again(LOG_INFO, S("gates"),
			  "waiting for ClusterVersion \"version\", which has the release");
	log_again(LOG_INFO, S("gates"), "waiting for FeatureGate cluster: %.*s",
		  STRF(tree ? why : S("not found")));
}

static void begin(struct controller *c)
{
	log_info("feature gates of %.*s: %zu on, %zu off", STRF(controller_version(c)),
		 c->gates.names.enabled.n, c->gates.names.disabled.n);
	kube_gates_announce(&c->events, "FeatureGatesInitialized", &c->gates.names);
	c->on_gates(c);
}

static void restart(struct controller *c, const struct mc_gates *now)
{
	log_info("feature gates changed: exiting, to restart with the new ones");
	kube_gates_announce(&c->events, "FeatureGatesModified", now);
	c->on_other_gates(c);
}

void controller_gates(struct controller *c)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct kube_gates_in in = {
		.feature_gate = known_tree(c, W_GATES, NAME_CLUSTER),
		.cluster_version = known_tree(c, W_VERSION, "version"),
		.listed = kube_watch_known(&c->watches[W_GATES]) &&
			  kube_watch_known(&c->watches[W_VERSION]),
	};
	struct err err = ERR_INIT(&a);
	struct mc_gates now;

	switch (kube_gates_read(&c->gates, &in, &a, &now, &err)) {
	case KUBE_GATES_WAITING:
		if (in.listed)
			wait_for_gates(c, in.feature_gate, err.msg);
		break;
	case KUBE_GATES_LATE:
		c->on_late_gates(c);
		break;
	case KUBE_GATES_KNOWN:
	case KUBE_GATES_ABSENT: /* only with --standalone */
		begin(c);
		break;
	case KUBE_GATES_CHANGED:
		restart(c, &now);
		break;
	case KUBE_GATES_SAME:
		break;
	}
}
