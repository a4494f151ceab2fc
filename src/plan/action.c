/*
 * Builds actions, their paths and small bodies; prints them for tests.
 */
#include "plan/action.h"

#include "mc/object.h"

bool action_is_request(enum action_kind kind)
{
	switch (kind) {
	case ACTION_GET:
	case ACTION_CREATE:
	case ACTION_REPLACE:
	case ACTION_MERGE:
	case ACTION_STRATEGIC:
	case ACTION_APPLY:
	case ACTION_DELETE:
	case ACTION_EVICT:
		return true;
	case ACTION_EVENT:
	case ACTION_METRIC:
	case ACTION_UNMETRIC:
	case ACTION_LOG:
	case ACTION_REQUEUE:
		break;
	}
	return false;
}

const struct action *actions_request(const struct actions *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (action_is_request(list->v[i].kind))
			return &list->v[i];
	return NULL;
}

void actions_step(struct actions *out)
{
	if (out->n && out->v[out->n - 1].step == out->step)
		out->step++;
}

struct action *action_add(struct arena *a, struct actions *out, enum action_kind kind,
			  struct str path, struct str body, struct str reason)
{
	struct action act = {
		.kind = kind, .step = out->step, .path = path, .body = body, .reason = reason
	};

	VEC_PUSH(a, out, act);
	return &out->v[out->n - 1];
}

struct action *action_log(struct arena *a, struct actions *out, const char *fmt, ...)
{
	struct buf b;
	va_list ap;

	buf_init(&b, a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	return action_add(a, out, ACTION_LOG, S(""), S(""), buf_str(&b));
}

struct action *action_event(struct arena *a, struct actions *out, struct action_event about,
			    struct str message)
{
	struct action *act = action_add(a, out, ACTION_EVENT, S(""), S(""), message);

	act->event = about;
	act->fail = ACTION_SHRUG;
	return act;
}

struct action *action_requeue(struct arena *a, struct actions *out, int64_t ms, struct str reason)
{
	struct action *act = action_add(a, out, ACTION_REQUEUE, S(""), S(""), reason);

	act->after = ms;
	return act;
}

struct action *action_metric(struct arena *a, struct actions *out, const char *name,
			     const struct str *labels, size_t n, double value)
{
	struct action *act = action_add(a, out, ACTION_METRIC, S(""), S(""), S(""));

	act->metric.name = name;
	act->metric.value = value;
	for (size_t i = 0; i < n && i < ACTION_LABELS; i++)
		act->metric.labels[i] = labels[i];
	return act;
}

void action_state_metric(struct arena *a, struct actions *out, const char *sub, struct str state,
			 struct str object)
{
	struct str labels[] = { str_fmt(a, "machine-config-controller-%s", sub), state, object };

	action_metric(a, out, "mcc_sub_controller_state", labels, 3, 0)->metric.now = true;
}

struct str action_path(struct arena *a, const char *plural, struct str name)
{
	return str_fmt(a, PATH_MC "%s/%.*s", plural, STRF(name));
}

struct str action_knode_path(struct arena *a, struct str name)
{
	return str_fmt(a, PATH_CORE "nodes/%.*s", STRF(name));
}
