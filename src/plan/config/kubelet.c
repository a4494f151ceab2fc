/*
 * kubelet.conf of a pool: the base file, feature gates, the Node config and a
 * KubeletConfig, each as a MachineConfig.
 */
#include "plan/config/kubelet.h"

#include "data/yml.h"
#include "kubelet_parts.h"
#include "mc/contents.h"
#include "mc/mcp.h"
#include "mc/tls_profile.h"
#include "mc/types.h"

#define SYSTEM_RESERVED "system-reserved"
#define COMPRESSIBLE "system-reserved-compressible"

static struct json *text(struct arena *a, struct str s)
{
	return json_new_str(a, s);
}

/* ---- what every node begins with ----------------------------------------- */

/* The base kubelet.conf: YAML or JSON, the first document. */
static int read_base(struct arena *a, struct str conf, struct json **out, struct err *err)
{
	struct docs docs = { 0 };
	struct docs_fault fault = { 0 };
	int rc = docs_parse(a, conf, &docs, &fault, err);

	if (rc == 0 && !docs.n)
		rc = err_set(err, ERR_INVALID, "EOF");
	if (rc == 0)
		rc = shape_hold(a, &mc_shapes, MC_T_KubeletConfiguration,
				SHAPE_FOLD | (docs.v[0].json ? 0 : SHAPE_SORTED | SHAPE_TEXT),
				docs.v[0].tree, out, err);
	if (rc < 0)
		return err_wrap(err, "could not deserialize the Kubelet source");
	return 0;
}

/* The member, created as an object when absent. */
static struct json *object_at(struct arena *a, struct json *j, struct str key)
{
	struct json *m = json_member(j, key);

	if (json_kind(m) != JSON_OBJECT) {
		m = json_new(a, JSON_OBJECT);
		json_set(j, key, m);
	}
	return m;
}

static int original(struct arena *a, const struct kubelet_in *in, struct json **out,
		    struct err *err)
{
	struct json *conf = NULL, *gates;
	int rc = read_base(a, in->base, &conf, err);

	if (rc < 0)
		return rc;
	gates = object_at(a, conf, S("featureGates"));
	for (size_t i = 0; i < in->gates_on.n; i++)
		json_set(gates, in->gates_on.v[i], json_new_bool(a, true));
	for (size_t i = 0; i < in->gates_off.n; i++)
		json_set(gates, in->gates_off.v[i], json_new_bool(a, false));
	*out = conf;
	return 0;
}

/* How often a node reports its status; only workers have a setting for it. */
static int apply_latency(struct arena *a, const struct kubelet_in *in, struct json *conf,
			 struct err *err)
{
	static const struct {
		const char *profile, *every;
	} known[] = {
		{ "Default", "10s" },
		{ "MediumUpdateAverageReaction", "20s" },
		{ "LowUpdateSlowReaction", "1m0s" },
	};
	struct str profile = json_str(in->node, "spec.workerLatencyProfile");

	if (!profile.n || !str_is(in->pool, POOL_WORKER))
		return 0;
	for (size_t i = 0; i < 3; i++)
		if (str_is(profile, known[i].profile)) {
			json_set(conf, S("nodeStatusUpdateFrequency"),
				 text(a, str_of(known[i].every)));
			return 0;
		}
	return err_set(err, ERR_INVALID,
		       "unknown worker latency profile type found %.*s, failed "
		       "to update the original kubelet configuration",
		       STRF(profile));
}

static int conf_text(struct arena *a, const struct json *conf, struct str *out, struct err *err)
{
	struct json *j = shape_marshal(a, &mc_shapes, MC_T_KubeletConfiguration, conf);
	struct buf b;
	int rc;

	json_set(j, S("apiVersion"), text(a, S(API_KUBELET)));
	json_set(j, S("kind"), text(a, S("KubeletConfiguration")));
	buf_init(&b, a);
	rc = yml_emit(&b, j, err);
	*out = buf_str(&b);
	return rc;
}

static struct mc *make(struct arena *a, const struct kubelet_in *in, struct str name,
		       const struct mc_files *files)
{
	struct mc *mc = mc_generated(a, name, in->pool, files);

	mc_annotate(a, mc, S(ANNO_BY_CONTROLLER), in->hash);
	return mc;
}

int kubelet_features(struct arena *a, const struct kubelet_in *in, struct mc **out, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct mc_files files = { 0 };
	struct json *conf = NULL;
	struct str bytes = S("");
	int rc = original(a, in, &conf, err);

	if (rc < 0)
		return rc;
	(void)apply_latency(a, in, conf, &ignored);
	rc = conf_text(a, conf, &bytes, err);
	if (rc < 0)
		return rc;
	mc_files_add(a, &files, KUBELET_CONF, bytes);
	*out = make(a, in, mc_generated_name(a, "98", in->pool, "kubelet"), &files);
	return 0;
}

static bool among(struct str s, const char *const *list)
{
	for (; *list; list++)
		if (str_is(s, *list))
			return true;
	return false;
}

static int cgroup_kargs(struct arena *a, const struct json *node, const struct strs *now,
			struct strs *out, struct err *err)
{
	static const char *const v1[] = { "systemd.unified_cgroup_hierarchy=0",
					  "systemd.legacy_systemd_cgroup_controller=1", NULL };
	static const char *const v2[] = { "systemd.unified_cgroup_hierarchy=1",
					  "cgroup_no_v1=\"all\"", NULL };
	struct str mode = json_str(node, "spec.cgroupMode");

	if (mode.n && !str_is(mode, "v2"))
		return err_set(err, ERR_INVALID,
			       "unknown cgroup mode found %.*s, failed to "
			       "update the machine config resource",
			       STRF(mode));
	for (size_t i = 0; i < now->n; i++)
		if (!among(now->v[i], v1))
			VEC_PUSH(a, out, now->v[i]);
	for (size_t k = 0; v2[k]; k++) {
		size_t i = 0;

		while (i < out->n && !str_is(out->v[i], v2[k]))
			i++;
		if (i == out->n)
			VEC_PUSH(a, out, str_of(v2[k]));
	}
	return 0;
}

bool kubelet_has_kargs(struct str pool)
{
	return mcp_is_built_in(pool);
}

int kubelet_node(struct arena *a, const struct kubelet_in *in, const struct strs *now,
		 struct mc **out, struct err *err)
{
	struct mc_files files = { 0 };
	struct strs kargs = { 0 };
	struct json *conf = NULL;
	struct str bytes = S("");
	struct mc *mc;
	int rc = original(a, in, &conf, err);

	if (rc == 0)
		rc = apply_latency(a, in, conf, err);
	if (rc == 0 && now)
		rc = cgroup_kargs(a, in->node, now, &kargs, err);
	if (rc == 0)
		rc = conf_text(a, conf, &bytes, err);
	if (rc < 0)
		return rc;
	mc_files_add(a, &files, KUBELET_CONF, bytes);
	mc = make(a, in, mc_generated_name(a, "97", in->pool, "kubelet"), &files);
	if (now)
		mc_set_kargs(a, mc, &kargs);
	*out = mc;
	return 0;
}

/* ---- KubeletConfigs ------------------------------------------------------ */

/* Reservations that have their own file, in the order of the file. */
static const struct {
	const char *key, *name, *dflt;
} reserved[] = {
	{ "memory", "MEMORY", "1Gi" },
	{ "cpu", "CPU", "500m" },
	{ "ephemeral-storage", "ES", "1Gi" },
};

/* /etc/node-sizing-enabled.env; removes its settings from the user's config. "" when the
 * config has none of them. */
static struct str sizing_env(struct arena *a, const struct mc_object *kc, struct json *user)
{
	const struct json *automatic = json_at(kc->tree, "spec.autoSizingReserved");
	struct json *given = json_member(user, S("systemReserved"));
	const char *enabled = json_is_true(automatic) ? "true" : "false";
	bool any = false;
	struct buf b, values;

	buf_init(&b, a);
	buf_init(&values, a);
	for (size_t i = 0; i < 3; i++) {
		const struct json *m = json_member(given, str_of(reserved[i].key));
		struct str v = json_text(m);

		if (m) {
			any = true;
			(void)json_remove(given, str_of(reserved[i].key));
		}
		buf_addf(&values, "SYSTEM_RESERVED_%s=%.*s\n", reserved[i].name,
			 STRF(v.n ? v : str_of(reserved[i].dflt)));
	}
	if (!any && !automatic)
		return S("");
	buf_addf(&b, "NODE_SIZING_ENABLED=%s\n%.*s", any ? "false" : enabled,
		 STRF(buf_str(&values)));
	return buf_str(&b);
}

static bool enforces_system(const struct json *list)
{
	for (const struct json *e = json_first(list); e; e = json_next(e))
		if (str_is(json_text(e), SYSTEM_RESERVED) || str_is(json_text(e), COMPRESSIBLE))
			return true;
	return false;
}

/* Reserved CPUs exclude the enforcement by cgroup. */
static void drop_system_enforcement(struct arena *a, struct json *conf)
{
	const struct json *now = json_member(conf, S("enforceNodeAllocatable"));
	struct json *kept = json_new(a, JSON_ARRAY);
	bool pods = false;

	for (const struct json *e = json_first(now); e; e = json_next(e))
		pods = pods || str_is(json_text(e), "pods");
	if (!pods)
		json_push(kept, text(a, S("pods")));
	for (const struct json *e = json_first(now); e; e = json_next(e))
		if (!str_is(json_text(e), SYSTEM_RESERVED) && !str_is(json_text(e), COMPRESSIBLE))
			json_push(kept, text(a, json_text(e)));
	json_set(conf, S("enforceNodeAllocatable"), kept);
	(void)json_remove(conf, S("systemReservedCgroup"));
}

static void apply_user(struct arena *a, const struct mc_object *kc, struct json *user,
		       struct json *conf)
{
	struct str raw = mc_raw(a, &kc->doc, "spec.kubeletConfig");
	const struct json *enforce = json_member(user, S("enforceNodeAllocatable"));

	(void)json_remove(user, S("featureGates"));
	/* upstream searches for exactly this text: with spaces in it, it is not found */
	if (str_find(raw, S("\"protectKernelDefaults\":false")) >= 0)
		(void)json_remove(conf, S("protectKernelDefaults"));
	kubelet_merge(a, conf, user);
	if (!json_str(user, "systemReservedCgroup").n && json_len(enforce) &&
	    !enforces_system(enforce))
		(void)json_remove(conf, S("systemReservedCgroup"));
}

static void apply_tls(struct arena *a, const struct json *profile, struct json *conf)
{
	struct tls_profile tls;
	struct json *list = json_new(a, JSON_ARRAY);

	if (json_kind(profile) != JSON_OBJECT)
		return;
	tls = mc_tls_profile(a, profile);
	for (size_t i = 0; i < tls.suites.n; i++)
		json_push(list, text(a, tls.suites.v[i]));
	json_set(conf, S("tlsMinVersion"), text(a, tls.min_version));
	json_set(conf, S("tlsCipherSuites"), list);
}

int kubelet_config(struct arena *a, const struct kubelet_in *in, const struct mc_object *kc,
		   struct str name, struct mc **out, struct err *err)
{
	const struct json *level = json_at(kc->tree, "spec.logLevel");
	struct err ignored = ERR_INIT(a);
	struct mc_files files = { 0 };
	struct json *conf = NULL, *user = NULL;
	struct str env, bytes = S("");
	int rc = original(a, in, &conf, err);

	if (rc == 0)
		rc = kubelet_user(a, kc, &user, err);
	if (rc < 0)
		return rc;
	(void)apply_latency(a, in, conf, &ignored);
	apply_tls(a, json_at(kc->tree, "spec.tlsSecurityProfile"), conf);
	env = sizing_env(a, kc, user);
	if (user)
		apply_user(a, kc, user, conf);
	if (json_str(conf, "reservedSystemCPUs").n)
		drop_system_enforcement(a, conf);
	rc = kubelet_cgroups(conf, "invalid merged configuration", err);
	if (rc == 0)
		rc = conf_text(a, conf, &bytes, err);
	if (rc < 0)
		return rc;
	if (env.n)
		mc_files_add(a, &files, "/etc/node-sizing-enabled.env", env);
	if (level)
		mc_files_add(a, &files,
			     "/etc/systemd/system/kubelet.service.d/"
			     "20-logging.conf",
			     str_fmt(a,
				     "[Service]\nEnvironment=\"KUBELET_LOG_"
				     "LEVEL=%.*s\"\n",
				     STRF(json_text(level))));
	mc_files_add(a, &files, KUBELET_CONF, bytes);
	*out = make(a, in, name, &files);
	return 0;
}

bool kubelet_same_gates(struct arena *a, const struct kubelet_in *in, const struct mc *mc)
{
	const struct ign_obj *file;
	struct err ignored = ERR_INIT(a);
	struct json *now = NULL, *want = NULL;
	struct ign_obj *config = NULL;
	struct str conf;

	if (!mc_has_config(mc) || ign_parse_35(a, mc_config_text(a, mc), &config, &ignored) < 0)
		return false;
	file = mc_find_file(config, S(KUBELET_CONF));
	if (!file || mc_contents(a, file, &conf, &ignored) < 0 ||
	    read_base(a, conf, &now, &ignored) < 0 || original(a, in, &want, &ignored) < 0)
		return false;
	return json_eq(object_at(a, now, S("featureGates")), object_at(a, want, S("featureGates")));
}
