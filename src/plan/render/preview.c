/*
 * What the controllers would make of objects that were applied or deleted.
 *
 * The keys that a change concerns come from plan/trigger, as in the live controller.
 * What is only missing is planned with keep.
 */
#include "plan/preview.h"

#include "mc/made_by.h"
#include "plan/config/kubelet.h"
#include "plan/kubelet_sync.h"
#include "plan/trigger.h"
#include "preview_parts.h"

bool preview_touched(const struct preview_run *p, enum mc_kind kind, struct str name)
{
	const struct mc_set *t = p->in->touched;

	for (size_t i = 0; t && i < t->others.n; i++)
		if (t->others.v[i]->kind == kind &&
		    (!name.n || str_eq(t->others.v[i]->meta.name, name)))
			return true;
	return false;
}

/* What registries are made from. */
static bool is_family(enum mc_kind kind)
{
	return trigger_object(kind, false) & TRIGGER(GENERATE_REGISTRIES);
}

static size_t count_family(const struct mc_set *set)
{
	size_t n = 0;

	for (size_t i = 0; set && i < set->others.n; i++)
		n += is_family(set->others.v[i]->kind);
	return n;
}

void preview_note(struct preview_run *p, struct str text)
{
	VEC_PUSH(p->a, &p->out->notes, text);
}

void preview_left_out(struct preview_run *p, bool touched, struct str text)
{
	p->out->partial |= touched;
	preview_note(p, text);
}

void preview_refuse(struct preview_run *p, struct preview_refusal r)
{
	VEC_PUSH(p->a, &p->out->refused, r);
}

static bool has_mc(const struct preview_run *p, struct str name)
{
	return generated_find(&p->s.mcs, name) != NULL;
}

/* ---- what is known ------------------------------------------------------- */

/* The gates of the ControllerConfig's release; or the only ones there are. */
static void read_gates(struct preview_run *p)
{
	const struct mc_set *set = p->in->set;
	const struct mc_object *o = mc_find(set, MC_FEATURE_GATE, NAME_CLUSTER);
	const struct json *all = o ? json_at(o->tree, "status.featureGates") : NULL;
	struct generate_view *v = &p->s.view;
	struct err ignored = ERR_INIT(p->a);
	struct str version = S("");

	if (set->controller_config)
		version = mc_annotation(&set->controller_config->meta, ANNO_RELEASE_VERSION);
	if (json_len(all) == 1)
		version = json_str(json_first(all), "version");
	v->gates_unknown = !o || mc_gates_read(p->a, o->tree, version, &v->gates, &ignored) < 0;
	/* on in every supported release */
	if (v->gates_unknown)
		VEC_PUSH(p->a, &v->gates.enabled, S("SigstoreImageVerification"));
}

/* Uses the built-in templates only if the set has no MachineConfigs from templates. */
static void choose_tree(struct preview_run *p)
{
	const struct mc_controller_config *cc = p->in->set->controller_config;

	for (size_t i = 0; i < p->s.mcs.n; i++)
		if (generated_by_templates(p->s.mcs.v[i]))
			return;
	if (!cc || !json_at(cc->tree, "spec.infra.status.platformStatus.type"))
		return;
	template_builtin(p->a, &p->builtin);
	p->s.view.tree = &p->builtin;
}

/* A change that is not allowed in one step: the controller keeps the last one. */
static void check_node_config(struct preview_run *p)
{
	const struct mc_object *new = mc_find(p->in->set, MC_NODE_CONFIG, NAME_CLUSTER);
	const struct mc_object *old =
		p->in->base ? mc_find(p->in->base, MC_NODE_CONFIG, NAME_CLUSTER) : NULL;
	struct actions out = { 0 };

	if (!new || !old || node_config_allowed(p->a, old->tree, new->tree, &out))
		return;
	p->s.view.node = old->tree;
	p->same_node = true;
	preview_refuse(p, (struct preview_refusal){ .object = S("Node cluster"),
						    .file = new->file,
						    .message = out.v[0].reason,
						    .touched = true });
}

/* The hash of the version to preview as. */
static struct str version_of(const struct preview_in *in)
{
	struct made_by by = { 0 };

	if (in->adopt_hash)
		by = made_by(in->set->controller_config, &in->set->mcs, &in->set->pools);
	return by.hash.n ? by.hash : in->hash;
}

/* The generators to plan because o was applied or deleted. */
static unsigned touched_set(const struct preview_run *p, const struct mc_object *o)
{
	bool cluster = str_is(o->meta.name, NAME_CLUSTER);

	if (o->kind == MC_NODE_CONFIG && p->same_node)
		return 0;
	return trigger_object(o->kind, cluster && p->s.view.node);
}

static void read_set(struct preview_run *p)
{
	bool built_in = false;

	settle_init(&p->s, p->a, p->in->set);
	p->s.view.hash = version_of(p->in);
	read_gates(p);
	choose_tree(p);
	settle_complete(&p->s);
	check_node_config(p);
	/* in manifests without built-in pools every pool counts */
	for (size_t i = 0; i < p->s.pools.n; i++)
		built_in |= pool_built_in(p->s.pools.v[i]);
	p->s.view.every_pool = !built_in;
	p->s.view.assume_image = true;
	p->restart = preview_touched(p, MC_FEATURE_GATE, S("")) && !p->s.view.gates_unknown;
	p->kubelets = p->restart;
	for (size_t i = 0; p->in->touched && i < p->in->touched->others.n; i++) {
		unsigned set = touched_set(p, p->in->touched->others.v[i]);

		p->kubelets |= (set & TRIGGER(GENERATE_NODE)) != 0;
		p->family |= (set & TRIGGER(GENERATE_REGISTRIES)) != 0;
	}
}

/* ---- pools whose bases are known ----------------------------------------- */

static bool has_base(struct preview_run *p, const struct template_input *t, struct str pool,
		     const char *path, struct str *why)
{
	struct err err = ERR_INIT(p->a);
	struct str ignored;
	int rc = generated_file(p->a, t, pool, path, &ignored, &err);

	if (rc == -ERR_NOTFOUND)
		(void)err_set(&err, ERR_NOTFOUND,
			      "no MachineConfig from templates has %s: give "
			      "a dump with them (mcoctl dump)",
			      path);
	*why = err.msg;
	return rc == 0;
}

static void find_bases(struct preview_run *p)
{
	static const char *const files[] = { "/etc/containers/registries.conf",
					     "/etc/containers/policy.json",
					     "/etc/containers/storage.conf" };
	struct template_input t = generate_templates(p->a, &p->s.view);
	struct str why;

	for (size_t i = 0; i < p->s.pools.n; i++) {
		struct str pool = p->s.pools.v[i]->meta.name;
		size_t k = 0;

		if (has_base(p, &t, pool, KUBELET_CONF, &why))
			VEC_PUSH(p->a, &p->kubelet_pools, p->s.pools.v[i]);
		while (k < 3 && has_base(p, &t, pool, files[k], &why))
			k++;
		if (k == 3)
			VEC_PUSH(p->a, &p->runtime_pools, p->s.pools.v[i]);
	}
	p->s.view.kubelet_pools = &p->kubelet_pools;
	p->s.view.runtime_pools = &p->runtime_pools;
}

/* Reports what is left out because a base file is missing. */
static void warn_base(struct preview_run *p, bool touched, struct str what, struct str pool,
		      const char *path)
{
	struct template_input t = generate_templates(p->a, &p->s.view);
	struct str why;

	if (!has_base(p, &t, pool, path, &why))
		preview_left_out(p, touched,
				 str_fmt(p->a, "%.*s: pool %.*s: skipped: %.*s", STRF(what),
					 STRF(pool), STRF(why)));
}

/* ---- the kubelet of every pool ------------------------------------------- */

/* True when the set has one for any pool. */
static bool has_generated(const struct preview_run *p, const char *prefix)
{
	for (size_t i = 0; i < p->s.mcs.n; i++)
		if (str_starts(p->s.mcs.v[i]->meta.name, str_of(prefix)) &&
		    str_ends(p->s.mcs.v[i]->meta.name, S("-generated-kubelet")))
			return true;
	return false;
}

/*
 * The 97- or 98- configs of every pool. The controller writes all of them when it starts
 * and when the Node config or the feature gates change. In between they stay as they are,
 * and a new pool gets none: if only some are missing, they stay missing.
 */
static void preview_kubelets(struct preview_run *p, enum generate_kind kind, const char *prefix,
			     struct str what)
{
	if (!p->kubelets && has_generated(p, prefix))
		return;
	for (size_t i = 0; i < p->s.pools.n; i++)
		warn_base(p, p->kubelets, what, p->s.pools.v[i]->meta.name, KUBELET_CONF);
	settle_add(&p->s, kind, S(NAME_CLUSTER), !p->kubelets);
}

/* ---- registries ---------------------------------------------------------- */

static bool for_registries(const struct preview_run *p, const struct mcp *pool)
{
	return p->s.view.every_pool || pool_built_in(pool);
}

/* Warns when the source objects of a generated config are missing: it would lose their settings. */
static void warn_of_loss(struct preview_run *p, struct str name)
{
	bool lost = p->in->base ? !count_family(p->in->base)
				: count_family(p->in->set) == count_family(p->in->touched);

	if (has_mc(p, name) && lost)
		preview_note(
			p, str_fmt(p->a,
				   "%.*s is generated without its source objects: give a complete "
				   "dump (mcoctl dump)",
				   STRF(name)));
}

static void preview_registries(struct preview_run *p)
{
	bool image = generate_image(&p->s.images);
	bool anew = p->family || (p->restart && image);
	bool due = anew;

	if (!count_family(p->in->set) && !p->family)
		return;
	for (size_t i = 0; i < p->s.pools.n; i++) {
		const struct mcp *pool = p->s.pools.v[i];
		struct str name = mc_generated_name(p->a, "99", pool->meta.name, "registries");

		if (!for_registries(p, pool) || (!anew && has_mc(p, name)))
			continue;
		due = true;
		if (p->family)
			warn_of_loss(p, name);
		warn_base(p, p->family, S("registries"), pool->meta.name,
			  "/etc/containers/registries.conf");
	}
	if (due && image && !p->s.view.release_image.n)
		preview_left_out(p, p->family,
				 S("Image cluster: skipped: the release image, which must "
				   "not be blocked, is unknown: there is no ClusterVersion, "
				   "and the ControllerConfig has no spec.releaseImage: give "
				   "a dump with them (mcoctl dump)"));
	else if (due)
		settle_add(&p->s, GENERATE_REGISTRIES, S(NAME_CLUSTER), !anew);
}

/* ---- credential providers ------------------------------------------------ */

#define CREDENTIALS "CRIOCredentialProviderConfig"

static void preview_credentials(struct preview_run *p)
{
	bool touched = preview_touched(p, MC_CREDENTIALS, S(NAME_CLUSTER));
	bool missing = false;

	if (!p->s.view.credentials)
		return;
	if (!p->s.view.gates_unknown && !mc_gate(&p->s.view.gates, CREDENTIALS)) {
		if (touched)
			preview_note(p,
				     S(CREDENTIALS " cluster: no effect: its feature gate is off"));
		return;
	}
	for (size_t i = 0; i < p->s.pools.n; i++)
		missing |= pool_built_in(p->s.pools.v[i]) &&
			   !has_mc(p, mc_generated_name(p->a, "97", p->s.pools.v[i]->meta.name,
							"credentialproviderconfig"));
	if (touched || missing)
		settle_add(&p->s, GENERATE_CREDENTIALS, S(NAME_CLUSTER), !touched);
}

/* ---- what came of it ----------------------------------------------------- */

static const struct mc_object *object_of(const struct preview_run *p, enum mc_kind kind)
{
	return mc_find(p->in->set, kind, NAME_CLUSTER);
}

static void refused(struct preview_run *p, const struct settle_key *k)
{
	struct preview_refusal r = { .message = k->error, .touched = true };
	const struct mc_object *o = NULL;

	switch (k->key.kind) {
	case GENERATE_KUBELET:
	case GENERATE_RUNTIME:
		preview_owned_refusal(p, k);
		return;
	case GENERATE_FEATURES:
		r.object = S("FeatureGate cluster");
		o = object_of(p, MC_FEATURE_GATE);
		r.touched = p->kubelets;
		break;
	case GENERATE_NODE:
		r.object = S("Node cluster");
		o = object_of(p, MC_NODE_CONFIG);
		r.touched = p->kubelets;
		break;
	case GENERATE_REGISTRIES:
		r.object = S("");
		r.touched = p->family;
		break;
	case GENERATE_TEMPLATES:
		r.object = S("ControllerConfig machine-config-controller");
		break;
	case GENERATE_CREDENTIALS:
		r.object = S(CREDENTIALS " cluster");
		o = object_of(p, MC_CREDENTIALS);
		r.touched = preview_touched(p, MC_CREDENTIALS, S(NAME_CLUSTER));
		break;
	case GENERATE_RENDER:
	case GENERATE_KINDS:
		break;
	}
	if (o)
		r.file = o->file;
	preview_refuse(p, r);
}

static void report(struct preview_run *p)
{
	struct owned_conflicts conflicts = { 0 };

	for (size_t i = 0; i < p->s.keys.n; i++)
		if (p->s.keys.v[i].rc < 0)
			refused(p, &p->s.keys.v[i]);
	for (size_t i = 0; i < p->s.warnings.n; i++)
		preview_note(p, p->s.warnings.v[i]);
	owned_find_conflicts(p->a, p->in->set, &conflicts);
	for (size_t i = 0; i < conflicts.n; i++)
		preview_note(p, conflicts.v[i].message);
	if (p->s.restless)
		preview_note(p, S("the controllers do not converge on these objects"));
}

const struct preview_refusal *preview_refusal_of(const struct preview_refusals *list,
						 struct str pool)
{
	for (size_t i = 0; list && i < list->n; i++)
		for (size_t k = 0; k < list->v[i].pools.n; k++)
			if (str_eq(list->v[i].pools.v[k], pool))
				return &list->v[i];
	return NULL;
}

struct str preview_refusal_text(struct arena *a, const struct preview_refusal *r)
{
	struct buf b;

	buf_init(&b, a);
	buf_add(&b, r->object);
	if (r->file.n)
		buf_addf(&b, " (%.*s)", STRF(r->file));
	buf_addf(&b, "%s%.*s", b.n ? ": " : "", STRF(r->message));
	return buf_str(&b);
}

void plan_preview(struct arena *a, const struct preview_in *in, struct preview *out)
{
	struct preview_run p = { .a = a, .in = in, .out = out };

	*out = (struct preview){ .set = *in->set };
	read_set(&p);
	preview_templates(&p);
	find_bases(&p);
	preview_registries(&p);
	preview_credentials(&p);
	preview_owned(&p, &owned_runtime);
	if (!p.s.view.gates_unknown)
		preview_kubelets(&p, GENERATE_FEATURES, "98", S("FeatureGate cluster"));
	if (!p.s.view.gates_unknown && p.s.view.node)
		preview_kubelets(&p, GENERATE_NODE, "97", S("Node cluster"));
	preview_owned(&p, &owned_kubelet);
	settle_run(&p.s);
	report(&p);
	if (p.s.writes)
		out->set.mcs = p.s.mcs;
}
