/*
 * The common part of the kubelet and the container runtime controller. Every failure is
 * written into the status of the object.
 */
#include "mc/condition.h"
#include "mc/generated.h"
#include "plan/owned.h"

/* The conditions, including those that this plan writes. */
struct said {
	struct conditions list;
	bool observed; /* for this generation */
};

static struct said said(struct arena *a, const struct mc_object *config)
{
	const struct json *tree = config->doc.tree;

	return (struct said){
		.list = conditions_of(a, json_at(tree, "status.conditions")),
		.observed = json_i64(tree, "status.observedGeneration", 0) >=
			    json_i64(tree, "metadata.generation", 0),
	};
}

bool owned_settled(struct arena *a, const struct mc_object *config)
{
	struct said s = said(a, config);

	return s.observed && s.list.n && str_is(s.list.v[s.list.n - 1].type, "Success");
}

/* Adds c to the list. One with the same text is replaced; the oldest are dropped. */
static void add_condition(struct arena *a, const struct owned_view *in, struct conditions *list,
			  struct condition c)
{
	struct conditions old = *list;
	bool same = old.n && str_eq(old.v[old.n - 1].message, c.message);
	size_t kept = old.n - same, first = 0;

	if (in->kind->kept && kept >= in->kind->kept)
		first = kept - in->kind->kept + 1;
	*list = (struct conditions){ 0 };
	for (size_t i = first; i < kept; i++)
		VEC_PUSH(a, list, old.v[i]);
	VEC_PUSH(a, list, c);
}

static void report(struct arena *a, const struct owned_view *in, struct said *now,
		   struct str failure, struct actions *out)
{
	const struct json *tree = in->config->doc.tree;
	struct condition c = { .type = failure.n ? S("Failure") : S("Success"),
			       .status = CONDITION_TRUE,
			       .reason = S(""),
			       .message = failure.n ? failure : S("Success"),
			       .time = condition_time(a, in->now) };
	const struct condition *last = now->list.n ? &now->list.v[now->list.n - 1] : NULL;
	struct json *j, *s;

	if (now->observed && last && str_eq(last->message, c.message) && str_eq(last->type, c.type))
		return;
	add_condition(a, in, &now->list, c);
	now->observed = true;
	s = json_new(a, JSON_OBJECT);
	json_add(s, S("conditions"), conditions_json(a, &now->list, true));
	json_add(s, S("observedGeneration"),
		 json_new_i64(a, json_i64(tree, "metadata.generation", 0)));
	j = json_new(a, JSON_OBJECT);
	json_add(j, S("status"), s);
	actions_step(out);
	action_add(a, out, ACTION_MERGE,
		   str_fmt(a, "%.*s/status",
			   STRF(action_path(a, in->kind->plural, in->config->meta.name))),
		   json_format(a, j, 0), c.message)
		->fail = ACTION_SHRUG;
	if (!failure.n)
		out->v[out->n - 1].if_ok = true;
}

void owned_status(struct arena *a, const struct owned_view *in, struct str failure,
		  struct actions *out)
{
	struct said now = said(a, in->config);

	report(a, in, &now, failure, out);
}

/* Writes the failure into the object's status and returns the error. */
static int failed(struct arena *a, const struct owned_view *in, struct said *now, const char *where,
		  struct actions *out, struct err *err)
{
	report(a, in, now, str_fmt(a, "%s: %.*s", where ? where : "Error", STRF(err->msg)), out);
	if (in->kind->always_again)
		err->code = ERR_AGAIN;
	return -(int)err->code;
}

/*
 * The MachineConfig stays as it is: this version made it for a settled config. Or another
 * config has the same name and wrote it; then that config updates it.
 */
static bool may_stay(struct arena *a, const struct owned_view *in, const struct owned_maker *maker,
		     const struct mcp *pool, struct str name)
{
	const struct mc *mc = generated_find(in->mcs, name);

	if (!mc || !owned_settled(a, in->config))
		return false;
	if (owned_by_turn(a, in, mc))
		return true;
	return str_eq(mc_annotation(&mc->meta, ANNO_BY_CONTROLLER), in->hash) &&
	       (!maker->may_stay || maker->may_stay(a, maker->ctx, pool, mc));
}

static void without_part(struct arena *a, struct str why, struct actions *out)
{
	action_log(a, out, "error merging user changes to storage.conf: %.*s", STRF(why))->warning =
		true;
}

static int for_pool(struct arena *a, const struct owned_view *in, const struct owned_maker *maker,
		    const struct mcp *pool, struct owned_job *job, struct said *now,
		    struct actions *out, struct err *err)
{
	const char *where = NULL;
	struct str name, without = S("");
	struct mc *mc = NULL;

	if (owned_name(a, in, job, pool, &name, err) < 0)
		return failed(a, in, now, str_fmt(a, "could not get %s", in->kind->key).p, out,
			      err);
	if (may_stay(a, in, maker, pool, name))
		return 0;
	if (maker->make(a, maker->ctx, pool, name, &mc, &where, &without, err) < 0)
		return failed(a, in, now, where, out, err);
	/* a part that fails is left out, and the status says why */
	if (without.n) {
		without_part(a, without, out);
		report(a, in, now, str_fmt(a, "Error: %.*s", STRF(without)), out);
		actions_step(out);
	}
	owned_write(a, in, job, pool, mc, out);
	return 0;
}

/* ---- the first run ------------------------------------------------------- */

static int check_first(struct arena *a, const struct owned_view *in,
		       const struct owned_maker *maker, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && in->kind->check_all && i < in->configs->n; i++)
		rc = maker->validate(a, in->configs->v[i], err);
	return rc < 0 ? rc : maker->validate(a, in->config, err);
}

static int first_for_pool(struct arena *a, const struct owned_view *in,
			  const struct owned_maker *maker, const struct mcp *pool,
			  struct actions *out, struct err *err)
{
	struct str name = owned_mc_name(a, in->kind, pool, S(""));
	struct str without = S("");
	const char *where = NULL;
	struct mc *mc = NULL;

	if (maker->make(a, maker->ctx, pool, name, &mc, &where, &without, err) < 0)
		return where ? err_wrap(err, "%s", where) : -(int)err->code;
	if (without.n)
		without_part(a, without, out);
	if (generated_find(in->mcs, name)) {
		(void)err_set(err, ERR_INVALID,
			      "Error found multiple %s targeting "
			      "MachineConfigPool %.*s. Please apply only one "
			      "%s manifest for each pool during installation",
			      in->kind->many, STRF(pool->meta.name), in->kind->one);
		return in->kind->wrap ? err_wrap(err, "%s", in->kind->wrap) : -ERR_INVALID;
	}
	mc_set_owner(a, mc, S(API_MC), str_of(in->kind->kind), S(""), S(""), false);
	(void)generated_write(a, in->mcs, mc, S("bootstrap"), out);
	return 0;
}

static int first_sync(struct arena *a, const struct owned_view *in, const struct owned_maker *maker,
		      struct actions *out, struct err *err)
{
	struct mcp_list pools = { 0 };
	int rc = check_first(a, in, maker, err);

	if (rc == 0)
		rc = owned_pools(a, in, &pools, err);
	for (size_t i = 0; rc == 0 && i < pools.n; i++)
		rc = first_for_pool(a, in, maker, pools.v[i], out, err);
	return rc;
}

int owned_sync(struct arena *a, const struct owned_view *in, const struct owned_maker *maker,
	       struct actions *out, struct err *err)
{
	bool named = in->kind->names_unselected;
	struct mcp_list pools = { 0 };
	struct owned_job job = { 0 };
	struct said now = said(a, in->config);
	int rc;

	if (in->first_run)
		return first_sync(a, in, maker, out, err);
	if (json_at(in->config->tree, "metadata.deletionTimestamp")) {
		owned_delete(a, in, out);
		return 0;
	}
	if (maker->validate(a, in->config, err) < 0)
		return failed(a, in, &now, NULL, out, err);
	rc = owned_pools(a, in, &pools, err);
	/* its pools were deleted: not a failure of the config */
	if (rc == 0 && !pools.n && owned_settled(a, in->config))
		return 0;
	if (rc == 0 && !pools.n)
		rc = err_set(err, ERR_AGAIN,
			     "could not find any MachineConfigPool set for "
			     "%s%s%.*s",
			     in->kind->kind, named ? " " : "",
			     named ? (int)in->config->meta.name.n : 0, in->config->meta.name.p);
	if (rc < 0)
		return failed(a, in, &now, NULL, out, err);
	/* continue with the next pool when one is up to date */
	for (size_t i = 0; i < pools.n && rc == 0; i++)
		rc = for_pool(a, in, maker, pools.v[i], &job, &now, out, err);
	if (rc < 0)
		return rc;
	owned_finalize(a, in, &job, out);
	generated_cleanup(a, in, in->kind->cleanup, in->kind->what, out);
	report(a, in, &now, S(""), out);
	return 0;
}
