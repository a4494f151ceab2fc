/*
 * struct node: the root, its OS and its currentconfig; reboots and the actions after an update.
 *
 * The texts of events and log lines are upstream's.
 */
#include "node/node.h"

#include <stdlib.h>

#include "io/file.h"
#include "io/log.h"
#include "node/args.h"

#define STATE_MAX ((size_t)64 << 20)
#define SMALL_MAX ((size_t)1 << 20)

int node_open(struct node *n, struct arena *a, const char *root, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	const char *retry = getenv("MCO_RETRY_MS");
	struct str text = S("");
	int rc;

	*n = (struct node){ .retry_ms = 10000 };
	if (retry)
		(void)str_to_i64(str_of(retry), &n->retry_ms);
	rc = tree_open(&n->tree, root, err);
	if (rc < 0)
		return rc;
	host_init(&n->host, root);
	if (tree_read(a, &n->tree, "/etc/os-release", SMALL_MAX, &text, &ignored) < 0)
		(void)tree_read(a, &n->tree, "/usr/lib/os-release", SMALL_MAX, &text, &ignored);
	rc = os_release_parse(a, text, &n->os, &ignored);
	if (rc < 0) /* unknown: not CoreOS */
		n->os = (struct os_release){ .major = -1, .minor = -1 };
	return 0;
}

void node_close(struct node *n)
{
	tree_close(&n->tree);
}

void node_tell(const struct node *n, const struct node_event *e)
{
	if (n->event)
		n->event(n->event_ctx, e);
}

void node_event(const struct node *n, const char *reason, const char *fmt, ...)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;
	va_list ap;

	if (!n->event)
		return;
	buf_init(&b, &a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	node_tell(n, &(struct node_event){ .kind = NODE_EVENT_CLUSTER,
					   .reason = str_of(reason),
					   .text = buf_str(&b) });
}

int node_do(struct node *n, struct arena *a, const char *words, const char *x, struct err *err)
{
	return host_cmd(a, &n->host, HOST_SYNC, NULL, err, words, x);
}

int node_ask(struct node *n, struct arena *a, const char *words, const char *x, struct str *out,
	     struct err *err)
{
	struct host_out said = { 0 };
	int rc = host_cmd(a, &n->host, HOST_CAPTURE, &said, err, words, x);

	if (rc == 0)
		*out = str_trim(said.text);
	return rc;
}

/* ---- currentconfig ------------------------------------------------------- */

/*
 * An update removes and restores what this file says. With a wrong file there is no update, unless
 * the force file exists.
 */
static int check_current(struct node *n, struct arena *a, const struct mc_current *c,
			 struct str image, struct err *err)
{
	struct err local = ERR_INIT(a);

	/* older releases store the image that was built in the cluster in it */
	if ((image.n && str_eq(image, c->spec.os_image)) || mc_current_check(a, c, &local) == 0)
		return 0;
	if (tree_exists(&n->tree, STEPS_FORCE)) {
		log_warn(STEPS_CURRENT_CONFIG ": %.*s; " STEPS_FORCE " present", STRF(local.msg));
		return 0;
	}
	return err_set(err, ERR_INVALID,
		       STEPS_CURRENT_CONFIG
		       ": %.*s; replace it with the cluster's MachineConfig of "
		       "that name, or create " STEPS_FORCE " to go on with it",
		       STRF(local.msg));
}

int node_current(struct node *n, struct arena *a, struct mc_current *out, struct str *image,
		 struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct str text;
	int rc = tree_read(a, &n->tree, STEPS_CURRENT_CONFIG, STATE_MAX, &text, err);

	if (rc == 0)
		rc = mc_current_parse(a, text, out, err);
	if (rc < 0)
		return rc;
	*image = S("");
	if (tree_read(a, &n->tree, STEPS_CURRENT_IMAGE, SMALL_MAX, &text, &ignored) == 0)
		*image = str_trim(text);
	return check_current(n, a, out, *image, err);
}

int node_store_current(struct node *n, const struct mc_current *c, struct str image,
		       struct err *err)
{
	int rc = tree_put(&n->tree, STEPS_CURRENT_CONFIG, c->text, err);

	return rc < 0 ? rc : tree_put(&n->tree, STEPS_CURRENT_IMAGE, image, err);
}

/* ---- after an update ----------------------------------------------------- */

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

static int restart(struct node *n, struct arena *a, const char *service, struct err *err)
{
	struct err local = ERR_INIT(a);
	struct host_out out = { 0 };
	int rc = node_do(n, a, "systemctl restart %s", service, &local);

	if (rc < 0 && strcmp(service, "coreos-update-ca-trust.service") == 0) {
		host_log(&n->host, "Error executing %s unit, falling back to command", service);
		rc = host_cmd(a, &n->host, HOST_SYNC, &out, err, "update-ca-trust");
		if (rc < 0) {
			node_event(n, "FailedServiceRestart",
				   "Restarting %s service failed. Error: %.*s", service,
				   STRF(out.status ? host_status_text(a, out.status) : err->msg));
			return rc;
		}
	}
	if (rc == 0) {
		node_event(n, "ServiceRestart",
			   "Config changes do not require reboot. Service %s "
			   "was restarted.",
			   service);
		host_log(&n->host, "%s service restarted successfully!", service);
		return 0;
	}
	node_event(n, "FailedServiceRestart", "Restarting %s service failed. Error: %.*s", service,
		   STRF(local.msg));
	return err_set(err, ERR_SYS,
		       "could not apply update: restarting %s service failed. "
		       "Error: %.*s",
		       service, STRF(local.msg));
}

static int reload(struct node *n, struct arena *a, const char *service, struct err *err)
{
	struct err local = ERR_INIT(a);
	bool all = strcmp(service, "daemon-reload") == 0;
	int rc = host_cmd(a, &n->host, HOST_SYNC, NULL, &local, "systemctl %s %s",
			  all ? "daemon-reload" : "reload", all ? NULL : service);

	if (rc == 0) {
		node_tell(n, &(struct node_event){
				     .kind = NODE_EVENT_ACTION_DONE,
				     .text = str_fmt(a, "Node has reloaded service %s", service) });
		node_event(n, "ServiceReload",
			   "Config changes do not require reboot. Service %s "
			   "was reloaded.",
			   service);
		host_log(&n->host, "%s service reloaded successfully!", service);
		return 0;
	}
	node_event(n, "FailedServiceReload", "Reloading service %s failed. Error: %.*s", service,
		   STRF(local.msg));
	return err_set(err, ERR_SYS,
		       "could not apply update: reloading %s configuration "
		       "failed. Error: %.*s",
		       service, STRF(local.msg));
}

int post_action_crio(struct node *n, struct arena *a, const char *verb, struct err *err)
{
	int rc = node_do(n, a, "systemctl %s crio", verb, err);

	return rc < 0 ? err_wrap(err, "could not apply update: reloading crio "
				      "configuration failed. Error")
		      : 0;
}

int post_action_run(struct node *n, struct arena *a, const struct update_action *act,
		    struct str name, struct err *err)
{
	const char *service = str_z(a, act->service);

	switch (act->kind) {
	case UPDATE_NONE:
		node_event(n, "SkipReboot", "Config changes do not require reboot.");
		node_tell(n, &(struct node_event){ .kind = NODE_EVENT_ACTION_DONE,
						   .none = true,
						   .text = S("Changes do not require a reboot") });
		host_log(&n->host, "Node has Desired Config %.*s, skipping reboot", STRF(name));
		return 0;
	case UPDATE_RELOAD:
	case UPDATE_SPECIAL:
		return reload(n, a, service, err);
	case UPDATE_DAEMON_RELOAD:
		return reload(n, a, "daemon-reload", err);
	case UPDATE_RESTART:
		return restart(n, a, service, err);
	case UPDATE_DRAIN:
		return 0;
	case UPDATE_REBOOT:
		break;
	}
	host_log(&n->host, "Rebooting node");
	return reboot_into(n, a, name, err);
}

int post_action_run_all(struct node *n, struct arena *a, const struct update_plan *p,
			struct str name, struct err *err)
{
	bool rebooting = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n && !n->offline; i++) {
		if (p->v[i].kind == UPDATE_DRAIN || (rebooting && p->v[i].kind == UPDATE_REBOOT))
			continue; /* one reboot for all reasons */
		rebooting = p->v[i].kind == UPDATE_REBOOT;
		host_log(&n->host,
			 "Performing post config change action: %s for config "
			 "%.*s",
			 update_kind_name(p->v[i].kind), STRF(name));
		rc = post_action_run(n, a, &p->v[i], name, err);
	}
	return rc;
}
