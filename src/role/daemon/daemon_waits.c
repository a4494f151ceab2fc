/*
 * daemon_waits: logs what the first step waits for when that takes longer than a normal start,
 * at growing intervals.
 */
#include "base/backoff.h"
#include "daemon_own.h"
#include "io/clock.h"
#include "io/log.h"

#define FIRST_MS 2000
#define LAST_MS 300000

static const char *missing(const struct daemon *d)
{
	if (!kube_cache_synced(d->caches.nodes))
		return "the response to GET " PATH_CORE "nodes";
	if (!daemon_node(d))
		return "the Node: the kubelet has not registered it, or it "
		       "was deleted";
	if (d->hosted.n)
		return NULL;
	if (!d->gates.all.known)
		return "FeatureGate cluster to have an entry for this release";
	if (!kube_cache_synced(d->caches.configs))
		return "the response to GET " PATH_MC "controllerconfigs";
	if (!kube_cache_synced(d->caches.pools))
		return "the response to GET " PATH_MC "machineconfigpools";
	return NULL;
}

static void on_waits(struct source *s, short events)
{
	struct daemon *d = s->ctx;
	const char *what = missing(d);

	(void)events;
	if (!what)
		return;
	log_info("Node %.*s: waiting for %s", STRF(d->name), what);
	s->due = clock_ms() + backoff_ms(FIRST_MS, LAST_MS, ++d->waits.logged);
}

void daemon_waits_begin(struct daemon *d)
{
	d->waits.logged = 0;
	d->waits.timer = (struct source){
		.fd = -1, .due = clock_ms() + FIRST_MS, .ready = on_waits, .ctx = d
	};
	loop_add(d->loop, &d->waits.timer);
}
