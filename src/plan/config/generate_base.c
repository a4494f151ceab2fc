/*
 * Base files: the files of a role's templates that the other generators start from. They
 * are rendered from a tree, or looked up in MachineConfigs that templates made.
 */
#include <stdlib.h>

#include "mc/contents.h"
#include "plan/config/kubelet.h"
#include "plan/owned.h"

bool generated_by_templates(const struct mc *mc)
{
	return mc_annotation(&mc->meta, ANNO_BY_CONTROLLER).n &&
	       mc_label(&mc->meta, LABEL_ROLE).n && str_find(mc->meta.name, S("-generated-")) < 0;
}

static int by_name(const void *x, const void *y)
{
	return str_cmp((*(struct mc *const *)x)->meta.name, (*(struct mc *const *)y)->meta.name);
}

/* Copies of the MachineConfigs that templates made: "00-worker", …. */
static void find_templated(struct arena *a, const struct mc_list *all, struct str role,
			   struct mc_list *out)
{
	struct str from = mcp_is_built_in(role) ? role : S(POOL_WORKER);

	for (size_t i = 0; i < all->n; i++) {
		struct mc *copy;

		if (!str_eq(mc_label(&all->v[i]->meta, LABEL_ROLE), from) ||
		    !generated_by_templates(all->v[i]))
			continue;
		copy = ARENA_NEW(a, struct mc);
		*copy = *all->v[i];
		VEC_PUSH(a, out, copy);
	}
	if (out->n > 1)
		qsort(out->v, out->n, sizeof(*out->v), by_name);
}

static int base_of(struct arena *a, const struct template_input *in, struct str role,
		   struct mc_list **out, struct err *err)
{
	struct mc_list *mcs = in->cache ? map_get(&in->cache->roles, role) : NULL;
	int rc = 0;

	*out = mcs;
	if (mcs)
		return 0;
	*out = mcs = ARENA_NEW(a, struct mc_list);
	if (in->tree)
		rc = plan_template_role(a, in, role, mcs, err);
	if (rc == -ERR_NOTFOUND)
		rc = 0; /* a role without templates has no files */
	else if (!in->tree && in->made)
		find_templated(a, in->made, role, mcs);
	if (rc == 0 && in->cache)
		(void)map_put(&in->cache->roles, role, mcs);
	return rc;
}

/* The file from the first MachineConfig, by name, that has it. ERR_NOTFOUND. */
static int base_file(struct arena *a, const struct mc_list *mcs, const char *path, struct str *out,
		     struct err *err)
{
	for (size_t i = 0; i < mcs->n; i++) {
		struct mc *mc = mcs->v[i];
		const struct ign_obj *file;

		if (!mc->ignition && mc_has_config(mc)) {
			int rc = ign_parse_35(a, mc_config_text(a, mc), &mc->ignition, err);

			if (rc < 0)
				return rc;
		}
		file = mc->ignition ? mc_find_file(mc->ignition, str_of(path)) : NULL;
		if (file)
			return mc_contents(a, file, out, err);
	}
	return err_set(err, ERR_NOTFOUND, "no %s", path);
}

static int runtime_files(struct arena *a, const struct mc_list *mcs,
			 const struct generated_base *want, struct err *err)
{
	struct {
		const char *path, *name;
		struct str *out;
	} files[] = {
		{ "/etc/containers/storage.conf", "Storage Config", want->storage },
		{ "/etc/containers/registries.conf", "Registries Config", want->registries },
		{ "/etc/containers/policy.json", "Policy JSON", want->policy },
	};
	struct buf b;
	size_t missing = 0;

	buf_init(&b, a);
	for (size_t i = 0; i < 3; i++) {
		int rc = base_file(a, mcs, files[i].path, files[i].out, err);

		if (rc == -ERR_NOTFOUND)
			buf_addf(&b, "%scould not find %s", missing++ ? ", " : "", files[i].name);
		else if (rc < 0)
			return err_wrap(err, "generateMachineConfigsforRole "
					     "failed with error");
	}
	if (!missing)
		return 0;
	return err_set(err, ERR_INVALID,
		       "could not generate old container runtime configs: "
		       "%s%s%s",
		       missing > 1 ? "[" : "", b.p, missing > 1 ? "]" : "");
}

int generated_file(struct arena *a, const struct template_input *templates, struct str role,
		   const char *path, struct str *out, struct err *err)
{
	struct arena *keep = templates->cache ? templates->cache->a : a;
	struct mc_list *mcs;
	int rc = base_of(keep, templates, role, &mcs, err);

	return rc < 0 ? rc : base_file(keep, mcs, path, out, err);
}

int generated_base(struct arena *a, const struct template_input *templates, struct str role,
		   const struct generated_base *want, struct err *err)
{
	struct arena *keep = templates->cache ? templates->cache->a : a;
	struct mc_list *mcs;
	int rc = base_of(keep, templates, role, &mcs, err);

	if (rc < 0 && want->storage)
		return err_wrap(err, "generateMachineConfigsforRole failed "
				     "with error");
	if (rc == 0 && want->kubelet)
		rc = base_file(keep, mcs, KUBELET_CONF, want->kubelet, err);
	if (rc == -ERR_NOTFOUND)
		return err_set(err, ERR_INVALID, "could not generate old kubelet config");
	if (rc == 0 && want->credentials)
		rc = base_file(keep, mcs, want->path, want->credentials, err);
	if (rc == -ERR_NOTFOUND)
		return err_set(err, ERR_INVALID,
			       "could not generate original credential "
			       "provider configs: could not find "
			       "CRIOCredentialProvider Config");
	return rc == 0 && want->storage ? runtime_files(keep, mcs, want, err) : rc;
}
