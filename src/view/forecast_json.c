/*
 * The forecast of a pool as JSON, for `mcoctl diff -o json`.
 */
#include "view/forecast_text.h"

#include "view/update_text.h"

static struct json *text_or_null(struct arena *a, struct str s)
{
	return s.n ? json_new_str(a, s) : json_new(a, JSON_NULL);
}

static struct json *number_or_null(struct arena *a, bool known, int64_t n)
{
	return known ? json_new_i64(a, n) : json_new(a, JSON_NULL);
}

/* The actions of its nodes; none when no node updates. */
static void add_actions(struct arena *a, struct json *j, const struct forecast *f)
{
	bool happens = f->plan && !f->render_error.n && !f->waits.n && !f->refused.n;

	json_set(j, S("actions"), happens ? update_plan_json(a, f->plan) : json_new(a, JSON_ARRAY));
	json_set(j, S("reboot"), json_new_bool(a, forecast_reboots(f)));
	json_set(j, S("drain"), json_new_bool(a, forecast_drains(f)));
	if (f->plan && forecast_drains(f))
		json_set(j, S("drainReason"), json_new_str(a, f->plan->drain_reason));
}

struct json *forecast_json(struct arena *a, const struct forecast *f)
{
	const struct forecast_nodes *n = &f->nodes;
	struct json *j = json_new(a, JSON_OBJECT);

	json_add(j, S("pool"), json_new_str(a, f->pool));
	json_add(j, S("from"), json_new_str(a, f->from_name));
	json_add(j, S("to"), json_new_str(a, f->to_name));
	if (f->partner.n)
		json_add(j, f->is_new ? S("nodesFrom") : S("nodesTo"), json_new_str(a, f->partner));
	if (f->layered.n)
		json_add(j, S("layeredBy"), json_new_str(a, f->layered));
	if (f->plan)
		json_add(j, S("changes"), update_changes_json(a, &f->plan->changes));
	add_actions(a, j, f);
	if (f->irreconcilable)
		json_add(j, S("irreconcilable"), json_new_str(a, f->refused));
	json_add(j, S("refused"), text_or_null(a, f->refused));
	json_add(j, S("renderError"), text_or_null(a, f->render_error));
	if (f->failed_before)
		json_add(j, S("failedBefore"), json_new_bool(a, true));
	json_add(j, S("waits"), text_or_null(a, f->waits));
	if (f->culprit.n)
		json_add(j, S("culprit"), json_new_str(a, f->culprit));
	json_add(j, S("paused"), json_new_bool(a, n->paused));
	json_add(j, S("nodes"), number_or_null(a, n->known, (int64_t)n->n));
	json_add(j, S("maxUnavailable"), number_or_null(a, n->max > 0, n->max));
	if (n->max_error.n)
		json_add(j, S("maxUnavailableError"), json_new_str(a, n->max_error));
	json_add(j, S("headline"), json_new_str(a, forecast_headline(a, f)));
	return j;
}
