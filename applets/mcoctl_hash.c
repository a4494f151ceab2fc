/*
 * mcoctl hash: checks the names of rendered configs, and prints those of pools.
 */
#include "mc/ref.h"
#include "mcoctl.h"

struct opts {
	struct strs files;
	bool recursive;
	struct kube_flags kube;
};

static const struct flag flags[] = { MANIFEST_FLAGS(struct opts), KUBE_FLAGS(struct opts), { 0 } };

struct hashing {
	struct run *r;
	struct mc_set set;
	struct preview_refusals refused;
	bool wrong, failed;
};

/* rendered-<pool>-<32 hex digits>: the pool, or "". */
static struct str pool_of(struct str name)
{
	if (!str_starts(name, S("rendered-")) || name.n < 9 + 1 + 33)
		return S("");
	return str_sub(name, 9, name.n - 33);
}

static int hash_mc(struct hashing *h, const struct mc *mc)
{
	struct run *r = h->r;
	struct str name = S("");
	int rc = mc_rendered_name(r->a, pool_of(mc->meta.name), json_at(mc->doc.tree, "spec"),
				  &name, &r->err);

	if (rc < 0)
		return err_wrap(&r->err, "MachineConfig %.*s", STRF(mc->meta.name));
	if (str_eq(name, mc->meta.name)) {
		buf_addf(&r->out, "%.*s: ok\n", STRF(name));
		return 0;
	}
	h->wrong = true;
	buf_addf(&r->out, "%.*s: its spec gives %.*s\n", STRF(mc->meta.name), STRF(name));
	return 0;
}

/* Reports a pool that cannot be rendered and continues with the others. */
static void hash_pool(struct hashing *h, const struct mcp *pool)
{
	struct run *r = h->r;
	struct rendered m = { 0 };
	const struct preview_refusal *f = preview_refusal_of(&h->refused, pool->meta.name);
	int rc = f ? err_set(&r->err, ERR_INVALID, "pool %.*s: %.*s", STRF(pool->meta.name),
			     STRF(preview_refusal_text(r->a, f)))
		   : mcoctl_render_pool(r->a, r, &h->set, pool, &m);

	if (rc < 0) {
		applet_say("Error: %.*s\n", STRF(r->err.msg));
		h->failed = true;
		return;
	}
	buf_addf(&r->out, "pool %.*s: %.*s\n", STRF(pool->meta.name), STRF(m.name));
}

static int hash_all(struct hashing *h)
{
	struct run *r = h->r;

	for (size_t i = 0; i < h->set.mcs.n; i++) {
		int rc = 0;

		if (pool_of(h->set.mcs.v[i]->meta.name).n)
			rc = hash_mc(h, h->set.mcs.v[i]);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < h->set.pools.n; i++)
		hash_pool(h, h->set.pools.v[i]);
	if (!r->out.n && !h->failed)
		return err_set(&r->err, ERR_NOTFOUND, "neither a rendered config nor a pool %s",
			       mc_set_where(&h->set));
	return 0;
}

static int hash_named(struct hashing *h, struct str word)
{
	struct run *r = h->r;
	struct mcp *pool;
	struct mc *mc;
	int rc = mc_find_named(r->a, &h->set, word, &mc, &pool, &r->err);

	if (rc < 0)
		return rc;
	if (pool)
		hash_pool(h, pool);
	else if (pool_of(mc->meta.name).n)
		return hash_mc(h, mc);
	else
		return err_set(&r->err, ERR_INVALID,
			       "MachineConfig %.*s is not a rendered config: its name has no hash",
			       STRF(mc->meta.name));
	return 0;
}

/* Separates the arguments into files and names. */
static int take_words(struct run *r, struct strs *files, struct strs *names)
{
	struct strs words = mc_ref_join(r->a, &r->words);

	for (size_t i = 0; i < words.n; i++) {
		int rc = mcoctl_check_word(r, words.v[i]);

		if (rc < 0)
			return rc;
		if (mcoctl_is_file(r, words.v[i]))
			VEC_PUSH(r->a, files, words.v[i]);
		else
			VEC_PUSH(r->a, names, words.v[i]);
	}
	return 0;
}

static int run(struct run *r, const void *p)
{
	struct opts o = *(const struct opts *)p;
	struct hashing h = { .r = r };
	struct strs names = { 0 };
	int rc = take_words(r, &o.files, &names);

	if (rc < 0)
		return rc;
	if (o.files.n || (!names.n && !kube_live_asked(&o.kube)))
		rc = manifests_load(r->a, &o.files, o.recursive, &h.set, &r->err);
	else
		rc = mcoctl_load_live(r, &o.kube, LIVE_INSTEAD, LIVE_ALL, &h.set);
	if (rc == 0)
		mcoctl_preview_some(r, &h.set, &h.refused);
	for (size_t i = 0; rc == 0 && i < h.refused.n; i++)
		if (!h.refused.v[i].pools.n)
			applet_say("warning: %.*s\n",
				   STRF(preview_refusal_text(r->a, &h.refused.v[i])));
	if (rc == 0 && !names.n)
		rc = hash_all(&h);
	for (size_t i = 0; rc == 0 && i < names.n; i++)
		rc = hash_named(&h, names.v[i]);
	if (rc < 0)
		return rc;
	return h.failed ? 2 : h.wrong ? 1 : 0;
}

const struct command mcoctl_hash = {
	.name = "hash",
	.args = "-f PATH... [-R]\n[-f PATH...] [POOL | mc/NAME | node/NAME]...",
	.summary = "check the names of rendered configs, and print those of pools",
	.details = "Without names, hash checks everything in the manifests. Without -f, names are "
		   "those of the cluster.",
	.examples = "# Check each rendered config in a dump\n"
		    "@ hash -f cluster.yaml\n"
		    "# Check the config that a node runs\n"
		    "@ hash node/worker-0",
	.exits = "0 all names match, 1 the contents of a rendered config do not match its name, 2 "
		 "an error",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.error_status = 2,
	.run = run,
};
