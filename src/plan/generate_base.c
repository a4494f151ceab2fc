/*
 * What the templates have for a role, which the other generators start from:
 * rendered from a tree, or looked up among MachineConfigs that came of one.
 */
#include <stdlib.h>

#include "generate_parts.h"
#include "mc/contents.h"

void generator_init(struct generator *g, struct arena *a,
		    const struct generate_in *in, struct err *err)
{
	const struct mc_object *api =
		mc_find(in->set, MC_API_SERVER, "cluster");

	*g = (struct generator){ .a = a, .in = in, .err = err };
	map_init(&g->bases, a);
	g->tls = mc_tls_profile(
		a, api ? json_at(api->tree, "spec.tlsSecurityProfile") : NULL);
}

static bool is_built_in(struct str role)
{
	return str_is(role, "master") || str_is(role, "worker") ||
	       str_is(role, "arbiter");
}

static int by_name(const void *x, const void *y)
{
	return str_cmp((*(struct mc *const *)x)->meta.name,
		       (*(struct mc *const *)y)->meta.name);
}

/* Those of the set that a controller made of templates: "00-worker", …. */
static void find_templated(struct generator *g, struct str role,
			   struct mcs *out)
{
	const struct mcs *all = &g->in->set->mcs;
	struct str from = is_built_in(role) ? role : S("worker");

	for (size_t i = 0; i < all->n; i++) {
		const struct mc_meta *m = &all->v[i]->meta;

		if (str_eq(mc_label(m, MC_ROLE), from) &&
		    mc_annotation(m, MC_BY_CONTROLLER).n &&
		    str_find(m->name, S("-generated-")) < 0)
			VEC_PUSH(g->a, out, all->v[i]);
	}
	if (out->n > 1)
		qsort(out->v, out->n, sizeof(*out->v), by_name);
}

static int base_of(struct generator *g, struct str role, struct mcs **out)
{
	struct template_input in = {
		.tree = g->in->templates,
		.controller_config = g->in->set->controller_config,
		.tls_min_version = g->tls.min_version,
		.tls_cipher_suites = g->tls.suites,
		.hash = g->in->hash,
	};
	struct mcs *mcs = map_get(&g->bases, role);
	int rc = 0;

	if (!mcs) {
		mcs = ARENA_NEW(g->a, struct mcs);
		if (g->in->templates)
			rc = plan_template_role(g->a, &in, role, mcs, g->err);
		else
			find_templated(g, role, mcs);
		(void)map_put(&g->bases, role, mcs);
	}
	*out = mcs;
	return rc;
}

int base_file(struct generator *g, struct str role, const char *path,
	      struct str *out)
{
	struct mcs *mcs;
	int rc = base_of(g, role, &mcs);

	for (size_t i = 0; rc == 0 && i < mcs->n; i++) {
		struct mc *mc = mcs->v[i];
		const struct ign_obj *file;

		if (!mc->ignition && mc_has_config(mc))
			rc = ign_parse_35(g->a, mc_config_text(g->a, mc),
					  &mc->ignition, g->err);
		if (rc < 0)
			return rc;
		file = mc->ignition ? mc_find_file(mc->ignition, str_of(path))
				    : NULL;
		if (file)
			return mc_contents(g->a, file, out, g->err);
	}
	return rc < 0 ? rc : err_set(g->err, ERR_NOTFOUND, "no %s", path);
}

int runtime_base(struct generator *g, struct str role, struct runtime_base *out)
{
	struct {
		const char *path, *name;
		struct str *out;
	} files[] = {
		{ "/etc/containers/storage.conf", "Storage Config",
		  &out->storage },
		{ "/etc/containers/registries.conf", "Registries Config",
		  &out->registries },
		{ "/etc/containers/policy.json", "Policy JSON", &out->policy },
	};
	struct buf b;
	size_t missing = 0;

	buf_init(&b, g->a);
	for (size_t i = 0; i < 3; i++) {
		int rc = base_file(g, role, files[i].path, files[i].out);

		if (rc == -ERR_NOTFOUND)
			buf_addf(&b, "%scould not find %s",
				 missing++ ? ", " : "", files[i].name);
		else if (rc < 0)
			return err_wrap(g->err, "generateMachineConfigsforRole "
						"failed with error");
	}
	if (!missing)
		return 0;
	return err_set(g->err, ERR_INVALID,
		       "could not generate old container runtime configs: "
		       "%s%s%s",
		       missing > 1 ? "[" : "", b.p, missing > 1 ? "]" : "");
}

int kubelet_base(struct generator *g, struct str pool, struct kubelet_in *out)
{
	const struct mc_object *node =
		mc_find(g->in->set, MC_NODE_CONFIG, "cluster");
	int rc;

	*out = (struct kubelet_in){
		.pool = pool,
		.gates_on = g->in->gates.enabled,
		.gates_off = g->in->gates.disabled,
		.node = node ? node->tree : NULL,
		.hash = g->in->hash,
	};
	rc = base_file(g, pool, KUBELET_CONF, &out->base);
	if (rc == -ERR_NOTFOUND)
		rc = err_set(g->err, ERR_INVALID,
			     "could not generate old kubelet config");
	return rc < 0 ? err_wrap(g->err, "could not generate the original "
					 "Kubelet config ignition")
		      : 0;
}
