/*
 * The reports of a drain in the node's MachineConfigNode.
 *
 * A report carries all of the object's conditions, including those that the node's daemon writes, so
 * the object is read before each report and used once. Only if a report creates it, the next one
 * continues from the answer: a server ignores the status of a new object.
 */
#include "drain_parts.h"

bool drain_ask_mcn(struct arena *a, const struct drain_view *in, struct drain *d,
		   struct actions *out)
{
	if (d->mcn_known)
		return false;
	if (!d->mcn_asked)
		action_add(a, out, ACTION_GET, action_path(a, "machineconfignodes", in->node->name),
			   S(""), S("read it to report progress"))
			->tag = drain_tag(d, DRAIN_TAG_MCN);
	d->mcn_asked = true;
	return true;
}

void drain_mcn_answered(struct drain *d, const struct drain_answer *answer)
{
	/* as upstream: any failure counts as "there is none" */
	d->mcn_known = true;
	if (answer->status == 200)
		d->mcn = str_dup(&d->mcn_arena, answer->body);
}

static void forget_mcn(struct drain *d)
{
	arena_free(&d->mcn_arena);
	d->mcn = S("");
	d->mcn_asked = d->mcn_known = false;
}

void drain_report(struct arena *a, const struct drain_view *in, struct drain *d,
		  const struct drain_step *s, struct actions *out)
{
	struct mcn_in mcn = {
		.node = in->node, .pool = in->pool, .now = in->now, .image_mode = in->image_mode
	};
	struct mcn_report r = {
		.parent = { .type = str_of(s->phase),
			    .status = s->parent_status,
			    .reason = str_of(s->step),
			    .message = str_of(s->parent_text) },
		.child = { .type = str_of(s->step),
			   .status = s->child_status,
			   .reason = str_fmt(a, "%s%s", s->phase, s->step),
			   .message = s->child_text },
	};
	struct json *after = NULL, *body, *now = NULL;
	struct err err = ERR_INIT(a);
	bool create;
	struct action *act;

	/* the body is sent after the arena is freed */
	if (d->mcn.n)
		(void)json_parse(a, str_dup(a, d->mcn), NULL, &now, &err);
	forget_mcn(d);
	mcn.mcn = now;
	body = mcn_report(a, &mcn, &r, &create, &after);
	if (!body)
		return;
	actions_step(out);
	if (create) {
		d->mcn = str_dup(&d->mcn_arena, json_format(a, after, 0));
		d->mcn_known = true;
	}
	if (create)
		act = action_add(a, out, ACTION_CREATE, S(PATH_MC "machineconfignodes"),
				 json_format(a, body, 0), str_of(s->parent_text));
	else
		act = action_add(a, out, ACTION_APPLY,
				 str_fmt(a,
					 PATH_MC "machineconfignodes/%.*s/status"
						 "?" FIELD_MANAGER "&force=true",
					 STRF(in->node->name)),
				 json_format(a, body, 0), str_of(s->parent_text));
	act->fail = ACTION_SHRUG;
	actions_step(out);
}
