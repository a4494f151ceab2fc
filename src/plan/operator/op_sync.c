/*
 * A pass of the operator: the steps in upstream's order, up to the first that is not at rest.
 *
 * A pass has the requests of one step or those of the ClusterOperator's status, never both unless
 * the step failed: so the caller knows what a failed request was for. Requests that may fail
 * (ACTION_LATER) run beside them. Every pass starts at the
 * first step; while a step waits, the steps before it still undo changes.
 */
#include "op_sync.h"

#include "op_status.h"

/* Appends the actions of more after all that are there. go_on: those after them run, too, when one
 * fails. */
static void append(struct arena *a, struct actions *to, const struct actions *more, bool go_on)
{
	unsigned base;

	actions_step(to);
	base = to->step;
	for (size_t i = 0; i < more->n; i++) {
		struct action act = more->v[i];

		act.step += base;
		if (go_on && act.fail == ACTION_STOP)
			act.fail = ACTION_GO_ON;
		to->step = act.step;
		VEC_PUSH(a, to, act);
	}
}

/* The text of a wait past its deadline. */
static int expired(const struct operator_wait *w, struct err *err)
{
	if (!w->why.n)
		return err_set(err, ERR_AGAIN, "%.*s: context deadline exceeded", STRF(w->what));
	return err_set(err, ERR_AGAIN, "%.*s: [context deadline exceeded, %.*s]", STRF(w->what),
		       STRF(w->why));
}

/* Whether the wait of a step is past its deadline; then the next one begins anew. */
static bool is_late(const struct operator_view *in, struct operator_memory *m,
		    enum operator_step step, int64_t was_for, struct operator_result *res)
{
	const struct operator_wait *w = &res->wait;
	int64_t *since = &m->waits_since[step];

	if (!*since || m->waits_for[step] != was_for)
		*since = in->clock_ms;
	res->again_ms = w->limit_ms - (in->clock_ms - *since);
	if (res->again_ms > 0)
		return false;
	res->again_ms = 0;
	*since = 0;
	return true;
}

/* In bring-up upstream's RenderConfig waits for the first kinds to be served; later its caches do. A
 * pass without the pools would take every MachineConfigNode out of its pool. */
static bool is_served(const struct operator_view *in)
{
	return in->served(in, OPERATOR_CONTROLLER_CONFIGS) && in->served(in, OPERATOR_POOLS);
}

/* Whether the step has a request that later steps must wait for. */
static bool is_busy(const struct actions *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (action_is_request(list->v[i].kind) && list->v[i].fail != ACTION_LATER)
			return true;
	return false;
}

/* Runs one step. True when the pass ends with it: *o says how. While RequiredPools waits, an error of
 * MachineConfiguration does not end the pass, as in upstream's loop there. */
static bool run_step(operator_step_run *run, struct arena *a, const struct operator_view *in,
		     struct operator_memory *m, struct operator_render *r,
		     struct operator_result *res, struct operator_outcome *o, struct err *err)
{
	int64_t was_for = m->waits_for[o->at];
	int rc;

	if (o->at == OPERATOR_RENDER_CONFIG && !is_served(in)) {
		res->wait = (struct operator_wait){ .on = true, .limit_ms = INT64_MAX };
		return true;
	}
	rc = run(a, in, m, r, res, err);
	if (rc == 0 && is_busy(&res->actions))
		return true;
	if (rc == 0 && res->wait.on) {
		if (!is_late(in, m, o->at, was_for, res)) {
			if (o->at == OPERATOR_REQUIRED_POOLS) {
				o->pass = OPERATOR_PASS_WAITS;
				o->text = res->wait.why;
			}
			return true;
		}
		rc = expired(&res->wait, err);
		if (o->at == OPERATOR_CONTROLLER) /* the next sync marks no rotation */
			m->ca_rotated = false;
	} else {
		m->waits_since[o->at] = 0;
	}
	if (rc < 0 && o->at == OPERATOR_MACHINE_CONFIGURATION &&
	    m->waits_since[OPERATOR_REQUIRED_POOLS]) {
		o->held = err->msg;
		return false;
	}
	if (rc < 0) {
		res->wait.on = false;
		o->pass = OPERATOR_PASS_FAILED;
		o->text = err->msg;
		if (o->at == OPERATOR_DAEMON && r->spec)
			operator_safety_config(a, in, m, r, res);
	}
	return rc < 0;
}

/* Waits of later steps begin anew, as in upstream's next sync. */
static void forget_later(struct operator_memory *m, enum operator_step at)
{
	for (unsigned i = at + 1; i < OPERATOR_STEPS; i++)
		m->waits_since[i] = 0;
}

/* The wait of RequiredPools is over: the error that it held back is that of the pass. */
static void end_held(struct operator_outcome *o, struct err *err)
{
	if (!o->held.n || o->pass != OPERATOR_PASS_DONE)
		return;
	*o = (struct operator_outcome){ OPERATOR_PASS_FAILED, OPERATOR_MACHINE_CONFIGURATION,
					o->held, S("") };
	(void)err_set(err, ERR_AGAIN, "%.*s", STRF(o->text));
}

/* Adds the status that the outcome makes due. */
static void add_status(struct arena *a, const struct operator_view *in,
		       const struct operator_outcome *o, const struct actions *step,
		       struct operator_result *out)
{
	bool failed = o->pass == OPERATOR_PASS_FAILED;
	struct actions status = { 0 };

	operator_status(a, in, o, &status);
	operator_health(a, in, o, &status);
	out->status = actions_request(&status);
	/* a status in mid-sync comes before the step's requests, which the next pass has again */
	if (failed || !out->status)
		append(a, &out->actions, step, failed);
	append(a, &out->actions, &status, false);
}

static void sooner(struct operator_result *out, const struct operator_result *res)
{
	if (res->again_ms && (!out->again_ms || res->again_ms < out->again_ms))
		out->again_ms = res->again_ms;
}

int operator_pass_over(operator_step_run *const steps[OPERATOR_STEPS], struct arena *a,
		       const struct operator_view *in, struct operator_memory *m,
		       struct operator_result *out, struct err *err)
{
	struct operator_outcome o = { .pass = OPERATOR_PASS_DONE };
	struct operator_render render = { 0 };
	struct operator_result res = { 0 };
	struct actions silent = { 0 }; /* log lines and events of steps that are at rest */

	*out = (struct operator_result){ 0 };
	operator_status_begin(a, in, m, &out->actions);
	out->status = actions_request(&out->actions);
	if (out->status)
		return 0;
	for (unsigned i = 0; i < OPERATOR_STEPS && o.pass == OPERATOR_PASS_DONE; i++) {
		if (!steps[i])
			continue;
		o.pass = OPERATOR_PASS_GOES_ON;
		o.at = (enum operator_step)i;
		res = (struct operator_result){ 0 };
		if (run_step(steps[i], a, in, m, &render, &res, &o, err))
			break;
		o.pass = OPERATOR_PASS_DONE;
		append(a, &silent, &res.actions, false);
		sooner(out, &res);
		res = (struct operator_result){ 0 };
	}
	end_held(&o, err);
	if (res.wait.on || o.pass == OPERATOR_PASS_FAILED)
		forget_later(m, o.at);
	sooner(out, &res);
	append(a, &out->actions, &silent, false);
	out->at = o.at;
	out->wait = res.wait;
	out->done = o.pass == OPERATOR_PASS_DONE;
	add_status(a, in, &o, &res.actions, out);
	return o.pass == OPERATOR_PASS_FAILED ? -(int)err->code : 0;
}

void operator_pass_failed(struct arena *a, const struct operator_view *in, enum operator_step at,
			  struct str error, struct actions *out)
{
	struct operator_outcome o = { .pass = OPERATOR_PASS_FAILED, .at = at, .text = error };

	operator_status(a, in, &o, out);
	operator_health(a, in, &o, out);
}
