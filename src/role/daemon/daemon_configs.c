/*
 * What an update goes from and to: both configs and the policies are fetched,
 * then the update is planned. Nothing is changed here.
 */
#include "daemon_loop.h"
#include "io/log.h"
#include "node/deployment.h"
#include "node/files.h"
#include "node/kernel.h"

#define POLICIES PATH_OPERATOR "machineconfigurations/" NAME_CLUSTER
#define POLICY_TRIES 24 /* every 5 s, for 2 min */

void daemon_get(struct daemon *d, struct str path,
		void (*got)(struct kube_call *c, const struct kube_answer *ans))
{
	d->call = (struct kube_call){ .method = "GET", .path = path, .done = got, .ctx = d };
	d->calling = true;
	kube_start(d->kube, &d->call);
}

static void get_config(struct daemon *d, struct str name,
		       void (*got)(struct kube_call *c, const struct kube_answer *ans))
{
	daemon_get(d, str_fmt(&d->turn, PATH_MC "machineconfigs/%.*s", STRF(name)), got);
}

static struct str not_found(struct daemon *d, struct str name)
{
	const struct daemon_view *v = &d->v;
	struct arena *a = &d->turn;

	if (!v->bootstrap || !str_eq(name, v->current))
		return str_fmt(a,
			       "machineconfig.machineconfiguration.openshift."
			       "io \"%.*s\" not found",
			       STRF(name));
	if (!v->disk.n)
		return S("error fetching current config on disk during "
			 "bootstrap: open " STEPS_CURRENT_CONFIG
			 ": no such file or directory, config: <nil>");
	return str_fmt(a,
		       "error current config %.*s on disk does not match "
		       "current config on annotation: %.*s",
		       STRF(v->disk), STRF(name));
}

/* Asks for the next one. False when it has been dealt with. */
static bool got_config(struct daemon *d, const struct kube_answer *ans, struct str name)
{
	d->calling = false;
	daemon_look(d); /* the Node may be another one by now */
	if (ans->rc == 0)
		return true;
	if (ans->rc == -ERR_NOTFOUND && d->v.bootstrap && str_eq(name, d->v.current) &&
	    str_eq(name, d->v.disk))
		daemon_mismatch(d, true);
	else if (ans->rc == -ERR_NOTFOUND)
		daemon_fail(d, not_found(d, name), false);
	else
		daemon_later(d, ans->message);
	return false;
}

static bool parse(struct daemon *d, struct str body, struct mc_current *out)
{
	struct err err = ERR_INIT(&d->turn);

	if (mc_current_parse(&d->held, str_dup(&d->held, body), out, &err) == 0)
		return true;
	daemon_fail(d, err.msg, false);
	return false;
}

static void all_loaded(struct daemon *d)
{
	struct daemon_view *v = &d->v;

	/* an image that was built in the cluster stands for the OS image */
	if (v->from_image.n)
		d->from.spec.os_image = v->from_image;
	if (v->target_image.n)
		d->to.spec.os_image = v->target_image;
	if (str_eq(v->current, v->target)) {
		log_info("Current+desired config: %.*s", STRF(v->current));
	} else {
		log_info("Current config: %.*s", STRF(v->current));
		log_info("Desired config: %.*s", STRF(v->target));
	}
	v->force = tree_exists(&d->node->tree, STEPS_FORCE);
	v->loaded = true;
	daemon_wake(d, 0);
}

/* The disk's own, where it has one. */
static bool from_disk(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);

	if (!d->v.disk.n || (d->v.bootstrap && !str_eq(d->v.disk, d->v.current)))
		return false;
	if (node_current(d->node, &d->held, &d->from, &d->v.from_image, &err) < 0)
		daemon_fail(d, err.msg, false);
	else
		all_loaded(d);
	return true;
}

static void got_current(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;

	if (!got_config(d, ans, d->v.current) || from_disk(d))
		return;
	d->v.from_image = str_dup(&d->held, d->v.current_image);
	if (parse(d, ans->body, &d->from))
		all_loaded(d);
}

/* A config that cannot be read is told of as one that cannot be reached. */
static bool unreadable(struct daemon *d, struct str body)
{
	struct err err = ERR_INIT(&d->turn);
	struct str from = d->v.disk.n ? d->v.disk : d->v.current;

	if (mc_current_parse(&d->held, str_dup(&d->held, body), &d->to, &err) == 0)
		return false;
	(void)err_wrap(&err,
		       "can't reconcile config %.*s with %.*s: configs %.*s, "
		       "%.*s are not reconcilable",
		       STRF(from), STRF(d->v.target), STRF(from), STRF(d->v.target));
	daemon_tell(d, S("FailedToReconcile"), err.msg);
	daemon_fail(d, err.msg, true);
	return true;
}

static void got_desired(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;

	if (!got_config(d, ans, d->v.target) || unreadable(d, ans->body))
		return;
	if (!str_eq(d->v.current, d->v.target)) {
		get_config(d, d->v.current, got_current);
	} else if (!from_disk(d)) {
		d->from = d->to;
		d->v.from_image = str_dup(&d->held, d->v.current_image);
		all_loaded(d);
	}
}

void daemon_load(struct daemon *d)
{
	arena_free(&d->held);
	d->v.target = str_dup(&d->held, d->v.desired);
	d->v.target_image = str_dup(&d->held, d->v.desired_image);
	get_config(d, d->v.target, got_desired);
}

static void confirmed(struct daemon *d, const struct kube_answer *ans, struct str name)
{
	d->calling = false;
	if (ans->rc != -ERR_NOTFOUND) {
		d->v.confirmed = true;
		daemon_wake(d, 0);
		return;
	}
	d->next.text = str_fmt(&d->turn,
			       "could not apply update: error processing state "
			       "and configs. Error: machineconfig." GROUP_MC " \"%.*s\" not "
			       "found",
			       STRF(name));
	daemon_job(d, JOB_ROLL_BACK, d->next.text);
}

static void target_there(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;

	confirmed(d, ans, d->v.target);
}

static void current_there(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;

	daemon_look(d); /* the Node may be another one by now */
	if (ans->rc == -ERR_NOTFOUND || str_eq(d->v.current, d->v.target))
		confirmed(d, ans, d->v.current);
	else
		get_config(d, d->v.target, target_there);
}

void daemon_confirm(struct daemon *d)
{
	get_config(d, d->v.current, current_there);
}

/* ---- an update ----------------------------------------------------------- */

static void not_prepared(struct daemon *d, const char *how, struct str why)
{
	struct daemon_report r = { .type = "UpdatePrepared", .status = 'U' };

	r.text = str_fmt(&d->turn,
			 "Update Failed compatibility validation. "
			 "MachineConfigs %.*s and %.*s are not %s: %.*s",
			 STRF(d->from.name), STRF(d->to.name), how, STRF(why));
	daemon_report(d, &r);
}

/* Whether it can be done at all; said when it is begun. */
static void begin(struct daemon *d, const struct json *machine)
{
	struct arena *a = &d->held;
	struct err err = ERR_INIT(a);
	const struct mc_overrides none = { 0 };
	struct mc_overrides allow = machine ? mc_overrides_of(machine) : none;
	struct daemon_view *v = &d->v;
	struct str outer = str_fmt(a, "can't reconcile config %.*s with %.*s: ", STRF(d->from.name),
				   STRF(d->to.name));
	bool ocl = v->from_image.n || v->target_image.n;
	int rc;

	daemon_unwatch(d);
	if (v->booting && !v->force)
		daemon_tell(d, S("BootResync"),
			    str_fmt(a,
				    "Booting node %.*s, currentConfig %.*s, "
				    "desiredConfig %.*s",
				    STRF(d->name), STRF(d->from.name), STRF(d->to.name)));
	daemon_tell(d, S("AddSigtermProtection"), S("Adding SIGTERM protection"));
	d->guarded = true;
	log_info("Checking Reconcilable for config %.*s to %.*s", STRF(d->from.name),
		 STRF(d->to.name));
	rc = mc_current_reconcile(a, &d->from, &d->to, &allow, &err);
	if (rc == 0 && (files_check_paths(d->node, a, &d->to.spec, false, &err) < 0 ||
			kernel_check_fips(d->node, a, &d->to.spec, &err) < 0))
		rc = err_wrap(&err, "can't reconcile config %.*s with %.*s", STRF(d->from.name),
			      STRF(d->to.name));
	if (rc < 0) {
		not_prepared(d, "compatible. Err",
			     str_starts(err.msg, outer) ? str_from(err.msg, outer.n) : err.msg);
		daemon_tell(d, S("FailedToReconcile"), err.msg);
		daemon_fail(d, err.msg, true);
		return;
	}
	update_changes(a, &d->from.spec, &d->to.spec, v->force, &d->plan.changes);
	daemon_log(d, str_fmt(a, "Starting update from %.*s to %.*s: %.*s", STRF(d->from.name),
			      STRF(d->to.name),
			      STRF(update_changes_text(a, &d->plan.changes, ocl,
						       ocl && !v->target_image.n))));
	d->checked = true;
	daemon_wake(d, 0);
}

/* Upstream's words. */
static void log_plan(const struct daemon *d)
{
	const struct update_plan *p = &d->plan;

	if (d->v.force)
		log_info("Setting post config change node disruption action to "
			 "Reboot; " STEPS_FORCE " present");
	log_info("Calculated node disruption actions:");
	for (size_t i = 0; i < p->n; i++)
		log_info("%s%s%.*s (%.*s: %.*s)", update_kind_name(p->v[i].kind),
			 p->v[i].service.n ? " - " : "", STRF(p->v[i].service), STRF(p->v[i].cause),
			 STRF(p->v[i].rule));
	log_info("Drain calculated for node disruption: %s for config %.*s",
		 p->drain ? "true" : "false", STRF(d->to.name));
}

static void make_plan(struct daemon *d, const struct json *machine)
{
	struct arena *a = &d->held;
	struct err err = ERR_INIT(a);
	struct daemon_report r = { .type = "UpdatePrepared", .status = 'T', .spec = true };
	struct update_in in = { .from = &d->from.spec,
				.to = &d->to.spec,
				.force = d->v.force,
				.image_only = deployment_image_only(d->node),
				.built = d->v.target_image.n > 0,
				.policies = update_policies(a, machine) };
	int rc;

	log_info("Calculating node disruption actions");
	rc = plan_update(a, &in, &d->plan, &err);
	if (rc == 0 && d->v.force) {
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
	d->v.drain = d->plan.drain;
	d->v.reboot = d->plan.reboot;
	d->v.planned = true;
	d->failures = 0;
	r.text = str_fmt(a,
			 "Update Compatible. Post Cfg Actions: [] Drain "
			 "Required: %s",
			 d->plan.drain ? "true" : "false");
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

static void got_policies(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;
	struct err err = ERR_INIT(&d->turn);
	struct json *j = NULL;
	bool ready;

	d->calling = false;
	if (ans->rc < 0 && ans->rc != -ERR_NOTFOUND && !d->checked) {
		daemon_later(d, ans->message);
		return;
	}
	if (ans->rc < 0)
		log_error("calculating NodeDisruptionPolicies: %.*s", STRF(ans->message));
	if (ans->rc == 0 &&
	    json_parse(&d->held, str_dup(&d->held, ans->body), NULL, &j, &err) < 0) {
		daemon_fail(d, err.msg, false);
		return;
	}
	ready = j && json_i64(j, "metadata.generation", 0) ==
			     json_i64(j, "status.observedGeneration", 0);
	if (!d->checked) {
		begin(d, j);
	} else if (ready) {
		make_plan(d, j);
	} else if (d->policy_tries++ < POLICY_TRIES) {
		d->not_before = clock_ms() + (d->retry_ms ? d->retry_ms : 5000);
		daemon_wake(d, 0);
	} else {
		no_policies(d, j != NULL);
	}
}

void daemon_plan(struct daemon *d)
{
	/* what may be overridden is asked for only where that is */
	if (!d->checked && !d->irreconcilable)
		begin(d, NULL);
	else
		daemon_get(d, S(POLICIES), got_policies);
}
