/*
 * mcoctl diff of pools: every pool of two sets of objects, before and after.
 */
#include "io/version.h"
#include "mcoctl_diff.h"

/* For an external program: pools without configs to compare get a warning. */
static int show_outside(struct diff *d, const struct forecast *f)
{
	struct config_diff c = { .pool = f->pool,
				 .from_name = f->from_name,
				 .to_name = f->to_name,
				 .from = f->from,
				 .to = f->to };

	if (f->render_error.n || f->refused.n || !f->plan) {
		applet_say("warning: pool %.*s: %.*s\n", STRF(f->pool),
			   STRF(forecast_headline(d->r->a, f)));
		d->unseen |= !f->failed_before;
	}
	return f->plan ? diff_files_add(&d->for_external, &c, &d->r->err) : 0;
}

/* For an external program: refusals have no files, and become warnings. */
static int show_all_outside(struct diff *d, const struct forecasts *list)
{
	int rc = 0;

	for (size_t i = 0; i < d->change.caused.n; i++)
		applet_say("warning: refused: %.*s\n",
			   STRF(preview_refusal_text(d->r->a, &d->change.caused.v[i])));
	d->unseen = d->change.caused.n > 0;
	for (size_t i = 0; i < list->n && rc == 0; i++)
		rc = show_outside(d, list->v[i]);
	return rc;
}

static int show_all(struct diff *d, const struct forecasts *list)
{
	if (d->external)
		return show_all_outside(d, list);
	for (size_t i = 0; i < list->n; i++)
		json_push(d->list, forecast_json(d->r->a, list->v[i]));
	if (str_is(d->o->output, "text"))
		change_text(&d->r->out, d->r->a, &d->change, list, &d->view);
	return 0;
}

int diff_pools(struct diff *d, const struct mc_set *from, const struct mc_set *to)
{
	struct run *r = d->r;
	struct render_version v = version_render();
	struct forecast_in in = { .before = from,
				  .after = to,
				  .refused = &d->change.refused,
				  .raw = v.raw,
				  .hash = v.hash,
				  .adopt = v.adopt,
				  .keep = r->a };
	struct forecast_pools pools;
	int rc = plan_forecast_pools(r->a, &in, &d->o->pools, d->change.caused.n > 0, &pools,
				     &r->err);

	if (rc == -ERR_INVALID)
		mcoctl_warn_version(to);
	if (rc < 0)
		return rc;
	d->differ += pools.differ + d->change.caused.n;
	return show_all(d, &pools.list);
}
