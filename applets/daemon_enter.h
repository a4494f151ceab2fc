/*
 * daemon_enter: `mco-daemon start` begins anew inside the node's root.
 */
#ifndef APPLETS_DAEMON_ENTER_H
#define APPLETS_DAEMON_ENTER_H

#include "data/url.h"
#include "mco_daemon.h"

/* What start was given that names a place. */
struct daemon_given {
	struct str root, kubeconfig, configmap, once_from;
};

/*
 * Does not return when it has entered: the program begins anew. Returns 0 where
 * there is nothing to enter. All that the start needs is checked before the
 * first mount.
 */
int daemon_enter(struct run *r, const struct daemon_given *g);

/* This is the program that began anew: its root is the node's. */
bool daemon_entered(void);

/* Where the node's kubelet finds the API. */
int daemon_kubelet_server(struct run *r, const struct tree *t, struct url *out);

#endif
