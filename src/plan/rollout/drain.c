/*
 * The drain of a node, as a state machine.
 *
 * One attempt: cordon (up to five requests with growing delays), find the pods, evict
 * them. A failed attempt is repeated after one minute, after five once the drain has
 * taken ten. Disruption budgets are respected without a time limit: nothing is ever
 * deleted by force.
 *
 * Each step is reported in the node's MachineConfigNode. A report carries all of its
 * conditions, including those that the node's daemon writes, so it is read before each
 * report and used once. Only if a report creates it, the next one continues from the
 * answer: a server ignores the status of a new object.
 */
#include "plan/drain.h"

#define TRIES 5
#define TRY_MS 10000 /* doubled with every attempt */
#define AGAIN_MS 60000
#define SLOW_AGAIN_MS 300000
#define SLOW_AFTER_MS 600000
#define ALARM_AFTER_MS 3600000

void drain_free(struct drain *d)
{
	arena_free(&d->a);
	arena_free(&d->mcn_arena);
	arena_free(&d->kept);
	*d = DRAIN_INIT;
}

bool drain_wants_pods(const struct drain *d)
{
	switch (d->phase) {
	case DRAIN_IDLE:
	case DRAIN_CORDON:
	case DRAIN_BEGIN:
		return false;
	case DRAIN_LIST:
	case DRAIN_SORT:
	case DRAIN_EVICT:
	case DRAIN_END:
		return true;
	}
	return false;
}

/* Resets the attempt, but not the duration of the drain. */
static void rest(struct drain *d)
{
	struct drain fresh = { .kept = d->kept,
			       .wish = d->wish,
			       .cordoned = d->cordoned,
			       .attempt = d->attempt + 1,
			       .next = d->next,
			       .held = d->held };

	arena_free(&d->a);
	arena_free(&d->mcn_arena);
	*d = fresh;
}

static void begin(struct drain *d, struct str wish)
{
	if (str_eq(d->wish, wish) && d->wish.p)
		return;
	d->next = 0;
	rest(d);
	arena_free(&d->kept);
	d->wish = str_dup(&d->kept, wish);
}

/* ---- reports ------------------------------------------------------------- */

struct step {
	const char *phase, *step; /* "UpdateExecuted", "Drained" */
	struct str parent_status, child_status;
	const char *parent_text;
	struct str child_text;
};

/* True when the caller has to wait for it. */
static bool ask_mcn(struct arena *a, const struct drain_view *in, struct drain *d,
		    struct actions *out)
{
	if (d->mcn_known)
		return false;
	if (!d->mcn_asked)
		action_add(a, out, ACTION_GET, action_path(a, "machineconfignodes", in->node->name),
			   S(""), S("read it to report progress"))
			->tag = drain_tag(d, DRAIN_TAG_MCN);
	d->mcn_asked = true;
	return true;
}

static void mcn_answered(struct drain *d, const struct drain_answer *answer)
{
	/* as upstream: any failure counts as "there is none" */
	d->mcn_known = true;
	if (answer->status == 200)
		d->mcn = str_dup(&d->mcn_arena, answer->body);
}

static void forget_mcn(struct drain *d)
{
	arena_free(&d->mcn_arena);
	d->mcn = S("");
	d->mcn_asked = d->mcn_known = false;
}

static void report(struct arena *a, const struct drain_view *in, struct drain *d,
		   const struct step *s, struct actions *out)
{
	struct mcn_in mcn = {
		.node = in->node, .pool = in->pool, .now = in->now, .image_mode = in->image_mode
	};
	struct mcn_report r = {
		.parent = { .type = str_of(s->phase),
			    .status = s->parent_status,
			    .reason = str_of(s->step),
			    .message = str_of(s->parent_text) },
		.child = { .type = str_of(s->step),
			   .status = s->child_status,
			   .reason = str_fmt(a, "%s%s", s->phase, s->step),
			   .message = s->child_text },
	};
	struct json *after = NULL, *body, *now = NULL;
	struct err err = ERR_INIT(a);
	bool create;
	struct action *act;

	/* the body is sent after the arena is freed */
	if (d->mcn.n)
		(void)json_parse(a, str_dup(a, d->mcn), NULL, &now, &err);
	forget_mcn(d);
	mcn.mcn = now;
	body = mcn_report(a, &mcn, &r, &create, &after);
	if (!body)
		return;
	actions_step(out);
	if (create) {
		d->mcn = str_dup(&d->mcn_arena, json_format(a, after, 0));
		d->mcn_known = true;
	}
	if (create)
		act = action_add(a, out, ACTION_CREATE, S(PATH_MC "machineconfignodes"),
				 json_format(a, body, 0), str_of(s->parent_text));
	else
		act = action_add(a, out, ACTION_APPLY,
				 str_fmt(a,
					 PATH_MC "machineconfignodes/%.*s/status"
						 "?" FIELD_MANAGER "&force=true",
					 STRF(in->node->name)),
				 json_format(a, body, 0), str_of(s->parent_text));
	act->fail = ACTION_SHRUG;
	actions_step(out);
}

/* ---- cordon and uncordon ------------------------------------------------- */

static const char *boolean(bool b)
{
	return b ? "true" : "false";
}

static struct str cordon_error(struct arena *a, const struct drain_view *in, const struct drain *d,
			       bool want)
{
	struct str why = S("timed out waiting for the condition");

	if (d->refusal.n)
		why = str_fmt(a, "[%.*s, %.*s]", STRF(why), STRF(d->refusal));
	return str_fmt(a, "node %.*s: failed to %s (%d tries): %.*s", STRF(in->node->name),
		       want ? "cordon" : "uncordon", TRIES, STRF(why));
}

/* The node is in the required state; logged once, if it took a request. */
static void log_cordon(struct arena *a, const struct drain_view *in, struct drain *d, bool want,
		       struct actions *out)
{
	if (d->tries && !d->succeeded)
		action_log(a, out,
			   "node %.*s: %s succeeded (currently schedulable: "
			   "%s)",
			   STRF(in->node->name), want ? "cordon" : "uncordon", boolean(!want));
	d->succeeded = true;
}

/* DONE when the node is (un)schedulable as required, FAILED after five attempts. */
static enum drain_outcome set_cordon(struct arena *a, const struct drain_view *in, struct drain *d,
				     bool want, struct actions *out)
{
	const char *verb = want ? "cordon" : "uncordon";
	int64_t now = drain_ms(in->now);
	struct json *patch;

	if (in->node->unschedulable == want) {
		log_cordon(a, in, d, want, out);
		return DRAIN_DONE;
	}
	if (d->patching)
		return DRAIN_GOING_ON;
	if (d->refused)
		action_log(a, out, "node %.*s: %s failed with: %.*s, retrying",
			   STRF(in->node->name), verb, STRF(d->refusal))
			->warning = true;
	d->refused = false;
	if (now < d->try_at) {
		action_requeue(a, out, d->try_at - now,
			       want ? S("cordon again") : S("uncordon again"));
		return DRAIN_GOING_ON;
	}
	if (d->tries == TRIES)
		return DRAIN_FAILED;
	if (!d->tries)
		action_log(a, out, "node %.*s: %sing", STRF(in->node->name), verb);
	action_log(a, out, "node %.*s: initiating %s (currently schedulable: %s)",
		   STRF(in->node->name), verb, boolean(want));
	patch = json_new(a, JSON_OBJECT);
	json_add(json_make(a, patch, "spec"), S("unschedulable"),
		 want ? json_new_bool(a, true) : json_new(a, JSON_NULL));
	d->patching = true;
	/* there is no wait after the last one */
	d->try_at = d->tries == TRIES - 1 ? 0 : now + ((int64_t)TRY_MS << d->tries);
	d->tries++;
	action_add(a, out, ACTION_STRATEGIC, action_knode_path(a, in->node->name),
		   json_format(a, patch, 0), str_fmt(a, "%s: %.*s", verb, STRF(d->wish)));
	out->v[out->n - 1].tag = drain_tag(d, DRAIN_TAG_CORDON);
	out->v[out->n - 1].fail = ACTION_SHRUG;
	action_requeue(a, out, TRY_MS, S("check the result"));
	return DRAIN_GOING_ON;
}

/* The request is fulfilled: writes the node's annotation. */
static void fulfil(struct arena *a, const struct drain_view *in, struct drain *d, struct str verb,
		   struct actions *out)
{
	struct action *act;
	struct json *patch = json_new(a, JSON_OBJECT);

	json_add_opt(a, json_make(a, patch, "metadata.annotations"), ANNO_APPLIED_DRAIN,
		     in->node->desired_drain);
	actions_step(out);
	action_log(a, out,
		   "node %.*s: operation successful; applying completion "
		   "annotation",
		   STRF(in->node->name));
	act = action_add(a, out, ACTION_STRATEGIC, action_knode_path(a, in->node->name),
			 json_format(a, patch, 0),
			 str_fmt(a, "%.*s is done", STRF(in->node->desired_drain)));
	act->wrap = str_fmt(a,
			    "node %.*s: failed to set node uncordoned "
			    "annotation",
			    STRF(in->node->name));
	action_state_metric(a, out, "drain", verb, in->node->name);
	d->cordoned = 0;
	rest(d);
}

static int uncordon(struct arena *a, const struct drain_view *in, struct drain *d,
		    struct actions *out, struct err *err)
{
	struct step s = { .phase = "UpdateComplete",
			  .step = "Uncordoned",
			  .parent_status = CONDITION_TRUE,
			  .child_status = CONDITION_TRUE,
			  .parent_text = "Uncordoned Node as part of "
					 "completing upgrade phase" };
	const char *was = boolean(d->was_unschedulable);
	enum drain_outcome o = set_cordon(a, in, d, false, out);
	struct str why;

	if (o == DRAIN_GOING_ON || ask_mcn(a, in, d, out))
		return 0;
	if (o == DRAIN_DONE) {
		s.child_text = str_fmt(a,
				       "UnCordoned node. The node is reporting "
				       "Unschedulable = %s",
				       was);
		report(a, in, d, &s, out);
		fulfil(a, in, d, S("uncordon"), out);
		return 0;
	}
	why = cordon_error(a, in, d, false);
	s.parent_status = s.child_status = CONDITION_UNKNOWN;
	s.parent_text = "Failed to Uncordon Node as part of completing upgrade phase";
	s.child_text = str_fmt(a,
			       "Error: Failed to UnCordon node. Error is: %.*s "
			       "The node is reporting Unschedulable = %s",
			       STRF(why), was);
	report(a, in, d, &s, out);
	rest(d);
	return err_set(err, ERR_AGAIN, "failed to uncordon node %.*s: %.*s", STRF(in->node->name),
		       STRF(why));
}

/* ---- drain --------------------------------------------------------------- */

static struct action_event about(const struct knode *n, struct str reason)
{
	return (struct action_event){ .api = S("v1"),
				      .kind = S("Node"),
				      .name = n->name,
				      .uid = n->uid,
				      .version = n->version,
				      .reason = reason,
				      .warning = true };
}

static void alarm_if_late(struct arena *a, const struct drain_view *in, struct drain *d,
			  struct actions *out)
{
	d->age = d->cordoned ? drain_ms(in->now) - d->cordoned : 0;
	if (d->cordoned)
		action_log(a, out,
			   "node %.*s: Previous node drain found. Drain has "
			   "been going on for %.3f hours",
			   STRF(in->node->name), (double)d->age / 3600000);
	if (d->cordoned && !in->node->unschedulable)
		action_log(a, out,
			   "External actor has unexpectedly uncordoned node "
			   "%.*s, cordoning again...",
			   STRF(in->node->name))
			->warning = true;
	if (d->age <= ALARM_AFTER_MS)
		return;
	action_log(a, out,
		   "node %.*s: drain exceeded timeout: 1h0m0s. Will continue "
		   "to retry.",
		   STRF(in->node->name))
		->error = true;
	action_event(a, out, about(in->node, S("DrainFailed")), out->v[out->n - 1].reason);
	action_metric(a, out, "mcc_drain_err", &in->node->name, 1, 1);
}

static struct step executed(const char *step, const char *parent_text)
{
	return (struct step){ .phase = "UpdateExecuted",
			      .step = step,
			      .parent_status = CONDITION_UNKNOWN,
			      .child_status = CONDITION_UNKNOWN,
			      .parent_text = parent_text };
}

static void cordoned(struct arena *a, const struct drain_view *in, struct drain *d,
		     struct actions *out)
{
	struct step s = executed("Cordoned", "Cordoned Node as part of update "
					     "executed phase");

	d->cordoned = drain_ms(in->now);
	s.child_status = CONDITION_TRUE;
	s.child_text = str_fmt(a,
			       "Cordoned node. The node is reporting "
			       "Unschedulable = %s",
			       boolean(d->was_unschedulable));
	report(a, in, d, &s, out);
}

static void not_cordoned(struct arena *a, const struct drain_view *in, struct drain *d,
			 struct actions *out)
{
	struct step s = executed("Cordoned", "Failed to Cordon Node as part of "
					     "In progress update phase");
	struct str why = cordon_error(a, in, d, true);

	s.child_text = str_fmt(a,
			       "Error: Failed to Cordon node. Error is %.*s, "
			       "The node is reporting Unschedulable = %s",
			       STRF(why), boolean(d->was_unschedulable));
	report(a, in, d, &s, out);
	/* upstream stops here until the node changes again */
	d->next = drain_ms(in->now) + AGAIN_MS;
	d->held = false;
	action_log(a, out, "%.*s", STRF(why))->error = true;
	action_requeue(a, out, AGAIN_MS, S("cordon failed"));
	rest(d);
}

static struct str until(struct arena *a, const struct knode *n)
{
	return str_fmt(a,
		       "The drain will not be complete until desired drainer "
		       "%.*s matches current drainer %.*s",
		       STRF(n->desired_drain), STRF(n->applied_drain));
}

static void start_draining(struct arena *a, const struct drain_view *in, struct drain *d,
			   struct actions *out)
{
	struct step s = executed("Drained", "Draining Node as part of update "
					    "executed phase");

	action_log(a, out, "node %.*s: initiating drain", STRF(in->node->name));
	s.child_text = str_fmt(a, "Draining node. %.*s", STRF(until(a, in->node)));
	report(a, in, d, &s, out);
	d->phase = DRAIN_LIST;
}

/*
 * The node was uncordoned during the attempt, and new pods may have come: cordon and
 * drain it again at once. Its event came during the attempt and is not repeated.
 */
static void drain_again(struct arena *a, const struct drain_view *in, struct drain *d,
			struct actions *out)
{
	action_log(a, out,
		   "node %.*s: externally uncordoned during drain, draining "
		   "again",
		   STRF(in->node->name));
	rest(d);
	action_requeue(a, out, 0, S("uncordoned during the drain"));
}

static void not_drained(struct arena *a, const struct drain_view *in, struct drain *d,
			struct actions *out)
{
	struct step s = executed("Drained", "Node Drain has not succeeded");
	struct str why = d->failure;
	bool slow = d->age > SLOW_AFTER_MS;
	int64_t again = slow ? SLOW_AGAIN_MS : AGAIN_MS;
	struct str text;

	if (slow)
		text = str_fmt(a,
			       "Drain failed. Drain has been failing for more "
			       "than 10 minutes. Waiting 5 minutes then "
			       "retrying. Error message from drain: %.*s",
			       STRF(why));
	else
		text = str_fmt(a,
			       "Drain failed. Waiting 1 minute then retrying. "
			       "Error message from drain: %.*s",
			       STRF(why));
	action_log(a, out, "node %.*s: %.*s", STRF(in->node->name), STRF(text))->warning = true;
	if (slow)
		action_event(a, out, about(in->node, S("DrainThresholdExceeded")), text);
	s.child_text = str_fmt(a,
			       "Error: Node Drain has not succeeded. Error is: "
			       "%.*s %.*s",
			       STRF(why), STRF(until(a, in->node)));
	report(a, in, d, &s, out);
	if (!in->node->unschedulable) {
		drain_again(a, in, d, out);
		return;
	}
	if (in->evict_ms)
		again = again * in->evict_ms / DRAIN_EVICT_MS;
	d->next = drain_ms(in->now) + again;
	d->held = true;
	action_requeue(a, out, again, S("the drain failed"));
	rest(d);
}

static void drained(struct arena *a, const struct drain_view *in, struct drain *d,
		    struct actions *out)
{
	struct step s = executed("Drained", "Drained Node as part of update "
					    "executed phase");

	s.child_status = CONDITION_TRUE;
	s.child_text = str_fmt(a,
			       "Drained node. The drain is complete as the "
			       "desired drainer matches current drainer: %.*s",
			       STRF(in->node->desired_drain));
	report(a, in, d, &s, out);
	d->cordoned = 0;
	action_metric(a, out, "mcc_drain_err", &in->node->name, 1, 0)->kind = ACTION_UNMETRIC;
	if (in->node->unschedulable) {
		fulfil(a, in, d, S("drain"), out);
		return;
	}
	drain_again(a, in, d, out);
}

/* Cordons, or continues when the node is cordoned. */
static void cordon(struct arena *a, const struct drain_view *in, struct drain *d,
		   struct actions *out)
{
	enum drain_outcome o = set_cordon(a, in, d, true, out);

	if (o == DRAIN_GOING_ON || ask_mcn(a, in, d, out))
		return;
	if (o == DRAIN_FAILED) {
		not_cordoned(a, in, d, out);
		return;
	}
	cordoned(a, in, d, out);
	d->phase = DRAIN_BEGIN;
}

/* Waits until the pods are deleted or the attempt fails. */
static void empty(struct arena *a, const struct drain_view *in, struct drain *d,
		  struct actions *out)
{
	enum drain_outcome o = DRAIN_GOING_ON;
	struct str why = S("");

	if (d->phase == DRAIN_LIST && in->pods_known) {
		drain_take_pods(d, in);
		d->phase = DRAIN_SORT;
	}
	if (d->phase == DRAIN_SORT)
		o = drain_sort_pods(a, d, out, &why);
	if (o == DRAIN_DONE)
		d->phase = DRAIN_EVICT;
	if (d->phase == DRAIN_EVICT)
		o = drain_evict_pods(a, d, in, out, &why);
	if (o == DRAIN_GOING_ON)
		return;
	d->phase = DRAIN_END;
	d->failure = str_dup(&d->a, why);
}

static void drain_node(struct arena *a, const struct drain_view *in, struct drain *d,
		       struct actions *out)
{
	if (d->phase == DRAIN_IDLE) {
		alarm_if_late(a, in, d, out);
		d->phase = !d->cordoned || !in->node->unschedulable ? DRAIN_CORDON : DRAIN_BEGIN;
	}
	if (d->phase == DRAIN_CORDON)
		cordon(a, in, d, out);
	if (d->phase == DRAIN_BEGIN && !ask_mcn(a, in, d, out))
		start_draining(a, in, d, out);
	if (d->phase == DRAIN_LIST || d->phase == DRAIN_SORT || d->phase == DRAIN_EVICT)
		empty(a, in, d, out);
	if (d->phase != DRAIN_END || ask_mcn(a, in, d, out))
		return;
	if (d->failure.n)
		not_drained(a, in, d, out);
	else
		drained(a, in, d, out);
}

int plan_drain(struct arena *a, const struct drain_view *in, struct drain *d, struct actions *out,
	       struct err *err)
{
	const struct knode *n = in->node;
	struct str verb = n->desired_drain, target;
	int64_t now = drain_ms(in->now);

	if (str_eq(n->desired_drain, n->applied_drain)) {
		drain_free(d);
		return 0;
	}
	begin(d, n->desired_drain);
	(void)str_cut(n->desired_drain, '-', &verb, &target);
	if (!str_is(verb, "drain") && !str_is(verb, "uncordon"))
		return err_set(err, ERR_INVALID,
			       "node %.*s: non-recognized drain verb detected "
			       "%.*s",
			       STRF(n->name), STRF(verb));
	/* unless the node was uncordoned, or cordoned for us, meanwhile */
	if (now < d->next && n->unschedulable == d->held) {
		action_requeue(a, out, d->next - now, S("a drain failed"));
		return 0;
	}
	d->next = 0;
	if (d->phase == DRAIN_IDLE && !d->tries)
		d->was_unschedulable = n->unschedulable;
	if (str_is(verb, "uncordon"))
		return uncordon(a, in, d, out, err);
	drain_node(a, in, d, out);
	return 0;
}

void drain_reply(struct drain *d, unsigned tag, struct instant now,
		 const struct drain_answer *answer)
{
	/* answer to a request of an earlier attempt */
	if (tag - tag % DRAIN_TAGS != drain_tag(d, 0))
		return;
	tag %= DRAIN_TAGS;
	if (tag == DRAIN_TAG_MCN && d->mcn_asked && !d->mcn_known) {
		mcn_answered(d, answer);
	} else if (tag == DRAIN_TAG_CORDON) {
		d->patching = false;
		d->refused = answer->status != 200;
		if (d->refused)
			d->refusal = str_dup(&d->a, answer->message);
	} else if (tag >= DRAIN_TAG_POD && tag - DRAIN_TAG_POD < d->n_pods) {
		drain_pod_reply(d, &d->pods[tag - DRAIN_TAG_POD], now, answer);
	}
}
