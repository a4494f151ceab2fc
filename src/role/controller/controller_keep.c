/*
 * The decoders of the caches, without side effects.
 *
 * Nodes and MachineConfigNodes, of which there are many, are held as structs; rendered configs
 * without their Ignition config (mc/brief.h); all other objects whole. An object that does not fit
 * its type is logged and not cached.
 */
#include <stdlib.h>

#include "controller_state.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "mc/brief.h"

void *node_make(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct knode n;
	void *mem;

	(void)ctx;
	knode_decode(&a, tree, &n);
	mem = malloc(knode_size(&n));
	if (!mem)
		abort();
	return knode_copy(mem, &n);
}

/* The object after the migration to the gate; NULL: no migration is needed. */
static struct json *migrated(struct arena *a, const struct controller *c, const struct json *tree)
{
	if (c->running || !mc_gate(&c->gates.names, "ImageModeStatusReporting"))
		return NULL;
	return mcn_migrate(a, tree, clock_wall());
}

void *mcn_make(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct kube_watch *w = ctx;
	struct json *now = migrated(&a, w->set->ctx, tree);
	struct str body = now ? json_format(&a, now, 0) : S("");
	struct kept_mcn *k;
	struct mcn m;
	char *mem;

	mcn_decode(tree, &m);
	mem = malloc(sizeof(*k) + mcn_size(&m) + body.n);
	if (!mem)
		abort();
	k = (struct kept_mcn *)mem;
	k->mcn = mcn_copy(mem + sizeof(*k), &m);
	k->migrated = (struct str){ mem + sizeof(*k) + mcn_size(&m), body.n };
	memcpy(mem + sizeof(*k) + mcn_size(&m), body.p, body.n);
	return k;
}

/* Held as struct mc_object. */
static const uint8_t mc_kinds[W_KINDS] = {
	[W_KUBELET] = MC_KUBELET_CONFIG,
	[W_RUNTIME] = MC_RUNTIME_CONFIG,
	[W_IMAGE] = MC_IMAGE,
	[W_CONTENT_POLICY] = MC_CONTENT_POLICY,
	[W_DIGEST] = MC_DIGEST_MIRRORS,
	[W_TAG] = MC_TAG_MIRRORS,
	[W_CLUSTER_POLICY] = MC_CLUSTER_IMAGE_POLICY,
	[W_POLICY] = MC_IMAGE_POLICY,
};

static int decode(struct object *o, enum watched kind, struct err *err)
{
	switch (kind) {
	case W_POOL:
		return mcp_decode(&o->a, &o->doc, &o->pool, err);
	case W_MC:
		return mc_decode(&o->a, &o->doc, &o->mc, err);
	case W_CONTROLLER:
		return mc_controller_config_decode(&o->a, &o->doc, &o->controller, err);
	case W_OS_CONFIG:
		os_config_decode(o->doc.tree, &o->os_config);
		return 0;
	case W_OS_BUILD:
		os_build_decode(o->doc.tree, &o->os_build);
		return 0;
	default:
		break;
	}
	return mc_kinds[kind] ? mc_object_decode(&o->a, &o->doc, (enum mc_kind)mc_kinds[kind],
						 &o->object, err)
			      : 0;
}

void object_free(void *value)
{
	struct object *o = value;

	arena_free(&o->a);
	free(o);
}

void *object_make(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	const struct kube_watch *w = ctx;
	const char *plural = strrchr(w->discovery.path, '/') + 1;
	enum watched kind = (enum watched)w->kind;
	bool brief = kind == W_MC && mc_may_be_brief(tree);
	const struct json *kept = brief ? mc_brief_tree(&scratch, tree) : tree;
	struct doc whole = { .tree = (struct json *)tree, .json = true };
	struct object *o = calloc(1, sizeof(*o));
	struct err err;
	int rc;

	if (!o)
		abort();
	err = ERR_INIT(&scratch);
	o->doc.json = true;
	o->doc.text = str_dup(&o->a, json_format(&scratch, kept, JSON_NO_HTML));
	rc = brief ? mc_check(&scratch, &whole, MC_MACHINE_CONFIG, &err) : 0;
	if (rc == 0)
		rc = json_parse(&o->a, o->doc.text, NULL, &o->doc.tree, &err);
	if (rc == 0)
		rc = decode(o, kind, &err);
	if (rc == 0 && brief) {
		o->mc.brief = true;
		o->mc.config_digest = mc_config_digest(&o->a, tree);
	}
	if (rc == 0)
		return o;
	log_again(LOG_ERROR, str_of(plural),
		  "%s/%.*s ignored: it does not match its type: "
		  "%.*s",
		  plural, STRF(json_str(tree, "metadata.name")), STRF(err.msg));
	object_free(o);
	return NULL;
}
