/*
 * node: what the controllers need to know of a node, in about a kilobyte.
 *
 * A decoded node views the tree it came from; knode_copy makes one that stands by
 * itself in a single piece of memory, for caches.
 */
#ifndef MC_KNODE_H
#define MC_KNODE_H

#include "mc/labels.h"
#include "mc/object.h"

/* Why a node takes no new work, the first of its conditions that says so. */
enum knode_unready { KNODE_READY, KNODE_NOT_READY, KNODE_DISK, KNODE_NETWORK };

struct knode {
	struct str name, uid, version; /* metadata.resourceVersion */
	/* Annotations: p is NULL where there is none. */
	struct str current_config, desired_config;
	struct str current_image, desired_image;
	struct str state, reason;
	struct str desired_drain, applied_drain;
	struct str topology, first_pivot, labels_applied;
	struct str unready_status; /* of that condition: "False", "Unknown" */
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

/* Views of tree; labels and taints are made in a. */
void knode_decode(struct arena *a, const struct json *tree, struct knode *out);

/* How much room a copy needs, and the copy, which is where mem is. */
size_t knode_size(const struct knode *n);
struct knode *knode_copy(void *mem, const struct knode *n);

/* ---- predicates, as upstream words them ---------------------------------- */

/* Takes work: "" or "node a is reporting NotReady=False". */
struct str knode_unready_text(struct arena *a, const struct knode *n);
bool knode_ready(const struct knode *n);
bool knode_done(const struct knode *n); /* what it wants is what it has */
bool knode_failing(const struct knode *n); /* gave up on what it wants */
bool knode_unavailable(const struct knode *n);
bool knode_degraded(const struct knode *n);
bool knode_managed(const struct knode *n); /* a daemon has run on it */
bool knode_windows(const struct knode *n);
bool knode_is_master(const struct knode *n);

#endif
