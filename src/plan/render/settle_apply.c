/*
 * Applies the writes of plans to the copies of a settle. Writes cannot fail here, so
 * error handling of plans is skipped, as are effects that decide nothing (events,
 * metrics, the status of pools).
 */
#include "data/patch.h"
#include "plan/owned.h"
#include "plan/render/settle.h"
#include "plan/trigger.h"

/* "kubeletconfigs", "x" and "status" of a path in the API group. */
struct place {
	struct str plural, name, part;
};

static struct place place_of(struct str path)
{
	struct place p = { S(""), S(""), S("") };
	struct str rest = S("");

	if (!str_starts(path, S(PATH_MC)))
		return p;
	path = str_from(path, sizeof(PATH_MC) - 1);
	if (!str_cut(path, '/', &p.plural, &rest)) {
		p.plural = path;
		return p;
	}
	if (!str_cut(rest, '/', &p.name, &p.part))
		p.name = rest;
	return p;
}

static const struct json *object_of(struct settle *s, const struct action *act)
{
	struct err ignored = ERR_INIT(s->a);
	struct json *j = NULL;

	if (act->object && !act->body.n)
		return act->object;
	if (json_parse(s->a, act->body, NULL, &j, &ignored) < 0)
		return NULL;
	return j;
}

static void wake(struct settle *s, const struct generate_keys *keys)
{
	for (size_t i = 0; i < keys->n; i++)
		settle_add(s, keys->v[i].kind, keys->v[i].name, false);
}

static bool has_renders(const struct settle *s)
{
	for (size_t i = 0; i < s->keys.n; i++)
		if (s->keys.v[i].key.kind == GENERATE_RENDER)
			return true;
	return false;
}

/* As in the live controller: pools that select it and its maker are planned again. */
static void mc_changed(struct settle *s, const struct mc *was, const struct mc *is)
{
	struct generate_keys keys = { 0 };
	struct mcp_list queue = { 0 };
	bool render = has_renders(s);

	if (!was && !render)
		return;
	trigger_mc(s->a, &s->pools, was, is, &queue);
	for (size_t i = 0; render && i < queue.n; i++)
		settle_add(s, GENERATE_RENDER, queue.v[i]->meta.name, false);
	trigger_makers(s->a, was, is, queue.n > 0, &s->kubelets, &s->runtimes, &keys);
	wake(s, &keys);
}

void settle_put(struct settle *s, struct str name, struct mc *mc)
{
	const struct mc *was = NULL;
	size_t at = 0;

	while (at < s->mcs.n && !str_eq(s->mcs.v[at]->meta.name, name))
		at++;
	if (at < s->mcs.n)
		was = s->mcs.v[at];
	if (!was && !mc)
		return;
	s->writes++;
	if (!was) {
		VEC_PUSH(s->a, &s->mcs, mc);
	} else if (mc) {
		mc->file = was->file;
		s->mcs.v[at] = mc;
	} else {
		s->mcs.n--;
		for (; at < s->mcs.n; at++)
			s->mcs.v[at] = s->mcs.v[at + 1];
	}
	/* others may use it for base files */
	if (!s->view.tree && generated_by_templates(mc ? mc : was))
		template_cache_init(&s->templates, s->a);
	mc_changed(s, was, mc);
}

static void write_mc(struct settle *s, bool keep, const struct action *act)
{
	struct err ignored = ERR_INIT(s->a);
	struct doc d = { .tree = NULL };
	struct mc *mc = ARENA_NEW(s->a, struct mc);

	if (keep && act->kind == ACTION_REPLACE)
		return;
	if (act->mc && !act->body.n) {
		*mc = *act->mc;
		settle_put(s, mc->meta.name, mc);
		return;
	}
	d.tree = json_clone(s->a, object_of(s, act));
	if (mc_decode(s->a, &d, mc, &ignored) == 0)
		settle_put(s, mc->meta.name, mc);
}

static bool is_going(const struct json *tree)
{
	return json_at(tree, "metadata.deletionTimestamp") &&
	       !json_len(json_at(tree, "metadata.finalizers"));
}

/* Without finalizers left, the API server removes it. */
static void drop_object(struct mc_object_list *list, size_t at)
{
	list->n--;
	for (; at < list->n; at++)
		list->v[at] = list->v[at + 1];
}

static void patch_object(struct settle *s, struct mc_object_list *list, enum generate_kind kind,
			 const struct place *p, const struct action *act)
{
	const struct json *patch = object_of(s, act);
	struct err ignored = ERR_INIT(s->a);

	for (size_t i = 0; patch && i < list->n; i++) {
		struct mc_object *copy;
		struct doc d = list->v[i]->doc;

		if (!str_eq(list->v[i]->meta.name, p->name))
			continue;
		d.tree = patch_apply(s->a, d.tree, patch);
		copy = ARENA_NEW(s->a, struct mc_object);
		if (mc_object_decode(s->a, &d, list->v[i]->kind, copy, &ignored) < 0)
			return;
		copy->file = list->v[i]->file;
		list->v[i] = copy;
		s->writes++;
		if (is_going(d.tree))
			drop_object(list, i);
		/* each plan removes one finalizer */
		else if (!p->part.n && json_at(d.tree, "metadata.deletionTimestamp"))
			settle_add(s, kind, copy->meta.name, false);
		return;
	}
}

static void replace_controller_config(struct settle *s, const struct action *act)
{
	const struct json *tree = object_of(s, act);

	if (!tree)
		return;
	s->cc.tree = json_clone(s->a, tree);
	s->writes++;
}

static void replace_pool(struct settle *s, const struct place *p, const struct action *act)
{
	struct err ignored = ERR_INIT(s->a);
	struct doc d = { .tree = NULL };

	for (size_t i = 0; i < s->pools.n; i++) {
		struct mcp *pool;

		if (!str_eq(s->pools.v[i]->meta.name, p->name))
			continue;
		pool = ARENA_NEW(s->a, struct mcp);
		d.tree = json_clone(s->a, object_of(s, act));
		if (mcp_decode(s->a, &d, pool, &ignored) < 0)
			return;
		pool->file = s->pools.v[i]->file;
		s->pools.v[i] = pool;
		s->writes++;
		/* its status is written by another plan */
		settle_add(s, GENERATE_RENDER, p->name, false);
	}
}

static void apply_one(struct settle *s, bool keep, const struct action *act)
{
	struct place p = place_of(act->path);

	if (str_is(p.plural, "machineconfigs") && act->kind == ACTION_DELETE) {
		if (!keep)
			settle_put(s, p.name, NULL);
	} else if (str_is(p.plural, "machineconfigs")) {
		write_mc(s, keep, act);
	} else if (str_is(p.plural, "kubeletconfigs")) {
		patch_object(s, &s->kubelets, GENERATE_KUBELET, &p, act);
	} else if (str_is(p.plural, "containerruntimeconfigs")) {
		patch_object(s, &s->runtimes, GENERATE_RUNTIME, &p, act);
	} else if (str_is(p.plural, "controllerconfigs")) {
		replace_controller_config(s, act);
	} else if (str_is(p.plural, "machineconfigpools") && !p.part.n) {
		replace_pool(s, &p, act);
	}
}

void settle_apply(struct settle *s, bool keep, const struct actions *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct action *act = &list->v[i];

		switch (act->kind) {
		case ACTION_CREATE:
		case ACTION_REPLACE:
		case ACTION_MERGE:
		case ACTION_DELETE:
			apply_one(s, keep, act);
			break;
		case ACTION_LOG:
			if (act->warning)
				VEC_PUSH(s->a, &s->warnings, act->reason);
			break;
		case ACTION_GET:
		case ACTION_STRATEGIC:
		case ACTION_APPLY:
		case ACTION_EVICT:
		case ACTION_EVENT:
		case ACTION_METRIC:
		case ACTION_UNMETRIC:
		case ACTION_REQUEUE:
			break;
		}
	}
}
