/*
 * daemon_steps: how each step of plan_daemon begins. Each ends in another state: a job, a
 * request or a wait.
 */
#include "daemon_own.h"
#include "io/repeat.h"

static void wait_for_controller(struct daemon *d)
{
	int64_t now = clock_ms();
	bool drains = d->v.pass.stage == STAGE_PLANNED;

	daemon_go(d, STATE_CONTROLLER);
	if (!d->waiting_since)
		d->waiting_since = now;
	log_again(LOG_INFO, S("controller"),
		  "Waiting for machine-config-controller to complete %.*s (last completed: "
		  "%.*s)",
		  STRF(d->v.want_drain), STRF(d->v.did_drain));
	if (!daemon_certificates(d))
		daemon_wake(d, (drains ? DAEMON_DRAIN_MS : DAEMON_UNCORDON_MS) -
				       (now - d->waiting_since));
}

static void rest(struct daemon *d)
{
	struct daemon_report r = { .type = "Updated", .status = 'T' };

	daemon_go(d, d->v.rebooting ? STATE_REBOOT : STATE_IDLE);
	if (d->next.text.n && !d->logged_wait)
		log_info("%.*s", STRF(d->next.text));
	d->logged_wait = d->next.text.n > 0;
	if (d->v.rebooting)
		return;
	if (!d->next.text.n) {
		r.text = str_fmt(&d->turn, "Node %.*s Updated", STRF(d->name));
		daemon_report(d, &r);
	}
	(void)daemon_certificates(d);
	daemon_pin(d);
}

static void again(struct daemon *d)
{
	struct daemon_view *v = &d->v;

	log_info("The target changed to %.*s during the update", STRF(v->desired));
	v->pass.stage = STAGE_NONE;
	v->pass.asked = d->update.checked = false;
	v->start = START_OVER;
	if (v->revert == REVERT_READY)
		v->revert = REVERT_LEFT; /* it was for the other target */
	d->update.policy_tries = 0;
	daemon_load(d);
}

static void log_step(struct daemon *d)
{
	if (!d->next.text.n)
		return;
	if (d->next.journal)
		daemon_log(d, d->next.text);
	else
		log_info("%.*s", STRF(d->next.text));
}

static void apply(struct daemon *d)
{
	const struct str none = S("Node Drain Not required for this update.");
	const struct daemon_report r = { .type = "UpdateExecuted",
					 .reason = "Drained",
					 .status = 'U',
					 .text = none,
					 .child = "Drained",
					 .child_status = 'F',
					 .child_text = none };

	log_step(d);
	if (d->v.pass.asked)
		log_info("Successful drain took %.3f seconds", (double)d->v.waited_ms / 1000);
	if (!d->v.pass.drain)
		log_info("Changes do not require drain, skipping.");
	if (!d->v.pass.drain || d->v.single)
		daemon_report(d, &r);
	if (d->v.pass.drain && d->v.single) {
		daemon_log(d, S("Drain not required, skipping"));
		daemon_emit(d, S("Drain"), S("Drain not required, skipping"));
	}
	daemon_report_files(d, false);
	daemon_job(d, STATE_APPLY, S(""));
}

static void act(struct daemon *d)
{
	const struct daemon_report r = { .type = "RebootedNode",
					 .status = 'U',
					 .text = S("Upgrade requires a "
						   "reboot.") };

	if (d->v.pass.reboot)
		daemon_report(d, &r);
	daemon_job(d, STATE_ACT, S(""));
}

static void preflight(struct daemon *d)
{
	struct daemon_report r = { .type = "Updated", .status = 'F' };

	r.text = str_fmt(&d->turn, "Node %.*s needs an update", STRF(d->name));
	daemon_report(d, &r);
	daemon_job(d, STATE_VERIFY, S(""));
}

static void give_up(struct daemon *d)
{
	for (size_t i = 0; i < d->next.n_events; i++)
		daemon_emit(d, str_of(d->next.events[i].reason), d->next.events[i].text);
	d->figures.not_uncordoned = d->next.fault == FAULT_UNCORDON;
	if (d->next.roll_back)
		daemon_job(d, STATE_ROLL_BACK, d->next.text);
	else
		daemon_fail(d, d->next.text, false);
}

static void annotate(struct daemon *d)
{
	const struct daemon_report rebooted = { .type = "RebootedNode",
						.status = 'T',
						.text = S("Node has "
							  "rebooted") };

	log_step(d);
	switch (d->next.note) {
	case NOTE_REBOOTED:
		log_info("Detected Rebooting Annotation, applying MCN.");
		daemon_report(d, &rebooted);
		break;
	case NOTE_UNCORDON:
		daemon_resumes(d, d->next.config);
		break;
	case NOTE_PLAIN:
	case NOTE_DRAIN:
	case NOTE_REBOOTING:
		break;
	}
	daemon_annotate(d, STATE_NOTE);
}

void daemon_carry_out(struct daemon *d)
{
	if (d->next.what != DAEMON_AWAIT)
		d->waiting_since = 0;
	switch (d->next.what) {
	case DAEMON_REST:
		rest(d);
		return;
	case DAEMON_AWAIT:
		wait_for_controller(d);
		return;
	case DAEMON_RECOVER:
		daemon_job(d, STATE_RECOVER, S(""));
		return;
	case DAEMON_SECRET:
		daemon_job(d, STATE_SECRET, S(""));
		return;
	case DAEMON_PREPARE:
		if (!str_eq(d->facts.first, d->v.current))
			d->facts.first = str_dup(d->a, d->v.current);
		log_again(LOG_INFO, S("role"),
			  daemon_is_master(d) ? "Node %.*s is part of the "
						"control plane"
					      : "Node %.*s is not labeled " LABEL_NODE_ROLE
						"master",
			  STRF(d->name));
		daemon_job(d, STATE_PREPARE, S(""));
		return;
	case DAEMON_INITIAL:
		daemon_initial(d);
		return;
	case DAEMON_LOAD:
		d->logged_wait = false; /* log the reason of the next rest */
		daemon_load(d);
		return;
	case DAEMON_BOOT:
		log_info("Validating against current %s %.*s",
			 d->v.pass.target_image.n ? "image" : "config",
			 STRF(d->v.pass.target_image.n ? d->v.pass.from_image
						       : d->update.from.name));
		daemon_job(d, STATE_BOOT, d->v.disk_trouble);
		return;
	case DAEMON_VERIFY:
		preflight(d);
		return;
	case DAEMON_REVERT:
		daemon_job(d, STATE_REVERT, S(""));
		return;
	case DAEMON_UNREVERT:
		daemon_job(d, STATE_UNREVERT, S(""));
		return;
	case DAEMON_PLAN:
		daemon_plan(d);
		return;
	case DAEMON_APPLY:
		apply(d);
		return;
	case DAEMON_ACT:
		act(d);
		return;
	case DAEMON_CONFIRM:
		daemon_confirm(d);
		return;
	case DAEMON_AGAIN:
		again(d);
		return;
	case DAEMON_ANNOTATE:
		annotate(d);
		return;
	case DAEMON_DONE:
		if (d->update.guarded)
			log_info("Completing update to target %.*s",
				 STRF(daemon_disk_text(d, &d->turn)));
		else
			log_info("System state unchanged: %.*s",
				 STRF(daemon_disk_text(d, &d->turn)));
		log_step(d);
		daemon_annotate(d, STATE_NOTE_DONE);
		return;
	case DAEMON_FAIL:
		break;
	}
	give_up(d);
}
