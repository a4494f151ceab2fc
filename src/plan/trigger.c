#include "plan/trigger.h"

#include "mc/selector.h"

/* The pool that owns it as its controller, or NULL. */
static struct mc_pool *owner(const struct mc_pools *pools, const struct mc *mc)
{
	const struct json *refs =
		json_at(mc->doc.tree, "metadata.ownerReferences");

	for (const struct json *r = json_first(refs); r; r = json_next(r)) {
		if (!json_bool(r, "controller", false) ||
		    !str_is(json_str(r, "kind", S("")), "MachineConfigPool"))
			continue;
		for (size_t i = 0; i < pools->n; i++) {
			const struct mc_meta *m = &pools->v[i]->meta;

			if (str_eq(m->name, json_str(r, "name", S(""))) &&
			    str_eq(m->uid, json_str(r, "uid", S(""))))
				return pools->v[i];
		}
	}
	return NULL;
}

static void enqueue(struct arena *a, struct mc_pools *queue, struct mc_pool *p)
{
	for (size_t i = 0; i < queue->n; i++)
		if (queue->v[i] == p)
			return;
	VEC_PUSH(a, queue, p);
}

static void enqueue_for(struct arena *a, const struct mc_pools *pools,
			const struct mc *mc, struct mc_pools *queue)
{
	struct mc_pool *mine = mc ? owner(pools, mc) : NULL;

	if (mine)
		enqueue(a, queue, mine);
	for (size_t i = 0; mc && !mine && i < pools->n; i++) {
		struct err err = ERR_INIT(a);
		struct selector s;

		if (selector_make(a, pools->v[i]->selector, &s, &err) == 0 &&
		    s.n && selector_matches(&s, mc->meta.labels))
			enqueue(a, queue, pools->v[i]);
	}
}

void trigger_mc(struct arena *a, const struct mc_pools *pools,
		const struct mc *old, const struct mc *new,
		struct mc_pools *queue)
{
	if (old && new &&json_eq(old->meta.labels, new->meta.labels) &&
	    json_eq(old->meta.annotations, new->meta.annotations) &&
	    json_eq(json_at(old->doc.tree, "spec"),
		    json_at(new->doc.tree, "spec")))
		return;
	enqueue_for(a, pools, old, queue);
	enqueue_for(a, pools, new, queue);
}

struct str trigger_mcn(const struct mcn *old, const struct mcn *new)
{
	const struct mcn *m = new ? new : old;

	if (str_is(m->pool, MCN_NOT_YET_SET))
		return S("");
	if (old && new &&str_eq(old->pool, new->pool) &&
	    str_eq(old->spec_desired, new->spec_desired) &&
	    old->conditions == new->conditions)
		return S("");
	return m->pool;
}

struct str trigger_os_config(const struct os_config *old,
			     const struct os_config *new)
{
	if (old && new &&str_eq(old->image, new->image))
		return S("");
	return new ? new->pool : old->pool;
}

struct str trigger_os_build(const struct os_build *old,
			    const struct os_build *new)
{
	if (!new)
		return S("");
	if (old && old->prepared == new->prepared &&
	    old->building == new->building && old->failed == new->failed &&
	    old->succeeded == new->succeeded &&str_eq(old->image, new->image))
		return S("");
	return new->pool;
}

bool trigger_spec(const struct json *old, const struct json *new)
{
	return new && (!old || json_at(new, "metadata.deletionTimestamp") ||
		       !json_eq(json_at(old, "spec"), json_at(new, "spec")));
}
