/*
 * Reads whole MachineConfigs, one after the other, for a plan that needs them. They are not cached:
 * a plan needs one only when a pool gets a new target, which is rare.
 */
#include "controller_state.h"

static void read_next(struct controller *c, struct reading *r);

static int take(struct reading *r, struct str body, struct err *err)
{
	struct mc *mc = ARENA_NEW(r->a, struct mc);
	struct doc doc = { .text = str_dup(r->a, body), .json = true };
	int rc = json_parse(r->a, doc.text, NULL, &doc.tree, err);

	if (rc == 0)
		rc = mc_decode(r->a, &doc, mc, err);
	if (rc == 0)
		VEC_PUSH(r->a, &r->whole, mc);
	return rc;
}

static void answered(struct kube_call *call, const struct kube_answer *ans)
{
	struct reading *r = call->ctx;
	struct err err = ERR_INIT(r->a);
	struct str name = r->wanted.v[r->at];

	if (ans->rc < 0)
		(void)err_set(&err, ERR_AGAIN, "%.*s", STRF(ans->message));
	else
		(void)take(r, ans->body, &err);
	if (err.code) {
		r->error = str_fmt(r->a, "reading MachineConfig %.*s: %.*s", STRF(name),
				   STRF(err.msg));
		r->done(r);
		return;
	}
	r->at++;
	read_next(r->c, r);
}

static void read_next(struct controller *c, struct reading *r)
{
	if (r->at == r->wanted.n) {
		r->done(r);
		return;
	}
	r->call = (struct kube_call){ .method = "GET",
				      .path = str_fmt(r->a, PATH_MC "machineconfigs/%.*s",
						      STRF(r->wanted.v[r->at])),
				      .done = answered,
				      .ctx = r };
	kube_start(c->kube, &r->call);
}

void controller_read(struct controller *c, struct reading *r)
{
	r->c = c;
	/* the names may be views of the cache, which can change */
	for (size_t i = r->at; i < r->wanted.n; i++)
		r->wanted.v[i] = str_dup(r->a, r->wanted.v[i]);
	read_next(c, r);
}
