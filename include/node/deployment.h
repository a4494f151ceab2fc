/*
 * deployment: the booted and the staged OS, by rpm-ostree or bootc.
 */
#ifndef NODE_DEPLOYMENT_H
#define NODE_DEPLOYMENT_H

#include "node/node.h"
#include "plan/os.h"

int deployment_status(struct node *n, struct arena *a, struct os_status *out, struct err *err);

/* Whether only bootc manages the OS: of an update it can stage nothing but another image. */
bool deployment_image_only(const struct node *n);

/* Unstages what is staged for the next boot, if anything. */
int deployment_clean_pending(struct node *n, struct arena *a, struct err *err);
/* Removes the rollback deployment; bootc keeps it. */
int deployment_drop_rollback(struct node *n, struct arena *a, struct err *err);

/* The kernel arguments: with rpm-ostree those of the next boot, else those of this boot. */
int deployment_kargs(struct node *n, struct arena *a, struct str *out, struct err *err);

/* Why the previous boot did not finalize its staged deployment, or "". False when the node's
 * journal cannot be read. */
bool deployment_finalize_error(struct node *n, struct arena *a, struct str *out);

/* Links path to the pull secret that the node has. Best effort: logs a failure. */
void deployment_link_secret(struct node *n, struct arena *a, const char *path);

#endif
