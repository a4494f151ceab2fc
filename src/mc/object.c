/*
 * Decoding of API objects, checked against the Go type of their kind. The struct's
 * strings are views of the document's tree.
 */
#include "mc/object.h"

#include "mc/types.h"

/* The Go type of each kind; its name is that of the kind. */
static const struct {
	char api[40];
	uint16_t type;
} kinds[MC_KINDS] = {
	[MC_MACHINE_CONFIG] = { API_MC, MC_T_MachineConfig },
	[MC_POOL] = { API_MC, MC_T_MachineConfigPool },
	[MC_CONTROLLER_CONFIG] = { API_MC, MC_T_ControllerConfig },
	[MC_KUBELET_CONFIG] = { API_MC, MC_T_KubeletConfig },
	[MC_RUNTIME_CONFIG] = { API_MC, MC_T_ContainerRuntimeConfig },
	[MC_OS_CONFIG] = { API_MC, MC_T_MachineOSConfig },
	[MC_FEATURE_GATE] = { API_CONFIG, MC_T_FeatureGate },
	[MC_NODE_CONFIG] = { API_CONFIG, MC_T_Node },
	[MC_API_SERVER] = { API_CONFIG, MC_T_APIServer },
	[MC_IMAGE] = { API_CONFIG, MC_T_Image },
	[MC_DIGEST_MIRRORS] = { API_CONFIG, MC_T_ImageDigestMirrorSet },
	[MC_TAG_MIRRORS] = { API_CONFIG, MC_T_ImageTagMirrorSet },
	[MC_CLUSTER_IMAGE_POLICY] = { API_CONFIG, MC_T_ClusterImagePolicy },
	[MC_IMAGE_POLICY] = { API_CONFIG, MC_T_ImagePolicy },
	[MC_CONTENT_POLICY] = { API_OPERATOR_ALPHA, MC_T_ImageContentSourcePolicy },
	[MC_SECRET] = { "v1", MC_T_Secret },
};

static enum mc_kind find_kind(struct str api, struct str kind)
{
	if (str_is(api, API_OPERATOR) && str_is(kind, "MachineConfiguration"))
		return MC_CONFIGURATION;
	if (str_is(api, "v1") && str_is(kind, "Node"))
		return MC_NODE;
	if (str_is(api, API_CONFIG) && str_is(kind, "ClusterVersion"))
		return MC_CLUSTER_VERSION;
	if (str_is(api, API_MC_ALPHA) && str_is(kind, "OSImageStream"))
		return MC_OS_STREAM;
	if (str_starts(api, S(KEY_MC "v1")) && str_is(kind, "InternalReleaseImage"))
		return MC_INTERNAL_RELEASE;
	if (str_is(api, API_CONFIG_ALPHA) && str_is(kind, "CRIOCredentialProviderConfig"))
		return MC_CREDENTIALS;
	for (int i = 0; i < MC_KINDS; i++)
		if (kinds[i].type && str_is(api, kinds[i].api) &&
		    str_eq(kind, shape_name(&mc_shapes, kinds[i].type)))
			return (enum mc_kind)i;
	return MC_OTHER;
}

uint16_t mc_type(enum mc_kind kind)
{
	return kinds[kind].type;
}

int mc_kind_of(struct arena *a, const struct json *tree, enum mc_kind *out, struct err *err)
{
	struct str api = json_str(tree, "apiVersion");
	struct str kind = json_str(tree, "kind");

	if (!kind.n || !api.n) {
		struct buf b;

		buf_init(&b, a);
		json_encode(&b, tree, JSON_SORTED);
		return err_set(err, ERR_INVALID, "Object '%s' is missing in '%.*s'",
			       kind.n ? "apiVersion" : "Kind", STRF(buf_str(&b)));
	}
	*out = find_kind(api, kind);
	return 0;
}

/* The names of the members, without values: those may be secret or long. */
static struct str member_names(struct arena *a, const struct json *tree)
{
	struct buf b;

	buf_init(&b, a);
	for (const struct json *m = json_first(tree); m && b.n < 100; m = json_next(m))
		buf_addf(&b, "%s%.*s", b.n ? ", " : "", STRF(json_key(m)));
	return b.n ? str_clip(a, buf_str(&b), 100) : S("nothing");
}

bool mc_is_butane(const struct json *tree)
{
	return json_str(tree, "variant").n > 0 && !json_member(tree, S("ignition"));
}

struct str mc_kind_problem(struct arena *a, const struct json *tree)
{
	struct str kind = json_str(tree, "kind");
	struct str api = json_str(tree, "apiVersion");

	if (kind.n && api.n)
		return S("");
	if (json_kind(tree) != JSON_OBJECT)
		return str_fmt(a, "not an object but of type %s", json_kind_name(tree));
	if (!kind.n && mc_is_butane(tree))
		return S(MC_BUTANE);
	if (!kind.n && json_member(tree, S("ignition")))
		return S("this is an Ignition config: it goes into spec.config "
			 "of a MachineConfig");
	return str_fmt(a, "no %s: there is only %.*s", kind.n ? "apiVersion" : "kind",
		       STRF(member_names(a, tree)));
}

/* held may be NULL: then the document is only checked. */
static int hold_tree(struct arena *a, const struct doc *d, enum mc_kind kind, struct json **held,
		     struct err *err)
{
	if (!kinds[kind].type) {
		if (held)
			*held = d->tree;
		return 0;
	}
	return shape_hold(a, &mc_shapes, kinds[kind].type, d->json ? 0 : SHAPE_SORTED, d->tree,
			  held, err);
}

int mc_check(struct arena *a, const struct doc *d, enum mc_kind kind, struct err *err)
{
	return hold_tree(a, d, kind, NULL, err);
}

struct json *mc_misfit(struct arena *a, const struct doc *d)
{
	enum mc_kind kind = find_kind(json_str(d->tree, "apiVersion"), json_str(d->tree, "kind"));

	if (!kinds[kind].type)
		return NULL;
	return shape_blame(a, &mc_shapes, kinds[kind].type, d->json ? 0 : SHAPE_SORTED, d->tree);
}

static const struct json *object_at(const struct json *root, const char *path)
{
	const struct json *j = json_at(root, path);

	return json_kind(j) == JSON_OBJECT ? j : NULL;
}

struct mc_meta mc_meta_of(const struct json *root)
{
	return (struct mc_meta){
		.name = json_str(root, "metadata.name"),
		.uid = json_str(root, "metadata.uid"),
		.version = json_str(root, "metadata.resourceVersion"),
		.labels = object_at(root, "metadata.labels"),
		.annotations = object_at(root, "metadata.annotations"),
	};
}

struct json *mc_object_new(struct arena *a, const char *api, const char *kind,
			   const char *namespace, struct str name)
{
	struct json *j = json_new(a, JSON_OBJECT), *meta;

	json_add_str(a, j, "apiVersion", str_of(api));
	json_add_str(a, j, "kind", str_of(kind));
	meta = json_add_object(a, j, "metadata");
	json_add_str(a, meta, "name", name);
	if (namespace)
		json_add_str(a, meta, "namespace", str_of(namespace));
	return j;
}

static struct strs strs_at(struct arena *a, const struct json *root, const char *path)
{
	struct strs out = { 0 };

	for (const struct json *e = json_first(json_at(root, path)); e; e = json_next(e))
		VEC_PUSH(a, &out, json_text(e));
	return out;
}

struct str mc_raw(struct arena *a, const struct doc *d, const char *path)
{
	const struct json *j = json_at(d->tree, path);
	size_t start, end;

	if (json_kind(j) == JSON_NULL)
		return S("");
	if (d->json) {
		json_span(j, &start, &end);
		return str_sub(d->text, start, end);
	}
	return json_format(a, j, JSON_SORTED);
}

bool mc_has_config(const struct mc *mc)
{
	return json_kind(mc->config_tree) != JSON_NULL;
}

struct str mc_config_text(struct arena *a, const struct mc *mc)
{
	return mc_raw(a, &mc->doc, "spec.config");
}

int mc_decode(struct arena *a, const struct doc *d, struct mc *out, struct err *err)
{
	const struct json *t = d->tree;
	int rc = hold_tree(a, d, MC_MACHINE_CONFIG, NULL, err);

	if (rc < 0)
		return rc;
	*out = (struct mc){
		.meta = mc_meta_of(t),
		.config_tree = json_at(t, "spec.config"),
		.kargs = strs_at(a, t, "spec.kernelArguments"),
		.extensions = strs_at(a, t, "spec.extensions"),
		.kernel_type = json_str(t, "spec.kernelType"),
		.os_image = json_str(t, "spec.osImageURL"),
		.extensions_image = json_str(t, "spec.baseOSExtensionsContainerImage"),
		.fips = json_bool(t, "spec.fips", false),
		.doc = *d,
	};
	return 0;
}

int mc_controller_config_decode(struct arena *a, const struct doc *d,
				struct mc_controller_config *out, struct err *err)
{
	const struct json *t = d->tree;
	int rc = hold_tree(a, d, MC_CONTROLLER_CONFIG, NULL, err);

	if (rc < 0)
		return rc;
	*out = (struct mc_controller_config){
		.meta = mc_meta_of(t),
		.base_image = json_str(t, "spec.baseOSContainerImage"),
		.extensions_image = json_str(t, "spec.baseOSExtensionsContainerImage"),
		.tree = t,
	};
	return 0;
}

int mc_object_decode(struct arena *a, const struct doc *d, enum mc_kind kind, struct mc_object *out,
		     struct err *err)
{
	struct json *tree;
	int rc = hold_tree(a, d, kind, &tree, err);

	if (rc < 0)
		return rc;
	*out = (struct mc_object){
		.kind = kind,
		.meta = mc_meta_of(tree),
		.namespace = json_str(tree, "metadata.namespace"),
		.tree = tree,
		.doc = *d,
	};
	return 0;
}

int mc_check_other(struct arena *a, const struct doc *d, enum mc_kind kind, struct err *err)
{
	static const char *const known[] = {
		"v1",	      API_CONFIG,	  API_CONFIG_ALPHA, API_MC,
		API_MC_ALPHA, API_OPERATOR_ALPHA, API_IMAGE,
	};
	struct str api = json_str(d->tree, "apiVersion");
	const struct json *meta = json_member(d->tree, S("metadata"));
	struct doc whole = *d;

	if (kind != MC_SECRET) {
		whole.tree = json_new(a, JSON_OBJECT);
		if (meta)
			json_add(whole.tree, S("metadata"), json_clone(a, meta));
	}
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(api, known[i]))
			return hold_tree(a, &whole, MC_SECRET, NULL, err);
	return 0;
}

static struct str find_text(const struct json *map, const char *key)
{
	return json_text(json_member(map, str_of(key)));
}

struct str mc_label(const struct mc_meta *m, const char *key)
{
	return find_text(m->labels, key);
}

struct str mc_annotation(const struct mc_meta *m, const char *key)
{
	return find_text(m->annotations, key);
}
