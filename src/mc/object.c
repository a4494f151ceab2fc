#include "mc/object.h"

/* The Go struct that declares what stands at path, for messages. */
struct place {
	const char *in; /* "MachineConfigSpec" */
	const char *path; /* "spec.kernelArguments" */
};

static int misfit(const struct json *j, struct place p, const char *type,
		  struct err *err)
{
	return err_set(
		err, ERR_INVALID,
		"json: cannot unmarshal %s into Go struct field %s.%s of "
		"type %s",
		json_kind_name(j), p.in, p.path, type);
}

static int get_str(const struct json *root, struct place p, struct str *out,
		   struct err *err)
{
	const struct json *j = json_at(root, p.path);

	if (json_kind(j) == JSON_NULL)
		return 0;
	if (json_kind(j) != JSON_STRING)
		return misfit(j, p, "string", err);
	*out = json_text(j);
	return 0;
}

static int get_bool(const struct json *root, struct place p, bool *out,
		    struct err *err)
{
	const struct json *j = json_at(root, p.path);

	if (json_kind(j) == JSON_NULL)
		return 0;
	if (json_kind(j) != JSON_BOOL)
		return misfit(j, p, "bool", err);
	*out = json_is_true(j);
	return 0;
}

static int get_strs(struct arena *a, const struct json *root, struct place p,
		    struct strs *out, struct err *err)
{
	const struct json *j = json_at(root, p.path);

	if (json_kind(j) == JSON_NULL)
		return 0;
	if (json_kind(j) != JSON_ARRAY)
		return misfit(j, p, "[]string", err);
	for (const struct json *e = json_first(j); e; e = json_next(e)) {
		if (json_kind(e) != JSON_STRING && json_kind(e) != JSON_NULL)
			return misfit(e, p, "string", err);
		VEC_PUSH(a, out, json_text(e));
	}
	return 0;
}

/* A map of strings to strings, or NULL. */
static int get_map(const struct json *root, struct place p,
		   const struct json **out, struct err *err)
{
	const struct json *j = json_at(root, p.path);

	if (json_kind(j) == JSON_NULL)
		return 0;
	if (json_kind(j) != JSON_OBJECT)
		return misfit(j, p, "map[string]string", err);
	for (const struct json *m = json_first(j); m; m = json_next(m))
		if (json_kind(m) != JSON_STRING && json_kind(m) != JSON_NULL)
			return misfit(m, p, "string", err);
	*out = j;
	return 0;
}

static int get_meta(const struct json *root, struct mc_meta *out,
		    struct err *err)
{
	int rc = get_str(root, (struct place){ "ObjectMeta", "metadata.name" },
			 &out->name, err);

	if (rc == 0)
		rc = get_str(root,
			     (struct place){ "ObjectMeta", "metadata.uid" },
			     &out->uid, err);
	if (rc == 0)
		rc = get_map(root,
			     (struct place){ "ObjectMeta", "metadata.labels" },
			     &out->labels, err);
	if (rc == 0)
		rc = get_map(
			root,
			(struct place){ "ObjectMeta", "metadata.annotations" },
			&out->annotations, err);
	return rc;
}

int mc_kind_of(struct arena *a, const struct json *tree, enum mc_kind *out,
	       struct err *err)
{
	static const struct {
		const char *api, *kind;
		enum mc_kind is;
	} kinds[] = {
		{ MC_API, "MachineConfig", MC_MACHINE_CONFIG },
		{ MC_API, "MachineConfigPool", MC_POOL },
		{ MC_API, "ControllerConfig", MC_CONTROLLER_CONFIG },
		{ "config.openshift.io/v1", "FeatureGate", MC_FEATURE_GATE },
		{ "operator.openshift.io/v1", "MachineConfiguration",
		  MC_CONFIGURATION },
	};
	struct str api = json_str(tree, "apiVersion", S(""));
	struct str kind = json_str(tree, "kind", S(""));

	if (!kind.n || !api.n) {
		struct buf b;

		buf_init(&b, a);
		json_encode(&b, tree, JSON_SORTED);
		return err_set(
			err, ERR_INVALID, "Object '%s' is missing in '%.*s'",
			kind.n ? "apiVersion" : "Kind", STRF(buf_str(&b)));
	}
	*out = MC_OTHER;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (str_is(api, kinds[i].api) && str_is(kind, kinds[i].kind))
			*out = kinds[i].is;
	return 0;
}

/*
 * spec.config as bytes: of JSON the text as it was written, of YAML the compact
 * JSON that upstream makes of it.
 */
static struct str config_bytes(struct arena *a, const struct doc *d)
{
	const struct json *j = json_at(d->tree, "spec.config");
	size_t start, end;
	struct buf b;

	if (json_kind(j) == JSON_NULL)
		return S("");
	if (d->json) {
		json_span(j, &start, &end);
		return str_sub(d->text, start, end);
	}
	buf_init(&b, a);
	json_encode(&b, j, JSON_SORTED);
	return buf_str(&b);
}

int mc_decode(struct arena *a, const struct doc *d, struct mc *out,
	      struct err *err)
{
	static const char in[] = "MachineConfigSpec";
	struct mc mc = { .doc = *d };
	const struct json *t = d->tree;
	int rc = get_meta(t, &mc.meta, err);

	if (rc == 0)
		rc = get_str(t,
			     (struct place){ in,
					     "spec.baseOSExtensionsContainer"
					     "Image" },
			     &mc.extensions_image, err);
	if (rc == 0)
		rc = get_strs(a, t, (struct place){ in, "spec.extensions" },
			      &mc.extensions, err);
	if (rc == 0)
		rc = get_bool(t, (struct place){ in, "spec.fips" }, &mc.fips,
			      err);
	if (rc == 0)
		rc = get_strs(a, t,
			      (struct place){ in, "spec.kernelArguments" },
			      &mc.kargs, err);
	if (rc == 0)
		rc = get_str(t, (struct place){ in, "spec.kernelType" },
			     &mc.kernel_type, err);
	if (rc == 0)
		rc = get_str(t, (struct place){ in, "spec.osImageURL" },
			     &mc.os_image, err);
	if (rc < 0)
		return rc;
	mc.config = config_bytes(a, d);
	*out = mc;
	return 0;
}

int mc_pool_decode(struct arena *a, const struct doc *d, struct mc_pool *out,
		   struct err *err)
{
	static const char in[] = "MachineConfigPoolSpec";
	struct mc_pool p = { .tree = d->tree };
	const struct json *selector =
		json_at(d->tree, "spec.machineConfigSelector");
	int rc = get_meta(d->tree, &p.meta, err);

	(void)a;
	if (rc == 0)
		rc = get_bool(d->tree, (struct place){ in, "spec.paused" },
			      &p.paused, err);
	if (rc == 0)
		rc = get_str(d->tree,
			     (struct place){ "OSImageStreamReference",
					     "spec.osImageStream.name" },
			     &p.os_image_stream, err);
	if (rc == 0 && json_kind(selector) != JSON_NULL &&
	    json_kind(selector) != JSON_OBJECT)
		rc = misfit(selector,
			    (struct place){ in, "spec.machineConfigSelector" },
			    "v1.LabelSelector", err);
	if (rc < 0)
		return rc;
	p.selector = json_kind(selector) == JSON_OBJECT ? selector : NULL;
	*out = p;
	return 0;
}

int mc_controller_config_decode(struct arena *a, const struct doc *d,
				struct mc_controller_config *out,
				struct err *err)
{
	static const char in[] = "ControllerConfigSpec";
	struct mc_controller_config c = { .tree = d->tree };
	int rc = get_meta(d->tree, &c.meta, err);

	(void)a;
	if (rc == 0)
		rc = get_str(d->tree,
			     (struct place){ in, "spec.baseOSContainerImage" },
			     &c.base_image, err);
	if (rc == 0)
		rc = get_str(d->tree,
			     (struct place){ in,
					     "spec.baseOSExtensionsContainer"
					     "Image" },
			     &c.extensions_image, err);
	if (rc < 0)
		return rc;
	*out = c;
	return 0;
}

static struct str lookup(const struct json *map, const char *key)
{
	return json_text(json_member(map, str_of(key)));
}

struct str mc_label(const struct mc_meta *m, const char *key)
{
	return lookup(m->labels, key);
}

struct str mc_annotation(const struct mc_meta *m, const char *key)
{
	return lookup(m->annotations, key);
}
