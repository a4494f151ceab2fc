/*
 * daemon_gates: the feature gates, which do not change while the process lives; and a kubelet
 * whose restart is deferred until the server's certificate is refused.
 */
#include "daemon_own.h"
#include "io/clock.h"
#include "io/log.h"

static const struct json *tree_in(const struct kube_cache *c, const char *name)
{
	const struct kube_tree *t = c ? kube_cache_get(c, str_of(name)) : NULL;

	return t ? t->tree : NULL;
}

static void take(struct daemon *d)
{
	const struct mc_gates *g = &d->gates.all.names;

	d->gates.image_mode = mc_gate(g, "ImageModeStatusReporting");
	d->gates.irreconcilable = mc_gate(g, "IrreconcilableMachineConfig");
	log_info("FeatureGates initialized: enabled=%.*s, disabled=%.*s",
		 STRF(os_list(&d->turn, &g->enabled)), STRF(os_list(&d->turn, &g->disabled)));
}

/* A cluster without a FeatureGate is a test cluster: no gate is on. One that has it adds the
 * entry of our release sooner or later. */
bool daemon_gates(struct daemon *d)
{
	struct kube_gates_in in = {
		.feature_gate = tree_in(d->caches.gates, NAME_CLUSTER),
		.cluster_version = tree_in(d->caches.versions, "version"),
		.listed = d->gates.absent || kube_cache_synced(d->caches.gates),
	};
	struct err err = ERR_INIT(&d->turn);
	struct mc_gates now;

	switch (kube_gates_read(&d->gates.all, &in, &d->turn, &now, &err)) {
	case KUBE_GATES_WAITING:
		daemon_wake(d, d->gates.all.due - clock_ms());
		break;
	case KUBE_GATES_LATE:
		log_fatal("failed to connect to feature gates timed "
			  "out waiting for FeatureGates to be ready");
		break;
	case KUBE_GATES_ABSENT:
		log_warn("FeatureGate cluster not found: all features are off");
		take(d);
		break;
	case KUBE_GATES_KNOWN:
		take(d);
		break;
	case KUBE_GATES_CHANGED:
		if (d->update.guarded)
			break;
		log_info("FeatureGates changed: restarting");
		loop_stop(d->loop);
		return false;
	case KUBE_GATES_SAME:
		break;
	}
	return d->gates.all.known;
}

void daemon_no_gates(void *daemon)
{
	struct daemon *d = daemon;

	d->gates.absent = true;
	daemon_wake(d, 0);
}

void daemon_gates_begin(struct daemon *d)
{
	int64_t ms = d->retry_ms ? d->retry_ms * 600 : KUBE_GATES_MS;

	d->gates.all = (struct kube_gates){
		.a = d->a, .release = d->release, .due = clock_ms() + ms, .off_without = true
	};
	daemon_wake(d, ms);
}

/* Upstream looks for "x509" in the text, which Go's errors about a certificate begin with. */
void daemon_unanswered(void *ctx, struct str why, bool untrusted)
{
	struct daemon *d = ctx;

	if (!d->kubelet.deferred || d->kubelet.distrust.n || !untrusted)
		return;
	d->kubelet.distrust = str_dup(d->a, why);
	daemon_log(d, str_fmt(d->a,
			      "Re-bootstrapping kubelet in response to "
			      "deferred kubeconfig changes and %.*s",
			      STRF(why)));
	daemon_wake(d, 0);
}
