/*
 * mcoctl render: renders the configs of pools as upstream does.
 */
#include "data/docs.h"
#include "io/log.h"
#include "mc/ref.h"
#include "mcoctl.h"

struct opts {
	struct strs files;
	bool recursive;
	struct strs pools;
	struct str output;
	struct kube_flags kube;
};

static const struct flag flags[] = {
	MANIFEST_FLAGS(struct opts),
	{ .texts = FLAG_TEXT("pool", "POOL", "only this pool; may be repeated (default all)"),
	  .letter = 'p',
	  .kind = FLAG_STRS,
	  .offset = offsetof(struct opts, pools) },
	OUTPUT_FLAG(struct opts, "yaml|json|name"),
	KUBE_FLAGS(struct opts),
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->output = S("yaml");
}

static int add(struct run *r, struct str format, const struct rendered *m)
{
	if (!str_is(format, "name"))
		return docs_write(&r->out, format, 0, m->object, &r->err);
	buf_addf(&r->out, "machineconfig." KEY_MC "%.*s\n", STRF(m->name));
	return 0;
}

/* With -v: lists the MachineConfigs in the order of merging. */
static void explain(const struct mcp *pool, const struct rendered *m)
{
	if (!log_enabled(1))
		return;
	applet_say("pool %.*s: %.*s from %zu MachineConfigs:\n", STRF(pool->meta.name),
		   STRF(m->name), m->sources.n);
	for (size_t i = 0; i < m->sources.n; i++)
		applet_say("  %.*s (%.*s)\n", STRF(m->sources.v[i]->meta.name),
			   STRF(m->sources.v[i]->file));
}

static int render(struct run *r, const struct opts *o, const struct mc_set *set,
		  const struct mcp *pool)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct rendered m;
	int rc = mcoctl_render_pool(&a, r, set, pool, &m);

	if (rc < 0)
		return rc;
	explain(pool, &m);
	return add(r, o->output, &m);
}

struct rendering {
	struct run *r;
	const struct opts *o;
	struct mc_set set;
	struct preview_refusals refused;
	bool failed;
};

/* Prints r->err, the reason for an omission, and continues. */
static void left_out(struct rendering *d)
{
	applet_say("Error: %.*s%s", STRF(d->r->err.msg),
		   str_ends(d->r->err.msg, S("\n")) ? "" : "\n");
	d->failed = true;
}

/* Fails when a refused object blocks the rendering of the pool; r->err names it. */
static int check_refused(struct rendering *d, const struct mcp *pool)
{
	const struct preview_refusal *f = preview_refusal_of(&d->refused, pool->meta.name);

	return f ? err_set(&d->r->err, ERR_INVALID, "pool %.*s: %.*s", STRF(pool->meta.name),
			   STRF(preview_refusal_text(d->r->a, f)))
		 : 0;
}

static void render_one(struct rendering *d, const struct mcp *pool)
{
	if (check_refused(d, pool) < 0 || render(d->r, d->o, &d->set, pool) < 0)
		left_out(d);
}

/* Warns about refused objects that block no pool. */
static void tell_refused(struct rendering *d)
{
	for (size_t i = 0; i < d->refused.n; i++) {
		const struct preview_refusal *f = &d->refused.v[i];
		struct str text = preview_refusal_text(d->r->a, f);

		if (f->pools.n)
			continue;
		if (f->known || d->set.live) {
			applet_say("warning: %.*s\n", STRF(text));
			continue;
		}
		(void)err_set(&d->r->err, ERR_INVALID, "%.*s", STRF(text));
		left_out(d);
	}
}

/* Renders every pool that it can, and reports the others. */
static int render_pools(struct rendering *d)
{
	const struct strs *names = &d->o->pools;

	tell_refused(d);
	for (size_t i = 0; !names->n && i < d->set.pools.n; i++)
		render_one(d, d->set.pools.v[i]);
	for (size_t i = 0; i < names->n; i++) {
		struct mcp *pool;

		if (mc_find_pool(d->r->a, &d->set, names->v[i], &pool, &d->r->err) < 0)
			left_out(d);
		else
			render_one(d, pool);
	}
	return d->failed ? 1 : 0;
}

/* Arguments are files, or pools: NAME, mcp/NAME or mcp NAME. */
static int take_words(struct run *r, struct opts *o)
{
	struct strs words = mc_ref_join(r->a, &r->words);

	for (size_t i = 0; i < words.n; i++) {
		struct str word = words.v[i];
		struct mc_ref ref = { 0 };
		int rc = mcoctl_check_word(r, word);

		if (rc == 0 && mcoctl_is_file(r, word)) {
			VEC_PUSH(r->a, &o->files, word);
			continue;
		}
		if (rc == 0)
			rc = mc_ref_parse(word, &ref, &r->err);
		if (rc < 0)
			return rc;
		if (ref.type != MC_REF_ANY && ref.type != MC_REF_POOL)
			return err_set(&r->err, ERR_INVALID,
				       "%.*s is not rendered: give pools, such "
				       "as mcp/worker",
				       STRF(word));
		VEC_PUSH(r->a, &o->pools, ref.name);
	}
	return 0;
}

static int run(struct run *r, const void *p)
{
	struct opts o = *(const struct opts *)p;
	struct rendering d = { .r = r, .o = &o };
	int rc = take_words(r, &o);

	if (rc < 0)
		return rc;
	rc = o.files.n ? manifests_load(r->a, &o.files, o.recursive, &d.set, &r->err)
		       : mcoctl_load_live(r, &o.kube, LIVE_INSTEAD, LIVE_IN_USE, &d.set);
	if (rc < 0)
		return rc;
	mcoctl_preview_some(r, &d.set, &d.refused);
	return d.set.pools.n ? render_pools(&d) : mc_no_pool(&d.set, &r->err);
}

const struct command mcoctl_render = {
	.name = "render",
	.args = "[-f PATH]... [-R] [POOL | mcp/POOL]... [-o yaml|json|name]",
	.summary = "render the config of each pool, as upstream does",
	.details =
		"Reads MachineConfigs, MachineConfigPools and the ControllerConfig from files, "
		"directories, `oc get ... -o yaml` dumps or an unpacked must-gather; -f - is "
		"standard input. Without -f it reads the cluster. With -v it lists the "
		"MachineConfigs of each config in the order of merging.\n\n"
		"A pool that cannot be rendered is reported with the reason; the others are "
		"rendered.\n\n"
		"The version to render as is that of the manifests; MCO_RAW and MCO_HASH override "
		"it.",
	.examples = "# The name of each pool's rendered config\n"
		    "@ render -o name\n"
		    "# The config of one pool, from a dump\n"
		    "@ render -f cluster.yaml mcp/worker",
	.exits = "0 all pools are rendered, 1 on an error, or when a pool cannot be rendered",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
