/*
 * mcoctl diff: what differs between two configs, or what new manifests would
 * change, and what that does to the nodes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "io/external_diff.h"
#include "live.h"
#include "mc/lint.h"
#include "mc/prune.h"
#include "mcoctl_diff.h"
#include "plan/forecast.h"

static const struct flag flags[] = {
	MANIFEST_FLAGS(struct diff_opts),
	{ .name = "base",
	  .letter = 'b',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct diff_opts, base),
	  .value = "PATH",
	  .help = "what there is now: a dump, a directory or a must-gather "
		  "(default: the cluster)" },
	{ .name = "pool",
	  .letter = 'p',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct diff_opts, pools),
	  .value = "POOL",
	  .help = "only this pool; may be repeated" },
	{ .name = "prune",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct diff_opts, prune),
	  .help = "treat objects that users own and -f lacks as removed" },
	{ .name = "selector",
	  .letter = 'l',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct diff_opts, selector),
	  .value = "LABELS",
	  .help = "only objects with these labels, of -f and of --prune" },
	{ .name = "show-secrets",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct diff_opts, secrets),
	  .help = "show secrets too" },
	OUTPUT_FLAG(struct diff_opts, "text|json"),
	KUBE_FLAGS(struct diff_opts),
	{ 0 },
};

static void defaults(void *p)
{
	((struct diff_opts *)p)->output = S("text");
}

/*
 * What controllers make of in's set: *out. What they refuse because of the change,
 * or in two folders for the first time, is part of the answer; what a cluster has
 * refused before is a warning.
 */
static void preview(struct diff *d, struct preview_in *in, struct mc_set *out)
{
	struct preview p = { 0 };

	mcoctl_plan(d->r, in, &p);
	for (size_t i = 0; i < p.notes.n; i++)
		applet_warn(d->r, p.notes.v[i]);
	for (size_t i = 0; i < p.refused.n; i++) {
		const struct preview_refusal *f = &p.refused.v[i];

		if (in->touched ? f->touched : !f->known)
			VEC_PUSH(d->r->a, &d->caused, *f);
		else
			applet_warn(d->r, preview_refusal_text(d->r->a, f));
	}
	d->refused = p.refused;
	d->partial |= p.partial;
	*out = p.set;
}

static int diff_two(struct diff *d)
{
	struct run *r = d->r;
	struct mc_set from = { 0 }, to = { 0 };
	struct preview_in in = { .set = &to };
	struct strs x = { 0 }, y = { 0 };
	int rc;

	VEC_PUSH(r->a, &x, r->words.v[0]);
	VEC_PUSH(r->a, &y, r->words.v[1]);
	rc = manifests_load(r->a, &x, d->o->recursive, &from, &r->err);
	if (rc == 0)
		rc = manifests_load(r->a, &y, d->o->recursive, &to, &r->err);
	if (rc == 0)
		rc = mcoctl_preview(r, &from, false);
	if (rc < 0)
		return rc;
	preview(d, &in, &to);
	if (diff_only_config(&from).n && diff_only_config(&to).n)
		return diff_configs(d, &from, diff_only_config(&from), &to, diff_only_config(&to),
				    to.configuration);
	if (!from.pools.n || !to.pools.n)
		return err_set(&r->err, ERR_INVALID,
			       "%.*s: neither one MachineConfig nor pools to "
			       "render",
			       STRF(r->words.v[from.pools.n ? 1 : 0]));
	forecast_assumptions(r->a, &to, &to, &d->assumed);
	return diff_pools(d, &from, &to);
}

/* Applies the change to base: *after; touched is what controllers react to. */
static void apply_change(struct diff *d, const struct mc_set *base, struct mc_set *change,
			 const struct selector *selector, struct mc_set *after)
{
	struct arena *a = d->r->a;
	struct mc_set removed = { 0 }, kept = *base;

	if (d->o->selector.n)
		*change = mc_selected(a, change, selector);
	if (d->o->prune)
		kept = mc_prune(a, base, change, d->o->selector.n ? selector : NULL, &removed);
	d->pruned = mc_set_names(a, &removed);
	*change = mc_applied(a, base, change);
	*after = mc_overlay(a, &kept, change);
	for (size_t i = 0; i < removed.others.n; i++)
		VEC_PUSH(a, &change->others, removed.others.v[i]);
}

/* An API server has one compact text of each config, however it was written:
 * messages have places in that text. */
static void as_stored(struct mc_set *set)
{
	for (size_t i = 0; i < set->mcs.n; i++)
		set->mcs.v[i]->doc.json = false;
}

/* Another operator turns a feature set into gates. */
static void warn_of_gates(struct run *r, const struct mc_set *base, const struct mc_set *change)
{
	const struct mc_object *o = mc_find(change, MC_FEATURE_GATE, NAME_CLUSTER);
	const struct mc_object *was = mc_find(base, MC_FEATURE_GATE, NAME_CLUSTER);

	if (o && !json_at(o->doc.tree, "status.featureGates") &&
	    !(was && json_eq(json_at(was->doc.tree, "spec"), json_at(o->doc.tree, "spec"))))
		applet_warn(r, S("FeatureGate cluster: the gates are in its "
				 "status, which another operator writes, and the "
				 "manifest has none: what it does cannot be "
				 "told"));
}

static bool has_mc(const struct mc_set *set, struct str name)
{
	for (size_t i = 0; i < set->mcs.n; i++)
		if (str_eq(set->mcs.v[i]->meta.name, name))
			return true;
	return false;
}

/* Nothing comes of a new config that no pool selects: silence would look well. */
static void warn_of_unselected(struct diff *d, const struct mc_set *base,
			       const struct mc_set *change, const struct mc_set *after)
{
	struct mc_findings list = { 0 };
	struct mc_list added = { 0 };

	for (size_t i = 0; i < change->mcs.n; i++)
		if (!has_mc(base, change->mcs.v[i]->meta.name))
			VEC_PUSH(d->r->a, &added, change->mcs.v[i]);
	mc_lint_selected(d->r->a, &added, &after->pools, &list);
	for (size_t i = 0; i < list.n; i++)
		applet_warn(d->r, str_fmt(d->r->a, "%.*s: %.*s", STRF(list.v[i].object),
					  STRF(list.v[i].message)));
}

static int diff_change(struct diff *d)
{
	struct mc_set base = { 0 }, change = { 0 }, after;
	struct preview_in in = { 0 };
	struct selector selector;
	struct run *r = d->r;
	int rc = selector_parse(r->a, d->o->selector, &selector, &r->err);

	if (rc < 0)
		return err_wrap(&r->err, "--selector");
	rc = d->o->base.n ? manifests_load(r->a, &d->o->base, true, &base, &r->err)
			  : live_load(r, &d->o->kube, "--base PATH", &base);
	if (rc == 0)
		rc = manifests_load(r->a, &d->o->files, d->o->recursive, &change, &r->err);
	if (rc < 0)
		return rc;
	as_stored(&base);
	as_stored(&change);
	warn_of_gates(r, &base, &change);
	apply_change(d, &base, &change, &selector, &after);
	warn_of_unselected(d, &base, &change, &after);
	forecast_assumptions(r->a, &after, &change, &d->assumed);
	rc = mcoctl_preview(r, &base, false);
	if (rc < 0)
		return rc;
	in.set = &after;
	in.touched = &change;
	in.base = &base;
	preview(d, &in, &after);
	return diff_pools(d, &base, &after);
}

static struct json *refusals(struct arena *a, const struct preview_refusals *list)
{
	struct json *out = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < list->n; i++) {
		const struct preview_refusal *f = &list->v[i];
		struct json *j = json_new(a, JSON_OBJECT);

		json_add(j, S("object"), json_new_str(a, f->object));
		json_add(j, S("file"), json_new_str(a, f->file));
		json_add(j, S("message"), json_new_str(a, f->message));
		json_add(j, S("pools"), mcoctl_strings(a, &f->pools));
		json_push(out, j);
	}
	return out;
}

static int finish(struct diff *d)
{
	struct run *r = d->r;

	if (d->external) {
		int rc = external_diff(r->a, d->external, &d->for_external, &r->err);

		if (rc >= 0 && d->partial)
			return 2;
		return rc == 0 && d->unseen ? 1 : rc;
	}
	if (str_is(d->o->output, "json")) {
		struct json *j = json_new(r->a, JSON_OBJECT);

		json_add(j, S("differences"), d->list);
		json_add(j, S("refusals"), refusals(r->a, &d->caused));
		json_add(j, S("pruned"), mcoctl_strings(r->a, &d->pruned));
		json_add(j, S("assumptions"), mcoctl_strings(r->a, &d->assumed));
		json_add(j, S("warnings"), mcoctl_strings(r->a, &r->warnings));
		json_encode(&r->out, j, JSON_INDENT);
		buf_addc(&r->out, '\n');
	}
	if (d->partial)
		return 2;
	return d->differ ? 1 : 0;
}

static int run(struct run *r, const void *p)
{
	const struct diff_opts *o = p;
	struct diff d = { .r = r, .o = o, .view = { .secrets = o->secrets } };
	int rc;

	d.view.colour = r->colour;
	d.view.whole = "KUBECTL_EXTERNAL_DIFF='diff -uN'";
	d.list = json_new(r->a, JSON_ARRAY);
	d.external = getenv("KUBECTL_EXTERNAL_DIFF");
	if (d.external && !*d.external)
		d.external = NULL;
	d.for_external = (struct diff_files){ .a = r->a, .secrets = o->secrets };
	for (size_t i = 0; i < r->words.n; i++)
		if (mcoctl_check_word(r, r->words.v[i]) < 0)
			return -ERR_INVALID;
	if (r->words.n && (o->prune || o->selector.n))
		return err_set(&r->err, ERR_INVALID, "--prune and --selector are for -f");
	if (r->words.n == 2 && !o->files.n)
		rc = !o->base.n && live_is_file(r, r->words.v[0]) && live_is_file(r, r->words.v[1])
			     ? diff_two(&d)
			     : diff_named(&d);
	else if (!r->words.n && o->files.n)
		rc = diff_change(&d);
	else
		return err_set(&r->err, ERR_INVALID,
			       "give two configs to compare (diff A B), or new "
			       "manifests (diff -f NEW [--base DUMP])");
	return rc == 0 ? finish(&d) : rc;
}

const struct command mcoctl_diff = {
	.name = "diff",
	.args = "[--base DUMP]... A B\n"
		"-f NEW... [--base DUMP]... [--prune] [-l LABELS] "
		"[--pool POOL]... [-o text|json]",
	.summary = "show what differs, and what it does to the nodes",
	.details = "A and B are MachineConfigs, or directories whose pools are rendered; "
		   "what is no file is\na pool (mcp/NAME), a MachineConfig (mc/NAME) or "
		   "a node's current config (node/NAME)\nof the dump or the cluster. "
		   "With -f it answers \"what would this change\ndo?\" to a dump or "
		   "to the cluster: contents decoded, then for each pool drain,\n"
		   "reboot or reload, and the rule behind it; or why the pool cannot be "
		   "rendered or\nrunning nodes refuse the config. What was assumed for "
		   "want of an object is said\nlast. With --prune MachineConfigs, custom "
		   "pools, KubeletConfigs, "
		   "ContainerRuntimeConfigs,\nmirror sets and image policies that -f "
		   "lacks are gone; what the cluster\nowns stays.\n\n"
		   "Of one file at most 2000 lines and 256 KiB are shown. "
		   "KUBECTL_EXTERNAL_DIFF is\nhonoured, and gets all of it.",
	.examples = "# What a change does to the nodes of the cluster\n"
		    "@ diff -f 99-worker-ntp.yaml\n"
		    "# The same without a cluster\n"
		    "@ diff -f 99-worker-ntp.yaml --base cluster.yaml\n"
		    "# As if all that carries the label were replaced by a directory\n"
		    "@ diff -f configs/ --prune -l team=storage\n"
		    "# What a node is yet to get\n"
		    "@ diff node/worker-0 mcp/worker\n"
		    "# Two MachineConfigs in files\n"
		    "@ diff old.yaml new.yaml",
	.exits = "0 same, 1 differs (a pool that cannot be rendered any more is "
		 "one),\n2 an error, no pool can be rendered, or a warning says that "
		 "something of -f\nwas left out",
	.flags = flags,
	.opts_size = sizeof(struct diff_opts),
	.defaults = defaults,
	.error_status = 2,
	.colours = true,
	.run = run,
};
