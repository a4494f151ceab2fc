/*
 * mcoctl diff of pools: every pool of two sets of objects, before and after.
 */
#include <stdlib.h>

#include "base/terminal.h"
#include "io/version.h"
#include "mcoctl_diff.h"
#include "view/forecast_text.h"

static bool wanted(const struct diff_opts *o, struct str pool)
{
	for (size_t i = 0; i < o->pools.n; i++)
		if (str_eq(o->pools.v[i], pool))
			return true;
	return !o->pools.n;
}

static bool has_pool(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->pools.n; i++)
		if (str_eq(set->pools.v[i]->meta.name, name))
			return true;
	return false;
}

/* Fails for a pool of --pool that neither side has: a typo must not read as "no change". */
static int check_pools(struct diff *d, const struct mc_set *from, const struct mc_set *to)
{
	for (size_t i = 0; i < d->o->pools.n; i++) {
		struct mcp *found;
		struct str name = d->o->pools.v[i];

		if (!has_pool(from, name) &&
		    mc_find_pool(d->r->a, to, name, &found, &d->r->err) < 0)
			return -ERR_NOTFOUND;
	}
	return 0;
}

/* The pools of --pool, or all: those of to, then those that only from has. */
static struct strs pool_names(struct diff *d, const struct mc_set *from, const struct mc_set *to)
{
	struct strs out = { 0 };

	for (size_t i = 0; i < to->pools.n; i++)
		if (wanted(d->o, to->pools.v[i]->meta.name))
			VEC_PUSH(d->r->a, &out, to->pools.v[i]->meta.name);
	for (size_t i = 0; i < from->pools.n; i++) {
		struct str name = from->pools.v[i]->meta.name;

		if (wanted(d->o, name) && !has_pool(to, name))
			VEC_PUSH(d->r->a, &out, name);
	}
	return out;
}

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

void diff_add_lines(struct buf *b, const char *what, const struct strs *list)
{
	for (size_t i = 0; i < list->n; i++)
		buf_addf(b, "%s: %.*s\n", what, STRF(list->v[i]));
}

/* Prints the objects that controllers refuse because of their contents. */
static void show_refusals(struct diff *d)
{
	struct run *r = d->r;

	for (size_t i = 0; i < d->change.caused.n; i++) {
		struct str text = preview_refusal_text(r->a, &d->change.caused.v[i]);

		if (r->colour)
			text = terminal_safe(r->a, text);
		buf_addf(&r->out, "%srefused: %.*s%s\n", r->colour ? TERMINAL_BOLD : "", STRF(text),
			 r->colour ? TERMINAL_OFF : "");
	}
}

static void show_text(struct diff *d, const struct forecasts *list)
{
	struct run *r = d->r;
	struct buf b;

	buf_init(&b, r->a);
	diff_add_lines(&b, "pruned", &d->change.pruned);
	if (b.n)
		buf_addc(&b, '\n');
	buf_add(&r->out, r->colour ? terminal_safe(r->a, buf_str(&b)) : buf_str(&b));
	forecasts_text(&r->out, list, &d->view);
	show_refusals(d);
	if (list->n)
		diff_add_lines(&r->out, "assumed", &d->change.assumed);
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
		show_text(d, list);
	return 0;
}

/* No pool can be rendered: an error, not a result. */
static int none_rendered(struct diff *d, const struct forecast *f)
{
	return err_set(&d->r->err, ERR_INVALID, "pool %.*s: %.*s%s%.*s", STRF(f->pool),
		       STRF(f->render_error), f->culprit.n ? ": " : "", STRF(f->culprit));
}

int diff_pools(struct diff *d, const struct mc_set *from, const struct mc_set *to)
{
	struct run *r = d->r;
	struct forecast_in in = { .before = from,
				  .after = to,
				  .refused = &d->change.refused,
				  .raw = str_of(version_raw()),
				  .hash = str_of(version_hash()),
				  .adopt = !getenv("MCO_RAW") && !getenv("MCO_HASH"),
				  .keep = r->a };
	struct forecasts list = { 0 };
	struct strs names;
	size_t told = 0;

	if (check_pools(d, from, to) < 0)
		return -ERR_NOTFOUND;
	names = pool_names(d, from, to);
	for (size_t i = 0; i < names.n; i++) {
		struct forecast *f = ARENA_NEW(r->a, struct forecast);
		bool differs = plan_forecast(r->a, &in, names.v[i], f);

		told += !f->render_error.n || differs;
		d->differ += differs;
		if (differs || f->render_error.n || (f->waits.n && d->change.caused.n))
			VEC_PUSH(r->a, &list, f);
	}
	if (list.n && !told && !d->change.caused.n) {
		mcoctl_warn_version(to);
		return none_rendered(d, list.v[0]);
	}
	d->differ += d->change.caused.n;
	return show_all(d, &list);
}
