/*
 * The OS deployments of a node, by whichever of rpm-ostree and bootc manages them: which one is
 * booted, which one is staged, and how to unstage it. bootc is used only where there is no
 * rpm-ostree.
 */
#include "node/deployment.h"

#include "bootc.h"
#include "io/log.h"
#include "plan/steps.h"
#include "podman.h"

#define SECRET_MAX ((size_t)1 << 20)
#define CMDLINE_MAX ((size_t)1 << 20)

int deployment_status(struct node *n, struct arena *a, struct os_status *out, struct err *err)
{
	struct str text;
	int rc;

	if (bootc_manages(n))
		return bootc_status(n, a, out, err);
	rc = node_output(n, a, "rpm-ostree status --json", NULL, &text, err);
	return rc < 0 ? rc : os_status_parse(a, text, out, err);
}

void deployment_link_secret(struct node *n, struct arena *a, const char *path)
{
	struct err err = ERR_INIT(a);
	struct str text;
	struct json *j;
	bool own = tree_read(a, &n->tree, STEPS_PULL_SECRET, SECRET_MAX, &text, &err) == 0 &&
		   json_parse(a, text, NULL, &j, &err) == 0;

	if (tree_mkdirs(&n->tree,
			str_z(a, str_sub(str_of(path), 0, (size_t)str_rchr(str_of(path), '/'))),
			0544, -1, -1, &err) < 0 ||
	    tree_symlink(&n->tree, own ? STEPS_PULL_SECRET : PODMAN_AUTH, path, &err) < 0)
		log_warn("Error while ensuring access to pull secrets: %.*s", STRF(err.msg));
}

bool deployment_image_only(const struct node *n)
{
	return n->os.core_os && !n->offline && bootc_manages(n);
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
		return node_output(n, a, "rpm-ostree kargs", NULL, out, err);
	return tree_read(a, &n->tree, "/proc/cmdline", CMDLINE_MAX, out, err);
}

bool deployment_finalize_error(struct node *n, struct arena *a, struct str *out)
{
	struct err err = ERR_INIT(a);
	struct host_out said = { 0 };
	struct str line;
	int rc = host_cmd(a, &n->host, HOST_SILENT, &said, &err,
			  "journalctl -b -1 -o cat _UID=0 -u ostree-finalize-staged.service");

	*out = S("");
	if (rc < 0 || said.status) {
		log_warn("failed to query for deployment failure: error "
			 "querying for previous finalization via journalctl: "
			 "%.*s",
			 STRF(rc < 0 ? err.msg : host_status_text(a, said.status)));
		return false;
	}
	while (!out->n && str_line(&said.text, &line))
		if (str_starts(line, S("error:")))
			*out = line;
	if (out->n)
		log_warn("Failed to finalize previous deployment: %.*s", STRF(*out));
	return true;
}
