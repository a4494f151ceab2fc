/*
 * Updates without a cluster. No node disruption policies apply here: what follows an update is
 * planned by plan_update_legacy, as upstream does without a cluster.
 */
#include "node/standalone.h"

#include "node/deployment.h"
#include "node/files.h"
#include "node/firstboot.h"
#include "node/kernel.h"
#include "node/node_update.h"
#include "node/post_action.h"
#include "node/reboot.h"

/* The log and error texts are those of upstream without node disruption policies. */
static int finish(struct node *n, struct arena *a, const struct update_plan *p, struct str name,
		  struct err *err)
{
	bool restart;
	int rc = 0;

	if (n->offline || !p->n)
		return 0;
	restart = p->v[0].kind == UPDATE_RESTART;
	if (!restart && p->v[0].kind != UPDATE_RELOAD)
		return post_action_run(n, a, &p->v[0], name, err);
	if (restart)
		rc = node_do(n, a, "update-ca-trust", NULL, err);
	if (rc < 0)
		return rc;
	rc = post_action_crio(n, a, restart ? "restart" : "reload", err);
	if (rc < 0)
		return rc;
	host_log(&n->host,
		 "crio config %s successfully! Desired config %.*s has been "
		 "applied, skipping reboot",
		 restart ? "restarted" : "reloaded", STRF(name));
	return 0;
}

int standalone_plan(struct node *n, struct arena *a, const struct mc_current *from,
		    const struct mc_current *to, struct update_plan *out, struct err *err)
{
	const struct mc_overrides none = { 0 };
	struct update_in in = { .from = &from->spec,
				.to = &to->spec,
				.force = tree_exists(&n->tree, STEPS_FORCE),
				.image_only = deployment_image_only(n) };
	int rc = mc_current_reconcile(a, from, to, &none, err);

	if (rc == 0 && (files_check_paths(n, a, &to->spec, false, err) < 0 ||
			(!n->offline && kernel_check_fips(n, a, &to->spec, err) < 0)))
		rc = err_wrap(err, "can't reconcile config %.*s with %.*s", STRF(from->name),
			      STRF(to->name));
	return rc < 0 ? rc : plan_update_legacy(a, &in, out, err);
}

int standalone_update(struct node *n, struct arena *a, const struct mc_current *from,
		      const struct mc_current *to, struct err *err)
{
	struct mc_current empty;
	struct update_plan plan = { 0 };
	struct node_update u = { .to = to,
				 .plan = &plan,
				 .force = tree_exists(&n->tree, STEPS_FORCE) };
	struct err local = ERR_INIT(a);
	int rc;

	if (!from) {
		mc_current_empty(a, &empty);
		from = &empty;
	}
	u.from = from;
	rc = standalone_plan(n, a, from, to, &plan, err);
	if (rc < 0)
		return rc;
	host_log(&n->host, "Starting update from %.*s to %.*s: %.*s", STRF(from->name),
		 STRF(to->name), STRF(update_changes_text(a, &plan.changes, false, false)));
	rc = tree_remove(&n->tree, STEPS_FORCE, err);
	if (rc == 0)
		rc = node_update_apply(n, a, &u, err);
	if (rc < 0)
		return rc;
	rc = finish(n, a, &plan, to->name, err);
	if (rc == 0)
		node_update_finished(n, a);
	else if (node_update_rollback(n, a, err->msg, &local) < 0)
		return err_set(err, ERR_SYS, "%.*s", STRF(local.msg));
	return rc;
}

/* ---- once-from ----------------------------------------------------------- */

static int once_from_ignition(struct node *n, struct arena *a, struct ign_obj *config,
			      struct err *err)
{
	struct mc_current empty, to;
	struct node_update u = { .from = &empty, .to = &to, .bare = true };
	int rc;

	mc_current_empty(a, &empty);
	to = empty;
	to.spec.config = config;
	to.name = S("once-from");
	rc = node_update_apply(n, a, &u, err);
	if (rc == 0)
		rc = tree_remove(&n->tree, FIRSTBOOT_CONFIG, err);
	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	if (rc < 0)
		return rc;
	node_update_finished(n, a);
	return reboot_node(n, a, "runOnceFromIgnition complete", err);
}

static int as_machine_config(struct arena *a, struct str text, struct mc_current *out,
			     struct err *err)
{
	enum mc_kind kind = MC_OTHER;
	int rc = mc_current_parse(a, text, out, err);

	if (rc == 0)
		rc = mc_kind_of(a, out->tree, &kind, err);
	if (rc == 0 && kind != MC_MACHINE_CONFIG)
		rc = err_set(err, ERR_INVALID, "it is not a MachineConfig");
	return rc;
}

int standalone_once_from(struct node *n, struct arena *a, struct str text, bool remote,
			 struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct ign_obj *config = NULL;
	struct mc_current to;
	int rc;

	if (ign_parse_35(a, text, &config, &ignored) == 0)
		return once_from_ignition(n, a, config, err);
	rc = as_machine_config(a, text, &to, err);
	if (rc < 0)
		return err_wrap(err, "unable to decipher onceFrom config type");
	if (remote)
		return err_set(err, ERR_INVALID,
			       "running in onceFrom mode with a remote "
			       "MachineConfig without a cluster");
	return standalone_update(n, a, NULL, &to, err);
}
