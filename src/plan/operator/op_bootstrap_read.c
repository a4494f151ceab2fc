/*
 * The inputs of bootstrap: objects decoded into their Go types, CAs and images. The checks, their
 * order and their words are upstream's.
 */
#include "data/docs.h"
#include "mc/api.h"
#include "mc/object.h"
#include "mc/types.h"
#include "op_bootstrap_parts.h"

struct reader {
	struct arena *a;
	const struct operator_source *files;
	struct err *err;
};

/* ---- existence ----------------------------------------------------------- */

static int check_file(struct reader *r, enum operator_source_id i)
{
	static const char *const names[OPERATOR_OPTIONAL] = {
		"Proxy",   "ClusterConfig",  "MCSCAFile",  "DNS",
		"Network", "Infrastructure", "PullSecret",
	};
	const struct operator_source *f = &r->files[i];
	bool required = i < OPERATOR_OPTIONAL;

	if (required && !f->path.n)
		return err_set(r->err, ERR_INVALID, "required file %s not set", names[i]);
	if (!f->unknown || (f->missing && !required))
		return 0;
	return err_set(r->err, ERR_INVALID, "cannot read %.*s file. Error: stat %.*s: %.*s",
		       STRF(f->path), STRF(f->path), STRF(f->problem));
}

static int not_read(struct reader *r, const struct operator_source *f)
{
	return err_set(r->err, ERR_INVALID, "open %.*s: %.*s", STRF(f->path), STRF(f->problem));
}

/* ---- objects ------------------------------------------------------------- */

static int parse_object(struct arena *a, struct str text, struct doc *out, struct err *err)
{
	struct docs_fault fault = { 0 };
	struct docs docs = { 0 };
	enum mc_kind kind;
	int rc = docs_parse(a, text, &docs, &fault, err);

	if (rc == -ERR_INVALID)
		return err_set(err, ERR_INVALID, "%.*s", STRF(fault.upstream));
	if (rc < 0)
		return rc;
	if (!docs.n)
		return err_set(err, ERR_INVALID, "Object 'Kind' is missing in '%.*s'", STRF(text));
	if (json_kind(docs.v[0].tree) != JSON_OBJECT)
		return err_set(err, ERR_INVALID,
			       "couldn't get version/kind; json parse error: json: cannot "
			       "unmarshal %s into Go value of type struct",
			       json_kind_name(docs.v[0].tree));
	*out = docs.v[0];
	return mc_kind_of(a, out->tree, &kind, err);
}

/* Upstream's decoder knows all kinds of one API version, and no other. */
static int check_version(const struct json *tree, const char *api, struct err *err)
{
	struct str version = json_str(tree, "apiVersion");

	if (str_is(version, api))
		return 0;
	return err_set(err, ERR_INVALID, "no kind \"%.*s\" is registered for version \"%.*s\"",
		       STRF(json_str(tree, "kind")), STRF(version));
}

static int read_object(struct reader *r, enum operator_source_id i, const char *api, uint16_t type,
		       const struct json **out)
{
	const struct operator_source *f = &r->files[i];
	struct str name = shape_name(&mc_shapes, type), kind;
	struct json *j;
	struct doc d;
	int rc;

	if (f->problem.n) {
		(void)not_read(r, f);
		return err_wrap(r->err, "failed to read *v1.%.*s file %.*s", STRF(name),
				STRF(f->path));
	}
	rc = parse_object(r->a, f->text, &d, r->err);
	if (rc >= 0)
		rc = check_version(d.tree, api, r->err);
	if (rc >= 0) {
		kind = json_str(d.tree, "kind");
		if (!str_eq(kind, name))
			return err_set(r->err, ERR_INVALID, "expected *v1.%.*s but got *v1.%.*s",
				       STRF(name), STRF(kind));
		rc = shape_hold(r->a, &mc_shapes, type, d.json ? 0 : SHAPE_SORTED, d.tree, &j,
				r->err);
	}
	if (rc < 0)
		return err_wrap(r->err, "failed to decode *v1.%.*s file %.*s", STRF(name),
				STRF(f->path));
	*out = j;
	return 0;
}

static int read_configs(struct reader *r, struct operator_inputs *in)
{
	const struct {
		const char *what;
		const struct json **out;
		enum operator_source_id file;
		uint16_t type;
	} rows[] = {
		{ "proxy", &in->proxy, OPERATOR_PROXY, MC_T_Proxy },
		{ "infrastructure", &in->infra, OPERATOR_INFRA, MC_T_Infrastructure },
		{ "network", &in->network, OPERATOR_NETWORK, MC_T_Network },
		{ "DNS", &in->dns, OPERATOR_DNS, MC_T_DNS },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (read_object(r, rows[i].file, API_CONFIG, rows[i].type, rows[i].out) < 0)
			return err_wrap(r->err, "failed to read %s config", rows[i].what);
	return 0;
}

static int read_map(struct reader *r, enum operator_source_id i, const char *what,
		    const struct json **out)
{
	if (read_object(r, i, API_CORE, MC_T_ConfigMap, out) < 0)
		return err_wrap(r->err, "failed to read %s file %.*s", what,
				STRF(r->files[i].path));
	return 0;
}

/* ---- bytes --------------------------------------------------------------- */

/* Empty and absent files are null in the spec, except for the root CA. */
static int read_bytes(struct reader *r, enum operator_source_id i, const char *what,
		      struct str *out)
{
	const struct operator_source *f = &r->files[i];

	if (!f->problem.n || (f->missing && i >= OPERATOR_OPTIONAL)) {
		if (f->text.n || i < OPERATOR_OPTIONAL)
			*out = f->text.p ? f->text : S("");
		return 0;
	}
	(void)not_read(r, f);
	return err_wrap(r->err, "failed to read %s file %.*s", what, STRF(f->path));
}

static int read_trust_bundle(struct reader *r, struct operator_inputs *in)
{
	const struct operator_source *f = &r->files[OPERATOR_TRUST_BUNDLE];
	const struct json *map;
	struct str pem;
	int rc;

	if (!f->path.n || f->missing)
		return 0;
	rc = read_map(r, OPERATOR_TRUST_BUNDLE, "Additional Trust Bundle", &map);
	if (rc < 0)
		return rc;
	pem = json_text(json_member(json_member(map, S("data")), S("ca-bundle.crt")));
	if (pem.n)
		in->trust_bundle = pem;
	return 0;
}

static int read_cloud_config(struct reader *r, struct operator_inputs *in)
{
	struct str key = json_str(in->infra, "spec.cloudConfig.key");
	const struct json *map, *data, *found;
	int rc;

	if (!json_str(in->infra, "spec.cloudConfig.name").n)
		return 0;
	if (!r->files[OPERATOR_CLOUD_CONFIG].path.n)
		return err_set(r->err, ERR_INVALID,
			       "cloud-config file not provided but required by infrastructure");
	rc = read_map(r, OPERATOR_CLOUD_CONFIG, "cloud-config", &map);
	if (rc < 0)
		return rc;
	data = json_member(map, S("data"));
	found = json_member(data, S("cloud.conf"));
	in->cloud_config = json_text(found ? found : json_member(data, key));
	if (!in->cloud_config.n)
		return err_set(r->err, ERR_INVALID,
			       "cloud-config CR doesn't have 'cloud.conf' or %.*s keys", STRF(key));
	return 0;
}

int op_bootstrap_read(struct arena *a, const struct operator_bootstrap_in *in,
		      struct operator_inputs *out, struct err *err)
{
	struct reader r = { a, in->files, err };
	const struct json *ignored;
	struct str pull_secret;
	int rc = 0;

	for (int i = 0; rc >= 0 && i < OPERATOR_IMAGE_REFERENCES; i++)
		rc = check_file(&r, (enum operator_source_id)i);
	if (rc >= 0)
		rc = read_configs(&r, out);
	if (rc >= 0)
		rc = read_bytes(&r, OPERATOR_ROOT_CA, "MCS CA", &out->root_ca);
	if (rc >= 0)
		rc = read_bytes(&r, OPERATOR_KUBE_CA, "KubeAPI CA", &out->kube_ca);
	if (rc >= 0)
		rc = read_bytes(&r, OPERATOR_CLOUD_CA, "Cloud Provider CA", &out->cloud_ca);
	if (rc >= 0)
		rc = read_trust_bundle(&r, out);
	if (rc >= 0)
		rc = read_bytes(&r, OPERATOR_PULL_SECRET, "PullSecret", &pull_secret);
	if (rc >= 0)
		rc = read_map(&r, OPERATOR_CLUSTER_CONFIG, "Cluster Config", &ignored);
	if (rc >= 0)
		rc = read_cloud_config(&r, out);
	return rc;
}

/* ---- images -------------------------------------------------------------- */

static const struct {
	char key[25], tag[24];
} images[OPERATOR_IMAGES] = {
	[OPERATOR_IMAGE_OPERATOR] = { "machineConfigOperator", NAME_OPERATOR },
	[OPERATOR_IMAGE_KEEPALIVED] = { "keepalivedImage", "keepalived-ipfailover" },
	[OPERATOR_IMAGE_COREDNS] = { "corednsImage", "coredns" },
	[OPERATOR_IMAGE_RUNTIMECFG] = { "baremetalRuntimeCfgImage", "baremetal-runtimecfg" },
	[OPERATOR_IMAGE_OAUTH_PROXY] = { "oauthProxy", "oauth-proxy" },
	[OPERATOR_IMAGE_RBAC_PROXY] = { "kubeRbacProxy", "kube-rbac-proxy" },
	[OPERATOR_IMAGE_INFRA] = { "infraImage", "pod" },
	[OPERATOR_IMAGE_HAPROXY] = { "haproxyImage", "haproxy-router" },
	[OPERATOR_IMAGE_REGISTRY] = { "dockerRegistryImage", "docker-registry" },
	[OPERATOR_IMAGE_OS] = { "osImage", "rhel-coreos" },
	[OPERATOR_IMAGE_OS_EXTENSIONS] = { "osExtensions", "rhel-coreos-extensions" },
};

static struct str find_tag(const struct json *stream, const char *name)
{
	for (const struct json *t = json_first(json_at(stream, "spec.tags")); t; t = json_next(t))
		if (str_is(json_str(t, "name"), name) &&
		    str_is(json_str(t, "from.kind"), "DockerImage"))
			return json_str(t, "from.name");
	return (struct str){ 0 };
}

static int find_images(struct arena *a, const struct json *stream, struct json *out,
		       struct strs *warnings, struct err *err)
{
	for (int i = 0; i < OPERATOR_IMAGES; i++) {
		struct str image = find_tag(stream, images[i].tag);

		if (!image.p && i < OPERATOR_IMAGE_OS)
			return err_set(err, ERR_INVALID, "Failed to find %s in image references",
				       images[i].tag);
		if (!image.p)
			VEC_PUSH(
				a, warnings,
				str_fmt(a,
					"Base OS %scontainer not found: could not find %s in images",
					i == OPERATOR_IMAGE_OS ? "" : "extensions ",
					images[i].tag));
		json_add_str(a, out, images[i].key, image);
	}
	return 0;
}

int op_bootstrap_images(struct arena *a, const struct operator_bootstrap_in *in, struct json **out,
			struct operator_bootstrap_out *to, struct err *err)
{
	const struct operator_source *f = &in->files[OPERATOR_IMAGE_REFERENCES];
	struct json *j = json_new(a, JSON_OBJECT);
	struct doc stream;
	int rc;

	*out = j;
	if (!f->path.n) {
		for (int i = 0; i < OPERATOR_IMAGES; i++)
			json_add_str(a, j, images[i].key, in->images[i]);
		return 0;
	}
	if (f->problem.n)
		return err_set(err, ERR_INVALID, "failed to read %.*s: open %.*s: %.*s",
			       STRF(f->path), STRF(f->path), STRF(f->problem));
	rc = parse_object(a, f->text, &stream, err);
	to->panic = rc < 0;
	return rc < 0 ? rc : find_images(a, stream.tree, j, &to->warnings, err);
}
