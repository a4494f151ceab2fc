/*
 * KubeletConfigs and ContainerRuntimeConfigs in a preview: which of them the
 * controller would plan now.
 */
#include "mc/condition.h"
#include "mc/selector.h"
#include "plan/config/kubelet.h"
#include "plan/config/runtime.h"
#include "preview_parts.h"

/* A key of one kind, and the lists that go with it. */
struct choice {
	struct preview_run *p;
	const struct owned_kind *kind;
	enum mc_kind mc_kind;
	enum generate_kind key;
	struct mc_object_list *list;
	const struct mcp_list *pools; /* pools with base files */
};

static struct choice choice_of(struct preview_run *p, const struct owned_kind *kind)
{
	bool kubelet = kind == &owned_kubelet;

	return (struct choice){
		.p = p,
		.kind = kind,
		.mc_kind = kubelet ? MC_KUBELET_CONFIG : MC_RUNTIME_CONFIG,
		.key = kubelet ? GENERATE_KUBELET : GENERATE_RUNTIME,
		.list = kubelet ? &p->s.kubelets : &p->s.runtimes,
		.pools = kubelet ? &p->kubelet_pools : &p->runtime_pools,
	};
}

static struct str what(const struct choice *c, const struct mc_object *o)
{
	return str_fmt(c->p->a, "%s %.*s", c->kind->kind, STRF(o->meta.name));
}

static bool among(const struct mcp_list *pools, const struct mcp *pool)
{
	for (size_t i = 0; i < pools->n; i++)
		if (pools->v[i] == pool)
			return true;
	return false;
}

/* The pools of all that it selects; none for an invalid selector. */
static struct mcp_list pools_of(const struct choice *c, const struct mcp_list *all,
				const struct mc_object *o)
{
	struct err ignored = ERR_INIT(c->p->a);
	struct mcp_list out = { 0 };
	struct owned_view v = { .kind = c->kind, .config = o, .pools = all };

	if (owned_pools(c->p->a, &v, &out, &ignored) < 0)
		out.n = 0;
	return out;
}

/* ---- what is due --------------------------------------------------------- */

static bool is_finalizer(const struct mc_object *o, struct str name)
{
	const struct json *f = json_first(json_at(o->doc.tree, "metadata.finalizers"));

	while (f && !str_eq(json_text(f), name))
		f = json_next(f);
	return f;
}

/* Not planned now: reports the newer pools that have no MachineConfig from it yet. */
static void warn_late(const struct choice *c, const struct mc_object *o,
		      const struct mcp_list *pools)
{
	struct str suffix = json_text(owned_suffix(o));

	for (size_t i = 0; i < pools->n; i++) {
		struct str name = owned_mc_name(c->p->a, c->kind, pools->v[i], suffix);

		if (generated_find(&c->p->s.mcs, name))
			continue;
		preview_note(
			c->p,
			str_fmt(c->p->a,
				"%.*s: pool %.*s has no MachineConfig %.*s "
				"yet: the controller creates it at its next start, or when the "
				"object is edited",
				STRF(what(c, o)), STRF(pools->v[i]->meta.name), STRF(name)));
	}
}

/* True when it is not settled, or one of its MachineConfigs was deleted. */
static bool is_missed(const struct choice *c, const struct mc_object *o,
		      const struct mcp_list *pools)
{
	struct str suffix = json_text(owned_suffix(o));

	if (!owned_settled(c->p->a, o))
		return true;
	for (size_t i = 0; i < pools->n; i++) {
		struct str name = owned_mc_name(c->p->a, c->kind, pools->v[i], suffix);

		if (is_finalizer(o, name) && !generated_find(&c->p->s.mcs, name))
			return true;
	}
	return false;
}

/* False when none of its pools has base files. */
static bool has_bases(const struct choice *c, const struct mc_object *o,
		      const struct mcp_list *pools)
{
	bool kubelet = c->kind == &owned_kubelet;
	size_t known = 0;

	for (size_t i = 0; i < pools->n; i++) {
		if (among(c->pools, pools->v[i])) {
			known++;
			continue;
		}
		preview_left_out(
			c->p, preview_touched(c->p, c->mc_kind, o->meta.name),
			str_fmt(c->p->a,
				"%.*s: pool %.*s: skipped: no MachineConfig from templates "
				"has %s: give a dump with them (mcoctl dump)",
				STRF(what(c, o)), STRF(pools->v[i]->meta.name),
				kubelet ? KUBELET_CONF : STORAGE_CONF));
	}
	return known || !pools->n;
}

static bool is_failed(struct arena *a, const struct mc_object *o)
{
	struct conditions list = conditions_of(a, json_at(o->doc.tree, "status.conditions"));

	return list.n && str_is(list.v[list.n - 1].type, "Failure") &&
	       json_i64(o->doc.tree, "status.observedGeneration", 0) >=
		       json_i64(o->doc.tree, "metadata.generation", 0);
}

/*
 * True for a KubeletConfig that was refused: the controller does not retry it before an
 * edit. One that only had no pool is retried.
 */
static bool is_stuck(const struct choice *c, const struct mc_object *o)
{
	const struct mc_set *was = c->p->in->base ? c->p->in->base : c->p->in->set;

	return !c->kind->always_again && is_failed(c->p->a, o) && pools_of(c, &was->pools, o).n;
}

/* The pools that wait for it: for the render controller an empty selector matches all pools. */
static struct strs held_by(const struct choice *c, const struct mc_object *o)
{
	const struct json *given = json_at(o->doc.tree, "spec.machineConfigPoolSelector");
	struct mcp_list pools = pools_of(c, &c->p->s.pools, o);
	struct err ignored = ERR_INIT(c->p->a);
	struct strs out = { 0 };
	struct selector s;

	if (given && selector_make(c->p->a, given, &s, &ignored) == 0 && !s.n)
		pools = c->p->s.pools;
	for (size_t i = 0; i < pools.n; i++)
		VEC_PUSH(c->p->a, &out, pools.v[i]->meta.name);
	return out;
}

static void warn_stuck(const struct choice *c, const struct mc_object *o)
{
	struct conditions list = conditions_of(c->p->a, json_at(o->doc.tree, "status.conditions"));

	preview_refuse(c->p, (struct preview_refusal){ .object = what(c, o),
						       .file = o->file,
						       .message = list.v[list.n - 1].message,
						       .known = true,
						       .pools = held_by(c, o) });
}

static void preview_one(const struct choice *c, const struct mc_object *o)
{
	struct preview_run *p = c->p;
	bool touched = preview_touched(p, c->mc_kind, o->meta.name);
	/* a start, or a new Node config, plans every KubeletConfig */
	bool all = c->key == GENERATE_KUBELET ? p->kubelets : p->restart;
	struct mcp_list pools = pools_of(c, &p->s.pools, o);

	if (!touched && !all && is_stuck(c, o)) {
		warn_stuck(c, o);
		return;
	}
	if (!touched && !all && !is_missed(c, o, &pools)) {
		warn_late(c, o, &pools);
		return;
	}
	if (has_bases(c, o, &pools))
		settle_add(&p->s, c->key, o->meta.name,
			   !touched && !(all && c->key == GENERATE_KUBELET));
}

/* ---- what was applied or deleted ----------------------------------------- */

static struct mc_object *copy_of(struct arena *a, const struct mc_object *o)
{
	struct mc_object *copy = ARENA_NEW(a, struct mc_object);
	struct err ignored = ERR_INIT(a);
	struct doc d = o->doc;

	*copy = *o;
	d.tree = json_clone(a, o->doc.tree);
	if (mc_object_decode(a, &d, o->kind, copy, &ignored) == 0)
		copy->file = o->file;
	return copy;
}

static void stamp(struct arena *a, struct mc_object *o, struct str key)
{
	struct str time = S("9999-12-31T23:59:59Z");
	struct json *trees[] = { o->doc.tree, o->tree };

	for (size_t i = 0; i < 2; i++)
		if (json_at(trees[i], "metadata"))
			json_set(json_at(trees[i], "metadata"), key, json_new_str(a, time));
}

/* Objects that were just applied are the youngest. */
static void stamp_new(const struct choice *c)
{
	for (size_t i = 0; i < c->list->n; i++) {
		struct mc_object *o = c->list->v[i];

		if (json_at(o->doc.tree, "metadata.creationTimestamp") ||
		    !preview_touched(c->p, c->mc_kind, o->meta.name))
			continue;
		c->list->v[i] = copy_of(c->p->a, o);
		stamp(c->p->a, c->list->v[i], S("creationTimestamp"));
	}
}

/* Without finalizers it is deleted at once, and what it owns is garbage collected. */
static void collect(const struct choice *c, const struct mc_object *o)
{
	struct settle *s = &c->p->s;
	struct strs names = { 0 };

	for (size_t i = 0; i < s->mcs.n; i++)
		if (owned_controls(c->kind, o, s->mcs.v[i]))
			VEC_PUSH(c->p->a, &names, s->mcs.v[i]->meta.name);
	for (size_t i = 0; i < names.n; i++)
		settle_put(s, names.v[i], NULL);
}

/* Touched objects that the set lacks are being deleted: their MachineConfigs are deleted first. */
static void add_deleted(const struct choice *c)
{
	const struct mc_set *t = c->p->in->touched;

	for (size_t i = 0; t && i < t->others.n; i++) {
		struct mc_object *o = t->others.v[i];
		struct mc_object *was;

		if (o->kind != c->mc_kind ||
		    mc_find(c->p->in->set, c->mc_kind, str_z(c->p->a, o->meta.name)))
			continue;
		was = c->p->in->base
			      ? mc_find(c->p->in->base, c->mc_kind, str_z(c->p->a, o->meta.name))
			      : NULL;
		o = copy_of(c->p->a, was ? was : o);
		if (!json_len(json_at(o->doc.tree, "metadata.finalizers"))) {
			collect(c, o);
			continue;
		}
		stamp(c->p->a, o, S("deletionTimestamp"));
		VEC_PUSH(c->p->a, c->list, o);
	}
}

static bool is_same(const struct mc_object *x, const struct mc_object *y)
{
	return x->kind == y->kind && str_eq(x->meta.name, y->meta.name);
}

static void preview_untouched(const struct choice *c, bool failed)
{
	for (size_t i = 0; i < c->list->n; i++) {
		const struct mc_object *o = c->list->v[i];

		if (!preview_touched(c->p, c->mc_kind, o->meta.name) &&
		    is_failed(c->p->a, o) == failed)
			preview_one(c, o);
	}
}

void preview_owned(struct preview_run *p, const struct owned_kind *kind)
{
	struct choice c = choice_of(p, kind);

	stamp_new(&c);
	add_deleted(&c);
	/* the first one gets the first name: existing configs, then applied ones in their
	 * order, then failed ones that are retried */
	preview_untouched(&c, false);
	for (size_t i = 0; p->in->touched && i < p->in->touched->others.n; i++)
		for (size_t k = 0; k < c.list->n; k++)
			if (is_same(p->in->touched->others.v[i], c.list->v[k]))
				preview_one(&c, c.list->v[k]);
	preview_untouched(&c, true);
}

/* ---- what was refused ---------------------------------------------------- */

static bool is_valid(const struct choice *c, const struct mc_object *o)
{
	struct err ignored = ERR_INIT(c->p->a);

	return (c->kind == &owned_kubelet ? kubelet_validate(c->p->a, o, &ignored)
					  : runtime_validate(c->p->a, o, &ignored)) == 0;
}

void preview_owned_refusal(struct preview_run *p, const struct settle_key *k)
{
	struct choice c =
		choice_of(p, k->key.kind == GENERATE_KUBELET ? &owned_kubelet : &owned_runtime);
	const struct mc_object *o = mc_find(p->in->set, c.mc_kind, str_z(p->a, k->key.name));
	struct preview_refusal r = {
		.object = str_fmt(p->a, "%s %.*s", c.kind->kind, STRF(k->key.name)),
		.message = k->error,
		.touched = preview_touched(p, c.mc_kind, k->key.name),
	};

	if (o) {
		r.file = o->file;
		r.known = is_failed(p->a, o);
		r.pools = held_by(&c, o);
	}
	/* one without pools changes nothing; but with an empty selector pools of a
	 * cluster wait for it */
	if (!o || pools_of(&c, &p->s.pools, o).n || !is_valid(&c, o) ||
	    (r.pools.n && (r.touched || r.known)))
		preview_refuse(p, r);
	else if (r.touched)
		preview_note(p, str_fmt(p->a, "%.*s: %.*s", STRF(r.object), STRF(k->error)));
}
