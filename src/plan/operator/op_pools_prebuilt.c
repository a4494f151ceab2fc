/*
 * MachineConfigs for pools whose machines were installed with an image that was built before.
 *
 * The image of an existing MachineConfig is never changed: the annotation of the MachineOSConfig
 * counts only for the creation. Only labels and annotations are restored, by a patch, because the
 * cache may lack the rest of the spec.
 */
#include "mc/condition.h"
#include "op_pools.h"

#define PREFIX "10-prebuiltimage-osimageurl-"

/* Go's encoding of the MachineConfigSpec: the fields without omitempty are there. */
static struct json *prebuilt(struct arena *a, struct str pool, struct str image)
{
	struct json *j = json_new(a, JSON_OBJECT), *meta, *spec;

	json_add_str(a, j, "apiVersion", S(API_MC));
	json_add_str(a, j, "kind", S("MachineConfig"));
	meta = json_make(a, j, "metadata");
	json_add_str(a, meta, "name", str_fmt(a, PREFIX "%.*s", STRF(pool)));
	json_add_str(a, json_make(a, meta, "labels"), LABEL_ROLE, pool);
	json_add_str(a, json_make(a, meta, "annotations"), ANNO_PRE_BUILT, image);
	spec = json_make(a, j, "spec");
	json_add_str(a, spec, "baseOSExtensionsContainerImage", S(""));
	json_add(spec, S("fips"), json_new_bool(a, false));
	json_add(spec, S("kernelArguments"), json_new(a, JSON_NULL));
	json_add_str(a, spec, "kernelType", S(""));
	json_add_str(a, spec, "osImageURL", image);
	return j;
}

static struct str annotation(const struct json *object, const char *key)
{
	return json_text(json_member(json_at(object, "metadata.annotations"), str_of(key)));
}

static void write(struct arena *a, const struct json *live, struct str pool, struct str image,
		  struct actions *out)
{
	struct json *want = prebuilt(a, pool, image), *patch;
	const struct json *role = json_member(json_at(live, "metadata.labels"), S(LABEL_ROLE));

	if (!live) {
		(void)action_add(a, out, ACTION_CREATE, S(PATH_MC "machineconfigs"),
				 json_format(a, want, 0), S("pool has a pre-built image"));
		return;
	}
	if (str_eq(json_text(role), pool) && str_eq(annotation(live, ANNO_PRE_BUILT), image))
		return;
	patch = json_new(a, JSON_OBJECT);
	json_add(patch, S("metadata"), json_clone(a, json_at(want, "metadata")));
	(void)action_add(a, out, ACTION_MERGE,
			 action_path(a, "machineconfigs", json_str(want, "metadata.name")),
			 json_format(a, patch, 0), S("labels of a pre-built image differ"));
}

/* The image that a MachineOSConfig gives its pool, or "". */
static struct str image_of(const struct json *config, const struct json *live)
{
	return live ? json_str(live, "spec.osImageURL") : annotation(config, ANNO_PRE_BUILT);
}

static const struct json *live_of(struct arena *a, const struct operator_view *in, struct str pool)
{
	return in->get(in, OPERATOR_MACHINE_CONFIGS, str_fmt(a, PREFIX "%.*s", STRF(pool)));
}

/* A MachineOSConfig that was seeded but has lost its MachineConfig. */
static bool lost(struct arena *a, const struct json *config, const struct json *live,
		 struct str pool, struct actions *out)
{
	struct conditions list = conditions_of(a, json_at(config, "status.conditions"));
	struct action *log;

	if (live || image_of(config, NULL).n || !conditions_true(&list, "Seeded"))
		return false;
	log = action_log(a, out,
			 "Failed to sync pre-built image MachineConfigs: MachineOSConfig \"%.*s\" "
			 "for pool \"%.*s\" was seeded with a pre-built image but the component "
			 "MachineConfig is missing - this is required for install-time OCL",
			 STRF(json_str(config, "metadata.name")), STRF(pool));
	log->warning = true;
	log->state = true;
	return true;
}

void op_prebuilt(struct arena *a, const struct operator_view *in, struct actions *out)
{
	const struct json *const *configs, *const *mcs;
	size_t n = in->list(in, OPERATOR_OS_CONFIGS, a, &configs);
	size_t n_mcs = in->list(in, OPERATOR_MACHINE_CONFIGS, a, &mcs);
	struct strs wanted = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct str pool = json_str(configs[i], "spec.machineConfigPool.name");
		const struct json *live = live_of(a, in, pool);

		/* Upstream then changes none. */
		if (lost(a, configs[i], live, pool, out))
			return;
		if (image_of(configs[i], live).n)
			VEC_PUSH(a, &wanted, pool);
	}
	for (size_t i = 0; i < n; i++) {
		struct str pool = json_str(configs[i], "spec.machineConfigPool.name");
		const struct json *live = live_of(a, in, pool);

		if (image_of(configs[i], live).n)
			write(a, live, pool, image_of(configs[i], live), out);
	}
	for (size_t i = 0; i < n_mcs; i++) {
		struct str name = json_str(mcs[i], "metadata.name");
		bool keep = !str_starts(name, S(PREFIX));

		for (size_t k = 0; k < wanted.n && !keep; k++)
			keep = str_eq(str_from(name, strlen(PREFIX)), wanted.v[k]);
		if (!keep)
			(void)action_add(a, out, ACTION_DELETE,
					 action_path(a, "machineconfigs", name), S(""),
					 S("pool has no pre-built image"));
	}
}
