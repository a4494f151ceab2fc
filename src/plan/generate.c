#include "plan/generate.h"

#include "generate_parts.h"
#include "mc/selector.h"
#include "plan/runtime.h"

static int from_templates(struct generator *g)
{
	struct template_input in = {
		.tree = g->in->templates,
		.controller_config = g->in->set->controller_config,
		.pull_secret = g->in->pull_secret,
		.tls_min_version = g->tls.min_version,
		.tls_cipher_suites = g->tls.suites,
		.hash = g->in->hash,
	};

	return plan_template(g->a, &in, &g->out.mcs, g->err);
}

/* ---- registries --------------------------------------------------------------------- */

static int add_registries(struct generator *g, const struct registries *r,
			  struct str pool)
{
	struct runtime_base base;
	struct mc_files files = { 0 };
	struct mc *mc;
	int rc = runtime_base(g, pool, &base);

	if (rc < 0)
		return err_wrap(g->err, "could not generate original "
					"ContainerRuntime Configs");
	rc = registries_files(g->a, r, base.registries, base.policy, &files,
			      g->err);
	if (rc < 0)
		return rc;
	mc = mc_generated(g->a,
			  mc_generated_name(g->a, "99", pool, "registries"),
			  pool, &files);
	/* without a version the first sync in the cluster makes it anew */
	if (g->in->preview)
		mc_annotate(g->a, mc, S(MC_BY_CONTROLLER), g->in->hash);
	mc_set_owner(g->a, mc, S("config.openshift.io/v1"), S("Image"), S(""),
		     S(""), false);
	VEC_PUSH(g->a, &g->out.mcs, mc);
	return 0;
}

int generate_registries(struct generator *g)
{
	const struct mc_controller_config *cc = g->in->set->controller_config;
	struct registries_in in = {
		.objects = &g->in->set->others,
		.release_image =
			cc ? json_str(cc->tree, "spec.releaseImage", S(""))
			   : S(""),
		.sigstore = mc_gate(&g->in->gates, "SigstoreImageVerification"),
		.bootstrap = !g->in->preview,
	};
	struct registries r;
	int rc = registries_decide(g->a, &in, &r, g->err);

	for (size_t i = 0; rc == 0 && i < g->in->pools->n; i++)
		rc = add_registries(g, &r, g->in->pools->v[i]->meta.name);
	if (rc == 0 && r.note.n)
		VEC_PUSH(g->a, &g->out.notes, r.note);
	return rc;
}

/* 98-… of every pool, then 97-… of every pool. */
static int from_cluster(struct generator *g)
{
	const struct strs none = { 0 };

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < g->in->pools->n; i++) {
			struct kubelet_in in;
			struct mc *mc = NULL;
			int rc = kubelet_base(g, g->in->pools->v[i]->meta.name,
					      &in);

			if (rc == 0)
				rc = k ? kubelet_node(g->a, &in, &none, &mc,
						      g->err)
				       : kubelet_features(g->a, &in, &mc,
							  g->err);
			if (rc < 0)
				return rc;
			VEC_PUSH(g->a, &g->out.mcs, mc);
		}
	return 0;
}

/* ---- objects that choose their pools -------------------------------------------- */

static int make_kubelet(struct generator *g, const struct mc_object *o,
			struct str pool, struct str name, struct mc **out)
{
	struct kubelet_in in;
	int rc = kubelet_base(g, pool, &in);

	return rc < 0 ? rc : kubelet_config(g->a, &in, o, name, out, g->err);
}

static int make_runtime(struct generator *g, const struct mc_object *o,
			struct str pool, struct str name, struct mc **out)
{
	struct runtime_in in = {
		.pool = pool,
		.more_stores =
			mc_gate(&g->in->gates, "AdditionalStorageConfig"),
		.hash = g->in->hash,
	};
	struct runtime_base base;
	struct str note = S("");
	int rc = runtime_base(g, pool, &base);

	if (rc < 0)
		return err_wrap(g->err, "could not generate origin "
					"ContainerRuntime Configs");
	in.storage = base.storage;
	rc = runtime_config(g->a, &in, o, name, out, &note, g->err);
	if (rc == 0 && note.n)
		VEC_PUSH(g->a, &g->out.notes,
			 str_fmt(g->a,
				 "error merging user changes to storage.conf: "
				 "%.*s",
				 STRF(note)));
	return rc;
}

static int choose(struct generator *g, const struct chooser *c,
		  const struct mc_object *o, struct map *taken)
{
	struct selector s = { 0 };
	int rc = selector_make(
		g->a, json_at(o->tree, "spec.machineConfigPoolSelector"), &s,
		g->err);

	if (rc < 0)
		return err_wrap(g->err, "invalid label selector");
	for (size_t i = 0; rc == 0 && i < g->in->pools->n; i++) {
		const struct mc_meta *pool = &g->in->pools->v[i]->meta;
		struct mc *mc = NULL;

		/* an empty selector selects nothing */
		if (!s.n || !selector_matches(&s, pool->labels))
			continue;
		rc = c->make(
			g, o, pool->name,
			mc_generated_name(g->a, "99", pool->name, c->suffix),
			&mc);
		if (rc < 0)
			return rc;
		if (!map_put(taken, pool->name, mc)) {
			(void)err_set(g->err, ERR_INVALID,
				      "Error found multiple %s targeting "
				      "MachineConfigPool %.*s. Please apply "
				      "only one %s manifest for each pool "
				      "during installation",
				      c->many, STRF(pool->name), c->one);
			return c->wrap ? err_wrap(g->err, "%s", c->wrap)
				       : -ERR_INVALID;
		}
		mc_set_owner(g->a, mc, S(MC_API), str_of(c->name), S(""), S(""),
			     false);
		VEC_PUSH(g->a, &g->out.mcs, mc);
	}
	return rc;
}

static int from_choosers(struct generator *g, const struct chooser *c)
{
	const struct mc_objects *all = &g->in->set->others;
	struct map taken;
	int rc = 0;

	map_init(&taken, g->a);
	for (size_t i = 0; rc == 0 && i < all->n; i++)
		if (all->v[i]->kind == c->kind && c->check_all)
			rc = c->check(g->a, all->v[i], g->err);
	for (size_t i = 0; rc == 0 && i < all->n; i++) {
		if (all->v[i]->kind != c->kind)
			continue;
		if (!c->check_all)
			rc = c->check(g->a, all->v[i], g->err);
		if (rc == 0)
			rc = choose(g, c, all->v[i], &taken);
	}
	return rc;
}

const struct chooser generate_kubelets = {
	.kind = MC_KUBELET_CONFIG,
	.name = "KubeletConfig",
	.suffix = "kubelet",
	.many = "KubeletConfigs",
	.one = "KubeletConfig",
	.check_all = true,
	.check = kubelet_validate,
	.make = make_kubelet,
};

const struct chooser generate_runtimes = {
	.kind = MC_RUNTIME_CONFIG,
	.name = "ContainerRuntimeConfig",
	.suffix = "containerruntime",
	.many = "ContainerConfig",
	.one = "ContainerConfig",
	.wrap = "could not marshal container runtime ignition",
	.check = runtime_validate,
	.make = make_runtime,
};

int plan_generate(struct arena *a, const struct generate_in *in,
		  struct generated *out, struct err *err)
{
	struct generator g;
	int rc;

	generator_init(&g, a, in, err);
	rc = from_templates(&g);
	if (rc == 0)
		rc = generate_registries(&g);
	if (rc == 0)
		rc = from_choosers(&g, &generate_runtimes);
	if (rc == 0)
		rc = from_cluster(&g);
	if (rc == 0)
		rc = from_choosers(&g, &generate_kubelets);
	if (rc == 0)
		*out = g.out;
	return rc;
}
