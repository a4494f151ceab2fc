/*
 * node: what the controllers need to know of a node, in about a kilobyte.
 *
 * A decoded node views the tree it came from; node_copy makes one that stands by
 * itself in a single piece of memory, for caches.
 */
#ifndef MC_NODE_H
#define MC_NODE_H

#include "mc/labels.h"
#include "mc/object.h"

/* Annotations, without MC_PREFIX. */
#define NODE_CURRENT_CONFIG MC_PREFIX "currentConfig"
#define NODE_DESIRED_CONFIG MC_PREFIX "desiredConfig"
#define NODE_CURRENT_IMAGE MC_PREFIX "currentImage"
#define NODE_DESIRED_IMAGE MC_PREFIX "desiredImage"
#define NODE_STATE MC_PREFIX "state"
#define NODE_REASON MC_PREFIX "reason"
#define NODE_DESIRED_DRAIN MC_PREFIX "desiredDrain"
#define NODE_APPLIED_DRAIN MC_PREFIX "lastAppliedDrain"
#define NODE_TOPOLOGY MC_PREFIX "controlPlaneTopology"
#define NODE_FIRST_PIVOT MC_PREFIX "firstPivotConfig"
#define NODE_LABELS_APPLIED MC_PREFIX "customPoolLabelsApplied"

#define NODE_ARCH "kubernetes.io/arch"
#define NODE_ZONE "topology.kubernetes.io/zone"
#define NODE_MASTER "node-role.kubernetes.io/master"
#define NODE_CONTROL_PLANE "node-role.kubernetes.io/control-plane"
#define NODE_WORKER "node-role.kubernetes.io/worker"

/* Why a node takes no new work, the first of its conditions that says so. */
enum node_unready { NODE_READY, NODE_NOT_READY, NODE_DISK, NODE_NETWORK };

struct mc_node {
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
	enum node_unready unready;
	bool unschedulable;
	bool deleting;
	bool provisioning; /* phase Pending or Provisioning */
};

/* Views of tree; labels and taints are made in a. */
void node_decode(struct arena *a, const struct json *tree, struct mc_node *out);

/* How much room a copy needs, and the copy, which is where mem is. */
size_t node_size(const struct mc_node *n);
struct mc_node *node_copy(void *mem, const struct mc_node *n);

/* ---- predicates, as upstream words them ---------------------------------- */

/* Takes work: "" or "node a is reporting NotReady=False". */
struct str node_unready_text(struct arena *a, const struct mc_node *n);
bool node_ready(const struct mc_node *n);
bool node_done(const struct mc_node *n); /* what it wants is what it has */
bool node_failing(const struct mc_node *n); /* gave up on what it wants */
bool node_unavailable(const struct mc_node *n);
bool node_degraded(const struct mc_node *n);
bool node_managed(const struct mc_node *n); /* a daemon has run on it */
bool node_windows(const struct mc_node *n);
bool node_is_master(const struct mc_node *n);

#endif
