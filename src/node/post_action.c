/*
 * The actions after an update that need not be a reboot: reload, restart, or nothing. Each reports
 * its result as an event; the texts of events, logs and errors are upstream's.
 */
#include "node/post_action.h"

#include "node/node_event.h"
#include "node/reboot.h"

static int restart_service(struct node *n, struct arena *a, const char *service, struct err *err)
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

static int reload_service(struct node *n, struct arena *a, const char *service, struct err *err)
{
	struct err local = ERR_INIT(a);
	bool all = strcmp(service, "daemon-reload") == 0;
	int rc = host_cmd(a, &n->host, HOST_SYNC, NULL, &local, "systemctl %s %s",
			  all ? "daemon-reload" : "reload", all ? NULL : service);

	if (rc == 0) {
		node_emit(n, &(struct node_event){
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
		node_emit(n, &(struct node_event){ .kind = NODE_EVENT_ACTION_DONE,
						   .none = true,
						   .text = S("Changes do not require a reboot") });
		host_log(&n->host, "Node has Desired Config %.*s, skipping reboot", STRF(name));
		return 0;
	case UPDATE_RELOAD:
	case UPDATE_SPECIAL:
		return reload_service(n, a, service, err);
	case UPDATE_DAEMON_RELOAD:
		return reload_service(n, a, "daemon-reload", err);
	case UPDATE_RESTART:
		return restart_service(n, a, service, err);
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
