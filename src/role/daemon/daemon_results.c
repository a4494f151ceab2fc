/*
 * daemon_results: what the result of a step changes, and what its failure does where that is
 * not the same for all (MOVE_TROUBLE). A handler ends in another state or arms the timer.
 */
#include "daemon_own.h"
#include "io/repeat.h"
#include "node/keep_logs.h"

static void prepared(struct daemon *d)
{
	d->v.start = START_NOTE;
	d->v.bootstrap = tree_exists(&d->node->tree, JOB_FIRST_ANNOTATIONS);
	if (d->v.bootstrap)
		log_info("In bootstrap mode");
}

static void preflight_done(struct daemon *d)
{
	log_info("Preflight config drift check successful (took %lldms)",
		 (long long)(clock_ms() - d->job_at));
	d->v.pass.verified = true;
}

/* What a job that changed the node leads to. */
static void worked(struct daemon *d)
{
	daemon_read_disk(d);
	if (d->v.rebooting)
		daemon_rebooting(d);
	else
		daemon_wake(d, 0);
}

/* Ends the process: the next one uses the kubelet's new credentials. */
static _Noreturn void rebootstrapped(struct daemon *d, struct str text)
{
	keep_logs(d->node, &d->turn);
	log_to_pod(text);
	log_fatal("%.*s", STRF(text));
}

void daemon_take(struct daemon *d, enum daemon_state s, const struct daemon_result *r)
{
	struct daemon_view *v = &d->v;

	switch (s) {
	case STATE_LOG:
	case STATE_SECRET:
		break;
	case STATE_RECOVER:
		v->start = START_PREPARE;
		break;
	case STATE_PREPARE:
		prepared(d);
		break;
	case STATE_BOOT:
		v->pass.verified = true;
		break;
	case STATE_VERIFY:
		preflight_done(d);
		break;
	case STATE_REVERT:
		v->revert = REVERT_READY;
		break;
	case STATE_UNREVERT:
		v->revert = REVERT_NONE;
		break;
	case STATE_APPLY:
		v->pass.stage = STAGE_APPLIED;
		daemon_report_files(d, true);
		break;
	case STATE_ACT:
		v->pass.stage = STAGE_ACTED;
		break;
	case STATE_DRIFT:
		daemon_no_drift(d);
		return;
	case STATE_ROLL_BACK:
		daemon_fail(d, d->next.text, false);
		return;
	case STATE_CERTIFICATES:
		daemon_annotate(d, STATE_NOTE);
		return;
	case STATE_REBOOTSTRAP: /* upstream's text for what made it do this */
		rebootstrapped(d, S("Error from auxiliary packages"));
	case STATE_HOSTED:
		daemon_hosted_over(d);
		return;
	case STATE_GET_TARGET:
		daemon_got_target(d, r->body);
		return;
	case STATE_GET_CURRENT:
		daemon_got_current(d, r->body);
		return;
	case STATE_GET_OVERRIDES:
		daemon_got_overrides(d, r->body);
		return;
	case STATE_GET_POLICIES:
		daemon_got_policies(d, r->body);
		return;
	case STATE_CONFIRM_CURRENT:
		daemon_confirmed_current(d);
		return;
	case STATE_CONFIRM_TARGET:
		daemon_confirmed(d);
		return;
	case STATE_GET_BUNDLE:
		daemon_got_bundle(d, r);
		return;
	case STATE_GET_GENERATED:
		daemon_got_generated(d, r->body);
		return;
	case STATE_NOTE:
		daemon_noted(d);
		return;
	case STATE_NOTE_DONE:
		daemon_done(d);
		return;
	case STATE_NOTE_FAULT:
		daemon_fault_reported(d);
		return;
	case STATE_STARTING:
	case STATE_IDLE:
	case STATE_CONTROLLER:
	case STATE_RETRY:
	case STATE_REBOOT:
	case STATE_COUNT:
		return; /* nothing is under way there */
	}
	worked(d);
}

/* ---- failures ------------------------------------------------------------ */

static void preflight_failed(struct daemon *d, struct str text)
{
	log_again(LOG_ERROR, S("preflight"), "Preflight config drift check failed: %.*s",
		  STRF(text));
	daemon_fail(d, text, false);
}

static void act_failed(struct daemon *d, struct str text)
{
	d->figures.reboots_failed += d->v.pass.reboot;
	daemon_fail(d, text, false);
}

static void no_policies(struct daemon *d, enum daemon_state s, const struct daemon_result *r)
{
	log_error("calculating NodeDisruptionPolicies: %.*s", STRF(r->text));
	if (s == STATE_GET_OVERRIDES)
		daemon_got_overrides(d, S(""));
	else
		daemon_got_policies(d, S(""));
}

void daemon_trouble(struct daemon *d, enum daemon_state s, const struct daemon_result *r)
{
	switch (s) {
	case STATE_VERIFY:
		preflight_failed(d, r->text);
		return;
	case STATE_DRIFT:
		daemon_drift_found(d, r->text);
		return;
	case STATE_ACT:
		act_failed(d, r->text);
		return;
	case STATE_REBOOTSTRAP:
		rebootstrapped(d, r->text);
	case STATE_GET_TARGET:
		daemon_config_missing(d, d->v.pass.target);
		return;
	case STATE_GET_CURRENT:
		daemon_look(d);
		daemon_config_missing(d, d->v.current);
		return;
	case STATE_GET_OVERRIDES:
	case STATE_GET_POLICIES:
		no_policies(d, s, r);
		return;
	case STATE_CONFIRM_CURRENT:
		daemon_look(d);
		daemon_config_gone(d, d->v.current);
		return;
	case STATE_CONFIRM_TARGET:
		daemon_config_gone(d, d->v.pass.target);
		return;
	case STATE_GET_BUNDLE:
		daemon_got_bundle(d, r);
		return;
	case STATE_GET_GENERATED:
		daemon_no_generated(d);
		return;
	case STATE_STARTING:
	case STATE_IDLE:
	case STATE_CONTROLLER:
	case STATE_RETRY:
	case STATE_REBOOT:
	case STATE_LOG:
	case STATE_RECOVER:
	case STATE_SECRET:
	case STATE_PREPARE:
	case STATE_BOOT:
	case STATE_REVERT:
	case STATE_UNREVERT:
	case STATE_APPLY:
	case STATE_ROLL_BACK:
	case STATE_CERTIFICATES:
	case STATE_HOSTED:
	case STATE_NOTE:
	case STATE_NOTE_DONE:
	case STATE_NOTE_FAULT:
	case STATE_COUNT:
		return; /* their failures go to MOVE_FAULT or MOVE_RETRY */
	}
}
