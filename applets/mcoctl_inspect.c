/*
 * inspect: what `mcoctl files`, `cat` and `blame` share: arguments, loading a config, printing.
 *
 * Objects that the preview refuses are warnings here, and a pool that cannot be rendered is shown
 * as its last rendered config: these commands serve to find out what is wrong.
 */
#include "inspect.h"

#include "data/docs.h"
#include "mc/made_from.h"
#include "mc/ref.h"
#include "plan/sources.h"

int inspect_words(struct run *r, struct inspect *out)
{
	struct strs words = mc_ref_join(r->a, &r->words);
	ptrdiff_t at = words.n ? str_find(words.v[0], S(":/")) : -1;

	*out = (struct inspect){ 0 };
	if (!words.n || words.n > (at > 0 ? 1 : 2))
		return err_set(&r->err, ERR_INVALID,
			       "give one config: a pool (worker), mc/NAME, "
			       "node/NAME or a file");
	out->config = words.v[0];
	out->part = words.n > 1 ? words.v[1] : S("");
	if (at > 0) {
		out->config = str_sub(words.v[0], 0, (size_t)at);
		out->part = str_from(words.v[0], (size_t)at + 1);
	}
	return mcoctl_check_word(r, out->config);
}

static int load_cluster(struct run *r, const struct inspect_opts *o, struct str config,
			struct mc_set *set)
{
	int rc = mcoctl_load_live(r, &o->kube, LIVE_INSTEAD, LIVE_ALL, set);

	return rc < 0 ? err_wrap(&r->err, "%.*s is not a file here", STRF(config)) : 0;
}

/* The only config of a file that was given instead of a name. */
static int only_config(struct run *r, const struct mc_set *set, struct str file, struct str *out)
{
	if (set->pools.n == 1)
		*out = set->pools.v[0]->meta.name;
	else if (set->mcs.n == 1)
		*out = set->mcs.v[0]->meta.name;
	else
		return err_set(&r->err, ERR_INVALID,
			       "%.*s has %zu MachineConfigs and %zu pools: "
			       "give it with -f, and the name of one",
			       STRF(file), set->mcs.n, set->pools.n);
	return 0;
}

static int load_set(struct run *r, const struct inspect_opts *o, struct str *config,
		    struct mc_set *set)
{
	struct strs paths = o->files;
	int rc;

	if (!paths.n && !mcoctl_is_file(r, *config))
		return load_cluster(r, o, *config, set);
	if (paths.n)
		return manifests_load(r->a, &paths, o->recursive, set, &r->err);
	VEC_PUSH(r->a, &paths, *config);
	rc = manifests_load(r->a, &paths, o->recursive, set, &r->err);
	return rc < 0 ? rc : only_config(r, set, *config, config);
}

/* A config that exists, and the MachineConfigs it was rendered from. */
static int take_mc(struct run *r, struct mc *mc, struct inspected *out)
{
	struct rendered_from from;
	int rc = named_config_mc(r->a, mc, &out->config, &r->err);

	if (rc < 0)
		return rc;
	plan_sources(r->a, &out->set, mc, &from);
	out->config.sources = from.mcs;
	out->exact = !from.pool;
	return 0;
}

/* blocked: a refused object blocks the rendering; its warning is already printed. */
static int take_pool(struct run *r, const struct mcp *pool, bool blocked, struct inspected *out)
{
	int rc = mcoctl_pool(r, &out->set, pool, &out->config);
	struct mc *last = plan_last_good(&out->set, pool);

	out->exact = rc == 0;
	if ((rc == 0 && !blocked) || !last)
		return rc;
	if (rc < 0)
		applet_say("warning: %.*s\n", STRF(r->err.msg));
	applet_say("warning: pool %.*s cannot be rendered: this "
		   "is %.*s, its last config\n",
		   STRF(pool->meta.name), STRF(last->meta.name));
	return take_mc(r, last, out);
}

int inspect_load(struct run *r, const struct inspect_opts *o, struct str config,
		 struct inspected *out)
{
	struct preview_refusals refused;
	struct mcp *pool;
	struct mc *mc;
	int rc;

	*out = (struct inspected){ 0 };
	rc = load_set(r, o, &config, &out->set);
	if (rc < 0)
		return rc;
	/* continue with the rest: refusals are only warnings here */
	mcoctl_preview_some(r, &out->set, &refused);
	for (size_t i = 0; i < refused.n; i++)
		applet_say("warning: %.*s\n", STRF(preview_refusal_text(r->a, &refused.v[i])));
	rc = mc_find_named(r->a, &out->set, config, &mc, &pool, &r->err);
	if (rc < 0)
		return rc;
	if (mc)
		return take_mc(r, mc, out);
	return take_pool(r, pool, preview_refusal_of(&refused, pool->meta.name), out);
}

void inspect_origins(struct run *r, const struct inspected *in, struct mc_origins *out)
{
	struct mc_origins_in from = { .config = &in->config.spec,
				      .sources = &in->config.sources,
				      .exact = in->exact };

	mc_origins(r->a, &from, out);
	mc_made_from_all(r->a, &in->set, out);
	for (size_t i = 0; i < out->unread.n; i++)
		applet_say("warning: MachineConfig %.*s (%.*s) is not valid: its effect is not "
			   "known\n",
			   STRF(out->unread.v[i]->meta.name), STRF(out->unread.v[i]->file));
	if (out->unknown)
		applet_say("warning: %zu parts of %.*s do not match its MachineConfigs, which were "
			   "edited or deleted later\n",
			   out->unknown, STRF(in->config.name));
}

void inspect_defaults(void *opts)
{
	((struct inspect_opts *)opts)->output = S("table");
}

int inspect_print(struct run *r, const struct inspect_opts *o, struct parts_view *v,
		  void (*table)(struct buf *b, struct arena *a, const struct parts_view *v))
{
	v->no_headers = o->no_headers;
	if (str_is(o->output, "table")) {
		table(&r->out, r->a, v);
		return 0;
	}
	return docs_write(&r->out, o->output, 0, parts_json(r->a, v), &r->err);
}
