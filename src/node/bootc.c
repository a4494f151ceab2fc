/*
 * Hosts that bootc manages without rpm-ostree: the OS is an image and nothing but
 * that. Upstream has the same calls, and does not make them yet.
 */
#include "bootc.h"

#include "io/log.h"
#include "node/deployment.h"

#define AUTH "/etc/ostree/auth.json"

bool bootc_manages(const struct node *n)
{
	return !host_has(&n->host, "rpm-ostree") && host_has(&n->host, "bootc");
}

int bootc_status(struct node *n, struct arena *a, struct os_status *out, struct err *err)
{
	struct str text;
	int rc = node_output(n, a, "bootc status --json", NULL, &text, err);

	return rc < 0 ? rc : os_bootc_parse(a, text, out, err);
}

int bootc_switch(struct node *n, struct arena *a, struct str image, struct err *err)
{
	deployment_link_secret(n, a, AUTH);
	log_info("Executing switch to %.*s", STRF(image));
	return node_do(n, a, "bootc switch %s", str_z(a, image), err);
}
