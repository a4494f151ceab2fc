/*
 * mcoctl diff: compares two configs, or previews what new manifests change and how
 * the nodes take it.
 */
#include <stdlib.h>
#include <unistd.h>

#include "io/external_diff.h"
#include "io/version.h"
#include "mcoctl_diff.h"

static const struct flag flags[] = {
	MANIFEST_FLAGS(struct diff_opts),
	{ .texts = FLAG_TEXT(
		  "base", "PATH",
		  "compare with this dump, directory or must-gather; may be repeated (default: "
		  "the cluster)"),
	  .letter = 'b',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct diff_opts, base) },
	{ .texts = FLAG_TEXT("pool", "POOL", "only this pool; may be repeated"),
	  .letter = 'p',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct diff_opts, pools) },
	{ .texts = FLAG_TEXT("prune", "", "count user-owned objects that -f lacks as deleted"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct diff_opts, prune) },
	{ .texts = FLAG_TEXT("selector", "LABELS",
			     "only objects with these labels, for -f and --prune"),
	  .letter = 'l',
	  .kind = FLAG_STR,
	  .offset = offsetof(struct diff_opts, selector) },
	{ .texts = FLAG_TEXT("show-secrets", "", "do not mask secrets"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct diff_opts, secrets) },
	OUTPUT_FLAG(struct diff_opts, "text|json"),
	KUBE_FLAGS(struct diff_opts),
	{ 0 },
};

static void defaults(void *p)
{
	((struct diff_opts *)p)->output = S("text");
}

static void warn_all(struct diff *d)
{
	for (size_t i = 0; i < d->change.warnings.n; i++)
		applet_warn(d->r, d->change.warnings.v[i]);
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
	in.hash = str_of(version_hash());
	in.adopt_hash = !getenv("MCO_HASH");
	plan_change_preview(r->a, &in, &d->change);
	warn_all(d);
	to = d->change.after;
	if (diff_only_config(&from).n && diff_only_config(&to).n)
		return diff_configs(d, &from, diff_only_config(&from), &to, diff_only_config(&to),
				    to.configuration);
	if (!from.pools.n || !to.pools.n)
		return err_set(&r->err, ERR_INVALID,
			       "%.*s: expected one MachineConfig, or pools to render",
			       STRF(r->words.v[from.pools.n ? 1 : 0]));
	forecast_assumptions(r->a, &to, &to, &d->change.assumed);
	return diff_pools(d, &from, &to);
}

static int diff_change(struct diff *d)
{
	struct mc_set base = { 0 }, given = { 0 };
	struct selector selector = { 0 };
	struct run *r = d->r;
	struct change_in in = { .base = &base,
				.given = &given,
				.selector = d->o->selector.n ? &selector : NULL,
				.prune = d->o->prune,
				.hash = str_of(version_hash()),
				.adopt_hash = !getenv("MCO_HASH") };
	int rc = selector_parse(r->a, d->o->selector, &selector, &r->err);

	if (rc < 0)
		return err_wrap(&r->err, "--selector");
	rc = d->o->base.n ? manifests_load(r->a, &d->o->base, true, &base, &r->err)
			  : mcoctl_load_live(r, &d->o->kube, "--base PATH", LIVE_IN_USE, &base);
	if (rc == 0)
		rc = manifests_load(r->a, &d->o->files, d->o->recursive, &given, &r->err);
	if (rc < 0)
		return rc;
	plan_change(r->a, &in, &d->change);
	warn_all(d);
	return diff_pools(d, &base, &d->change.after);
}

static int finish(struct diff *d)
{
	struct run *r = d->r;

	if (d->external) {
		int rc = external_diff(r->a, d->external, &d->for_external, &r->err);

		if (rc >= 0 && d->change.partial)
			return 2;
		return rc == 0 && d->unseen ? 1 : rc;
	}
	if (str_is(d->o->output, "json")) {
		json_encode(&r->out, change_json(r->a, &d->change, d->list, &r->warnings),
			    JSON_INDENT);
		buf_addc(&r->out, '\n');
	}
	if (d->change.partial)
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
		rc = !o->base.n && mcoctl_is_file(r, r->words.v[0]) &&
				     mcoctl_is_file(r, r->words.v[1])
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
	.summary = "show what differs, and the effect on the nodes",
	.details =
		"A and B are MachineConfigs, or directories whose pools are rendered. An argument that is not a file is a pool (mcp/NAME), a MachineConfig (mc/NAME) or the current "
		"config of a node (node/NAME) in the dump or the cluster.\n\n"
		"With -f, diff shows the effect of a change on a dump or on the cluster: contents "
		"decoded, then for each pool drain, reboot or reload, and the rule behind it; or "
		"why the pool cannot be rendered or running nodes refuse the config. The last "
		"lines name each default that was assumed because an object is missing. With "
		"--prune, MachineConfigs, custom pools, KubeletConfigs, ContainerRuntimeConfigs, "
		"mirror sets and image policies that -f lacks count as deleted; objects that the "
		"cluster owns stay.\n\n"
		"Of one file at most 2000 lines and 256 KiB are shown. KUBECTL_EXTERNAL_DIFF gets "
		"all of it.",
	.examples = "# What a change does to the nodes of the cluster\n"
		    "@ diff -f 99-worker-ntp.yaml\n"
		    "# The same without a cluster\n"
		    "@ diff -f 99-worker-ntp.yaml --base cluster.yaml\n"
		    "# Replace all objects with a label by a directory\n"
		    "@ diff -f configs/ --prune -l team=storage\n"
		    "# What a node has yet to receive\n"
		    "@ diff node/worker-0 mcp/worker\n"
		    "# Two MachineConfigs in files\n"
		    "@ diff old.yaml new.yaml",
	.exits = "0 same, 1 differs (also when a pool can no longer be rendered), 2 an error, no "
		 "pool can be rendered, or a warning says that a part of -f was skipped",
	.flags = flags,
	.opts_size = sizeof(struct diff_opts),
	.defaults = defaults,
	.error_status = 2,
	.colours = true,
	.run = run,
};
