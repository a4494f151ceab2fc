/*
 * knode: a Kubernetes Node, reduced to what the controllers need, in about a kilobyte.
 *
 * A decoded knode views the tree it came from; knode_copy makes a copy in a single
 * block of memory, for caches.
 */
#ifndef MC_KNODE_H
#define MC_KNODE_H

#include "mc/labels.h"
#include "mc/object.h"

/* Why a node is not ready: the first condition that shows it. */
enum knode_unready { KNODE_READY, KNODE_NOT_READY, KNODE_DISK, KNODE_NETWORK };

struct knode {
	struct str name, uid, version; /* metadata.resourceVersion */
	/* Annotations; p is NULL for an absent one. */
	struct str current_config, desired_config;
	struct str current_image, desired_image;
	struct str state, reason;
	struct str desired_drain, applied_drain;
	struct str topology, first_pivot, labels_applied;
	struct str unready_status; /* of the condition in unready: "False", "Unknown" */
	struct str taints; /* spec.taints as JSON, or "" */
	struct labels labels;
	int64_t created; /* seconds */
	enum knode_unready unready;
	bool unschedulable;
	bool deleting;
	bool provisioning; /* phase Pending or Provisioning */
};

struct knode_list {
	struct knode **v;
	size_t n, cap;
};

/* Strings are views of tree; labels and taints are allocated in a. */
void knode_decode(struct arena *a, const struct json *tree, struct knode *out);

/* The bytes that a copy needs, and the copy itself, in mem. */
size_t knode_size(const struct knode *n);
struct knode *knode_copy(void *mem, const struct knode *n);

/* ---- predicates, as upstream words them ---------------------------------- */

/* "" when ready, or "node a is reporting NotReady=False". */
struct str knode_unready_text(struct arena *a, const struct knode *n);
bool knode_ready(const struct knode *n);
bool knode_done(const struct knode *n); /* it has its desired config */
bool knode_failing(const struct knode *n); /* the daemon gave up on that config */
bool knode_unavailable(const struct knode *n);
bool knode_degraded(const struct knode *n);
bool knode_managed(const struct knode *n); /* the daemon has run on it */
bool knode_windows(const struct knode *n);
bool knode_is_master(const struct knode *n);

#endif
