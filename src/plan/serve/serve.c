/*
 * The config of a machine: what the MachineConfig says, certificates fresher
 * than it, and the files that the machine's first boot and its daemon read.
 */
#include "plan/serve.h"

#include "base/codec.h"
#include "data/yml.h"
#include "ign/ign.h"
#include "mc/api.h"
#include "mc/types.h"

struct maker {
	struct arena *a;
	struct ign_obj *config; /* a copy of our own */
	struct json *mc; /* likewise */
	struct err *err;
};

/* ---- changing the config ------------------------------------------------- */

static struct ign_obj *sub(struct maker *m, struct ign_obj *o, int field)
{
	if (!o->v[field].u.o)
		o->v[field].u.o = ign_new(m->a, o->type->fields[field].sub);
	o->v[field].set = true;
	return o->v[field].u.o;
}

static void set_str(struct ign_obj *o, int field, struct str s)
{
	o->v[field].set = true;
	o->v[field].u.s = s;
}

static void append(struct maker *m, struct str path, struct str bytes)
{
	struct ign_obj *storage = sub(m, m->config, IGN_CONFIG_STORAGE);
	struct ign_obj *file = ign_new(m->a, &ign_type_FILE);
	struct ign_val *files = &storage->v[IGN_STORAGE_FILES];

	set_str(file, IGN_FILE_PATH, path);
	set_str(sub(m, file, IGN_FILE_CONTENTS), IGN_RESOURCE_SOURCE, dataurl_text(m->a, bytes));
	file->v[IGN_FILE_OVERWRITE].set = file->v[IGN_FILE_MODE].set = true;
	file->v[IGN_FILE_OVERWRITE].u.b = true;
	file->v[IGN_FILE_MODE].u.i = 0644;
	files->set = true;
	VEC_PUSH(m->a, &files->u.objs, file);
}

static struct ign_obj *find_file(struct maker *m, struct str path)
{
	const struct ign_objs *files = ign_files(m->config);

	for (size_t i = 0; i < files->n; i++)
		if (str_eq(ign_str(files->v[i], IGN_FILE_PATH), path))
			return files->v[i];
	return NULL;
}

/* An old config gets the current certificates. */
static int set_ca(struct maker *m, struct str path, const struct json *controller_config,
		  const char *field)
{
	struct str text = json_str(controller_config, field), bytes;
	struct ign_obj *file = find_file(m, path);
	int rc = base64_decode(m->a, text, &bytes, m->err);

	if (rc < 0)
		return err_wrap(m->err, "controller config: %s", field);
	if (!bytes.n)
		return 0;
	if (file)
		set_str(sub(m, file, IGN_FILE_CONTENTS), IGN_RESOURCE_SOURCE,
			dataurl_text(m->a, bytes));
	else
		append(m, path, bytes);
	return 0;
}

/* ---- changing the MachineConfig ------------------------------------------ */

/* Ignition before 3.3 has no kernel arguments: the daemon sets them then. */
static int migrate_kargs(struct maker *m, struct semver to)
{
	const struct ign_obj *kargs = ign_sub(m->config, IGN_CONFIG_KARGS);
	const struct strs *exist = ign_strings(kargs, IGN_KARGS_EXIST);
	struct json *spec = json_member(m->mc, S("spec")), *list;

	if (to.major == 3 && to.minor >= 3)
		return 0;
	if (ign_strings(kargs, IGN_KARGS_NOT_EXIST)->n)
		return err_set(m->err, ERR_INVALID,
			       "failed to migrate kernel args Can't serve "
			       "version %lld.%lld.0 with ignition "
			       "KernelArguments.ShouldNotExist populated",
			       (long long)to.major, (long long)to.minor);
	m->config->v[IGN_CONFIG_KARGS] = (struct ign_val){ 0 };
	if (!exist->n)
		return 0;
	list = json_member(spec, S("kernelArguments"));
	if (json_kind(list) != JSON_ARRAY) {
		list = json_new(m->a, JSON_ARRAY);
		json_set(spec, S("kernelArguments"), list);
	}
	for (size_t i = 0; i < exist->n; i++)
		json_push(list, json_new_str(m->a, exist->v[i]));
	return 0;
}

/* ---- the appended files -------------------------------------------------- */

static void append_annotations(struct maker *m, const struct serve_in *in)
{
	struct str image =
		json_text(json_member(json_at(m->mc, "metadata.annotations"), S(ANNO_PRE_BUILT)));
	struct json *notes = json_new(m->a, JSON_OBJECT);

	if (!image.n)
		image = in->image;
	for (size_t i = 0; i < 6; i++) {
		/* in the order of writing */
		static const char *const names[] = {
			ANNO_CURRENT_CONFIG, ANNO_CURRENT_IMAGE, ANNO_DESIRED_CONFIG,
			ANNO_DESIRED_IMAGE,  ANNO_FIRST_PIVOT,	 ANNO_STATE,
		};
		bool is_image = i == 1 || i == 3;
		struct str value = is_image ? image : in->config_name;

		if (i == 5)
			value = S("Done");
		if (!is_image || image.n)
			json_add(notes, str_of(names[i]), json_new_str(m->a, value));
	}
	append(m, S("/etc/machine-config-daemon/node-annotations.json"),
	       json_format(m->a, notes, 0));
}

static void append_mc(struct maker *m, struct str path, unsigned style)
{
	append(m, path, json_format(m->a, m->mc, style));
}

static int append_encapsulated(struct maker *m, const struct serve_in *in, struct semver version)
{
	struct ign_obj *none = ign_empty(m->a);
	struct json *config = NULL;
	int rc = 0;

	if (in->cluster)
		rc = ign_down(m->a, none, version, &config, m->err);
	else
		config = ign_encode(m->a, none);
	if (rc < 0)
		return rc;
	json_set(json_member(m->mc, S("spec")), S("config"), config);
	append_mc(m, S("/etc/ignition-machine-config-encapsulated.json"), 0);
	return 0;
}

static int append_files(struct maker *m, const struct serve_in *in, struct semver version)
{
	append_annotations(m, in);
	if (in->image.n)
		json_set(json_member(m->mc, S("spec")), S("osImageURL"),
			 json_new_str(m->a, in->image));
	append(m, S("/etc/kubernetes/kubeconfig"), in->kubeconfig);
	append_mc(m, S("/etc/mcs-machine-config-content.json"), JSON_INDENT_4);
	for (size_t i = 0; i < in->n_certs; i++)
		append(m, str_fmt(m->a, "/etc/docker/certs.d/%.*s/ca.crt", STRF(in->certs[i].host)),
		       in->certs[i].pem);
	return append_encapsulated(m, in, version);
}

/* ---- the body ------------------------------------------------------------ */

/*
 * The MachineConfig as upstream's Go types encode it. The encoder omits empty structs
 * with omitempty, too, so there is never a creationTimestamp; the keys of the Ignition
 * config are sorted.
 */
static int open_mc(struct maker *m, const struct serve_in *in, struct str *ignition)
{
	static const struct json_opts last = { .flags = JSON_DUP_LAST };
	struct json *held = NULL, *meta, *spec, *config = NULL;
	struct buf text;
	int rc = shape_hold(m->a, &mc_shapes, MC_T_MachineConfig, SHAPE_FOLD | SHAPE_SORTED, in->mc,
			    &held, m->err);

	if (rc < 0)
		return err_wrap(m->err, "MachineConfig %.*s", STRF(in->config_name));
	m->mc = shape_marshal(m->a, &mc_shapes, MC_T_MachineConfig, held);
	meta = json_member(m->mc, S("metadata"));
	(void)json_remove(meta, S("creationTimestamp"));
	if (!json_first(meta))
		(void)json_remove(m->mc, S("metadata"));
	if (in->cluster) {
		(void)json_remove(m->mc, S("kind"));
		(void)json_remove(m->mc, S("apiVersion"));
	}
	buf_init(&text, m->a);
	spec = json_member(m->mc, S("spec"));
	if (json_kind(json_member(spec, S("config"))) != JSON_NULL)
		json_encode(&text, json_member(spec, S("config")), JSON_SORTED);
	*ignition = buf_str(&text);
	if (!text.n)
		return 0;
	rc = json_parse(m->a, *ignition, &last, &config, m->err);
	if (rc == 0)
		json_set(spec, S("config"), config);
	return rc;
}

static int open_config(struct maker *m, const struct serve_in *in)
{
	struct str ignition;
	int rc = open_mc(m, in, &ignition);

	if (rc < 0)
		return rc;
	rc = ign_parse_35(m->a, ignition, &m->config, m->err);
	return rc < 0 ? err_wrap(m->err, "parsing Ignition config failed with "
					 "error: failed to parse Ignition "
					 "config")
		      : 0;
}

int serve_config(struct arena *a, const struct serve_in *in, struct semver version, struct str *out,
		 struct err *err)
{
	struct maker m = { .a = a, .err = err };
	const struct json *cc = in->controller_config;
	struct json *served = NULL;
	int rc = open_config(&m, in);

	if (rc == 0)
		rc = migrate_kargs(&m, version);
	if (rc == 0)
		rc = set_ca(&m, S("/etc/kubernetes/kubelet-ca.crt"), cc,
			    "spec.kubeAPIServerServingCAData");
	if (rc == 0)
		rc = set_ca(&m,
			    S("/etc/kubernetes/static-pod-resources/configmaps/"
			      "cloud-config/ca-bundle.pem"),
			    cc, "spec.cloudProviderCAData");
	if (rc == 0)
		rc = append_files(&m, in, version);
	if (rc == 0)
		rc = ign_down(a, m.config, version, &served, err);
	if (rc < 0)
		return rc;
	*out = json_format(a, served, 0);
	return 0;
}

/* ---- from files ---------------------------------------------------------- */

int serve_bootstrap_pool(struct str pool, struct err *err)
{
	struct buf b;

	if (str_is(pool, POOL_MASTER) || str_is(pool, POOL_ARBITER))
		return 0;
	buf_init(&b, err->a);
	go_quote(&b, pool);
	return err_set(err, ERR_INVALID, "refusing to serve bootstrap configuration to pool %s",
		       b.p);
}

int serve_check_kubeconfig(struct arena *a, struct str text, struct err *err)
{
	struct json *tree = NULL;
	int rc = yml_parse(a, text, NULL, &tree, err);

	if (rc < 0)
		return err_wrap(err, "kubeconfig");
	if (json_kind(json_first(json_at(tree, "clusters"))) != JSON_OBJECT)
		return err_set(err, ERR_INVALID, "the kubeconfig has no cluster");
	return 0;
}

int serve_cert_arg(struct str arg, struct str *host, struct str *file, struct err *err)
{
	if (!str_cut(arg, '=', host, file) || str_chr(*file, '=') >= 0)
		return err_set(err, ERR_INVALID, "could not use cert, missing key or value %.*s",
			       STRF(arg));
	return 0;
}
