#include "plan/preview.h"

#include "generate_parts.h"
#include "mc/contents.h"
#include "mc/selector.h"
#include "plan/runtime.h"

struct preview {
	struct generator g;
	struct template_tree builtin;
	bool gates_known;
	const struct mc_set *touched; /* or NULL */
	struct mc_pools registries; /* the pools they are made for */
	struct strs *notes;
};

/* What registries are made from. */
static const enum mc_kind family[] = {
	MC_IMAGE,	MC_CONTENT_POLICY,	 MC_DIGEST_MIRRORS,
	MC_TAG_MIRRORS, MC_CLUSTER_IMAGE_POLICY, MC_IMAGE_POLICY,
};
#define N_FAMILY (sizeof(family) / sizeof(family[0]))

static bool has(const struct mc_set *set, enum mc_kind kind)
{
	return mc_find(set, kind, NULL) != NULL;
}

static struct mc *find_mc(const struct mc_set *set, struct str name)
{
	for (size_t i = set->mcs.n; i-- > 0;)
		if (str_eq(set->mcs.v[i]->meta.name, name))
			return set->mcs.v[i];
	return NULL;
}

/* ---- what is known ----------------------------------------------------------- */

/* The gates of the release the ControllerConfig is of; or the only ones. */
static void read_gates(struct preview *p, const struct mc_set *set,
		       struct mc_gates *out)
{
	const struct mc_object *o = mc_find(set, MC_FEATURE_GATE, "cluster");
	const struct json *all =
		o ? json_at(o->tree, "status.featureGates") : NULL;
	struct err ignored = ERR_INIT(p->g.a);
	struct str version = S("");

	if (set->controller_config)
		version = mc_annotation(&set->controller_config->meta,
					MC_RELEASE_VERSION);
	if (json_len(all) == 1)
		version = json_str(json_first(all), "version", S(""));
	p->gates_known = o && mc_gates_read(p->g.a, o->tree, version, out,
					    &ignored) == 0;
	/* on in every release this can be about */
	if (!p->gates_known)
		VEC_PUSH(p->g.a, &out->enabled, S("SigstoreImageVerification"));
}

static bool from_templates(const struct mc *mc)
{
	return mc_annotation(&mc->meta, MC_BY_CONTROLLER).n &&
	       mc_label(&mc->meta, MC_ROLE).n &&
	       str_find(mc->meta.name, S("-generated-")) < 0;
}

/* The set's own MachineConfigs if it has any that came of templates. */
static const struct template_tree *choose_tree(struct preview *p,
					       const struct mc_set *set)
{
	for (size_t i = 0; i < set->mcs.n; i++)
		if (from_templates(set->mcs.v[i]))
			return NULL;
	if (!set->controller_config ||
	    !json_at(set->controller_config->tree,
		     "spec.infra.status.platformStatus.type"))
		return NULL;
	template_builtin(p->g.a, &p->builtin);
	return &p->builtin;
}

static bool is_touched(const struct preview *p, enum mc_kind kind,
		       struct str name)
{
	const struct mc_set *t = p->touched;

	for (size_t i = 0; t && i < t->others.n; i++)
		if (t->others.v[i]->kind == kind &&
		    (!name.n || str_eq(t->others.v[i]->meta.name, name)))
			return true;
	return false;
}

/* What the cluster has made stays unless the objects behind it are touched. */
static bool to_be_made(const struct preview *p, bool touched, struct str name)
{
	return touched || !find_mc(p->g.in->set, name);
}

/* In a running cluster registries are made for the pools it came with. */
static void choose_pools(struct preview *p, const struct mc_set *set)
{
	struct mc_pools all = { 0 };
	bool touched = false;

	for (size_t i = 0; i < N_FAMILY; i++)
		touched |= is_touched(p, family[i], S(""));
	for (size_t i = 0; i < set->pools.n; i++)
		if (json_member(set->pools.v[i]->meta.labels,
				S(MC_PREFIX "mco-built-in")))
			VEC_PUSH(p->g.a, &all, set->pools.v[i]);
	if (!all.n)
		all = set->pools;
	for (size_t i = 0; i < all.n; i++)
		if (to_be_made(p, touched,
			       mc_generated_name(p->g.a, "99",
						 all.v[i]->meta.name,
						 "registries")))
			VEC_PUSH(p->g.a, &p->registries, all.v[i]);
}

static void note(struct preview *p, struct str text)
{
	VEC_PUSH(p->g.a, p->notes, text);
}

/* ---- the kubelet ---------------------------------------------------------------- */

/* Without the gates, what the cluster made of them will do. */
static int kubelet_start(struct preview *p, struct str pool,
			 struct kubelet_in *out)
{
	struct arena *a = p->g.a;
	struct mc *mc = find_mc(p->g.in->set,
				mc_generated_name(a, "98", pool, "kubelet"));
	const struct ign_obj *file;
	int rc = kubelet_base(&p->g, pool, out);

	if (p->gates_known || !mc)
		return rc;
	if (!mc->ignition)
		rc = ign_parse_35(a, mc_config_text(a, mc), &mc->ignition,
				  p->g.err);
	else
		rc = 0;
	file = rc == 0 ? mc_find_file(mc->ignition, S(KUBELET_CONF)) : NULL;
	if (!file)
		return rc;
	out->gates_on = out->gates_off = (struct strs){ 0 };
	return mc_contents(a, file, &out->base, p->g.err);
}

static bool can_start(struct preview *p, struct str what, struct str pool,
		      const char *path)
{
	struct str ignored;
	int rc = base_file(&p->g, pool, path, &ignored);

	if (rc == 0)
		return true;
	if (rc == -ERR_NOTFOUND)
		(void)err_set(p->g.err, ERR_NOTFOUND,
			      "no MachineConfig made of templates has %s: give "
			      "a dump with them (oc get mc -o yaml)",
			      path);
	note(p, str_fmt(p->g.a, "%.*s: pool %.*s: left out: %.*s", STRF(what),
			STRF(pool), STRF(p->g.err->msg)));
	return false;
}

static int preview_node(struct preview *p)
{
	const struct mc_set *set = p->g.in->set;
	const struct strs none = { 0 };

	if (!has(set, MC_NODE_CONFIG) || !p->gates_known)
		return 0;
	for (size_t i = 0; i < set->pools.n; i++) {
		struct str pool = set->pools.v[i]->meta.name;
		struct str name =
			mc_generated_name(p->g.a, "97", pool, "kubelet");
		struct mc *now = find_mc(set, name);
		struct kubelet_in in;
		struct mc *mc = NULL;
		int rc;

		if (!to_be_made(p, is_touched(p, MC_NODE_CONFIG, S("")),
				name) ||
		    !can_start(p, S("Node cluster"), pool, KUBELET_CONF))
			continue;
		rc = kubelet_base(&p->g, pool, &in);
		if (rc == 0)
			rc = kubelet_node(p->g.a, &in,
					  now ? &now->kargs : &none, &mc,
					  p->g.err);
		if (rc < 0)
			return rc;
		VEC_PUSH(p->g.a, &p->g.out.mcs, mc);
	}
	return 0;
}

/* ---- objects that choose their pools ----------------------------------------------- */

#define SUFFIX MC_PREFIX "mc-name-suffix"

struct choice {
	struct preview *p;
	const struct chooser *c;
	const struct mc_object *o;
	struct str what; /* "KubeletConfig x" */
};

static int selects(struct preview *p, const struct mc_object *o,
		   const struct mc_pool *pool, bool *out)
{
	struct selector s = { 0 };
	int rc = selector_make(
		p->g.a, json_at(o->tree, "spec.machineConfigPoolSelector"), &s,
		p->g.err);

	*out = rc == 0 && s.n && selector_matches(&s, pool->meta.labels);
	return rc;
}

/*
 * The first object of a pool has a MachineConfig without a number; a newer one
 * gets the next, and says so in an annotation.
 */
static int choose_name(const struct choice *c, const struct mc_pool *pool,
		       struct str *out)
{
	const struct mc_objects *all = &c->p->g.in->set->others;
	struct arena *a = c->p->g.a;
	struct str base =
		mc_generated_name(a, "99", pool->meta.name, c->c->suffix);
	const struct json *mine =
		json_member(c->o->meta.annotations, S(SUFFIX));
	int64_t highest = -1, n;

	*out = base;
	if (mine && json_text(mine).n)
		*out = str_fmt(a, "%.*s-%.*s", STRF(base),
			       STRF(json_text(mine)));
	if (mine)
		return 0;
	for (size_t i = 0; i < all->n; i++) {
		const struct mc_object *o = all->v[i];
		struct str suffix = mc_annotation(&o->meta, SUFFIX);
		bool other;
		int rc;

		if (o->kind != c->o->kind || o == c->o)
			continue;
		rc = selects(c->p, o, pool, &other);
		if (rc < 0)
			return rc;
		n = 0;
		if (other && (!suffix.n || str_to_i64(suffix, &n)) &&
		    n > highest)
			highest = n;
	}
	if (highest >= 0)
		*out = str_fmt(a, "%.*s-%lld", STRF(base),
			       (long long)highest + 1);
	return 0;
}

static int make_one(const struct choice *c, const struct mc_pool *pool)
{
	struct preview *p = c->p;
	bool kubelet = c->o->kind == MC_KUBELET_CONFIG;
	struct str name;
	struct mc *mc = NULL;
	bool chosen;
	int rc = selects(p, c->o, pool, &chosen);

	if (rc < 0 || !chosen)
		return rc;
	rc = choose_name(c, pool, &name);
	if (rc < 0 ||
	    !to_be_made(p, is_touched(p, c->o->kind, c->o->meta.name), name) ||
	    !can_start(p, c->what, pool->meta.name,
		       kubelet ? KUBELET_CONF : STORAGE_CONF))
		return rc;
	if (kubelet) {
		struct kubelet_in in;

		rc = kubelet_start(p, pool->meta.name, &in);
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

static int preview_choosers(struct preview *p, const struct chooser *chooser)
{
	const struct mc_set *set = p->g.in->set;

	for (size_t i = 0; i < set->others.n; i++) {
		struct choice c = { .p = p,
				    .c = chooser,
				    .o = set->others.v[i] };
		int rc;

		if (c.o->kind != chooser->kind)
			continue;
		c.what = str_fmt(p->g.a, "%s %.*s", chooser->name,
				 STRF(c.o->meta.name));
		rc = chooser->check(p->g.a, c.o, p->g.err);
		for (size_t k = 0; rc == 0 && k < set->pools.n; k++)
			rc = make_one(&c, set->pools.v[k]);
		if (rc < 0)
			return err_wrap(p->g.err, "%.*s (%.*s)", STRF(c.what),
					STRF(c.o->file));
	}
	return 0;
}

/* ---- registries ---------------------------------------------------------------------- */

static size_t count_family(const struct mc_set *set)
{
	size_t n = 0;

	for (size_t i = 0; set && i < set->others.n; i++)
		for (size_t k = 0; k < N_FAMILY; k++)
			n += set->others.v[i]->kind == family[k];
	return n;
}

/* A dump without the objects behind what it has would lose them here. */
static void warn_of_loss(struct preview *p, struct str pool)
{
	struct str name = mc_generated_name(p->g.a, "99", pool, "registries");

	if (find_mc(p->g.in->set, name) &&
	    count_family(p->g.in->set) == count_family(p->touched))
		note(p,
		     str_fmt(p->g.a,
			     "%.*s is made anew without what it was made "
			     "from: dump that too (oc get image.config,idms,"
			     "itms,icsp,clusterimagepolicy,imagepolicy -A -o "
			     "yaml)",
			     STRF(name)));
}

static int preview_registries(struct preview *p)
{
	bool any = false;

	for (size_t i = 0; i < N_FAMILY; i++)
		any |= has(p->g.in->set, family[i]);
	for (size_t i = 0; any && i < p->registries.n; i++) {
		struct str pool = p->registries.v[i]->meta.name;

		warn_of_loss(p, pool);
		any = can_start(p, S("registries"), pool,
				"/etc/containers/registries.conf");
	}
	return any ? generate_registries(&p->g) : 0;
}

int plan_preview(struct arena *a, const struct mc_set *set,
		 const struct mc_set *touched, struct str hash,
		 struct mc_set *out, struct strs *notes, struct err *err)
{
	struct preview p = { .notes = notes, .touched = touched };
	struct generate_in in = { .set = set, .hash = hash, .preview = true };
	struct mc_set made = { 0 };
	int rc;

	generator_init(&p.g, a, &in, err);
	read_gates(&p, set, &in.gates);
	choose_pools(&p, set);
	in.templates = choose_tree(&p, set);
	in.pools = &p.registries;
	rc = preview_registries(&p);
	if (rc == 0)
		rc = preview_choosers(&p, &generate_runtimes);
	if (rc == 0)
		rc = preview_node(&p);
	if (rc == 0)
		rc = preview_choosers(&p, &generate_kubelets);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < p.g.out.notes.n; i++)
		note(&p, p.g.out.notes.v[i]);
	made.mcs = p.g.out.mcs;
	*out = made.mcs.n ? mc_overlay(a, set, &made) : *set;
	return 0;
}
