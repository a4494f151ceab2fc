/*
 * An OS image that is in podman's storage already: rpm-ostree rebases from there.
 *
 * The node's policy may require signatures, which this storage does not have. A drop-in in /run
 * binds a temporary policy over it for rpm-ostreed. The drop-in does not survive a reboot, and
 * every start removes one that was left behind.
 */
#include "os_local.h"

#include "io/log.h"
#include "plan/registries.h"
#include "rpm_ostree.h"

#define POLICY "/etc/containers/policy.json"
#define POLICY_MAX ((size_t)16 << 20)
#define OTHER_POLICY "/run/tmp-rpm-ostree-policy.json"
#define DROPIN RPM_OSTREE_DROPINS "/temporal-policy-binding.conf"

static int reload(struct node *n, struct arena *a, struct err *err)
{
	int rc = node_do(n, a, "systemctl daemon-reload", NULL, err);

	return rc < 0 ? rc : node_do(n, a, "systemctl try-restart rpm-ostreed", NULL, err);
}

int os_local_drop_policy(struct node *n, struct arena *a, struct err *err)
{
	int rc = 0;

	if (tree_lexists(&n->tree, DROPIN)) {
		rc = tree_remove(&n->tree, DROPIN, err);
		if (rc == 0)
			rc = reload(n, a, err);
	}
	return rc < 0 ? rc : tree_remove(&n->tree, OTHER_POLICY, err);
}

static int bind_policy(struct node *n, struct arena *a, const struct os_image *image,
		       struct err *err)
{
	struct str scope = S(""), text = S("");
	int rc = node_output(n, a, "podman system info --format=json", NULL, &text, err);

	if (rc == 0)
		rc = os_image_scope(a, text, image, &scope, err);
	if (rc < 0)
		return err_wrap(err, "failed to get podman info for storage "
				     "configuration gathering");
	if (!tree_exists(&n->tree, POLICY)) {
		log_warn("No policy file found at " POLICY ". Skipping "
			 "temporal policy generation.");
		return 0;
	}
	rc = tree_read(a, &n->tree, POLICY, POLICY_MAX, &text, err);
	if (rc == 0)
		rc = registries_accept(a, text, S("containers-storage"), scope, &text, err);
	if (rc == 0)
		rc = tree_put(&n->tree, OTHER_POLICY, text, err);
	if (rc == 0)
		rc = tree_put(&n->tree, DROPIN,
			      S("[Service]\nBindReadOnlyPaths=" OTHER_POLICY ":" POLICY), err);
	if (rc == 0)
		rc = reload(n, a, err);
	if (rc == 0)
		log_info("Temporal allow policy added for URL %s", scope.p);
	return rc;
}

int os_local_rebase(struct node *n, struct arena *a, const struct os_image *image, struct err *err)
{
	struct err local = ERR_INIT(a);
	int rc;

	rpm_ostree_link_secret(n, a);
	/* best effort: the node's policy may already allow the image */
	if (bind_policy(n, a, image, &local) < 0)
		log_error("Error writing temporal policy files %s", local.msg.p);
	log_info("Executing local container storage rebase to %.*s", STRF(image->digest));
	rc = node_do(
		n, a, "rpm-ostree rebase --experimental %s",
		str_fmt(a, "ostree-unverified-image:containers-storage:%.*s", STRF(image->digest))
			.p,
		err);
	if (os_local_drop_policy(n, a, &local) < 0)
		log_error("Error deleting temporary MCD temporal policy %s", local.msg.p);
	return rc < 0 ? err_wrap(err, "failed to update OS from local storage: %.*s",
				 STRF(image->digest))
		      : 0;
}
