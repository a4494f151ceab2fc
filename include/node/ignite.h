/*
 * ignite: an Ignition config applied to a root that nothing runs on yet, as
 * Ignition's own files stage does it.
 *
 * Files, directories, links, users, groups, units and kernel arguments. What it
 * does not do is refused by name before anything is written (disks, raid,
 * filesystems, luks), and so is what stands in the way. A run that was cut short
 * is simply repeated: a file of its own tells, and what is as it should be is
 * then nothing that stands in the way.
 */
#ifndef NODE_IGNITE_H
#define NODE_IGNITE_H

#include "node/node.h"

/* Where what a config only points at comes from: asked before anything is
 * written. */
struct ignite_source {
	int (*get)(void *ctx, const struct ign_obj *resource, const struct sink *to,
		   struct err *err);
	/* An authority to believe from now on, as PEM. */
	int (*trust)(void *ctx, struct str pem, struct err *err);
	void *ctx;
};

int ignite_apply(struct node *n, struct arena *a, struct str text, const struct ignite_source *from,
		 struct err *err);

/* Only the users and groups of it. */
int accounts_apply(struct node *n, struct arena *a, const struct ign_obj *config, struct err *err);

/*
 * Certificates and pull secrets that are written outside of any config, from a
 * ControllerConfig. bundle: the API servers' CAs that the kubelet shall trust,
 * or "".
 */
int certificates_write(struct node *n, struct arena *a, const struct json *controller,
		       struct str bundle, struct err *err);
/* The kubelet asks for credentials anew; waits until it has them. */
int rotate_rebootstrap(struct node *n, struct arena *a, struct err *err);
/* What the daemon's pod has logged is kept for when the pod is gone. */
void keep_logs(struct node *n, struct arena *a);
int certificates_write_secret(struct node *n, struct arena *a, const struct json *controller,
			      struct err *err);
/* What certificates_write_secret would write. */
int certificates_secret(struct arena *a, const struct json *controller, struct str *out,
			struct err *err);

#endif
