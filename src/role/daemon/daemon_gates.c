/*
 * daemon_gates: the feature gates, which do not change while the process lives; and a kubelet
 * whose restart is deferred until the server's certificate is refused.
 */
#include "daemon_own.h"
#include "io/clock.h"
#include "io/log.h"

#define GATES_MS 60000

static const struct json *tree_in(const struct kube_cache *c, const char *name)
{
	const struct kube_tree *t = c ? kube_cache_get(c, str_of(name)) : NULL;

	return t ? t->tree : NULL;
}

static void copy_names(struct arena *a, const struct strs *from, struct strs *to)
{
	for (size_t i = 0; i < from->n; i++)
		VEC_PUSH(a, to, str_dup(a, from->v[i]));
}

static void keep(struct daemon *d, const struct mc_gates *g)
{
	copy_names(d->a, &g->enabled, &d->gates.names.enabled);
	copy_names(d->a, &g->disabled, &d->gates.names.disabled);
	d->gates.image_mode = mc_gate(g, "ImageModeStatusReporting");
	d->gates.irreconcilable = mc_gate(g, "IrreconcilableMachineConfig");
	d->gates.known = true;
	log_info("FeatureGates initialized: enabled=%.*s, disabled=%.*s",
		 STRF(os_list(&d->turn, &g->enabled)), STRF(os_list(&d->turn, &g->disabled)));
}

/* A cluster without a FeatureGate is a test cluster: no gate is on. One that has it adds the
 * entry of our release sooner or later. */
bool daemon_gates(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);
	struct mc_gates g;
	const struct json *tree = tree_in(d->caches.gates, NAME_CLUSTER);
	bool none = !tree && (d->gates.absent || kube_cache_synced(d->caches.gates));
	int rc = mc_gates_read(&d->turn, tree,
			       mc_gates_release(d->release, tree_in(d->caches.versions, "version")),
			       &g, &err);

	if (!d->gates.known && rc == 0) {
		keep(d, &g);
	} else if (!d->gates.known && none) {
		log_warn("FeatureGate cluster not found: all features are off");
		keep(d, &(struct mc_gates){ 0 });
	} else if (!d->gates.known) {
		if (clock_ms() >= d->gates.due)
			log_fatal("failed to connect to feature gates timed "
				  "out waiting for FeatureGates to be ready");
		daemon_wake(d, d->gates.due - clock_ms());
	} else if (rc == 0 && !d->update.guarded &&
		   !(strs_eq(&g.enabled, &d->gates.names.enabled) &&
		     strs_eq(&g.disabled, &d->gates.names.disabled))) {
		log_info("FeatureGates changed: restarting");
		loop_stop(d->loop);
		return false;
	}
	return d->gates.known;
}

void daemon_no_gates(void *daemon)
{
	struct daemon *d = daemon;

	d->gates.absent = true;
	daemon_wake(d, 0);
}

void daemon_gates_begin(struct daemon *d)
{
	int64_t ms = d->retry_ms ? d->retry_ms * 600 : GATES_MS;

	d->gates.due = clock_ms() + ms;
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
