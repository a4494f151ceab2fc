/*
 * Objects that choose their pools, in a preview: named and kept as the controller
 * does it (plan/owned). What it would not write now is not written here.
 */
#include "plan/owned.h"
#include "plan/runtime.h"
#include "preview_parts.h"

struct choice {
	struct preview *p;
	const struct chooser *c;
	struct owned_view view; /* of copies, which get their suffix here */
	struct owned_job job;
	const struct mc_object *o;
	struct str what; /* "KubeletConfig x" */
};

static bool among(const struct json *list, struct str name)
{
	for (const struct json *e = json_first(list); e; e = json_next(e))
		if (str_eq(json_text(e), name))
			return true;
	return false;
}

/* The feature gates were touched, and what is there has others. */
static int has_other_gates(const struct choice *c, const struct mc_pool *pool,
			   const struct mc *mc, bool *out)
{
	struct preview *p = c->p;
	struct kubelet_in in;
	int rc;

	*out = false;
	if (c->o->kind != MC_KUBELET_CONFIG || !p->gates_known || !p->restart)
		return 0;
	rc = preview_kubelet(p, pool->meta.name, &in);
	*out = rc == 0 && !kubelet_same_gates(p->g.a, &in, mc);
	return rc;
}

/* Whether the controller would write the MachineConfig of that name now. */
static int is_due(const struct choice *c, const struct mc_pool *pool,
		  struct str name, bool *out)
{
	struct preview *p = c->p;
	const struct mc *mc = preview_find(p->g.in->set, name);
	const struct json *meta = json_at(c->view.config->doc.tree, "metadata");

	*out = true;
	if (preview_touched(p, c->o->kind, c->o->meta.name))
		return 0;
	if (mc)
		return has_other_gates(c, pool, mc, out);
	/* the pool is newer than the object, which was dealt with before */
	if (!owned_settled(p->g.a, c->view.config) ||
	    among(json_member(meta, S("finalizers")), name) ||
	    (c->o->kind == MC_KUBELET_CONFIG ? p->kubelets : p->restart))
		return 0;
	*out = false;
	preview_note(p,
		     str_fmt(p->g.a,
			     "%.*s: pool %.*s has no MachineConfig %.*s "
			     "yet: the controller makes it at its next "
			     "start, or when the object is edited",
			     STRF(c->what), STRF(pool->meta.name), STRF(name)));
	return 0;
}

static int make(const struct choice *c, const struct mc_pool *pool,
		struct str name)
{
	struct preview *p = c->p;
	bool kubelet = c->o->kind == MC_KUBELET_CONFIG;
	struct mc *mc = NULL;
	int rc;

	if (!preview_can_start(p, c->what, pool->meta.name,
			       kubelet ? KUBELET_CONF : STORAGE_CONF))
		return 0;
	if (kubelet) {
		struct kubelet_in in;

		rc = preview_kubelet(p, pool->meta.name, &in);
		if (rc == 0)
			rc = kubelet_config(p->g.a, &in, c->o, name, &mc,
					    p->g.err);
	} else {
		rc = c->c->make(&p->g, c->o, pool->meta.name, name, &mc);
	}
	if (rc == 0)
		VEC_PUSH(p->g.a, &p->g.out.mcs, mc);
	return rc;
}

/* The next object of the kind shall see which suffix this one has. */
static void keep_suffix(const struct choice *c)
{
	struct arena *a = c->p->g.a;
	struct json *meta = json_at(c->view.config->doc.tree, "metadata");
	struct json *notes = json_member(meta, S("annotations"));

	if (!c->job.suffix.p)
		return;
	if (json_kind(notes) != JSON_OBJECT) {
		notes = json_new(a, JSON_OBJECT);
		json_set(meta, S("annotations"), notes);
	}
	json_set(notes, S(OWNED_SUFFIX), json_new_str(a, c->job.suffix));
}

static int preview_one(struct choice *c)
{
	struct preview *p = c->p;
	struct mc_pools pools = { 0 };
	int rc = c->c->check(p->g.a, c->o, p->g.err);

	if (rc == 0)
		rc = owned_pools(p->g.a, &c->view, &pools, p->g.err);
	for (size_t i = 0; rc == 0 && i < pools.n; i++) {
		bool due = false;
		struct str name;

		rc = owned_name(p->g.a, &c->view, &c->job, pools.v[i], &name,
				p->g.err);
		if (rc == 0)
			rc = is_due(c, pools.v[i], name, &due);
		if (rc == 0 && due)
			rc = make(c, pools.v[i], name);
	}
	keep_suffix(c);
	return rc;
}

static struct mc_object *copy_of(struct arena *a, const struct mc_object *o)
{
	struct mc_object *copy = ARENA_NEW(a, struct mc_object);

	*copy = *o;
	copy->doc.tree = json_clone(a, o->doc.tree);
	return copy;
}

int preview_choosers(struct preview *p, const struct chooser *chooser)
{
	const struct mc_set *set = p->g.in->set;
	struct mc_objects copies = { 0 }, objects = { 0 };

	for (size_t i = 0; i < set->others.n; i++)
		if (set->others.v[i]->kind == chooser->kind) {
			VEC_PUSH(p->g.a, &objects, set->others.v[i]);
			VEC_PUSH(p->g.a, &copies,
				 copy_of(p->g.a, set->others.v[i]));
		}
	for (size_t i = 0; i < objects.n; i++) {
		struct choice c = {
			.p = p,
			.c = chooser,
			.view = { .hash = p->g.in->hash,
				  .kind = chooser->kind == MC_KUBELET_CONFIG
						  ? &owned_kubelet
						  : &owned_runtime,
				  .config = copies.v[i],
				  .configs = &copies,
				  .pools = &set->pools,
				  .mcs = &set->mcs },
			.o = objects.v[i],
			.what = str_fmt(p->g.a, "%s %.*s", chooser->name,
					STRF(objects.v[i]->meta.name)),
		};

		if (preview_one(&c) < 0)
			return err_wrap(p->g.err, "%.*s (%.*s)", STRF(c.what),
					STRF(c.o->file));
	}
	return 0;
}
