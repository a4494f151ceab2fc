/*
 * Which pools and which keys of plan/generate a changed object concerns.
 *
 * The live controller asks for every change it watches, previews for the objects that
 * were applied and for what their plans write. Both plan the same keys because both
 * ask here.
 */
#include "plan/trigger.h"

#include "mc/selector.h"
#include "plan/owned.h"

/* The pool that owns it as its controller, or NULL. */
static struct mcp *owner(const struct mcp_list *pools, const struct mc *mc)
{
	const struct json *refs = json_at(mc->doc.tree, "metadata.ownerReferences");

	for (const struct json *r = json_first(refs); r; r = json_next(r)) {
		if (!json_bool(r, "controller", false) ||
		    !str_is(json_str(r, "kind"), "MachineConfigPool"))
			continue;
		for (size_t i = 0; i < pools->n; i++) {
			const struct mc_meta *m = &pools->v[i]->meta;

			if (str_eq(m->name, json_str(r, "name")) &&
			    str_eq(m->uid, json_str(r, "uid")))
				return pools->v[i];
		}
	}
	return NULL;
}

static void enqueue(struct arena *a, struct mcp_list *queue, struct mcp *p)
{
	for (size_t i = 0; i < queue->n; i++)
		if (queue->v[i] == p)
			return;
	VEC_PUSH(a, queue, p);
}

static void enqueue_for(struct arena *a, const struct mcp_list *pools, const struct mc *mc,
			struct mcp_list *queue)
{
	struct mcp *mine = mc ? owner(pools, mc) : NULL;

	if (mine)
		enqueue(a, queue, mine);
	for (size_t i = 0; mc && !mine && i < pools->n; i++) {
		struct err err = ERR_INIT(a);
		struct selector s;

		if (selector_make(a, pools->v[i]->selector, &s, &err) == 0 && s.n &&
		    selector_matches(&s, mc->meta.labels))
			enqueue(a, queue, pools->v[i]);
	}
}

void trigger_mc(struct arena *a, const struct mcp_list *pools, const struct mc *was,
		const struct mc *is, struct mcp_list *queue)
{
	if (was && is && json_eq(was->meta.labels, is->meta.labels) &&
	    json_eq(was->meta.annotations, is->meta.annotations) && was->brief == is->brief &&
	    str_eq(was->config_digest, is->config_digest) &&
	    json_eq(json_at(was->doc.tree, "spec"), json_at(is->doc.tree, "spec")))
		return;
	enqueue_for(a, pools, was, queue);
	enqueue_for(a, pools, is, queue);
}

static void add_key(struct arena *a, struct generate_keys *out, enum generate_kind kind,
		    struct str name)
{
	struct generate_key key = { .kind = kind, .name = name };

	VEC_PUSH(a, out, key);
}

/* The controller that made mc. None for rendered configs and those of users. */
static void add_maker(struct arena *a, const struct mc *mc, struct generate_keys *out)
{
	static const struct {
		const char *owner;
		enum generate_kind kind;
	} makers[] = {
		{ "ControllerConfig", GENERATE_TEMPLATES },
		{ "KubeletConfig", GENERATE_KUBELET },
		{ "ContainerRuntimeConfig", GENERATE_RUNTIME },
		{ "Image", GENERATE_REGISTRIES },
		{ "CRIOCredentialProviderConfig", GENERATE_CREDENTIALS },
	};
	const struct json *owner = json_first(json_at(mc->doc.tree, "metadata.ownerReferences"));
	struct str kind = json_str(owner, "kind");

	if (!mc_annotation(&mc->meta, ANNO_BY_CONTROLLER).n ||
	    str_starts(mc->meta.name, S("rendered-")))
		return;
	for (size_t i = 0; i < ARRAY_LEN(makers); i++)
		if (str_is(kind, makers[i].owner))
			add_key(a, out, makers[i].kind, json_str(owner, "name"));
	/* the 97- and 98- configs of a pool have no owner */
	if (!owner) {
		struct str pool = str_fmt(a, GENERATE_POOL_PREFIX "%.*s",
					  STRF(mc_label(&mc->meta, LABEL_ROLE)));

		add_key(a, out, GENERATE_NODE, pool);
		add_key(a, out, GENERATE_FEATURES, pool);
	}
}

/* The configs whose MachineConfigs have the name, too: they can write it now. */
static void add_namesakes(struct arena *a, enum generate_kind kind, const struct owned_kind *owned,
			  const struct mc_object_list *configs, struct str name,
			  struct generate_keys *out)
{
	for (size_t i = 0; i < configs->n; i++) {
		struct str suffix = json_text(owned_suffix(configs->v[i]));

		if (str_ends(name, str_fmt(a, "-generated-%s%s%.*s", owned->what,
					   suffix.n ? "-" : "", STRF(suffix))))
			add_key(a, out, kind, configs->v[i]->meta.name);
	}
}

void trigger_makers(struct arena *a, const struct mc *was, const struct mc *is, bool selected,
		    const struct mc_object_list *kubelets, const struct mc_object_list *runtimes,
		    struct generate_keys *out)
{
	if (was && selected)
		add_maker(a, is ? is : was, out);
	if (is || !was || !str_starts(was->meta.name, S("99-")))
		return;
	add_namesakes(a, GENERATE_KUBELET, &owned_kubelet, kubelets, was->meta.name, out);
	add_namesakes(a, GENERATE_RUNTIME, &owned_runtime, runtimes, was->meta.name, out);
}

unsigned trigger_object(enum mc_kind kind, bool has_node_config)
{
	const unsigned kubelets =
		TRIGGER(GENERATE_NODE) | TRIGGER(GENERATE_FEATURES) | TRIGGER(GENERATE_KUBELET);

	switch (kind) {
	case MC_CLUSTER_VERSION:
	case MC_IMAGE:
	case MC_CONTENT_POLICY:
	case MC_DIGEST_MIRRORS:
	case MC_TAG_MIRRORS:
	case MC_CLUSTER_IMAGE_POLICY:
	case MC_IMAGE_POLICY:
		return TRIGGER(GENERATE_REGISTRIES);
	case MC_CREDENTIALS:
		return TRIGGER(GENERATE_CREDENTIALS);
	case MC_INTERNAL_RELEASE:
	case MC_SECRET:
		return TRIGGER(GENERATE_TEMPLATES);
	case MC_NODE_CONFIG:
		return kubelets;
	case MC_API_SERVER:
		/* upstream's kubelet controller sees it by way of the Node config */
		return TRIGGER(GENERATE_TEMPLATES) | (has_node_config ? kubelets : 0);
	default:
		return 0;
	}
}

struct str trigger_mcn(const struct mcn *was, const struct mcn *is)
{
	const struct mcn *m = is ? is : was;

	if (!m || str_is(m->pool, MCN_NOT_YET_SET))
		return S("");
	if (was && is && str_eq(was->pool, is->pool) &&
	    str_eq(was->spec_desired, is->spec_desired) && was->conditions == is->conditions)
		return S("");
	return m->pool;
}

struct str trigger_os_config(const struct os_config *was, const struct os_config *is)
{
	const struct os_config *c = is ? is : was;

	if (!c || (was && is && str_eq(was->image, is->image)))
		return S("");
	return c->pool;
}

struct str trigger_os_build(const struct os_build *was, const struct os_build *is)
{
	if (!is)
		return S("");
	if (was && was->prepared == is->prepared && was->building == is->building &&
	    was->failed == is->failed && was->succeeded == is->succeeded &&
	    str_eq(was->image, is->image))
		return S("");
	return is->pool;
}

bool trigger_spec(const struct json *was, const struct json *is)
{
	return is && (!was || json_at(is, "metadata.deletionTimestamp") ||
		      !json_eq(json_at(was, "spec"), json_at(is, "spec")));
}

int64_t trigger_wait(int64_t *since, int64_t now, int64_t last_change, int64_t quiet)
{
	int64_t due = last_change + quiet, latest;

	if (due > now && !*since)
		*since = now;
	latest = *since + 5 * quiet;
	if (due > latest)
		due = latest;
	if (due > now)
		return due - now;
	*since = 0;
	return 0;
}
