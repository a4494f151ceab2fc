/*
 * rpm_ostree: calls of the node's rpm-ostree.
 */
#ifndef SRC_NODE_RPM_OSTREE_H
#define SRC_NODE_RPM_OSTREE_H

#include "node/node.h"

#define RPM_OSTREE_DROPINS "/run/systemd/system/rpm-ostreed.service.d"

int rpm_ostree_run(struct node *n, struct arena *a, const struct strs *words, struct err *err);
/* Whether it is new enough to read OS images from registries itself. */
int rpm_ostree_reads_images(struct node *n, struct arena *a, bool *out, struct err *err);
/* Links the registry credentials to where rpm-ostree reads them. */
void rpm_ostree_link_secret(struct node *n, struct arena *a);

#endif
