/*
 * What the two halves of changing an OS share.
 */
#ifndef SRC_NODE_OS_H
#define SRC_NODE_OS_H

#include "node/node.h"

#define OS_KUBELET_AUTH "/var/lib/kubelet/config.json"
#define OS_DROPINS "/run/systemd/system/rpm-ostreed.service.d"
/* Where packages of extensions are; while an OS is changed. */
#define OS_REPO "/etc/yum.repos.d/coreos-extensions.repo"

/* For the MachineConfigNode: rc says what came of it. */
void os_image_pulling(const struct node *n, const char *what, struct str image);
int os_image_pulled(const struct node *n, const char *what, struct str image, int rc,
		    const struct err *err);
int rpm_ostree_run(struct node *n, struct arena *a, const struct strs *words, struct err *err);
struct str podman_uuid(struct arena *a);
/* The image in the node's own storage; out->there is false for none. */
int podman_find_image(struct node *n, struct arena *a, struct str image, struct os_image *out,
		      struct err *err);
/* Stages it from there. */
int os_local_rebase(struct node *n, struct arena *a, const struct os_image *image, struct err *err);
/* Takes back what that had to change for a while, if it was cut short. */
int os_local_drop_policy(struct node *n, struct arena *a, struct err *err);

/* "systemd-run … -- podman", and a pull by that. must: whether or not the
 * credentials are there. */
void podman_args(struct args *args, const char *unit);
int podman_pull(struct node *n, struct arena *a, const char *unit, const char *auth, bool must,
		struct str image, struct err *err);

/* ---- bootc --------------------------------------------------------------- */

/* The OS is bootc's alone: there is no rpm-ostree. */
bool bootc_manages(const struct node *n);
int bootc_status(struct node *n, struct arena *a, struct os_status *out, struct err *err);
int bootc_switch(struct node *n, struct arena *a, struct str image, struct err *err);
/* Credentials for pulling, linked to at path. */
void deployment_link_secret(struct node *n, struct arena *a, const char *path);
/* Whatever is staged for the next boot is not, with either of the two. */
int deployment_clean_pending(struct node *n, struct arena *a, struct err *err);

/* Makes the boot loader one that trusts what signed the image's kernel. */
int bootloader_update(struct node *n, struct arena *a, struct str image, struct err *err);

#endif
