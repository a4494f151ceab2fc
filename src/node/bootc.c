/*
 * Hosts that bootc manages without rpm-ostree: the OS is an image and nothing but
 * that. Upstream has the same calls, and does not make them yet.
 */
#include "io/log.h"
#include "os_change.h"

#define AUTH "/etc/ostree/auth.json"

bool bootc_manages(const struct node *n)
{
	return !host_has(&n->host, "rpm-ostree") && host_has(&n->host, "bootc");
}

bool deployment_image_only(const struct node *n)
{
	return n->os.core_os && !n->offline && bootc_manages(n);
}

int bootc_status(struct node *n, struct arena *a, struct os_status *out, struct err *err)
{
	struct str text;
	int rc = node_ask(n, a, "bootc status --json", NULL, &text, err);

	return rc < 0 ? rc : os_bootc_parse(a, text, out, err);
}

int bootc_switch(struct node *n, struct arena *a, struct str image, struct err *err)
{
	deployment_link_secret(n, a, AUTH);
	log_info("Executing switch to %.*s", STRF(image));
	return node_do(n, a, "bootc switch %s", str_z(a, image), err);
}

int deployment_clean_pending(struct node *n, struct arena *a, struct err *err)
{
	struct os_status s = { 0 };
	int rc;

	if (!bootc_manages(n))
		return node_do(n, a, "rpm-ostree cleanup -p", NULL, err);
	rc = bootc_status(n, a, &s, err);
	/* there is no other way of unstaging than to stage what is booted */
	return rc < 0 || !s.staged ? rc : bootc_switch(n, a, s.image, err);
}

int deployment_drop_rollback(struct node *n, struct arena *a, struct err *err)
{
	return bootc_manages(n) ? 0 : node_do(n, a, "rpm-ostree cleanup -r", NULL, err);
}

int deployment_kargs(struct node *n, struct arena *a, struct str *out, struct err *err)
{
	if (!bootc_manages(n))
		return node_ask(n, a, "rpm-ostree kargs", NULL, out, err);
	return tree_read(a, &n->tree, "/proc/cmdline", (size_t)1 << 20, out, err);
}
