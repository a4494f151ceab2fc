/*
 * mcoctl diff: what differs between two configs, or what new manifests would
 * change, and what that does to the nodes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/terminal.h"
#include "external_diff.h"
#include "live.h"
#include "mc/reconcile.h"
#include "mcoctl.h"
#include "view/config_diff.h"

struct opts {
	struct strs files;
	bool recursive, secrets;
	struct strs base;
	struct strs pools;
	struct str output;
	struct kube_flags kube;
};

static const struct flag flags[] = {
	MANIFEST_FLAGS(struct opts),
	{ .name = "base",
	  .letter = 'b',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, base),
	  .value = "PATH",
	  .help = "what there is now: a dump, a folder or a must-gather "
		  "(default: the cluster)" },
	{ .name = "pool",
	  .letter = 'p',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, pools),
	  .value = "POOL",
	  .help = "only this pool; may be repeated" },
	{ .name = "show-secrets",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, secrets),
	  .help = "show secrets too" },
	OUTPUT_FLAG(struct opts, "text|json"),
	KUBE_FLAGS(struct opts),
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->output = S("text");
}

struct diff {
	struct run *r;
	const struct opts *o;
	struct config_diff_opts view;
	const struct json *policies;
	struct mc_overrides allow;
	struct json *list; /* for -o json */
	struct buf summary;
	struct external_diff external;
	size_t differ;
};

/* A text beside colours. */
static struct str text_of(struct run *r, struct str s)
{
	return r->colour ? terminal_safe(r->a, s) : s;
}

static int show(struct diff *d, struct config_diff *c)
{
	struct run *r = d->r;
	struct update_in in = { .from = c->from,
				.to = c->to,
				.policies = d->policies };
	struct update_plan *plan = ARENA_NEW(r->a, struct update_plan);
	int rc = plan_update(r->a, &in, plan, &r->err);

	if (rc < 0)
		return rc;
	c->plan = plan;
	c->irreconcilable = mc_irreconcilable(r->a, c->from, c->to, &d->allow);
	if (d->external.command)
		return external_diff_add(&d->external, c, &r->err);
	if (str_is(d->o->output, "json")) {
		json_push(d->list, config_diff_json(r->a, c));
		return 0;
	}
	if (c->pool.n)
		buf_addf(&r->out, "pool %.*s: ", STRF(text_of(r, c->pool)));
	buf_addf(&r->out, "%.*s -> %.*s\n", STRF(text_of(r, c->from_name)),
		 STRF(text_of(r, c->to_name)));
	(void)config_diff_text(&r->out, c, &d->view);
	config_diff_summary(&d->summary, c, &d->view);
	buf_addc(&r->out, '\n');
	return 0;
}

static bool wanted(const struct opts *o, struct str pool)
{
	for (size_t i = 0; i < o->pools.n; i++)
		if (str_eq(o->pools.v[i], pool))
			return true;
	return !o->pools.n;
}

/* A pool that only one side has: there is nothing to compare it with. */
static void tell_pool(struct diff *d, struct str pool, struct str from,
		      struct str to)
{
	struct run *r = d->r;
	struct json *j = json_new(r->a, JSON_OBJECT);

	d->differ++;
	json_add(j, S("pool"), json_new_str(r->a, pool));
	json_add(j, S("from"), json_new_str(r->a, from));
	json_add(j, S("to"), json_new_str(r->a, to));
	json_push(d->list, j);
	if (!str_is(d->o->output, "json"))
		buf_addf(&r->out, "pool %.*s: %s %.*s\n\n",
			 STRF(text_of(r, pool)),
			 from.n ? "removed, was" : "new,",
			 STRF(text_of(r, from.n ? from : to)));
}

static struct mc_pool *pool_of(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->pools.n; i++)
		if (str_eq(set->pools.v[i]->meta.name, name))
			return set->pools.v[i];
	return NULL;
}

static int removed_pools(struct diff *d, const struct mc_set *from,
			 const struct mc_set *to)
{
	for (size_t i = 0; i < from->pools.n; i++) {
		struct str name = from->pools.v[i]->meta.name;
		struct rendered x = { 0 };
		int rc;

		if (!wanted(d->o, name) || pool_of(to, name))
			continue;
		rc = mcoctl_render_pool(d->r->a, d->r, from, from->pools.v[i],
					&x);
		if (rc < 0)
			return rc;
		tell_pool(d, name, x.name, S(""));
	}
	return 0;
}

/* A pool that was asked for and is on neither side is a mistake, not "no change". */
static int check_pools(struct diff *d, const struct mc_set *from,
		       const struct mc_set *to)
{
	for (size_t i = 0; i < d->o->pools.n; i++) {
		struct mc_pool *found;
		struct str name = d->o->pools.v[i];

		if (!pool_of(from, name) &&
		    mcoctl_find_pool(d->r, to, name, &found) < 0)
			return -ERR_NOTFOUND;
	}
	return 0;
}

/* Every pool of either set, rendered from both. */
static int diff_pools(struct diff *d, const struct mc_set *from,
		      const struct mc_set *to)
{
	if (check_pools(d, from, to) < 0)
		return -ERR_NOTFOUND;
	for (size_t i = 0; i < to->pools.n; i++) {
		struct rendered x = { 0 }, y = { 0 };
		struct str name = to->pools.v[i]->meta.name;
		struct mc_pool *old;
		struct config_diff c = { .pool = name };
		int rc;

		if (!wanted(d->o, name))
			continue;
		rc = mcoctl_render_pool(d->r->a, d->r, to, to->pools.v[i], &y);
		if (rc < 0)
			return rc;
		old = pool_of(from, name);
		if (!old) {
			tell_pool(d, name, S(""), y.name);
			continue;
		}
		rc = mcoctl_render_pool(d->r->a, d->r, from, old, &x);
		if (rc < 0)
			return rc;
		if (str_eq(x.name, y.name))
			continue;
		d->differ++;
		c.from_name = x.name;
		c.to_name = y.name;
		c.from = &x.merged;
		c.to = &y.merged;
		rc = show(d, &c);
		if (rc < 0)
			return rc;
	}
	return removed_pools(d, from, to);
}

/* The one MachineConfig that a file holds, if it holds nothing else. */
static struct str only_config(const struct mc_set *set)
{
	return set->mcs.n == 1 && !set->pools.n ? set->mcs.v[0]->meta.name
						: S("");
}

static int diff_configs(struct diff *d, const struct mc_set *from, struct str x,
			const struct mc_set *to, struct str y)
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
	return show(d, &c);
}

/* A side that is a file with one config, or a name in the cluster. */
static int side(struct diff *d, struct str word, const struct mc_set *live,
		struct mc_set *set, struct str *name)
{
	struct strs paths = { 0 };
	int rc;

	*set = *live;
	*name = word;
	if (!live_is_file(d->r, word))
		return 0;
	*set = (struct mc_set){ 0 };
	VEC_PUSH(d->r->a, &paths, word);
	rc = manifests_load(d->r, &paths, d->o->recursive, set);
	if (rc < 0)
		return rc;
	*name = only_config(set);
	return name->n ? 0
		       : err_set(&d->r->err, ERR_INVALID,
				 "%.*s: not one MachineConfig to compare with",
				 STRF(word));
}

static int diff_live(struct diff *d)
{
	struct mc_set live = { 0 }, from = { 0 }, to = { 0 };
	struct run *r = d->r;
	struct str x = S(""), y = S("");
	int rc = live_load(r, &d->o->kube, "two files", &live);

	if (rc == 0)
		rc = mcoctl_preview(r, &live, NULL, true);
	if (rc == 0)
		rc = side(d, r->words.v[0], &live, &from, &x);
	if (rc == 0)
		rc = side(d, r->words.v[1], &live, &to, &y);
	if (rc < 0)
		return rc;
	d->policies = update_policies(r->a, live.configuration);
	d->allow = mc_overrides_of(live.configuration);
	return diff_configs(d, &from, x, &to, y);
}

static int diff_two(struct diff *d)
{
	struct run *r = d->r;
	struct mc_set from = { 0 }, to = { 0 };
	struct strs x = { 0 }, y = { 0 };
	int rc;

	VEC_PUSH(r->a, &x, r->words.v[0]);
	VEC_PUSH(r->a, &y, r->words.v[1]);
	rc = manifests_load(r, &x, d->o->recursive, &from);
	if (rc == 0)
		rc = manifests_load(r, &y, d->o->recursive, &to);
	if (rc == 0)
		rc = mcoctl_preview(r, &from, NULL, false);
	if (rc == 0)
		rc = mcoctl_preview(r, &to, NULL, true);
	if (rc < 0)
		return rc;
	d->policies = update_policies(r->a, to.configuration);
	d->allow = mc_overrides_of(to.configuration);
	if (only_config(&from).n && only_config(&to).n)
		return diff_configs(d, &from, only_config(&from), &to,
				    only_config(&to));
	if (!from.pools.n || !to.pools.n)
		return err_set(&r->err, ERR_INVALID,
			       "%.*s: neither one MachineConfig nor pools to "
			       "render",
			       STRF(r->words.v[from.pools.n ? 1 : 0]));
	return diff_pools(d, &from, &to);
}

static int diff_change(struct diff *d)
{
	struct mc_set base = { 0 }, change = { 0 }, after;
	struct run *r = d->r;
	int rc = d->o->base.n ? manifests_load(r, &d->o->base, true, &base)
			      : live_load(r, &d->o->kube, "--base PATH", &base);

	if (rc == 0)
		rc = manifests_load(r, &d->o->files, d->o->recursive, &change);
	if (rc < 0)
		return rc;
	change = mc_applied(r->a, &base, &change);
	after = mc_overlay(r->a, &base, &change);
	rc = mcoctl_preview(r, &base, NULL, false);
	if (rc == 0)
		rc = mcoctl_preview(r, &after, &change, true);
	if (rc < 0)
		return rc;
	d->policies = update_policies(r->a, after.configuration);
	d->allow = mc_overrides_of(after.configuration);
	return diff_pools(d, &base, &after);
}

static bool colour_wanted(void)
{
	const char *no = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no && *no);
}

static int finish(struct diff *d)
{
	struct run *r = d->r;

	if (d->external.command)
		return external_diff_run(&d->external, &r->err);
	if (str_is(d->o->output, "json")) {
		struct json *j = json_new(r->a, JSON_OBJECT);

		json_add(j, S("differences"), d->list);
		json_encode(&r->out, j, JSON_INDENT);
		buf_addc(&r->out, '\n');
	}
	buf_add(&r->out, buf_str(&d->summary));
	return d->differ ? 1 : 0;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct diff d = { .r = r, .o = o, .view = { .secrets = o->secrets } };
	int rc;

	d.view.colour = r->colour = colour_wanted();
	d.list = json_new(r->a, JSON_ARRAY);
	buf_init(&d.summary, r->a);
	external_diff_init(&d.external, r->a, getenv("KUBECTL_EXTERNAL_DIFF"));
	d.external.secrets = o->secrets;
	if (r->words.n == 2 && !o->files.n && !o->base.n)
		rc = live_is_file(r, r->words.v[0]) &&
				     live_is_file(r, r->words.v[1])
			     ? diff_two(&d)
			     : diff_live(&d);
	else if (!r->words.n && o->files.n)
		rc = diff_change(&d);
	else
		return err_set(&r->err, ERR_INVALID,
			       "give two configs to compare (diff A B), or new "
			       "manifests (diff -f NEW [--base DUMP])");
	if (rc == 0)
		rc = finish(&d);
	external_diff_free(&d.external);
	return rc;
}

const struct command mcoctl_diff = {
	.name = "diff",
	.args = "A B | -f NEW... [--base DUMP]... [--pool POOL]... [-o text|json]",
	.summary = "show what differs, and what it does to the nodes",
	.details =
		"A and B are MachineConfigs, or folders whose pools are rendered; "
		"what is no file is\na MachineConfig or pool of the cluster. "
		"With -f it answers \"what would this change\ndo?\" to a dump or "
		"to the cluster: contents decoded, then for each pool drain,\n"
		"reboot or reload, and the rule behind it.\n\n"
		"KUBECTL_EXTERNAL_DIFF is honoured.",
	.examples = "# What a change does to the nodes of the cluster\n"
		    "@ diff -f 99-worker-ntp.yaml\n"
		    "# The same without a cluster\n"
		    "@ diff -f 99-worker-ntp.yaml --base cluster.yaml\n"
		    "# Two MachineConfigs in files\n"
		    "@ diff old.yaml new.yaml",
	.exits = "0 same, 1 differs, 2 an error",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.error_status = 2,
	.run = run,
};
