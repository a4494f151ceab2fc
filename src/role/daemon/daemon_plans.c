/*
 * daemon_plans: checks that the update can be reconciled, and plans it by the node disruption
 * policies. Changes nothing on the node but the force file, which it removes.
 */
#include "daemon_own.h"
#include "io/log.h"
#include "node/deployment.h"
#include "node/files.h"
#include "node/kernel.h"

#define POLICIES PATH_OPERATOR "machineconfigurations/" NAME_CLUSTER
#define POLICY_MS 5000
#define POLICY_TRIES 24 /* for 2 min */

static void not_prepared(struct daemon *d, const char *how, struct str why)
{
	struct daemon_report r = { .type = "UpdatePrepared", .status = 'U' };

	r.text = str_fmt(&d->turn,
			 "Update Failed compatibility validation. "
			 "MachineConfigs %.*s and %.*s are not %s: %.*s",
			 STRF(d->update.from.name), STRF(d->update.to.name), how, STRF(why));
	daemon_report(d, &r);
}

/* Begins the update: SIGTERM waits from here on, and it must be possible to reconcile it. */
static void begin(struct daemon *d, const struct json *machine)
{
	struct arena *a = &d->update.a;
	struct err err = ERR_INIT(a);
	const struct mc_overrides none = { 0 };
	struct mc_overrides allow = machine ? mc_overrides_of(machine) : none;
	struct daemon_view *v = &d->v;
	struct str outer =
		str_fmt(a, "can't reconcile config %.*s with %.*s: ", STRF(d->update.from.name),
			STRF(d->update.to.name));
	bool ocl = v->pass.from_image.n || v->pass.target_image.n;
	int rc;

	daemon_unwatch(d);
	if (v->start != START_OVER && !v->pass.force)
		daemon_emit(d, S("BootResync"),
			    str_fmt(a,
				    "Booting node %.*s, currentConfig %.*s, "
				    "desiredConfig %.*s",
				    STRF(d->name), STRF(d->update.from.name),
				    STRF(d->update.to.name)));
	daemon_emit(d, S("AddSigtermProtection"), S("Adding SIGTERM protection"));
	d->update.guarded = true;
	log_info("Checking Reconcilable for config %.*s to %.*s", STRF(d->update.from.name),
		 STRF(d->update.to.name));
	rc = mc_current_reconcile(a, &d->update.from, &d->update.to, &allow, &err);
	if (rc == 0 && (files_check_paths(d->node, a, &d->update.to.spec, false, &err) < 0 ||
			kernel_check_fips(d->node, a, &d->update.to.spec, &err) < 0))
		rc = err_wrap(&err, "can't reconcile config %.*s with %.*s",
			      STRF(d->update.from.name), STRF(d->update.to.name));
	if (rc < 0) {
		not_prepared(d, "compatible. Err",
			     str_starts(err.msg, outer) ? str_from(err.msg, outer.n) : err.msg);
		daemon_emit(d, S("FailedToReconcile"), err.msg);
		daemon_fail(d, err.msg, true);
		return;
	}
	update_changes(a, &d->update.from.spec, &d->update.to.spec, v->pass.force,
		       &d->update.plan.changes);
	daemon_log(d, str_fmt(a, "Starting update from %.*s to %.*s: %.*s",
			      STRF(d->update.from.name), STRF(d->update.to.name),
			      STRF(update_changes_text(a, &d->update.plan.changes, ocl,
						       ocl && !v->pass.target_image.n))));
	d->update.checked = true;
	daemon_wake(d, 0);
}

/* The texts are upstream's. */
static void log_plan(const struct daemon *d)
{
	const struct update_plan *p = &d->update.plan;

	if (d->v.pass.force)
		log_info("Setting post config change node disruption action to "
			 "Reboot; " STEPS_FORCE " present");
	log_info("Calculated node disruption actions:");
	for (size_t i = 0; i < p->n; i++)
		log_info("%s%s%.*s (%.*s: %.*s)", update_kind_name(p->v[i].kind),
			 p->v[i].service.n ? " - " : "", STRF(p->v[i].service), STRF(p->v[i].cause),
			 STRF(p->v[i].rule));
	log_info("Drain calculated for node disruption: %s for config %.*s",
		 p->drain ? "true" : "false", STRF(d->update.to.name));
}

static void make_plan(struct daemon *d, const struct json *machine)
{
	struct arena *a = &d->update.a;
	struct err err = ERR_INIT(a);
	struct daemon_report r = { .type = "UpdatePrepared", .status = 'T', .spec = true };
	struct update_in in = { .from = &d->update.from.spec,
				.to = &d->update.to.spec,
				.force = d->v.pass.force,
				.image_only = deployment_image_only(d->node),
				.built = d->v.pass.target_image.n > 0,
				.policies = update_policies(a, machine) };
	int rc;

	log_info("Calculating node disruption actions");
	rc = plan_update(a, &in, &d->update.plan, &err);
	if (rc == 0 && d->v.pass.force) {
		rc = tree_remove(&d->node->tree, STEPS_FORCE, &err);
		if (rc < 0) {
			(void)err_wrap(&err, "failed to remove force "
					     "validation file");
			not_prepared(d,
				     "available for update. Error calculating "
				     "post config change actions",
				     err.msg);
		}
	}
	if (rc < 0) {
		daemon_fail(d, err.msg, false);
		return;
	}
	log_plan(d);
	d->v.pass.drain = d->update.plan.drain;
	d->v.pass.reboot = d->update.plan.reboot;
	d->v.pass.stage = STAGE_PLANNED;
	d->failures = 0;
	r.text = str_fmt(a,
			 "Update Compatible. Post Cfg Actions: [] Drain "
			 "Required: %s",
			 d->update.plan.drain ? "true" : "false");
	daemon_report(d, &r);
	daemon_wake(d, 0);
}

static void no_policies(struct daemon *d, bool there)
{
	struct str why = str_fmt(&d->turn, "NodeDisruptionPolicyStatus was not ready: %s",
				 there ? "NodeDisruptionPolicyStatus is not up to date"
				       : "MachineConfiguration/cluster has not been created "
					 "yet");

	not_prepared(d,
		     "available for update. Error calculating post config "
		     "change actions",
		     why);
	daemon_fail(d, why, false);
}

/* Reads a MachineConfiguration, where there is one. False when it cannot be read. */
static bool read_machine(struct daemon *d, struct str object, struct json **out)
{
	struct err err = ERR_INIT(&d->turn);

	*out = NULL;
	if (!object.n ||
	    json_parse(&d->update.a, str_dup(&d->update.a, object), NULL, out, &err) == 0)
		return true;
	daemon_fail(d, err.msg, false);
	return false;
}

void daemon_got_overrides(struct daemon *d, struct str object)
{
	struct json *machine;

	if (read_machine(d, object, &machine))
		begin(d, machine);
}

void daemon_got_policies(struct daemon *d, struct str object)
{
	struct json *machine;

	if (!read_machine(d, object, &machine))
		return;
	if (machine && json_i64(machine, "metadata.generation", 0) ==
			       json_i64(machine, "status.observedGeneration", 0))
		make_plan(d, machine);
	else if (d->update.policy_tries++ < POLICY_TRIES)
		daemon_retry(d, POLICY_MS);
	else
		no_policies(d, machine != NULL);
}

void daemon_plan(struct daemon *d)
{
	/* overrides matter only where the gate allows them */
	if (!d->update.checked && !d->gates.irreconcilable)
		begin(d, NULL);
	else
		daemon_get(d, d->update.checked ? STATE_GET_POLICIES : STATE_GET_OVERRIDES,
			   S(POLICIES));
}
