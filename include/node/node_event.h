/*
 * node_event: what happens to a node while it is changed, for the process that tells the
 * cluster. A text belongs to the sender and lives as long as the callback runs.
 */
#ifndef NODE_NODE_EVENT_H
#define NODE_NODE_EVENT_H

#include "base/str.h"

enum node_event_kind {
	NODE_EVENT_CLUSTER, /* an Event of the Node object: reason and text are upstream's */
	NODE_EVENT_ACTION_DONE, /* a post action succeeded; none: there was nothing to run */
	NODE_EVENT_PULL, /* of an OS image: pull */
	NODE_EVENT_PART_FAILED, /* part was not applied */
	NODE_EVENT_STAGED, /* the OS change was staged, or failed */
	NODE_EVENT_KUBELET, /* a changed kubeconfig; deferred: the restart can wait */
};

enum node_pull { NODE_PULL_STARTED, NODE_PULL_FAILED, NODE_PULL_DONE };
enum node_part { NODE_PART_FILES, NODE_PART_OS };

struct node_event {
	enum node_event_kind kind;
	struct str reason; /* NODE_EVENT_CLUSTER */
	struct str text;
	enum node_pull pull;
	enum node_part part;
	bool none, failed, deferred;
};

#endif
