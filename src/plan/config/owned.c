/*
 * The suffixes, finalizers and names that tie a config to its MachineConfigs.
 *
 * Annotation and finalizers are merge patches of only these members, so that those of
 * others stay; lists carry the resourceVersion that they were made from.
 */
#include "plan/owned.h"

#include "mc/generated.h"

const struct owned_kind owned_kubelet = {
	.kind = "KubeletConfig",
	.plural = "kubeletconfigs",
	.what = "kubelet",
	.several = "kubelet config",
	.delete_them = "kubelet configs",
	.note = "kubeletConfig",
	.key = "kubelet config key",
	.cleanup = "99",
	.sub = "kubelet-config",
	.state = "Sync Kubelet Config",
	.kept = 3,
	.own_finalizers = true,
	.check_all = true,
	.many = "KubeletConfigs",
	.one = "KubeletConfig",
};

const struct owned_kind owned_runtime = {
	.kind = "ContainerRuntimeConfig",
	.plural = "containerruntimeconfigs",
	.what = "containerruntime",
	.several = "ctrcfgs",
	.delete_them = "ctrcfgs",
	.note = "containerruntimeConfig",
	.key = "ctrcfg key",
	.cleanup = "",
	.sub = "container-runtime-config",
	.state = "Sync Container Runtime Config",
	.names_unselected = true,
	.always_again = true,
	.many = "ContainerConfig",
	.one = "ContainerConfig",
	.wrap = "could not marshal container runtime ignition",
};

/* ---- writes -------------------------------------------------------------- */

static struct str path_of(struct arena *a, const struct owned_view *in)
{
	return action_path(a, in->kind->plural, in->config->meta.name);
}

static void annotate(struct arena *a, const struct owned_view *in, const struct owned_job *job,
		     struct actions *out)
{
	const struct json *now = owned_suffix(in->config);
	struct json *patch = json_new(a, JSON_OBJECT);

	if (job->names.n || (now && str_eq(json_text(now), job->suffix)))
		return;
	json_add_str(a, json_make(a, patch, "metadata.annotations"), ANNO_NAME_SUFFIX, job->suffix);
	action_add(a, out, ACTION_MERGE, path_of(a, in), json_format(a, patch, 0),
		   S("record the suffix of its MachineConfig's name"))
		->wrap = str_fmt(a, "could not update annotation for %s", in->kind->note);
	actions_step(out);
}

static void patch_finalizers(struct arena *a, const struct owned_view *in, const struct strs *list,
			     bool version, struct str reason, struct actions *out)
{
	struct str rv = json_str(in->config->doc.tree, "metadata.resourceVersion");
	struct json *patch = json_new(a, JSON_OBJECT);
	struct json *meta = json_make(a, patch, "metadata");
	struct json *finalizers = json_new(a, list->n ? JSON_ARRAY : JSON_NULL);

	for (size_t i = 0; i < list->n; i++)
		json_push(finalizers, json_new_str(a, list->v[i]));
	json_add(meta, S("finalizers"), finalizers);
	if (version && rv.n)
		json_add_str(a, meta, "resourceVersion", rv);
	action_add(a, out, ACTION_MERGE, path_of(a, in), json_format(a, patch, 0), reason)->wrap =
		str_fmt(a, "could not add finalizers to %s", in->kind->kind);
}

static struct strs finalizers_of(struct arena *a, const struct owned_view *in)
{
	struct strs out = { 0 };

	for (const struct json *f =
		     json_first(json_at(in->config->doc.tree, "metadata.finalizers"));
	     f; f = json_next(f))
		VEC_PUSH(a, &out, json_text(f));
	return out;
}

void owned_finalize(struct arena *a, const struct owned_view *in, const struct owned_job *job,
		    struct actions *out)
{
	struct strs list = finalizers_of(a, in);
	bool foreign = false, changed = false;

	for (size_t i = 0; i < list.n; i++)
		foreign |= str_find(list.v[i], str_of(in->kind->what)) < 0;
	/* older releases put uids there */
	if (foreign && in->kind->own_finalizers)
		list.n = 0;
	for (size_t i = 0; i < job->names.n; i++) {
		bool has = false;

		for (size_t k = 0; k < list.n; k++)
			has |= str_eq(list.v[k], job->names.v[i]);
		if (has)
			continue;
		VEC_PUSH(a, &list, job->names.v[i]);
		changed = true;
	}
	if (changed)
		patch_finalizers(a, in, &list, false,
				 S("keep it until its MachineConfigs are deleted"), out);
	actions_step(out);
}

void owned_write(struct arena *a, const struct owned_view *in, struct owned_job *job,
		 const struct mcp *pool, struct mc *mc, struct actions *out)
{
	struct str reason = str_fmt(a, "%s %.*s for pool %.*s", in->kind->kind,
				    STRF(in->config->meta.name), STRF(pool->meta.name));

	annotate(a, in, job, out);
	VEC_PUSH(a, &job->names, mc->meta.name);
	mc_annotate(a, mc, S(ANNO_BY_CONTROLLER), in->hash);
	mc_set_owner(a, mc, S(API_MC), str_of(in->kind->kind), in->config->meta.name,
		     in->config->meta.uid, true);
	if (generated_write(a, in->mcs, mc, reason, out)) {
		out->v[out->n - 1].wrap = S("could not Create/Update MachineConfig");
		action_state_metric(a, out, in->kind->sub, str_of(in->kind->state),
				    pool->meta.name);
	}
	generated_retire(a, in->mcs, "99", pool, in->kind->what, out);
	actions_step(out);
}

void owned_delete(struct arena *a, const struct owned_view *in, struct actions *out)
{
	struct strs list = finalizers_of(a, in), rest;

	if (!list.n)
		return;
	for (size_t i = 0; i < in->mcs->n; i++) {
		const struct mc_meta *m = &in->mcs->v[i]->meta;

		if (!str_eq(m->name, list.v[0]) && !(m->uid.n && str_eq(m->uid, list.v[0])))
			continue;
		if (owned_by_another(in, in->mcs->v[i]))
			break;
		action_add(a, out, ACTION_DELETE, action_path(a, "machineconfigs", m->name), S(""),
			   str_fmt(a, "%s %.*s is being deleted", in->kind->kind,
				   STRF(in->config->meta.name)));
		break;
	}
	actions_step(out);
	rest = (struct strs){ list.v + 1, list.n - 1, list.n - 1 };
	patch_finalizers(a, in, &rest, true, S("its MachineConfigs are deleted"), out);
}
