/*
 * The writes of the ClusterOperator and its Events.
 *
 * Without a difference there is no write, and without a write no Event, except for the announcement
 * of a version change, which memory holds back after the first.
 */
#include "op_status.h"

#include "mc/object.h"

#define NAME "machine-config"
#define PATH PATH_CONFIG "clusteroperators"

static void put(struct arena *a, const struct json *live, struct json *status, struct str reason,
		struct actions *out)
{
	struct json *j = json_clone(a, live);

	json_set(j, S("status"), status);
	(void)action_add(a, out, ACTION_REPLACE, S(PATH "/" NAME "/status"), json_format(a, j, 0),
			 reason);
	actions_step(out);
}

/* Upstream's Events name neither kind nor apiVersion. */
static void event(struct arena *a, const struct json *live, struct str reason, bool warning,
		  struct str message, struct actions *out)
{
	struct action_event about = { .name = S(NAME),
				      .uid = json_str(live, "metadata.uid"),
				      .reason = reason,
				      .warning = warning };

	(void)action_event(a, out, about, message);
}

static void announce(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		     const struct json *live, struct actions *out)
{
	const struct json *old = json_at(live, "status.versions");
	struct conditions list = conditions_of(a, json_at(live, "status.conditions"));
	struct str to = op_versions_text(a, op_versions(a, in));
	bool ours = op_versions_ours(in, old), said = m->announced;
	struct str text = S("");

	m->announced = !ours || in->bring_up;
	if (said || !m->announced)
		return;
	if (ours)
		text = str_fmt(a, "clusteroperator/" NAME " is bootstrapping to %.*s", STRF(to));
	else if (!conditions_true(&list, "Progressing"))
		text = str_fmt(
			a, "clusteroperator/" NAME " started a version change from %.*s to %.*s",
			STRF(op_versions_text(a, old)), STRF(to));
	if (text.n)
		event(a, live, S("OperatorVersionChanged"), false, text, out);
}

void operator_status_begin(struct arena *a, const struct operator_view *in,
			   struct operator_memory *m, struct actions *out)
{
	const struct json *live;

	if (!in->served(in, OPERATOR_CLUSTER_OPERATORS))
		return;
	live = in->get(in, OPERATOR_CLUSTER_OPERATORS, S(NAME));
	if (!live)
		(void)action_add(a, out, ACTION_CREATE, S(PATH),
				 S("{\"apiVersion\":\"" API_CONFIG
				   "\",\"kind\":\"ClusterOperator\","
				   "\"metadata\":{\"name\":\"" NAME "\"},\"spec\":{}}"),
				 S("ClusterOperator does not exist"));
	else if (!json_len(json_at(live, "status.conditions")) &&
		 !json_len(json_at(live, "status.versions")) &&
		 !json_len(json_at(live, "status.relatedObjects")))
		put(a, live, op_status_first(a, in), S("ClusterOperator is new"), out);
	else
		announce(a, in, m, live, out);
}

static struct str why_put(struct arena *a, const struct operator_outcome *o)
{
	const char *step = operator_step_name(o->at);

	switch (o->pass) {
	case OPERATOR_PASS_GOES_ON:
		return S("a failed step succeeds");
	case OPERATOR_PASS_WAITS:
		return str_fmt(a, "%s: %.*s", step, STRF(o->text));
	case OPERATOR_PASS_FAILED:
		return str_fmt(a, "%sFailed: %.*s", step, STRF(o->text));
	case OPERATOR_PASS_DONE:
		break;
	}
	return S("the sync is complete");
}

void operator_status(struct arena *a, const struct operator_view *in,
		     const struct operator_outcome *o, struct actions *out)
{
	const struct json *live, *old;
	const struct condition *was, *is;
	struct conditions before, after;
	struct json *status;

	if (!in->served(in, OPERATOR_CLUSTER_OPERATORS))
		return;
	live = in->get(in, OPERATOR_CLUSTER_OPERATORS, S(NAME));
	old = json_at(live, "status");
	if (!live)
		return;
	status = operator_status_next(a, in, old, o);
	if (json_eq(old, status))
		return;
	put(a, live, status, why_put(a, o), out);
	before = conditions_of(a, json_at(old, "conditions"));
	after = conditions_of(a, json_at(status, "conditions"));
	was = conditions_find(&before, OP_DEGRADED);
	is = conditions_find(&after, OP_DEGRADED);
	if ((o->pass == OPERATOR_PASS_FAILED || o->held.n) &&
	    (!was || !str_eq(was->reason, is->reason) || !str_eq(was->message, is->message)))
		event(a, live, str_fmt(a, "OperatorDegraded: %.*s", STRF(is->reason)), true,
		      is->message, out);
	if (!json_eq(json_at(old, "versions"), json_at(status, "versions")))
		event(a, live, S("OperatorVersionChanged"), false,
		      str_fmt(a, "clusteroperator/" NAME " version changed from %.*s to %.*s",
			      STRF(op_versions_text(a, json_at(old, "versions"))),
			      STRF(op_versions_text(a, json_at(status, "versions")))),
		      out);
}
