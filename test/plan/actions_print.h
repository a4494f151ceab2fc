/*
 * The actions of a plan as text, so that a test can compare them as lines.
 */
#ifndef TEST_PLAN_ACTIONS_PRINT_H
#define TEST_PLAN_ACTIONS_PRINT_H

#include "plan/action.h"

static inline void print_metric(struct buf *b, const struct action *act)
{
	const struct action_metric *m = &act->metric;

	buf_addf(b, "%s %s", act->kind == ACTION_METRIC ? "METRIC" : "UNMETRIC", m->name);
	for (size_t i = 0; i < ACTION_LABELS && m->labels[i].p; i++)
		buf_addf(b, "%c%.*s", i ? ',' : ' ', STRF(m->labels[i]));
	if (act->kind == ACTION_METRIC && m->now)
		buf_addz(b, " = now");
	else if (act->kind == ACTION_METRIC)
		buf_addf(b, " = %g", m->value);
}

static inline void print_one(struct buf *b, const struct action *act)
{
	static const char *const verbs[] = {
		[ACTION_GET] = "GET",	    [ACTION_CREATE] = "POST",	  [ACTION_REPLACE] = "PUT",
		[ACTION_MERGE] = "MERGE",   [ACTION_STRATEGIC] = "PATCH", [ACTION_APPLY] = "APPLY",
		[ACTION_DELETE] = "DELETE", [ACTION_EVICT] = "EVICT",
	};

	switch (act->kind) {
	case ACTION_EVENT:
		buf_addf(b, "EVENT %s %.*s on %.*s/%.*s: %.*s",
			 act->event.warning ? "Warning" : "Normal", STRF(act->event.reason),
			 STRF(act->event.kind), STRF(act->event.name), STRF(act->reason));
		return;
	case ACTION_METRIC:
	case ACTION_UNMETRIC:
		print_metric(b, act);
		return;
	case ACTION_LOG:
		buf_addf(b, "LOG %.*s", STRF(act->reason));
		return;
	case ACTION_REQUEUE:
		buf_addf(b, "REQUEUE after %lld ms  # %.*s", (long long)act->after,
			 STRF(act->reason));
		return;
	case ACTION_GET:
	case ACTION_CREATE:
	case ACTION_REPLACE:
	case ACTION_MERGE:
	case ACTION_STRATEGIC:
	case ACTION_APPLY:
	case ACTION_DELETE:
	case ACTION_EVICT:
		break;
	}
	buf_addf(b, "%s %.*s", verbs[act->kind], STRF(act->path));
	if (act->body.n)
		buf_addf(b, " %.*s", STRF(act->body));
	buf_addf(b, "  # %.*s", STRF(act->reason));
}

/* "PATCH /path body  # reason", one per line, with the step in front. */
static inline void actions_print(struct buf *b, const struct actions *list)
{
	for (size_t i = 0; i < list->n; i++) {
		buf_addf(b, "%u ", list->v[i].step);
		print_one(b, &list->v[i]);
		buf_addc(b, '\n');
	}
}

#endif
