/*
 * The drain of a node, as a state machine.
 *
 * One attempt: cordon (up to five requests with growing delays), find the pods, evict
 * them. A failed attempt is repeated after one minute, after five once the drain has
 * taken ten. Disruption budgets are respected without a time limit: nothing is ever
 * deleted by force.
 *
 * Each step is reported in the node's MachineConfigNode (drain_report.c).
 */
#include "drain_parts.h"

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

static void begin(struct drain *d, struct str wish)
{
	if (str_eq(d->wish, wish) && d->wish.p)
		return;
	d->next = 0;
	drain_rest(d);
	arena_free(&d->kept);
	d->wish = str_dup(&d->kept, wish);
}

/* ---- uncordon ------------------------------------------------------------ */

static int uncordon(struct arena *a, const struct drain_view *in, struct drain *d,
		    struct actions *out, struct err *err)
{
	struct drain_step s = { .phase = "UpdateComplete",
				.step = "Uncordoned",
				.parent_status = CONDITION_TRUE,
				.child_status = CONDITION_TRUE,
				.parent_text = "Uncordoned Node as part of "
					       "completing upgrade phase" };
	const char *was = drain_boolean(d->was_unschedulable);
	enum drain_outcome o = drain_set_cordon(a, in, d, false, out);
	struct str why;

	if (o == DRAIN_GOING_ON || drain_ask_mcn(a, in, d, out))
		return 0;
	if (o == DRAIN_DONE) {
		s.child_text = str_fmt(a,
				       "UnCordoned node. The node is reporting "
				       "Unschedulable = %s",
				       was);
		drain_report(a, in, d, &s, out);
		drain_fulfil(a, in, d, S("uncordon"), out);
		return 0;
	}
	why = drain_cordon_error(a, in, d, false);
	s.parent_status = s.child_status = CONDITION_UNKNOWN;
	s.parent_text = "Failed to Uncordon Node as part of completing upgrade phase";
	s.child_text = str_fmt(a,
			       "Error: Failed to UnCordon node. Error is: %.*s "
			       "The node is reporting Unschedulable = %s",
			       STRF(why), was);
	drain_report(a, in, d, &s, out);
	drain_rest(d);
	return err_set(err, ERR_AGAIN, "failed to uncordon node %.*s: %.*s", STRF(in->node->name),
		       STRF(why));
}

/* ---- drain --------------------------------------------------------------- */

/* Cordons, or continues when the node is cordoned. */
static void cordon(struct arena *a, const struct drain_view *in, struct drain *d,
		   struct actions *out)
{
	enum drain_outcome o = drain_set_cordon(a, in, d, true, out);

	if (o == DRAIN_GOING_ON || drain_ask_mcn(a, in, d, out))
		return;
	if (o == DRAIN_FAILED) {
		drain_cordon_failed(a, in, d, out);
		return;
	}
	drain_is_cordoned(a, in, d, out);
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
		drain_alarm_if_late(a, in, d, out);
		d->phase = !d->cordoned || !in->node->unschedulable ? DRAIN_CORDON : DRAIN_BEGIN;
	}
	if (d->phase == DRAIN_CORDON)
		cordon(a, in, d, out);
	if (d->phase == DRAIN_BEGIN && !drain_ask_mcn(a, in, d, out))
		drain_start(a, in, d, out);
	if (d->phase == DRAIN_LIST || d->phase == DRAIN_SORT || d->phase == DRAIN_EVICT)
		empty(a, in, d, out);
	if (d->phase != DRAIN_END || drain_ask_mcn(a, in, d, out))
		return;
	if (d->failure.n)
		drain_failed(a, in, d, out);
	else
		drain_succeeded(a, in, d, out);
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
		drain_mcn_answered(d, answer);
	} else if (tag == DRAIN_TAG_CORDON) {
		d->patching = false;
		d->refused = answer->status != 200;
		if (d->refused)
			d->refusal = str_dup(&d->a, answer->message);
	} else if (tag >= DRAIN_TAG_POD && tag - DRAIN_TAG_POD < d->n_pods) {
		drain_pod_reply(d, &d->pods[tag - DRAIN_TAG_POD], now, answer);
	}
}
