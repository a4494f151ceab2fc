/*
 * The steps of an attempt to drain: what each one reports, logs and waits for.
 *
 * A failed attempt is repeated after one minute, after five once the drain has taken ten.
 */
#include "drain_parts.h"

#define AGAIN_MS 60000
#define SLOW_AGAIN_MS 300000
#define SLOW_AFTER_MS 600000
#define ALARM_AFTER_MS 3600000

void drain_rest(struct drain *d)
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

void drain_fulfil(struct arena *a, const struct drain_view *in, struct drain *d, struct str verb,
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
	drain_rest(d);
}

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

void drain_alarm_if_late(struct arena *a, const struct drain_view *in, struct drain *d,
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

static struct drain_step executed(const char *step, const char *parent_text)
{
	return (struct drain_step){ .phase = "UpdateExecuted",
				    .step = step,
				    .parent_status = CONDITION_UNKNOWN,
				    .child_status = CONDITION_UNKNOWN,
				    .parent_text = parent_text };
}

void drain_is_cordoned(struct arena *a, const struct drain_view *in, struct drain *d,
		       struct actions *out)
{
	struct drain_step s = executed("Cordoned", "Cordoned Node as part of update "
						   "executed phase");

	d->cordoned = drain_ms(in->now);
	s.child_status = CONDITION_TRUE;
	s.child_text = str_fmt(a,
			       "Cordoned node. The node is reporting "
			       "Unschedulable = %s",
			       drain_boolean(d->was_unschedulable));
	drain_report(a, in, d, &s, out);
}

void drain_cordon_failed(struct arena *a, const struct drain_view *in, struct drain *d,
			 struct actions *out)
{
	struct drain_step s = executed("Cordoned", "Failed to Cordon Node as part of "
						   "In progress update phase");
	struct str why = drain_cordon_error(a, in, d, true);

	s.child_text = str_fmt(a,
			       "Error: Failed to Cordon node. Error is %.*s, "
			       "The node is reporting Unschedulable = %s",
			       STRF(why), drain_boolean(d->was_unschedulable));
	drain_report(a, in, d, &s, out);
	/* upstream stops here until the node changes again */
	d->next = drain_ms(in->now) + AGAIN_MS;
	d->held = false;
	action_log(a, out, "%.*s", STRF(why))->error = true;
	action_requeue(a, out, AGAIN_MS, S("cordon failed"));
	drain_rest(d);
}

static struct str until(struct arena *a, const struct knode *n)
{
	return str_fmt(a,
		       "The drain will not be complete until desired drainer "
		       "%.*s matches current drainer %.*s",
		       STRF(n->desired_drain), STRF(n->applied_drain));
}

void drain_start(struct arena *a, const struct drain_view *in, struct drain *d, struct actions *out)
{
	struct drain_step s = executed("Drained", "Draining Node as part of update "
						  "executed phase");

	action_log(a, out, "node %.*s: initiating drain", STRF(in->node->name));
	s.child_text = str_fmt(a, "Draining node. %.*s", STRF(until(a, in->node)));
	drain_report(a, in, d, &s, out);
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
	drain_rest(d);
	action_requeue(a, out, 0, S("uncordoned during the drain"));
}

void drain_failed(struct arena *a, const struct drain_view *in, struct drain *d,
		  struct actions *out)
{
	struct drain_step s = executed("Drained", "Node Drain has not succeeded");
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
	drain_report(a, in, d, &s, out);
	if (!in->node->unschedulable) {
		drain_again(a, in, d, out);
		return;
	}
	if (in->evict_ms)
		again = again * in->evict_ms / DRAIN_EVICT_MS;
	d->next = drain_ms(in->now) + again;
	d->held = true;
	action_requeue(a, out, again, S("the drain failed"));
	drain_rest(d);
}

void drain_succeeded(struct arena *a, const struct drain_view *in, struct drain *d,
		     struct actions *out)
{
	struct drain_step s = executed("Drained", "Drained Node as part of update "
						  "executed phase");

	s.child_status = CONDITION_TRUE;
	s.child_text = str_fmt(a,
			       "Drained node. The drain is complete as the "
			       "desired drainer matches current drainer: %.*s",
			       STRF(in->node->desired_drain));
	drain_report(a, in, d, &s, out);
	d->cordoned = 0;
	action_metric(a, out, "mcc_drain_err", &in->node->name, 1, 0)->kind = ACTION_UNMETRIC;
	if (in->node->unschedulable) {
		drain_fulfil(a, in, d, S("drain"), out);
		return;
	}
	drain_again(a, in, d, out);
}
