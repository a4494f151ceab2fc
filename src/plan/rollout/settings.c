/*
 * The status of MachineConfiguration while no operator runs.
 *
 * Writes only observedGeneration and the disruption policies: boot images and their skew
 * stay as the operator left them.
 */
#include "plan/settings.h"

#include "plan/update.h"

#define LEASE_S 137 /* the operator's default, where the lease has none */
#define LEASE_MAX_S 3600
#define POLL_MAX_MS 30000

bool settings_stale(const struct json *settings)
{
	return settings &&
	       (json_i64(settings, "metadata.generation", 0) !=
			json_i64(settings, "status.observedGeneration", 0) ||
		!json_at(settings, "status.nodeDisruptionPolicyStatus.clusterPolicies"));
}

/* How long the lease must be unchanged: a held lease has to expire first. */
static int64_t patience(const struct settings_view *in)
{
	int64_t lasts = json_i64(in->lease, "spec.leaseDurationSeconds", LEASE_S);

	if (!json_str(in->lease, "spec.holderIdentity").n)
		return in->wait_ms;
	if (lasts < 0 || lasts > LEASE_MAX_S)
		lasts = LEASE_MAX_S;
	return in->wait_ms + 1000 * lasts;
}

/* Milliseconds until no operator has led for wait_ms; 0 or less: none has. */
static int64_t leads_for(const struct settings_view *in)
{
	int64_t left = patience(in) - in->idle_ms, renewed;
	struct instant t;

	if (!in->lease)
		return 0;
	if (!rfc3339_parse(json_str(in->lease, "spec.renewTime"), &t))
		return left;
	renewed = 1000 * (t.sec - in->now.sec) + in->wait_ms;
	return renewed < left ? renewed : left;
}

struct json *settings_next(struct arena *a, const struct json *settings)
{
	struct json *j = json_clone(a, settings);
	struct json *status = json_make(a, j, "status");
	struct json *policies = json_make(a, status, "nodeDisruptionPolicyStatus");

	json_set(policies, S("clusterPolicies"), update_merged_policies(a, settings));
	json_set(status, S("observedGeneration"),
		 json_new_i64(a, json_i64(j, "metadata.generation", 0)));
	return j;
}

static void write(struct arena *a, const struct settings_view *in, struct actions *out)
{
	struct json *j = settings_next(a, in->settings);

	action_add(a, out, ACTION_REPLACE,
		   str_fmt(a, PATH_OPERATOR "machineconfigurations/%.*s/status",
			   STRF(json_str(j, "metadata.name"))),
		   json_format(a, j, 0), S("no operator wrote the status"));
}

void plan_settings(struct arena *a, const struct settings_view *in, struct actions *out)
{
	int64_t left = leads_for(in), poll = in->wait_ms / 4;

	if (!settings_stale(in->settings))
		return;
	if (left <= 0) {
		write(a, in, out);
		return;
	}
	if (poll > POLL_MAX_MS)
		poll = POLL_MAX_MS;
	action_requeue(a, out, left < poll ? left : poll,
		       S("wait for an operator to write the status"));
}
