/*
 * mcoctl diff A B: two configs that are not the before and after of one pool.
 */
#include "base/terminal.h"
#include "mc/reconcile.h"
#include "mcoctl_diff.h"
#include "plan/forecast.h"

/* Adds text between colour codes. */
static struct str text_of(struct run *r, struct str s)
{
	return r->colour ? terminal_safe(r->a, s) : s;
}

/* Compares two configs that belong to no pool. */
static int show(struct diff *d, struct config_diff *c, const struct json *machine_configuration)
{
	struct run *r = d->r;
	struct mc_overrides allow = mc_overrides_of(machine_configuration);
	struct update_in in = { .from = c->from,
				.to = c->to,
				.policies = update_policies(r->a, machine_configuration) };
	struct update_plan *plan = ARENA_NEW(r->a, struct update_plan);
	int rc = plan_update(r->a, &in, plan, &r->err);

	if (rc < 0)
		return rc;
	c->plan = plan;
	c->irreconcilable = mc_irreconcilable(r->a, c->from, c->to, &allow);
	if (d->external)
		return diff_files_add(&d->for_external, c, &r->err);
	if (str_is(d->o->output, "json")) {
		json_push(d->list, config_diff_json(r->a, c));
		return 0;
	}
	buf_addf(&r->out, "%.*s -> %.*s\n", STRF(text_of(r, c->from_name)),
		 STRF(text_of(r, c->to_name)));
	if (c->irreconcilable) /* before the contents, which may be long */
		config_diff_summary(&r->out, c, &d->view);
	(void)config_diff_text(&r->out, c, &d->view);
	buf_addc(&r->out, '\n');
	config_diff_summary(&r->out, c, &d->view);
	change_assumed_text(&r->out, &d->change);
	return 0;
}

struct str diff_only_config(const struct mc_set *set)
{
	return set->mcs.n == 1 && !set->pools.n ? set->mcs.v[0]->meta.name : S("");
}

int diff_configs(struct diff *d, const struct mc_set *from, struct str x, const struct mc_set *to,
		 struct str y, const struct json *machine_configuration)
{
	struct named_config old = { 0 }, new = { 0 };
	struct config_diff c = { 0 };
	int rc = mcoctl_named(d->r, from, x, &old);

	if (rc == 0)
		rc = mcoctl_named(d->r, to, y, &new);
	if (rc < 0)
		return rc;
	c.from_name = old.name;
	c.to_name = new.name;
	c.from = &old.spec;
	c.to = &new.spec;
	if (json_eq(mc_spec(d->r->a, c.from), mc_spec(d->r->a, c.to)))
		return 0;
	d->differ++;
	return show(d, &c, machine_configuration);
}

/* Loads one side: a file with one config, or a name in the base or the cluster. */
static int side(struct diff *d, struct str word, const struct mc_set *live, struct mc_set *set,
		struct str *name)
{
	struct strs paths = { 0 };
	int rc;

	*set = *live;
	*name = word;
	if (!mcoctl_is_file(d->r, word))
		return 0;
	*set = (struct mc_set){ 0 };
	VEC_PUSH(d->r->a, &paths, word);
	rc = manifests_load(d->r->a, &paths, d->o->recursive, set, &d->r->err);
	if (rc < 0)
		return rc;
	*name = diff_only_config(set);
	return name->n ? 0
		       : err_set(&d->r->err, ERR_INVALID,
				 "%.*s: expected one MachineConfig to compare with", STRF(word));
}

int diff_named(struct diff *d)
{
	struct mc_set live = { 0 }, from = { 0 }, to = { 0 };
	struct run *r = d->r;
	struct str x = S(""), y = S("");
	int rc = d->o->base.n ? manifests_load(r->a, &d->o->base, true, &live, &r->err)
			      : mcoctl_load_live(r, &d->o->kube, "--base PATH, or two files",
						 LIVE_ALL, &live);

	if (rc == 0)
		rc = mcoctl_preview(r, &live, true);
	if (rc == 0)
		rc = side(d, r->words.v[0], &live, &from, &x);
	if (rc == 0)
		rc = side(d, r->words.v[1], &live, &to, &y);
	if (rc < 0)
		return rc;
	if (!live.configuration)
		VEC_PUSH(r->a, &d->change.assumed, S(ASSUMED_POLICIES));
	return diff_configs(d, &from, x, &to, y, live.configuration);
}
