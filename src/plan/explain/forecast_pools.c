/*
 * The forecasts of several pools, and which of them matter to the reader.
 */
#include "mc/find.h"
#include "plan/forecast.h"

static bool is_wanted(const struct strs *names, struct str pool)
{
	for (size_t i = 0; i < names->n; i++)
		if (str_eq(names->v[i], pool))
			return true;
	return !names->n;
}

static bool has_pool(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->pools.n; i++)
		if (str_eq(set->pools.v[i]->meta.name, name))
			return true;
	return false;
}

static int check_names(struct arena *a, const struct forecast_in *in, const struct strs *names,
		       struct err *err)
{
	struct mcp *found;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < names->n; i++)
		if (!has_pool(in->before, names->v[i]))
			rc = mc_find_pool(a, in->after, names->v[i], &found, err);
	return rc;
}

/* The pools of after, then those that only before has. */
static struct strs select_pools(struct arena *a, const struct forecast_in *in,
				const struct strs *names)
{
	const struct mcp_list *after = &in->after->pools, *before = &in->before->pools;
	struct strs out = { 0 };

	for (size_t i = 0; i < after->n; i++)
		if (is_wanted(names, after->v[i]->meta.name))
			VEC_PUSH(a, &out, after->v[i]->meta.name);
	for (size_t i = 0; i < before->n; i++) {
		struct str name = before->v[i]->meta.name;

		if (is_wanted(names, name) && !has_pool(in->after, name))
			VEC_PUSH(a, &out, name);
	}
	return out;
}

int plan_forecast_pools(struct arena *a, const struct forecast_in *in, const struct strs *names,
			bool caused, struct forecast_pools *out, struct err *err)
{
	int rc = check_names(a, in, names, err);
	struct strs pools = { 0 };
	size_t told = 0;

	if (rc < 0)
		return rc;
	*out = (struct forecast_pools){ 0 };
	pools = select_pools(a, in, names);
	for (size_t i = 0; i < pools.n; i++) {
		struct forecast *f = ARENA_NEW(a, struct forecast);
		bool differs = plan_forecast(a, in, pools.v[i], f);

		told += !f->render_error.n || differs;
		out->differ += differs;
		if (differs || f->render_error.n || (f->waits.n && caused))
			VEC_PUSH(a, &out->list, f);
	}
	if (out->list.n && !told && !caused) {
		const struct forecast *f = out->list.v[0];

		return err_set(err, ERR_INVALID, "pool %.*s: %.*s%s%.*s", STRF(f->pool),
			       STRF(f->render_error), f->culprit.n ? ": " : "", STRF(f->culprit));
	}
	return 0;
}
