/*
 * daemon_life: starts and ends the daemon's parts, and its watches.
 */
#include "daemon_own.h"
#include "io/log.h"
#include "node/drift.h"

static struct str note_of(const struct kube_tree *t, const char *key)
{
	return t ? json_text(json_member(json_at(t->tree, "metadata.annotations"), str_of(key)))
		 : S("");
}

static void node_changed(void *ctx, struct str key, const void *before, const void *now)
{
	const struct kube_tree *x = before, *y = now;
	struct daemon *d = ctx;

	(void)key;
	if (!y)
		return;
	if (x && !str_eq(note_of(x, ANNO_STATE), note_of(y, ANNO_STATE)))
		log_info("Transitioned from state: %.*s -> %.*s", STRF(note_of(x, ANNO_STATE)),
			 STRF(note_of(y, ANNO_STATE)));
	if (x && !str_eq(note_of(x, ANNO_REASON), note_of(y, ANNO_REASON)))
		log_info("Transitioned from degraded/unreconcilable reason "
			 "%.*s -> %.*s",
			 STRF(note_of(x, ANNO_REASON)), STRF(note_of(y, ANNO_REASON)));
	/* a new target does not wait for the back-off of the old one */
	if (x && !str_eq(note_of(x, ANNO_DESIRED_CONFIG), note_of(y, ANNO_DESIRED_CONFIG))) {
		d->not_before = 0;
		d->failures = 0;
	}
	daemon_wake(d, 0);
	daemon_pin(d);
}

static void other_changed(void *ctx, struct str key, const void *before, const void *now)
{
	(void)key;
	(void)before;
	if (now)
		daemon_wake(ctx, 0);
	daemon_pin(ctx);
}

static void sets_changed(void *ctx, struct str key, const void *before, const void *now)
{
	(void)key;
	(void)before;
	(void)now;
	daemon_pin(ctx);
}

static void listed(void *ctx)
{
	daemon_wake(ctx, 0);
	daemon_pin(ctx);
}

static struct kube_cache *follow(struct daemon *d, const char *path, const char *what,
				 struct str name,
				 void (*changed)(void *, struct str, const void *, const void *),
				 void (*absent)(void *))
{
	struct kube_cache_opts o = { .kube = d->kube,
				     .path = path,
				     .what = what,
				     .make = kube_tree_make,
				     .drop = kube_tree_drop,
				     .changed = changed,
				     .synced = listed,
				     .absent = absent,
				     .ctx = d };
	struct buf b;

	buf_init(&b, d->a);
	if (name.n) {
		buf_addz(&b, "fieldSelector=metadata.name%3D");
		kube_escape(&b, name);
	}
	o.query = buf_str(&b);
	return kube_cache_start(&o);
}

void daemon_begin(struct daemon *d)
{
	d->v.node = d->name;
	d->events.kube = d->writer;
	d->events.host = d->name;
	d->v.start = START_RECOVER;
	log_info("Starting MachineConfigDaemon");
	daemon_job_init(d);
	daemon_loop_init(d);
	daemon_waits_begin(d);
	d->caches.nodes = follow(d, PATH_CORE "nodes", "the node", d->name, node_changed, NULL);
	if (d->hosted.n)
		return;
	daemon_read_disk(d);
	daemon_health_begin(&d->health);
	daemon_force_begin(d);
	d->caches.gates = follow(d, PATH_CONFIG "featuregates", "the feature gates",
				 S(NAME_CLUSTER), other_changed, daemon_no_gates);
	daemon_gates_begin(d);
	if (str_is(d->release, MC_GATES_SNAPSHOT))
		d->caches.versions =
			follow(d, PATH_CONFIG "clusterversions", "the cluster's version",
			       S("version"), other_changed, NULL);
	d->caches.pools =
		follow(d, PATH_MC "machineconfigpools", "the pools", S(""), other_changed, NULL);
	d->caches.image_sets = follow(d, PATH_MC "pinnedimagesets", "the pinned image sets", S(""),
				      sets_changed, NULL);
	daemon_pin_begin(d);
	d->caches.configs = follow(d, PATH_MC "controllerconfigs", "the controller's config",
				   S(NAME_CONTROLLER), other_changed, NULL);
}

void daemon_end(struct daemon *d)
{
	job_cancel(&d->job);
	if (daemon_states[d->state].wait == WAIT_REQUEST)
		kube_cancel(&d->call);
	daemon_watch_end(d);
	daemon_health_end(&d->health);
	daemon_force_end(d);
	loop_remove(d->loop, &d->waits.timer);
	daemon_pin_end(d);
	kube_events_stop(&d->events);
	daemon_report_end(d);
	loop_remove(d->loop, &d->timer);
	loop_remove(d->loop, &d->overdue);
	kube_cache_free(d->caches.nodes);
	if (!d->hosted.n) {
		kube_cache_free(d->caches.configs);
		kube_cache_free(d->caches.pools);
		kube_cache_free(d->caches.gates);
		kube_cache_free(d->caches.versions);
		kube_cache_free(d->caches.image_sets);
	}
	arena_free(&d->turn);
	arena_free(&d->update.a);
	arena_free(&d->disk.a);
	arena_free(&d->facts.a);
	arena_free(&d->fault.a);
	arena_free(&d->logs.a);
}
