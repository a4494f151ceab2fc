#include "plan/preview.h"

#include "mc/contents.h"
#include "plan/owned.h"
#include "preview_parts.h"

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

struct mc *preview_find(const struct mc_set *set, struct str name)
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

bool preview_touched(const struct preview *p, enum mc_kind kind,
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
	return touched || !preview_find(p->g.in->set, name);
}

/* In a running cluster registries are made for the pools it came with. */
static void choose_pools(struct preview *p, const struct mc_set *set)
{
	struct mc_pools all = { 0 };
	bool touched = false;

	for (size_t i = 0; i < N_FAMILY; i++)
		touched |= preview_touched(p, family[i], S(""));
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

void preview_note(struct preview *p, struct str text)
{
	VEC_PUSH(p->g.a, p->notes, text);
}

/* ---- the kubelet ---------------------------------------------------------------- */

/* Without the gates, what the cluster made of them will do. */
int preview_kubelet(struct preview *p, struct str pool, struct kubelet_in *out)
{
	struct arena *a = p->g.a;
	struct mc *mc = preview_find(
		p->g.in->set, mc_generated_name(a, "98", pool, "kubelet"));
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

bool preview_can_start(struct preview *p, struct str what, struct str pool,
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
	preview_note(p, str_fmt(p->g.a, "%.*s: pool %.*s: left out: %.*s",
				STRF(what), STRF(pool), STRF(p->g.err->msg)));
	return false;
}

/* Whether the set has one of those, of any pool. */
static bool has_generated(const struct mc_set *set, const char *prefix)
{
	for (size_t i = 0; i < set->mcs.n; i++)
		if (str_starts(set->mcs.v[i]->meta.name, str_of(prefix)) &&
		    str_ends(set->mcs.v[i]->meta.name, S("-generated-kubelet")))
			return true;
	return false;
}

/*
 * 97- of every pool, or 98-. The controller writes them all when it starts and when
 * the Node config or the feature gates change. In between they stay as they are, and
 * a pool that is made gets none: one that is missing beside others stays missing.
 */
static int preview_pools(struct preview *p, const char *prefix, bool node)
{
	const struct mc_set *set = p->g.in->set;
	static const struct strs none;

	if (!p->kubelets && has_generated(set, prefix))
		return 0;
	for (size_t i = 0; i < set->pools.n; i++) {
		struct str pool = set->pools.v[i]->meta.name;
		struct mc *now =
			preview_find(set, mc_generated_name(p->g.a, prefix,
							    pool, "kubelet"));
		const struct strs *kargs = now ? &now->kargs : &none;
		struct kubelet_in in;
		struct mc *mc = NULL;
		int rc;

		if (!preview_can_start(p,
				       node ? S("Node cluster")
					    : S("FeatureGate cluster"),
				       pool, KUBELET_CONF))
			continue;
		rc = kubelet_base(&p->g, pool, &in);
		if (rc == 0 && node)
			rc = kubelet_node(p->g.a, &in,
					  kubelet_has_kargs(pool) ? kargs
								  : NULL,
					  &mc, p->g.err);
		else if (rc == 0)
			rc = kubelet_features(p->g.a, &in, &mc, p->g.err);
		if (rc < 0)
			return rc;
		if (node && kargs->n && !kubelet_has_kargs(pool))
			mc_set_kargs(p->g.a, mc, kargs);
		VEC_PUSH(p->g.a, &p->g.out.mcs, mc);
	}
	return 0;
}

static int preview_cluster(struct preview *p)
{
	int rc = 0;

	if (!p->gates_known)
		return 0;
	rc = preview_pools(p, "98", false);
	if (rc == 0 && has(p->g.in->set, MC_NODE_CONFIG))
		rc = preview_pools(p, "97", true);
	return rc;
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

	if (preview_find(p->g.in->set, name) &&
	    count_family(p->g.in->set) == count_family(p->touched))
		preview_note(
			p,
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
		any = preview_can_start(p, S("registries"), pool,
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
	struct owned_conflicts conflicts = { 0 };
	struct mc_set made = { 0 };
	int rc;

	generator_init(&p.g, a, &in, err);
	read_gates(&p, set, &in.gates);
	p.restart = preview_touched(&p, MC_FEATURE_GATE, S(""));
	p.kubelets = p.restart || preview_touched(&p, MC_NODE_CONFIG, S(""));
	choose_pools(&p, set);
	in.templates = choose_tree(&p, set);
	in.pools = &p.registries;
	rc = preview_registries(&p);
	if (rc == 0)
		rc = preview_choosers(&p, &generate_runtimes);
	if (rc == 0)
		rc = preview_cluster(&p);
	if (rc == 0)
		rc = preview_choosers(&p, &generate_kubelets);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < p.g.out.notes.n; i++)
		preview_note(&p, p.g.out.notes.v[i]);
	owned_find_conflicts(a, set, &conflicts);
	for (size_t i = 0; i < conflicts.n; i++)
		preview_note(&p, conflicts.v[i].message);
	made.mcs = p.g.out.mcs;
	*out = made.mcs.n ? mc_overlay(a, set, &made) : *set;
	return 0;
}
