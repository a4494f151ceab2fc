/*
 * The objects behind a generated MachineConfig: by finalizers, else by owner
 * references, else by generated names. Read-only.
 */
#include "mc/made_from.h"

#include "mc/types.h"

#define KIND(k) (1U << (k))

/* The kinds that a pool's registry files are generated from. The Image config owns all. */
static const struct {
	const char *path;
	unsigned kinds;
} registries[] = {
	{ "/etc/containers/registries.conf", KIND(MC_IMAGE) | KIND(MC_CONTENT_POLICY) |
						     KIND(MC_DIGEST_MIRRORS) |
						     KIND(MC_TAG_MIRRORS) },
	{ "/etc/containers/registries.conf.d/01-image-searchRegistries.conf", KIND(MC_IMAGE) },
	{ "/etc/containers/policy.json", KIND(MC_IMAGE) | KIND(MC_CLUSTER_IMAGE_POLICY) },
	{ "/etc/containers/registries.d/sigstore-registries.yaml",
	  KIND(MC_CLUSTER_IMAGE_POLICY) | KIND(MC_IMAGE_POLICY) },
	{ "", KIND(MC_IMAGE) | KIND(MC_CONTENT_POLICY) | KIND(MC_DIGEST_MIRRORS) |
		      KIND(MC_TAG_MIRRORS) | KIND(MC_CLUSTER_IMAGE_POLICY) |
		      KIND(MC_IMAGE_POLICY) },
};

#define POLICIES "/etc/crio/policies/"

static unsigned kinds_making(struct str path)
{
	for (size_t i = 0; i < ARRAY_LEN(registries); i++)
		if (str_is(path, registries[i].path))
			return registries[i].kinds;
	return str_starts(path, S(POLICIES)) ? KIND(MC_IMAGE_POLICY) : 0;
}

static void add(struct arena *a, struct strs *out, struct str kind, struct str name)
{
	struct str text = str_fmt(a, "%.*s%s%.*s", STRF(kind), name.n ? "/" : "", STRF(name));

	for (size_t i = 0; i < out->n; i++)
		if (str_eq(out->v[i], text))
			return;
	VEC_PUSH(a, out, text);
}

static void add_object(struct arena *a, struct strs *out, const struct mc_object *o)
{
	struct str name = o->meta.name;

	if (o->namespace.n)
		name = str_fmt(a, "%.*s/%.*s", STRF(o->namespace), STRF(name));
	add(a, out, shape_name(&mc_shapes, mc_type(o->kind)), name);
}

/* An Image config without registry settings is not a source. */
static bool is_source(const struct mc_object *o, struct str path)
{
	if (o->kind == MC_IMAGE)
		return json_len(json_at(o->tree, "spec.registrySources")) > 0;
	if (o->kind == MC_IMAGE_POLICY && str_starts(path, S(POLICIES)))
		return str_eq(str_sub(path, sizeof(POLICIES) - 1, path.n - (sizeof(".json") - 1)),
			      o->namespace);
	return true;
}

static void add_registries(struct arena *a, const struct mc_set *set, struct str path,
			   struct strs *out)
{
	unsigned kinds = kinds_making(path);

	for (size_t i = 0; i < set->others.n; i++) {
		const struct mc_object *o = set->others.v[i];

		if ((kinds & KIND(o->kind)) && is_source(o, path))
			add_object(a, out, o);
	}
}

/* The finalizers of KubeletConfigs and ContainerRuntimeConfigs name their MachineConfigs. */
static void add_finalized(struct arena *a, const struct mc_set *set, struct str name,
			  struct strs *out)
{
	for (size_t i = 0; i < set->others.n; i++) {
		const struct mc_object *o = set->others.v[i];
		const struct json *list = json_at(o->doc.tree, "metadata.finalizers");

		if (o->kind != MC_KUBELET_CONFIG && o->kind != MC_RUNTIME_CONFIG)
			continue;
		for (const struct json *f = json_first(list); f; f = json_next(f))
			if (str_eq(json_text(f), name))
				add_object(a, out, o);
	}
}

/* Manifests of the bootstrap omit the owner's name: use the only object of that kind. */
static struct str only_name(const struct mc_set *set, struct str kind)
{
	struct str name = S("");

	for (size_t i = 0; i < set->others.n; i++) {
		const struct mc_object *o = set->others.v[i];

		if (!str_eq(shape_name(&mc_shapes, mc_type(o->kind)), kind))
			continue;
		if (name.n)
			return S("");
		name = o->meta.name;
	}
	return name;
}

static void add_owners(struct arena *a, const struct mc_set *set, const struct mc *mc,
		       struct str path, struct strs *out)
{
	const struct json *list = json_at(mc->doc.tree, "metadata.ownerReferences");

	for (const struct json *r = json_first(list); r; r = json_next(r)) {
		struct str kind = json_str(r, "kind");
		struct str name = json_str(r, "name");

		if (str_is(kind, "MachineConfigPool"))
			continue;
		if (str_is(kind, "Image"))
			add_registries(a, set, path, out);
		if (!str_is(kind, "Image") || !out->n)
			add(a, out, kind, name.n ? name : only_name(set, kind));
	}
}

static bool is_generated(struct str name, const char *prefix, const char *what)
{
	return str_starts(name, str_of(prefix)) && str_find(name, str_of(what)) >= 0;
}

/* Finds objects by the names that controllers generate. */
static void add_by_name(struct arena *a, const struct mc_set *set, struct str name, struct str path,
			struct strs *out)
{
	static const struct {
		const char *prefix, *what, *kind;
	} names[] = {
		{ "97-", "-generated-kubelet", "Node" },
		{ "98-", "-generated-kubelet", "FeatureGate" },
		{ "99-", "-generated-kubelet", "KubeletConfig" },
		{ "99-", "-generated-containerruntime", "ContainerRuntimeConfig" },
	};

	if (is_generated(name, "99-", "-generated-registries"))
		add_registries(a, set, path, out);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (is_generated(name, names[i].prefix, names[i].what))
			add(a, out, str_of(names[i].kind),
			    i < 2 ? S(NAME_CLUSTER) : only_name(set, str_of(names[i].kind)));
}

struct strs mc_made_from(struct arena *a, const struct mc_set *set, const struct mc *mc,
			 struct str path)
{
	struct strs out = { 0 };

	add_finalized(a, set, mc->meta.name, &out);
	if (!out.n)
		add_owners(a, set, mc, path, &out);
	/* users may choose such a name, too: only controllers set the annotation */
	if (!out.n && mc_annotation(&mc->meta, ANNO_BY_CONTROLLER).n)
		add_by_name(a, set, mc->meta.name, path, &out);
	return out;
}

void mc_made_from_all(struct arena *a, const struct mc_set *set, struct mc_origins *origins)
{
	for (size_t i = 0; i < origins->n; i++) {
		struct mc_origin *o = origins->v[i];
		struct str path = o->part == MC_PART_FILE ? o->key : S("");

		for (size_t k = 0; k < o->n; k++) {
			struct mc_setting *setting = &o->v[k];

			if (setting->mc)
				setting->made_from = mc_made_from(a, set, setting->mc, path);
			else
				add(a, &setting->made_from, S("ControllerConfig"),
				    S(NAME_CONTROLLER));
		}
	}
}
