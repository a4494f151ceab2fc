/*
 * The first steps of the daemon on a running machine. Recovery of an update that was cut short
 * comes before everything else: no other step may see a node between two configs.
 */
#include "node/boot.h"

#include "bootc.h"
#include "io/log.h"
#include "node/deployment.h"
#include "node/node_update.h"
#include "os_local.h"
#include "rpm_ostree.h"

#define SMALL_MAX ((size_t)1 << 20)

static int init_core_os(struct node *n, struct arena *a, struct os_status *s, struct err *err)
{
	struct tree *t = &n->tree;
	int rc = 0;

	if (!bootc_manages(n) && !tree_exists(t, RPM_OSTREE_DROPINS "/bug2111817.conf")) {
		rc = tree_put(t, RPM_OSTREE_DROPINS "/bug2111817.conf",
			      S("[Service]\nInaccessiblePaths=\n"), err);
		if (rc == 0)
			rc = node_do(n, a, "systemctl daemon-reload", NULL, err);
	}
	if (rc == 0)
		rc = os_local_drop_policy(n, a, err);
	if (rc < 0)
		return err_wrap(err, "error initializing rpm-ostree");
	rpm_ostree_link_secret(n, a);
	rc = deployment_status(n, a, s, err);
	if (rc < 0)
		return err_wrap(err, "error reading osImageURL from %s",
				bootc_manages(n) ? "bootc" : "rpm-ostree");
	n->booted_image = s->image;
	log_info("Booted osImageURL: %.*s (%.*s) %.*s", STRF(s->image), STRF(s->version),
		 STRF(s->checksum));
	return 0;
}

int boot_init(struct node *n, struct arena *a, struct os_status *out, struct err *err)
{
	struct node_journal_view v;
	bool undone;
	int rc = node_update_recover(n, a, &undone, &v, err);

	if (rc == 0 && !n->offline && !n->os.id.n && !n->os.version.n)
		rc = err_set(err, ERR_INVALID,
			     "checking operating system: No content available "
			     "from os-release files");
	if (rc < 0 || n->offline || !n->os.core_os)
		return rc;
	return init_core_os(n, a, out, err);
}

void boot_log_origin(struct node *n, struct arena *a)
{
	static const char *const files[] = { "/sysroot/.coreos-aleph-version.json",
					     "/etc/.ignition-result.json" };
	struct err err = ERR_INIT(a);
	struct str text;

	for (size_t i = 0; n->os.core_os && i < 2; i++)
		if (tree_read(a, &n->tree, files[i], SMALL_MAX, &text, &err) < 0)
			log_warn("Failed to get provisioning information: %.*s", STRF(err.msg));
		else
			log_info("%s: %.*s", files[i], STRF(str_trim(text)));
}
