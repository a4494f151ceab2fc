/*
 * journal_act: runs the actions that a journal records. The journal names each action as
 * "Kind" or "Kind service"; a name that is not known is ignored.
 */
#include "node/journal_act.h"

#include "node/node_update.h"
#include "node/post_action.h"

void journal_actions(struct arena *a, const struct node_journal_view *v, struct update_plan *out)
{
	for (size_t i = 0; i < v->actions.n; i++) {
		struct str kind = v->actions.v[i], service = S("");
		struct update_action act = { 0 };

		(void)str_cut(kind, ' ', &kind, &service);
		for (int k = UPDATE_NONE; k <= UPDATE_REBOOT; k++)
			if (str_is(kind, update_kind_name((enum update_kind)k)))
				act.kind = (enum update_kind)k;
		act.service = service;
		if (act.kind != UPDATE_NONE)
			VEC_PUSH(a, out, act);
	}
}

int journal_act(struct node *n, struct arena *a, const struct node_journal_view *v, struct str name,
		struct err *err)
{
	struct update_plan plan = { 0 };
	int rc = 0;

	journal_actions(a, v, &plan);
	for (size_t i = 0; i < plan.n && rc == 0; i++)
		/* Where no policy applies, a restart of crio stands for changed CAs,
		 * which the trust store must take in first. */
		if (plan.v[i].kind == UPDATE_RESTART && str_is(plan.v[i].service, "crio") &&
		    !n->offline)
			rc = node_do(n, a, "update-ca-trust", NULL, err);
	return rc < 0 ? rc : post_action_run_all(n, a, &plan, name, err);
}
