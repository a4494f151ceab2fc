/*
 * The forecast of a pool: renders both sides and plans the update of its nodes.
 */
#include "plan/forecast.h"

#include "forecast_parts.h"
#include "mc/current.h"
#include "mc/mcp.h"
#include "mc/reconcile.h"
#include "plan/os.h"
#include "plan/render_sync.h"
#include "plan/steps.h"

/* One side of a pool: before or after the change. */
struct pool_side {
	const struct mc_set *set;
	const struct mcp *pool; /* NULL: the side has no such pool */
	struct rendered r;
	struct str error, culprit;
};

static const struct mcp *find_pool(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->pools.n; i++)
		if (str_eq(set->pools.v[i]->meta.name, name))
			return set->pools.v[i];
	return NULL;
}

static struct mc *find_mc(const struct mc_set *set, struct str name)
{
	for (size_t i = set->mcs.n; i-- > 0;)
		if (str_eq(set->mcs.v[i]->meta.name, name))
			return set->mcs.v[i];
	return NULL;
}

static struct str current_name(const struct mcp *pool)
{
	return json_str(pool ? pool->tree : NULL, "spec.configuration.name");
}

/* ---- rendering ----------------------------------------------------------- */

static bool selects_all(const struct mcp *pool)
{
	return pool->selector && !json_len(pool->selector);
}

static void render_side(struct arena *a, const struct forecast_in *in, struct pool_side *s)
{
	struct render_in version = { .raw = in->raw,
				     .hash = in->hash,
				     .pool = s->pool,
				     .keep = in->keep,
				     .controller_config = s->set->controller_config };
	struct render_view v;
	struct err err = ERR_INIT(a);
	const struct mc *culprit = NULL;

	if (in->adopt)
		plan_render_adopt(a, s->set, &version);
	render_view_of(a, s->set, &version, &v);
	if (selects_all(s->pool)) {
		s->error = S("This machineconfigpool is selecting all "
			     "machineconfigs. A non-empty selector is "
			     "required.");
		return;
	}
	if (render_target(a, &v, &s->r, &culprit, &err) == 0)
		return;
	s->error = render_degraded(a, &v, err.msg);
	if (culprit)
		s->culprit = str_fmt(a, "MachineConfig %.*s (%.*s)", STRF(culprit->meta.name),
				     STRF(culprit->file));
}

/* An existing rendered config instead of a new rendering. */
static void use_config(struct arena *a, struct pool_side *s, struct str name)
{
	struct mc *mc = find_mc(s->set, name);
	struct err ignored = ERR_INIT(a);
	struct rendered r = { 0 };
	struct mc_list one = { 0 };

	if (!mc)
		return;
	VEC_PUSH(a, &one, mc);
	if (mc_merge(a, &one, S(""), S(""), &r.merged, &ignored) < 0)
		return;
	r.merged.os_image = mc->os_image;
	r.merged.extensions_image = mc->extensions_image;
	r.name = mc->meta.name;
	s->r = r;
}

/* The config of the nodes, where the pool could not be rendered before. */
static void use_current(struct arena *a, struct pool_side *s)
{
	use_config(a, s, current_name(s->pool));
}

/* ---- what nodes refuse --------------------------------------------------- */

static bool daemons_own(struct arena *a, const struct ign_objs *files, struct str *why)
{
	for (size_t i = 0; i < files->n; i++) {
		struct str path = ign_str(files->v[i], IGN_FILE_PATH);

		if (!mc_is_state(path))
			continue;
		*why = str_fmt(a, MC_STATE_REFUSED, STRF(path));
		return true;
	}
	return false;
}

/* Faults that appear when files are written and extensions installed: after the drain. */
static int late_refusal(struct arena *a, const struct forecast *f, struct err *err)
{
	struct steps_in in = { .from = f->from, .to = f->to, .core_os = true };
	const struct update_changes *c = &f->plan->changes;
	struct steps steps = { 0 };
	int rc = plan_steps(a, &in, &steps, err);

	if (rc == 0 && f->nodes.not_arm && c->kernel_type &&
	    str_is(f->to->kernel_type, "64k-pages"))
		rc = err_set(err, ERR_INVALID, OS_64K_REFUSED);
	if (rc == 0 && c->extensions)
		rc = os_check_extensions(a, &f->to->extensions, err);
	return rc;
}

/* A layered pool has an image built for each of its configs. */
static void find_layers(struct arena *a, const struct mc_set *set, struct forecast *f)
{
	struct str pool = f->removed ? f->partner : f->pool;

	for (size_t i = 0; i < set->others.n && !f->layered.n; i++) {
		struct os_config c;

		if (set->others.v[i]->kind != MC_OS_CONFIG)
			continue;
		os_config_decode(set->others.v[i]->doc.tree, &c);
		if (str_eq(c.pool, pool))
			f->layered = str_dup(a, c.name);
	}
}

/* Replaces the actions for the change of files. */
static void reboot_into_image(struct arena *a, const struct forecast *f, struct update_plan *plan)
{
	struct update_action act = {
		.kind = UPDATE_REBOOT,
		.cause = str_fmt(a, "image of MachineOSConfig %.*s", STRF(f->layered)),
		.rule = S("a new OS image needs a reboot"),
	};

	plan->n = 0;
	VEC_PUSH(a, plan, act);
	plan->drain = plan->reboot = true;
	plan->drain_reason = S("the node reboots");
}

static struct mc_overrides allowed(struct arena *a, const struct mc_set *set)
{
	const struct render_in none = { 0 };
	struct render_view v;

	render_view_of(a, set, &none, &v);
	return mc_overrides_of(v.configuration);
}

/* In the order in which a daemon checks them. */
static void find_refusal(struct arena *a, const struct mc_set *set, struct forecast *f)
{
	struct mc_overrides allow = allowed(a, set);
	const char *bad = mc_irreconcilable(a, f->from, f->to, &allow);
	struct update_in in = { .from = f->from,
				.to = f->to,
				.policies = update_policies(a, set->configuration) };
	struct update_plan *plan = ARENA_NEW(a, struct update_plan);
	struct err err = ERR_INIT(a);
	int rc = plan_update(a, &in, plan, &err);

	if (rc < 0)
		update_changes(a, f->from, f->to, false, &plan->changes);
	find_layers(a, set, f);
	if (f->layered.n)
		reboot_into_image(a, f, plan);
	f->plan = plan;
	if (bad) {
		f->refused = str_of(bad);
		f->irreconcilable = true;
	} else if (daemons_own(a, ign_files(f->to->config), &f->refused)) {
		return;
	} else if (rc < 0) {
		f->refused = err.msg;
	} else if (late_refusal(a, f, &err) < 0) {
		f->refused = err.msg;
		f->refused_late = true;
	}
}

/* ---- together ------------------------------------------------------------ */

/* If the change breaks an object, after may lack what the object generated: there is
 * nothing to compare. */
static void wait_for(struct arena *a, const struct preview_refusal *r, struct forecast *f)
{
	f->waits = preview_refusal_text(a, r);
	if (!r->touched)
		return;
	f->plan = NULL;
	f->to = f->from;
	f->to_name = f->from_name;
}

static void take_sides(const struct pool_side *x, const struct pool_side *y, struct forecast *f)
{
	struct str now = current_name(x->pool);

	f->is_new = !x->pool;
	f->removed = !y->pool;
	f->from_name = x->r.name;
	f->to_name = y->r.name;
	if (x->r.name.n)
		f->from = &x->r.merged;
	if (y->r.name.n)
		f->to = &y->r.merged;
	f->render_error = y->error;
	f->culprit = y->culprit;
	f->selects_all = y->pool && selects_all(y->pool);
	f->keeps = now.n ? now : x->r.name;
	f->failed_before = x->error.n && str_eq(x->error, y->error);
}

/* Nodes of a new or removed pool come from another pool or move to one, and change
 * between its config and this one. maxUnavailable and pause of that pool apply. */
static void move_nodes(struct arena *a, const struct forecast_in *in, struct forecast *f)
{
	struct pool_side *s = ARENA_NEW(a, struct pool_side);
	struct forecast_nodes there = { 0 };

	*s = (struct pool_side){ .set = f->removed ? in->after : in->before };
	f->partner = forecast_partner(a, f->removed ? in->before : in->after, f->pool, s->set);
	s->pool = find_pool(s->set, f->partner);
	if (!s->pool)
		return;
	render_side(a, in, s);
	if (s->error.n)
		use_current(a, s);
	if (!s->r.name.n)
		return;
	f->partner_name = s->r.name;
	if (f->is_new) {
		f->from = &s->r.merged;
		return;
	}
	f->to = &s->r.merged;
	forecast_count(a, s->set, f->partner, &there);
	there.n = f->nodes.n;
	f->nodes = there;
}

/* A removed pool takes its rendered configs along: its nodes do not find the config they have. */
static void lose_config(struct arena *a, const struct pool_side *x, struct forecast *f)
{
	const struct mc *mc = find_mc(x->set, current_name(x->pool));

	if (!f->removed || !f->nodes.n || f->nodes.paused || !mc ||
	    !json_first(json_at(mc->doc.tree, "metadata.ownerReferences")))
		return;
	f->refused = str_fmt(a,
			     "machineconfig." GROUP_MC " "
			     "\"%.*s\" not found",
			     STRF(mc->meta.name));
	f->refused_late = f->irreconcilable = false;
}

/*
 * Nodes that a refusal, a pause or another pool has kept from the pool's config start
 * from the config they have. True when they update although the pool's config does not
 * change.
 */
static bool from_made_from(struct arena *a, const struct forecast_in *in, struct pool_side *x,
			   struct forecast *f)
{
	bool renamed = !str_eq(f->from_name, f->to_name);
	const struct forecast_nodes *now = &f->nodes;
	struct forecast_nodes was = { 0 };
	bool joined, moves;

	if (f->is_new || f->removed || f->render_error.n || !now->behind.n)
		return false;
	forecast_count(a, in->before, f->pool, &was);
	/* reported at the pool that is removed */
	joined = was.n != now->n && in->before->pools.n <= in->after->pools.n;
	moves = !now->paused && (was.paused || joined);
	if (renamed ? now->n_behind < now->n : !moves)
		return false;
	use_config(a, x, now->behind);
	f->from_name = x->r.name;
	f->from = &x->r.merged;
	return moves && !str_eq(f->from_name, f->to_name);
}

bool plan_forecast(struct arena *a, const struct forecast_in *in, struct str pool,
		   struct forecast *out)
{
	struct pool_side *x = ARENA_NEW(a, struct pool_side);
	struct pool_side *y = ARENA_NEW(a, struct pool_side);
	const struct preview_refusal *refusal;
	bool differs;

	*out = (struct forecast){ .pool = pool };
	*x = (struct pool_side){ .set = in->before };
	*y = (struct pool_side){ .set = in->after };
	x->pool = find_pool(in->before, pool);
	y->pool = find_pool(in->after, pool);
	if (x->pool)
		render_side(a, in, x);
	if (x->error.n)
		use_current(a, x);
	if (y->pool)
		render_side(a, in, y);
	take_sides(x, y, out);
	forecast_count(a, out->removed ? in->before : in->after, pool, &out->nodes);
	differs = out->is_new || out->removed || x->error.n > 0 ||
		  !str_eq(out->from_name, out->to_name);
	if (out->is_new || out->removed)
		move_nodes(a, in, out);
	differs |= from_made_from(a, in, x, out);
	if (out->from && out->to)
		find_refusal(a, in->after, out);
	lose_config(a, x, out);
	refusal = preview_refusal_of(in->refused, pool);
	if (refusal)
		wait_for(a, refusal, out);
	if (out->render_error.n)
		return !out->failed_before;
	return differs;
}

static bool happens(const struct forecast *f)
{
	return f->plan && !f->render_error.n && !f->waits.n && (!f->refused.n || f->refused_late);
}

bool forecast_drains(const struct forecast *f)
{
	return happens(f) && f->plan->drain;
}

bool forecast_reboots(const struct forecast *f)
{
	return happens(f) && !f->refused.n && f->plan->reboot;
}
