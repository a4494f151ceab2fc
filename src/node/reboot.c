/*
 * Reboots of a node by a transient unit, as upstream does. On CoreOS the unit waits for the staged
 * deployment to be finalized.
 */
#include "node/reboot.h"

#include "node/args.h"

int reboot_now(struct node *n, struct arena *a, const char *rationale, struct err *err)
{
	struct args args = { .a = a };
	struct host_out out = { 0 };
	int rc;

	args_words(&args, "systemd-run --unit machine-config-daemon-reboot "
			  "--description");
	args_addf(&args, "machine-config-daemon: %s", rationale);
	if (n->os.core_os)
		args_words(&args, "-p Requires=ostree-finalize-staged.service "
				  "-p After=ostree-finalize-staged.service");
	args_words(&args, "/bin/sh -c %s", "systemctl reboot");
	rc = host_run(a, &n->host, HOST_SILENT, args_end(&args), &out, err);
	if (rc == 0 && out.status)
		rc = err_set(err, ERR_SYS, "%.*s", STRF(host_status_text(a, out.status)));
	if (rc < 0)
		host_log(&n->host, "failed to run reboot: %.*s", STRF(err->msg));
	return rc;
}

int reboot_node(struct node *n, struct arena *a, const char *rationale, struct err *err)
{
	if (n->skip_reboot || n->offline)
		return 0;
	node_event(n, "Reboot", "%s", rationale);
	host_log(&n->host, "initiating reboot: %s", rationale);
	if (reboot_now(n, a, rationale, err) < 0)
		return err_set(err, ERR_SYS,
			       "reboot command failed, something is seriously "
			       "wrong");
	host_log(&n->host, "reboot successful");
	return 0;
}

int reboot_into(struct node *n, struct arena *a, struct str name, struct err *err)
{
	return reboot_node(n, a, str_fmt(a, "Node will reboot into config %.*s", STRF(name)).p,
			   err);
}
