/*
 * daemon_loop: the daemon's state machine. Every event goes through daemon_happens, which looks
 * the move up in daemon_states. When a step is over the state is IDLE before its handler runs;
 * the handler enters the next one, or arms the timer.
 */
#include "base/backoff.h"
#include "daemon_own.h"
#include "io/repeat.h"

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
	if (clock_ms() < d->not_before) /* the back-off began after the timer was armed */
		daemon_wake(d, 0);
	else
		daemon_happens(d, EVENT_TIMER, NULL);
}

static void on_overdue(struct source *s, short events)
{
	(void)events;
	daemon_happens(s->ctx, EVENT_OVERDUE, NULL);
}

void daemon_go(struct daemon *d, enum daemon_state s)
{
	int64_t ms = daemon_states[s].deadline_ms;

	d->state = s;
	d->since = clock_ms();
	d->overdue.due = ms ? d->since + ms : 0;
	loop_update(d->loop, &d->overdue);
}

void daemon_retry(struct daemon *d, int64_t ms)
{
	daemon_go(d, STATE_RETRY);
	d->not_before = clock_ms() + (d->retry_ms ? d->retry_ms : ms);
	daemon_wake(d, 0);
}

void daemon_later(struct daemon *d, struct str why)
{
	log_again(LOG_WARNING, S("step"), "%.*s; retrying", STRF(why));
	daemon_retry(d, daemon_retry_ms(d->failures++));
}

/* ---- the next step ------------------------------------------------------- */

void daemon_forget(struct daemon *d)
{
	struct daemon_view *v = &d->v;

	if (d->update.guarded)
		daemon_emit(d, S("RemoveSigtermProtection"), S("Removing SIGTERM protection"));
	v->pass = (struct daemon_pass){ 0 };
	if (v->revert == REVERT_READY)
		v->revert = REVERT_LEFT;
	d->waiting_since = 0;
	arena_free(&d->update.a);
	d->update = (struct daemon_update){ .a = ARENA_INIT };
	daemon_read_disk(d);
}

static void look_at_cluster(struct daemon *d)
{
	struct err err = ERR_INIT(&d->turn);
	struct daemon_view *v = &d->v;
	struct str pool;
	bool pinned;

	v->trouble = S("");
	v->secret = false;
	if (v->pass.target.n)
		return;
	daemon_disk_changed(d);
	if (daemon_pool(d, &d->turn, &pool, &pinned, &err) < 0)
		v->trouble = err.msg;
	else if (!daemon_controller(d))
		v->trouble = S("could not get ControllerConfig: controllerconfig." GROUP_MC
			       " \"" NAME_CONTROLLER "\" not found");
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

/* Everything that a step reads has been listed once. */
static bool synced(const struct daemon *d)
{
	return daemon_node(d) && (d->hosted.n || (kube_cache_synced(d->caches.configs) &&
						  kube_cache_synced(d->caches.pools)));
}

static void plan_step(struct daemon *d)
{
	bool waits;

	daemon_look(d);
	look_at_cluster(d);
	plan_daemon(&d->turn, &d->v, &d->next);
	waits = d->next.what == DAEMON_REST || d->next.what == DAEMON_AWAIT;
	if (waits)
		(void)log_over(S("step"));
	if (waits && d->logs.lines.n)
		daemon_job(d, STATE_LOG, S(""));
	else
		daemon_carry_out(d);
}

static void decide(struct daemon *d)
{
	arena_free(&d->turn);
	if (d->kubelet.distrust.n) {
		daemon_job(d, STATE_REBOOTSTRAP, S(""));
		return;
	}
	if ((!d->hosted.n && !daemon_gates(d)) || !synced(d)) {
		daemon_go(d, STATE_STARTING);
		return;
	}
	daemon_go(d, STATE_IDLE);
	if (!d->v.pass.target.n && json_at(daemon_node(d), "metadata.deletionTimestamp"))
		return;
	if (d->fault.unreported) {
		daemon_report_fault(d);
	} else if (d->hosted.n) {
		daemon_look(d);
		daemon_hosted(d);
	} else if (!daemon_check_drift(d)) {
		plan_step(d);
	}
}

/* ---- events -------------------------------------------------------------- */

static void report_overdue(struct daemon *d)
{
	const struct daemon_row *row = &daemon_states[d->state];

	log_warn("Node %.*s: still waiting for %s after %lld s", STRF(d->name), row->what,
		 (long long)(clock_ms() - d->since) / 1000);
	d->overdue.due = clock_ms() + row->deadline_ms;
	loop_update(d->loop, &d->overdue);
}

static void stop(struct daemon *d)
{
	if (d->update.guarded && !d->v.rebooting) {
		daemon_emit(d, S("GotSigtermDuringUpdate"), S("Got SIGTERM but actively updating"));
		return;
	}
	log_info("Shutting down MachineConfigDaemon");
	d->stopped = true;
	loop_stop(d->loop);
}

void daemon_happens(struct daemon *d, enum daemon_event e, const struct daemon_result *r)
{
	static const struct daemon_result none = { 0 };
	enum daemon_state s = d->state;

	if (!r)
		r = &none;
	switch (daemon_states[s].moves[e]) {
	case MOVE_NONE:
	case MOVE_REFUSE:
		log_error("state %s: event %s refused", daemon_states[s].name,
			  daemon_event_name(e));
		return;
	case MOVE_IGNORE:
		return;
	case MOVE_DECIDE:
		decide(d);
		return;
	case MOVE_RESULT:
		daemon_go(d, STATE_IDLE);
		daemon_take(d, s, r);
		return;
	case MOVE_TROUBLE:
		daemon_go(d, STATE_IDLE);
		daemon_trouble(d, s, r);
		return;
	case MOVE_FAULT:
		daemon_go(d, STATE_IDLE);
		daemon_fail(d, r->text, false);
		return;
	case MOVE_RETRY:
		daemon_later(d, r->text);
		return;
	case MOVE_REPORT:
		report_overdue(d);
		return;
	case MOVE_STOP:
		stop(d);
		return;
	}
}

/* ---- requests ------------------------------------------------------------ */

static void answered(struct daemon *d, const struct kube_answer *ans, struct str why)
{
	const struct daemon_result r = { .rc = ans->rc, .text = why, .body = ans->body };

	daemon_happens(d,
		       ans->rc == 0		  ? EVENT_DONE
		       : ans->rc == -ERR_NOTFOUND ? EVENT_NOT_FOUND
						  : EVENT_UNREACHABLE,
		       &r);
}

static void on_got(struct kube_call *c, const struct kube_answer *ans)
{
	answered(c->ctx, ans, ans->message);
}

void daemon_get(struct daemon *d, enum daemon_state s, struct str path)
{
	daemon_go(d, s);
	d->call = (struct kube_call){ .method = "GET", .path = path, .done = on_got, .ctx = d };
	kube_start(d->kube, &d->call);
}

static void on_patched(struct kube_call *c, const struct kube_answer *ans)
{
	struct daemon *d = c->ctx;

	if (ans->rc == 0)
		kube_cache_put(d->caches.nodes, ans->body);
	answered(d, ans,
		 ans->rc == 0 ? S("")
			      : str_fmt(&d->turn, "unable to update node \"%.*s\": %.*s",
					STRF(d->name), STRF(ans->message)));
}

void daemon_patch_node(struct daemon *d, enum daemon_state s, const struct daemon_pair *pairs,
		       size_t n)
{
	static const struct daemon_result done = { 0 };
	struct str body = daemon_patch(&d->turn, daemon_node(d), pairs, n);

	daemon_go(d, s);
	if (!body.n) {
		daemon_happens(d, EVENT_DONE, &done);
		return;
	}
	d->figures.state_at = clock_wall_s();
	d->call = (struct kube_call){ .method = "PATCH",
				      .path = str_fmt(&d->turn, PATH_CORE "nodes/%.*s",
						      STRF(d->name)),
				      .type = "application/strategic-merge-patch+json",
				      .body = body,
				      .done = on_patched,
				      .ctx = d };
	kube_start(d->writer, &d->call);
}

void daemon_loop_init(struct daemon *d)
{
	d->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = d };
	d->overdue = (struct source){ .fd = -1, .ready = on_overdue, .ctx = d };
	loop_add(d->loop, &d->timer);
	loop_add(d->loop, &d->overdue);
	daemon_go(d, STATE_STARTING);
}
