/*
 * Cordons and uncordons a node: up to five requests with growing delays.
 */
#include "drain_parts.h"

#define TRIES 5
#define TRY_MS 10000 /* doubled with every attempt */

const char *drain_boolean(bool b)
{
	return b ? "true" : "false";
}

struct str drain_cordon_error(struct arena *a, const struct drain_view *in, const struct drain *d,
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
			   STRF(in->node->name), want ? "cordon" : "uncordon",
			   drain_boolean(!want));
	d->succeeded = true;
}

enum drain_outcome drain_set_cordon(struct arena *a, const struct drain_view *in, struct drain *d,
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
		   STRF(in->node->name), verb, drain_boolean(want));
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
