/*
 * daemon: the daemon of a node. It watches the node's own Node object and updates the machine to
 * the config that the Node names; on a hosted cluster the config comes as files.
 */
#ifndef ROLE_DAEMON_H
#define ROLE_DAEMON_H

#include "node/node.h"

struct daemon_opts {
	struct str node_name;
	struct str kubeconfig; /* "": KUBECONFIG, else the pod's account */
	struct str metrics; /* HOST:PORT of /metrics and /healthz */
	struct str release; /* whose feature gates apply */
	struct str hosted; /* directory of a hosted node's configs; "": not hosted */
	struct str healthz; /* the kubelet's URL; "": do not ask the kubelet */
};

/* Runs until SIGTERM or SIGINT, or until the feature gates change. n is open and stays the
 * caller's. */
int daemon_run(struct arena *a, struct node *n, const struct daemon_opts *o, struct err *err);

/* The arguments of daemon_enter: paths of the command line, and its arguments. */
struct daemon_entry {
	struct str root, kubeconfig, configmap, once_from;
	int argc; /* the arguments after the applet's name */
	char **argv;
};

/*
 * Copies the program into the node's root, changes the root and starts the program again
 * there; it does not return then. Returns 0 when there is no root to enter. Checks everything that
 * the start needs before the first mount.
 */
int daemon_enter(struct arena *a, const struct daemon_entry *e, struct err *err);

/* This program was started by daemon_enter: its root is the node's. */
bool daemon_entered(void);

#endif
