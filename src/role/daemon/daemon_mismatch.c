/*
 * daemon_mismatch: a node's first config is not the one that the cluster generated from the
 * same sources. The daemon cannot repair that: it writes the difference to the disk and fails.
 */
#include "daemon_own.h"
#include "io/log.h"
#include "view/udiff.h"

#define DIFF MC_STATE_DIR "/bootstrapconfigdiff"

static struct str spec_of(struct arena *a, const struct mc_current *c)
{
	struct buf b;

	buf_init(&b, a);
	json_encode(&b, json_at(c->tree, "spec"), JSON_INDENT);
	buf_addc(&b, '\n');
	return buf_str(&b);
}

/* The log has no contents: they may be secret. */
static void write_down(struct daemon *d)
{
	const struct udiff_opts o = { .from = "bootstrap", .to = "cluster" };
	struct arena *a = &d->turn;
	struct err err = ERR_INIT(a);
	struct update_changes c;
	struct buf b;

	update_changes(a, &d->update.from.spec, &d->update.to.spec, false, &c);
	if (tree_exists(&d->node->tree, DIFF) || update_nothing(&c))
		return;
	buf_init(&b, a);
	buf_add(&b, plan_mismatch_changes(a, d->update.from.name, d->update.to.name, &c));
	log_error("%s", b.p);
	buf_addz(&b, "\nRaw diff:\n");
	udiff(&b, spec_of(a, &d->update.from), spec_of(a, &d->update.to), &o);
	if (tree_put(&d->node->tree, DIFF, buf_str(&b), &err) < 0)
		log_error("failed to write bootstrap MachineConfig diff to " DIFF ": %.*s",
			  STRF(err.msg));
}

static void fail(struct daemon *d, struct str in_cluster)
{
	daemon_look(d);
	daemon_fail(d, plan_mismatch(&d->turn, d->v.current, in_cluster, DIFF), false);
}

void daemon_got_generated(struct daemon *d, struct str body)
{
	struct err err = ERR_INIT(&d->turn);

	if (mc_current_parse(&d->update.a, str_dup(&d->update.a, body), &d->update.to, &err) < 0) {
		daemon_no_generated(d);
		return;
	}
	write_down(d);
	fail(d, d->update.to.name);
}

void daemon_no_generated(struct daemon *d)
{
	fail(d, S(""));
}

/* The config of the node's pool, which owns the first config; "": not known. */
static struct str generated(struct daemon *d)
{
	const struct kube_tree *pool;
	struct err err = ERR_INIT(&d->turn);
	struct str image;

	if (node_current(d->node, &d->update.a, &d->update.from, &image, &err) < 0)
		return S("");
	pool = kube_cache_get(
		d->caches.pools,
		json_str_or(json_first(json_at(d->update.from.tree, "metadata.ownerReferences")),
			    "name", S(POOL_MASTER)));
	return pool ? json_str(pool->tree, "spec.configuration.name") : S("");
}

void daemon_mismatch(struct daemon *d)
{
	struct str name = generated(d);

	if (name.n)
		daemon_get(d, STATE_GET_GENERATED,
			   str_fmt(&d->turn, PATH_MC "machineconfigs/%.*s", STRF(name)));
	else
		daemon_no_generated(d);
}
