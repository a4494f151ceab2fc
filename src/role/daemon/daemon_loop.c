#include "daemon_loop.h"

#include "io/clock.h"
#include "io/repeat.h"

static void step(struct daemon *d);

/* ---- when ---------------------------------------------------------------- */

void daemon_wake(struct daemon *d, int64_t ms)
{
	int64_t due = clock_ms() + ms;

	if (due < d->not_before)
		due = d->not_before;
	if (d->timer.due && d->timer.due <= due)
		return;
	d->timer.due = due ? due : 1;
	loop_update(d->loop, &d->timer);
}

static void on_timer(struct source *s, short events)
{
	struct daemon *d = s->ctx;

	(void)events;
	if (clock_ms() < d->not_before) /* put off since */
		daemon_wake(d, 0);
	else
		step(d);
}

/* The server cannot be asked for now: the same step again, later. */
void daemon_later(struct daemon *d, struct str why)
{
	int64_t ms = daemon_retry_ms(d->failures++);

	log_again(LOG_WARNING, S("step"), "%.*s; retrying", STRF(why));
	d->not_before = clock_ms() + (d->retry_ms ? d->retry_ms : ms);
	daemon_wake(d, 0);
}

static void forget_revert(struct daemon_view *v)
{
	v->revert_left = v->revert_left || v->revertible;
	v->revertible = false;
}

void daemon_forget(struct daemon *d)
{
	struct daemon_view *v = &d->v;

	if (d->guarded)
		daemon_tell(d, S("RemoveSigtermProtection"), S("Removing SIGTERM protection"));
	v->loaded = v->verified = v->planned = v->applied = v->acted = false;
	v->announced = v->force = v->asked = false;
	forget_revert(v);
	v->confirmed = false;
	v->target = v->target_image = v->from_image = S("");
	d->waiting_since = 0;
	d->policy_tries = 0;
	d->checked = d->guarded = d->resumes = false;
	d->plan = (struct update_plan){ 0 };
	arena_free(&d->held);
	daemon_read_disk(d);
}

/* ---- steps --------------------------------------------------------------- */

static void look_at_cluster(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);
	struct daemon_view *v = &d->v;
	struct str pool;
	bool pinned;

	v->trouble = S("");
	v->secret = false;
	if (v->target.n)
		return;
	daemon_disk_changed(d);
	if (daemon_pool(d, &d->turn, &pool, &pinned, &err) < 0)
		v->trouble = err.msg;
	else if (!daemon_controller(d))
		v->trouble = S("could not get ControllerConfig: "
			       "controllerconfig." GROUP_MC " \"" NAME_CONTROLLER "\" not found");
	else
		v->secret = daemon_secret_differs(d);
}

void daemon_look(struct daemon *d)
{
	struct daemon_view *v = &d->v;

	v->current = daemon_note(d, ANNO_CURRENT_CONFIG);
	v->desired = daemon_note(d, ANNO_DESIRED_CONFIG);
	v->state = daemon_note(d, ANNO_STATE);
	v->has_state = v->state.p != NULL;
	v->current_image = daemon_note(d, ANNO_CURRENT_IMAGE);
	v->desired_image = daemon_note(d, ANNO_DESIRED_IMAGE);
	v->want_drain = daemon_note(d, ANNO_DESIRED_DRAIN);
	v->did_drain = daemon_note(d, ANNO_APPLIED_DRAIN);
	v->after = daemon_note(d, ANNO_POST_CONFIG);
	v->single = str_is(daemon_note(d, ANNO_TOPOLOGY), "SingleReplica");
	v->waited_ms = d->waiting_since ? clock_ms() - d->waiting_since : 0;
}

static void wait_for_controller(struct daemon *d)
{
	int64_t now = clock_ms();

	if (!d->waiting_since)
		d->waiting_since = now;
	log_again(LOG_INFO, S("controller"),
		  "Waiting for machine-config-controller to do %.*s (the last "
		  "it did is %.*s)",
		  STRF(d->v.want_drain), STRF(d->v.did_drain));
	if (!daemon_certificates(d))
		daemon_wake(d,
			    (d->v.acted || !d->v.planned ? DAEMON_UNCORDON_MS : DAEMON_DRAIN_MS) -
				    (now - d->waiting_since));
}

static void rest(struct daemon *d)
{
	struct daemon_report r = { .type = "Updated", .status = 'T' };

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

	log_info("The target is %.*s meanwhile", STRF(v->desired));
	v->loaded = v->planned = v->applied = v->acted = false;
	v->booting = v->asked = v->confirmed = d->checked = false;
	forget_revert(v); /* it was for the other one */
	d->policy_tries = 0;
	daemon_load(d);
}

static void say(struct daemon *d)
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

	say(d);
	if (d->v.asked)
		log_info("Successful drain took %.3f seconds", (double)d->v.waited_ms / 1000);
	if (!d->v.drain)
		log_info("Changes do not require drain, skipping.");
	if (!d->v.drain || d->v.single)
		daemon_report(d, &r);
	if (d->v.drain && d->v.single) {
		daemon_log(d, S("Drain not required, skipping"));
		daemon_tell(d, S("Drain"), S("Drain not required, skipping"));
	}
	daemon_report_files(d, false);
	daemon_job(d, JOB_APPLY, S(""));
}

static void act(struct daemon *d)
{
	const struct daemon_report r = { .type = "RebootedNode",
					 .status = 'U',
					 .text = S("Upgrade requires a "
						   "reboot.") };

	if (d->v.reboot)
		daemon_report(d, &r);
	daemon_job(d, JOB_ACT, S(""));
}

static void preflight(struct daemon *d)
{
	struct daemon_report r = { .type = "Updated", .status = 'F' };

	r.text = str_fmt(&d->turn, "Node %.*s needs an update", STRF(d->name));
	daemon_report(d, &r);
	if (d->v.force) {
		log_info("Skipping preflight config drift check; " STEPS_FORCE " present");
		d->v.verified = true;
		daemon_wake(d, 0);
	} else {
		daemon_job(d, JOB_VERIFY, S(""));
	}
}

static void give_up(struct daemon *d)
{
	for (size_t i = 0; i < d->next.n_events; i++)
		daemon_tell(d, str_of(d->next.events[i].reason), d->next.events[i].text);
	d->not_uncordoned =
		d->next.n_events && str_starts(str_of(d->next.events[0].reason), S("FailedToUn"));
	if (d->next.roll_back)
		daemon_job(d, JOB_ROLL_BACK, d->next.text);
	else
		daemon_fail(d, d->next.text, false);
}

static void annotate(struct daemon *d)
{
	const struct daemon_report rebooted = { .type = "RebootedNode",
						.status = 'T',
						.text = S("Node has "
							  "rebooted") };
	const struct daemon_pair *p = &d->next.pairs[0];

	say(d);
	if (str_ends(p->key, S("/post-config-action")) && !p->value.n) {
		log_info("Detected Rebooting Annotation, applying MCN.");
		daemon_report(d, &rebooted);
	}
	if (str_ends(p->key, S("/desiredDrain")) && str_starts(p->value, S("uncordon-")))
		daemon_resumes(d, str_from(p->value, 9));
	daemon_annotate(d);
}

static void carry_out(struct daemon *d)
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
		daemon_job(d, JOB_RECOVER, S(""));
		return;
	case DAEMON_SECRET:
		daemon_job(d, JOB_SECRET, S(""));
		return;
	case DAEMON_PREPARE:
		if (!str_eq(d->first, d->v.current))
			d->first = str_dup(d->a, d->v.current);
		log_again(LOG_INFO, S("role"),
			  daemon_is_master(d) ? "Node %.*s is part of the "
						"control plane"
					      : "Node %.*s is not labeled " LABEL_NODE_ROLE
						"master",
			  STRF(d->name));
		daemon_job(d, JOB_PREPARE, S(""));
		return;
	case DAEMON_INITIAL:
		daemon_initial(d);
		return;
	case DAEMON_LOAD:
		d->logged_wait = false; /* what it rests for next is news */
		daemon_load(d);
		return;
	case DAEMON_BOOT:
		log_info("Validating against current %s %.*s",
			 d->v.target_image.n ? "image" : "config",
			 STRF(d->v.target_image.n ? d->v.from_image : d->from.name));
		daemon_job(d, JOB_BOOT, d->v.disk_trouble);
		return;
	case DAEMON_VERIFY:
		preflight(d);
		return;
	case DAEMON_REVERT:
		daemon_job(d, JOB_REVERT, S(""));
		return;
	case DAEMON_UNREVERT:
		daemon_job(d, JOB_UNREVERT, S(""));
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
		if (d->guarded)
			log_info("Completing update to target %.*s",
				 STRF(daemon_disk_text(d, &d->turn)));
		else
			log_info("System state unchanged: %.*s",
				 STRF(daemon_disk_text(d, &d->turn)));
		say(d);
		daemon_annotate(d);
		return;
	case DAEMON_FAIL:
		break;
	}
	give_up(d);
}

/* Everything that is looked at has been listed once. */
static bool synced(const struct daemon *d)
{
	return daemon_node(d) &&
	       (d->hosted.n || (kube_cache_synced(d->configs) && kube_cache_synced(d->pools)));
}

static void step(struct daemon *d)
{
	bool waits;

	if (d->calling || d->job.running)
		return;
	arena_free(&d->turn);
	if (d->distrust.n) {
		daemon_job(d, JOB_REBOOTSTRAP, S(""));
		return;
	}
	if ((!d->hosted.n && !daemon_gates(d)) || !synced(d) ||
	    (!d->v.target.n && json_at(daemon_node(d), "metadata.deletionTimestamp")))
		return;
	/* what has failed is undone: to plan on would take it for done */
	if (d->untold) {
		daemon_tell_fault(d);
		return;
	}
	if (d->hosted.n) {
		daemon_look(d);
		daemon_hosted(d);
		return;
	}
	if (daemon_check_drift(d))
		return;
	daemon_look(d);
	look_at_cluster(d);
	plan_daemon(&d->turn, &d->v, &d->next);
	waits = d->next.what == DAEMON_REST || d->next.what == DAEMON_AWAIT;
	if (waits)
		(void)log_over(S("step"));
	if (waits && d->logs.n)
		daemon_job(d, JOB_LOG, S(""));
	else
		carry_out(d);
}

void daemon_loop_init(struct daemon *d)
{
	d->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = d };
	loop_add(d->loop, &d->timer);
}
