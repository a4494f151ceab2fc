/*
 * MachineConfigs that controllers generate. doc.tree is the whole object; struct mc's
 * views point into it.
 */
#include "mc/generated.h"

#include "base/codec.h"

void mc_files_add(struct arena *a, struct mc_files *files, const char *path, struct str data)
{
	struct mc_file f = { str_of(path), data };

	VEC_PUSH(a, files, f);
}

static struct json *file_json(struct arena *a, const struct mc_file *f)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct json *contents = json_add_object(a, j, "contents");
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, "data:text/plain;charset=utf-8;base64,");
	base64_add(&b, f->data);
	json_add_str(a, contents, "compression", S(""));
	json_add_str(a, contents, "source", buf_str(&b));
	json_add(j, S("mode"), json_new_i64(a, 0644));
	json_add(j, S("overwrite"), json_new_bool(a, true));
	json_add_str(a, j, "path", f->path);
	return j;
}

static struct json *config_json(struct arena *a, const struct mc_files *files)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct json *list = json_new(a, JSON_ARRAY);

	json_add_str(a, json_add_object(a, j, "ignition"), "version", S("3.5.0"));
	for (size_t i = 0; i < files->n; i++)
		json_push(list, file_json(a, &files->v[i]));
	/* upstream omits an empty storage section */
	if (files->n)
		json_add(json_add_object(a, j, "storage"), S("files"), list);
	return j;
}

/* The strings of doc.tree are well-formed, so decoding it cannot fail. */
static void decode(struct arena *a, struct mc *mc, struct json *tree)
{
	struct err err = ERR_INIT(a);
	struct doc d = { .tree = tree };

	(void)mc_decode(a, &d, mc, &err);
}

void mc_add_zeros(struct arena *a, struct json *spec)
{
	static const char *const texts[] = { "osImageURL", "baseOSExtensionsContainerImage",
					     "kernelType" };
	static const char *const lists[] = { "kernelArguments", "extensions" };

	for (size_t i = 0; i < 3; i++)
		if (!json_member(spec, str_of(texts[i])))
			json_add_str(a, spec, texts[i], S(""));
	for (size_t i = 0; i < 2; i++)
		if (!json_member(spec, str_of(lists[i])))
			json_add(spec, str_of(lists[i]), json_new(a, JSON_NULL));
	if (!json_member(spec, S("fips")))
		json_add(spec, S("fips"), json_new_bool(a, false));
}

struct mc *mc_generated(struct arena *a, struct str name, struct str role,
			const struct mc_files *files)
{
	struct mc *mc = ARENA_NEW(a, struct mc);
	struct json *tree = json_new(a, JSON_OBJECT), *meta, *spec;

	json_add_str(a, tree, "apiVersion", S(API_MC));
	json_add_str(a, tree, "kind", S("MachineConfig"));
	meta = json_add_object(a, tree, "metadata");
	json_add_str(a, json_add_object(a, meta, "labels"), LABEL_ROLE, role);
	json_add_str(a, meta, "name", name);
	spec = json_add_object(a, tree, "spec");
	if (files)
		json_add(spec, S("config"), config_json(a, files));
	mc_add_zeros(a, spec);
	decode(a, mc, tree);
	return mc;
}

static struct json *metadata(const struct mc *mc)
{
	return json_at(mc->doc.tree, "metadata");
}

void mc_annotate(struct arena *a, struct mc *mc, struct str key, struct str value)
{
	struct json *notes = json_member(metadata(mc), S("annotations"));

	if (!notes)
		notes = json_add_object(a, metadata(mc), "annotations");
	json_set(notes, key, json_new_str(a, value));
	mc->meta.annotations = notes;
}

void mc_set_owner(struct arena *a, struct mc *mc, struct str api, struct str kind, struct str name,
		  struct str uid, bool controller)
{
	struct json *list = json_new(a, JSON_ARRAY);
	struct json *ref = json_new(a, JSON_OBJECT);

	json_add_str(a, ref, "apiVersion", api);
	if (controller) {
		json_add(ref, S("blockOwnerDeletion"), json_new_bool(a, true));
		json_add(ref, S("controller"), json_new_bool(a, true));
	}
	json_add_str(a, ref, "kind", kind);
	json_add_str(a, ref, "name", name);
	json_add_str(a, ref, "uid", uid);
	json_push(list, ref);
	json_set(metadata(mc), S("ownerReferences"), list);
}

void mc_set_kargs(struct arena *a, struct mc *mc, const struct strs *kargs)
{
	json_set(json_at(mc->doc.tree, "spec"), S("kernelArguments"), json_new_strs(a, kargs));
	mc->kargs = *kargs;
}

struct str mc_generated_name(struct arena *a, const char *prefix, struct str pool,
			     const char *suffix)
{
	return str_fmt(a, "%s-%.*s-generated-%s", prefix, STRF(pool), suffix);
}

struct mc *mc_prebuilt(struct arena *a, struct str pool, struct str image)
{
	struct mc *mc = mc_generated(a, str_fmt(a, MC_PREBUILT "%.*s", STRF(pool)), pool, NULL);

	mc_annotate(a, mc, S(ANNO_PRE_BUILT), image);
	json_set(json_at(mc->doc.tree, "spec"), S("osImageURL"), json_new_str(a, image));
	mc->os_image = image;
	return mc;
}
