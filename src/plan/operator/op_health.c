/*
 * The health of a cluster that may have no ClusterOperators: conditions in the status of the
 * operator's own Deployment.
 *
 * Unlike upstream's ClusterOperator, Available is False until the first sync is complete. The message
 * of Available has the release that was deployed last, so it also tells whether a sync is an upgrade.
 * The patch is strategic: the Deployment's controller keeps its conditions and ours.
 */
#include "mc/api.h"
#include "op_status.h"

#define PATH PATH_APPS "namespaces/" NS_MCO "/deployments/" NAME_OPERATOR "/status"
#define DEPLOYING S("Deploying")

enum { AVAILABLE, PROGRESSING, DEGRADED, HEALTH };

struct health {
	struct arena *a;
	const struct operator_view *in;
	const struct operator_outcome *o;
	const struct condition *was[HEALTH]; /* NULL: none yet */
	bool ours; /* this release is deployed */
};

static struct condition health_available(struct health *h)
{
	struct str text = str_fmt(h->a, "Cluster has deployed %.*s", STRF(h->in->release));
	const struct condition *was = h->was[AVAILABLE];

	h->ours = was && str_eq(was->status, CONDITION_TRUE) && str_eq(was->message, text);
	if (h->o->pass == OPERATOR_PASS_DONE) {
		h->ours = true;
		return (struct condition){ .status = CONDITION_TRUE,
					   .reason = OP_AS_EXPECTED,
					   .message = text };
	}
	return was ? *was
		   : (struct condition){ .status = CONDITION_FALSE,
					 .reason = DEPLOYING,
					 .message = S("") };
}

/* While a failed step is retried its texts stay: a change would start the next pass at once. */
static bool is_retried(const struct health *h)
{
	const struct condition *was = h->was[PROGRESSING];

	return h->o->pass == OPERATOR_PASS_GOES_ON && was && str_eq(was->status, CONDITION_TRUE) &&
	       str_find(was->message, h->in->release) >= 0 &&
	       !op_outlived(h->was[DEGRADED], h->o->at);
}

static struct condition health_progressing(const struct health *h)
{
	bool waits = h->o->pass == OPERATOR_PASS_WAITS, failed = h->o->pass == OPERATOR_PASS_FAILED;

	if (h->ours)
		return (struct condition){
			.status = CONDITION_FALSE,
			.reason = OP_AS_EXPECTED,
			.message = str_fmt(h->a, "Cluster version is %.*s", STRF(h->in->release)),
		};
	if (is_retried(h))
		return *h->was[PROGRESSING];
	return (struct condition){
		.status = CONDITION_TRUE,
		.reason = DEPLOYING,
		.message = str_fmt(
			h->a, "%s %.*s%s%.*s", failed ? "Unable to apply" : "Working towards",
			STRF(h->in->release), waits ? ": " : "", STRF(waits ? h->o->text : S(""))),
	};
}

static struct condition health_failed(const struct health *h, enum operator_step at,
				      struct str error)
{
	return (struct condition){
		.status = CONDITION_TRUE,
		.reason = str_fmt(h->a, "%sFailed", operator_step_name(at)),
		.message = str_fmt(h->a,
				   h->ours ? "Failed to resync %.*s because: %.*s"
					   : "Unable to apply %.*s: %.*s",
				   STRF(h->in->release), STRF(error)),
	};
}

static struct condition health_degraded(const struct health *h)
{
	const struct condition *was = h->was[DEGRADED];

	if (h->o->pass == OPERATOR_PASS_FAILED)
		return health_failed(h, h->o->at, h->o->text);
	if (h->o->pass == OPERATOR_PASS_WAITS && h->o->held.n)
		return health_failed(h, OPERATOR_MACHINE_CONFIGURATION, h->o->held);
	if (h->o->held.n && was)
		return *was;
	if (was && h->o->pass != OPERATOR_PASS_DONE && !op_outlived(was, h->o->at))
		return *was;
	return (struct condition){ .status = CONDITION_FALSE,
				   .reason = OP_AS_EXPECTED,
				   .message = S("") };
}

/* Adds the condition to the patch unless it is there. */
static void add_change(const struct health *h, unsigned i, struct str type, struct condition c,
		       struct json *list)
{
	const struct condition *was = h->was[i];
	struct str now = condition_time(h->a, h->in->now);
	bool same = was && str_eq(was->status, c.status);
	struct json *j;

	if (same && str_eq(was->reason, c.reason) && str_eq(was->message, c.message))
		return;
	j = json_new(h->a, JSON_OBJECT);
	json_add_str(h->a, j, "type", type);
	json_add_str(h->a, j, "status", c.status);
	json_add_str(h->a, j, "reason", c.reason);
	json_add_str(h->a, j, "message", c.message);
	json_add_str(h->a, j, "lastTransitionTime", same ? was->time : now);
	json_add_str(h->a, j, "lastUpdateTime", now);
	json_push(list, j);
}

void operator_health(struct arena *a, const struct operator_view *in,
		     const struct operator_outcome *o, struct actions *out)
{
	const struct str types[HEALTH] = { S("MachineConfigAvailable"),
					   S("MachineConfigProgressing"),
					   S("MachineConfigDegraded") };
	struct health h = { .a = a, .in = in, .o = o };
	struct json *patch = json_new(a, JSON_OBJECT), *list = json_new(a, JSON_ARRAY);
	const struct json *live = in->get(in, OPERATOR_DEPLOYMENTS, S(NAME_OPERATOR));
	struct conditions all;

	if (!in->standalone || !live)
		return;
	all = conditions_of(a, json_at(live, "status.conditions"));
	for (unsigned i = 0; i < HEALTH; i++)
		h.was[i] = conditions_find(&all, types[i]);
	add_change(&h, AVAILABLE, types[AVAILABLE], health_available(&h), list);
	add_change(&h, PROGRESSING, types[PROGRESSING], health_progressing(&h), list);
	add_change(&h, DEGRADED, types[DEGRADED], health_degraded(&h), list);
	if (!json_len(list))
		return;
	json_add(json_make(a, patch, "status"), S("conditions"), list);
	(void)action_add(a, out, ACTION_STRATEGIC, S(PATH), json_format(a, patch, 0),
			 S("the health changed"));
}
