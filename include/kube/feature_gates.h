/*
 * kube/feature_gates: waits until FeatureGate "cluster" has the gates of a release, then
 * reports when they change.
 *
 * The gates of a process are fixed once they are known: the caller restarts when they
 * change. A build without a release version uses the release that ClusterVersion names.
 */
#ifndef KUBE_FEATURE_GATES_H
#define KUBE_FEATURE_GATES_H

#include "kube/event.h"
#include "mc/gates.h"

#define KUBE_GATES_MS 60000 /* upstream's deadline */

struct kube_gates {
	/* ---- the caller's ---- */
	struct arena *a; /* of names */
	struct str release;
	int64_t due; /* the deadline, as of clock_ms */
	bool off_without; /* a cluster without the FeatureGate has all gates off */
	/* ---- read-only ---- */
	struct mc_gates names; /* all off until they are known */
	bool known;
};

/* What caches have of the objects; they live for the call only. */
struct kube_gates_in {
	const struct json *feature_gate; /* "cluster"; NULL: none */
	const struct json *cluster_version; /* "version"; NULL: none, or not needed */
	bool listed; /* NULL means that the server has none; false: nothing is read */
};

enum kube_gates_result {
	KUBE_GATES_WAITING, /* not known: the reason is in err, if listed */
	KUBE_GATES_LATE, /* the same, and the deadline has passed */
	KUBE_GATES_KNOWN, /* they are known from this call on */
	KUBE_GATES_ABSENT, /* the same: there is no FeatureGate, all gates are off */
	KUBE_GATES_SAME, /* or the FeatureGate has lost our release: not a change */
	KUBE_GATES_CHANGED, /* to *now; names stays */
};

/* Call it when an object has changed and at the deadline. *now is in a, for KNOWN and
 * CHANGED. */
enum kube_gates_result kube_gates_read(struct kube_gates *g, const struct kube_gates_in *in,
				       struct arena *a, struct mc_gates *now, struct err *err);

/* The release whose gates apply. */
struct str kube_gates_release(const struct kube_gates *g, const struct json *cluster_version);

/* Sends the Event of upstream's library: reason is "FeatureGatesInitialized", for example. */
void kube_gates_announce(struct kube_events *e, const char *reason, const struct mc_gates *gates);

#endif
