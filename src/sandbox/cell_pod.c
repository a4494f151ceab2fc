/*
 * The state of a pod as `kubectl get pods` shows it.
 */
#include "sandbox/table.h"

bool cell_condition(const struct json *o, struct str type)
{
	const struct json *c = json_first(json_at(o, "status.conditions"));

	while (c && !str_eq(json_str(c, "type"), type))
		c = json_next(c);
	return str_is(json_str(c, "status"), "True");
}

/* The reason why a container ended, as text. */
static struct str ended(struct arena *a, const struct json *end)
{
	struct str reason = json_str(end, "reason");
	int64_t signal = json_i64(end, "signal", 0);

	if (reason.n)
		return reason;
	return str_fmt(a, "%s:%lld", signal ? "Signal" : "ExitCode",
		       (long long)(signal ? signal : json_i64(end, "exitCode", 0)));
}

/* The state is that of the first init container that is not complete. */
static void init_state(struct arena *a, const struct json *pod, struct cell_pod *s)
{
	size_t i = 0;

	for (const struct json *c = json_first(json_at(pod, "status.initContainerStatuses"));
	     c && !s->starting; c = json_next(c), i++) {
		const struct json *end = json_at(c, "state.terminated");
		struct str why = json_str(c, "state.waiting.reason");

		s->restarts += json_i64(c, "restartCount", 0);
		if (end && json_i64(end, "exitCode", 0) == 0)
			continue;
		s->starting = true;
		if (end)
			why = ended(a, end);
		else if (!why.n || str_is(why, "PodInitializing"))
			why = str_fmt(a, "%zu/%zu", i,
				      json_len(json_at(pod, "spec.initContainers")));
		s->reason = str_fmt(a, "Init:%.*s", STRF(why));
	}
}

/* The reason is that of the first container that has one. */
static void main_state(struct arena *a, const struct json *pod, struct cell_pod *s)
{
	bool found = false;

	s->restarts = 0;
	for (const struct json *c = json_first(json_at(pod, "status.containerStatuses")); c;
	     c = json_next(c)) {
		const struct json *end = json_at(c, "state.terminated");
		struct str why = json_str(c, "state.waiting.reason");

		s->restarts += json_i64(c, "restartCount", 0);
		if (!why.n && end)
			why = ended(a, end);
		if (why.n && !found)
			s->reason = why;
		found = found || why.n;
		if (!why.n && json_bool(c, "ready", false) && json_at(c, "state.running")) {
			s->running = true;
			s->ready++;
		}
	}
	if (str_is(s->reason, "Completed") && s->running)
		s->reason = cell_condition(pod, S("Ready")) ? S("Running") : S("NotReady");
}

struct cell_pod cell_pod(struct arena *a, const struct json *pod)
{
	struct str why = json_str(pod, "status.reason");
	struct cell_pod s = { .reason = why };

	if (!why.n)
		s.reason = json_str(pod, "status.phase");
	init_state(a, pod, &s);
	if (!s.starting)
		main_state(a, pod, &s);
	/* a pod that has ended is not terminating */
	if (json_at(pod, "metadata.deletionTimestamp") &&
	    !str_is(json_str(pod, "status.phase"), "Succeeded") &&
	    !str_is(json_str(pod, "status.phase"), "Failed"))
		s.reason = str_is(why, "NodeLost") ? S("Unknown") : S("Terminating");
	return s;
}
