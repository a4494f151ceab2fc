/*
 * Boot images: who updates them, and how old they may be.
 *
 * Upstream's controller contains a boot image controller, ours does not. The operator recognises
 * one by the conditions that it writes into MachineConfiguration. With one, machine sets are
 * updated by default and the skew is enforced automatically, as upstream does. Without one, nobody
 * updates boot images: the default is None and the skew status has the version with which the
 * cluster was installed, so that Upgradeable is decided and does not wait for a controller that
 * does not exist.
 */
#include "base/semver.h"
#include "mc/api.h"
#include "mc/condition.h"
#include "mc/object.h"
#include "op_configuration.h"

#define API_GROUP_MACHINE "machine.openshift.io"
#define MACHINE_SETS "machinesets"
#define CONTROL_PLANE "controlplanemachinesets"
#define MANAGERS "machineManagers"
#define BOOT_IMAGES "coreos-bootimages"

/* ---- managed boot images ------------------------------------------------- */

static bool has_controller(struct arena *a, const struct json *live)
{
	struct conditions list = conditions_of(a, json_at(live, "status.conditions"));

	return conditions_find(&list, S("BootImageUpdateProgressing")) ||
	       conditions_find(&list, S("BootImageUpdateDegraded"));
}

static bool is_supported(const struct json *infra, struct str platform)
{
	static const char *const platforms[] = { "AWS", "GCP", "VSphere", "Azure" };

	for (size_t i = 0; i < ARRAY_LEN(platforms); i++)
		if (str_is(platform, platforms[i]))
			return !str_is(json_str(infra, "status.platformStatus.azure.cloudName"),
				       "AzureStackCloud");
	return false;
}

static const struct json *find_manager(const struct json *list, const char *resource)
{
	for (const struct json *m = json_first(list); m; m = json_next(m))
		if (str_is(json_str(m, "resource"), resource))
			return m;
	return NULL;
}

static struct str manager_mode(const struct json *list, const char *resource)
{
	return json_str(find_manager(list, resource), "selection.mode");
}

static void add_manager(struct arena *a, const struct json *given, const char *resource,
			const char *mode, struct json *list)
{
	const struct json *mine = find_manager(given, resource);
	struct json *j;

	if (mine) {
		json_push(list, json_clone(a, mine));
		return;
	}
	j = json_new(a, JSON_OBJECT);
	json_add_str(a, j, "resource", str_of(resource));
	json_add_str(a, j, "apiGroup", S(API_GROUP_MACHINE));
	json_add_str(a, json_add_object(a, j, "selection"), "mode", str_of(mode));
	json_push(list, j);
}

/* managedBootImagesStatus. */
static struct json *managers(struct arena *a, const struct operator_view *in,
			     const struct json *live, struct str platform, bool managed)
{
	const struct json *given = json_at(live, "spec.managedBootImages." MANAGERS);
	struct json *j = json_new(a, JSON_OBJECT), *list = json_new(a, JSON_ARRAY);

	json_add(j, S(MANAGERS), list);
	if (json_kind(given) == JSON_ARRAY && !json_len(given))
		return j;
	add_manager(a, given, MACHINE_SETS, managed ? "All" : "None", list);
	if (mc_gate(&in->gates, "ManagedBootImagesCPMS") && !str_is(platform, "VSphere"))
		add_manager(a, given, CONTROL_PLANE, "None", list);
	return j;
}

/* ---- skew ---------------------------------------------------------------- */

/* The version that was installed, without its suffix. */
static struct str install_version(struct arena *a, const struct operator_view *in)
{
	const struct json *cv = in->get(in, OPERATOR_CLUSTER_VERSIONS, S("version"));
	struct semver v = { 0 };

	for (const struct json *m = json_first(json_at(cv, "status.history")); m; m = json_next(m))
		if (!json_next(m) && !semver_parse(json_str(m, "version"), &v))
			break;
	return str_fmt(a, "%lld.%lld.%lld", (long long)v.major, (long long)v.minor,
		       (long long)v.patch);
}

/* A bare metal cluster that boots machines from the image of this release. */
static bool boots_release_image(const struct operator_view *in, struct str platform)
{
	const struct json *j = in->get(in, OPERATOR_PROVISIONINGS, S("provisioning-configuration"));

	return str_is(platform, "BareMetal") && in->served(in, OPERATOR_PROVISIONINGS) &&
	       !json_str(j, "spec.provisioningOSDownloadURL").n;
}

/* The live status was derived from this generation of the spec. The boot image controller keeps the
 * version of an automatic one. */
static bool is_current(const struct json *live, struct str mode)
{
	return str_eq(json_str(live, "status.bootImageSkewEnforcementStatus.mode"), mode) &&
	       (str_is(mode, "Automatic") ||
		json_i64(live, "metadata.generation", 0) ==
			json_i64(live, "status.observedGeneration", 0));
}

/* bootImageSkewEnforcementStatus. */
static struct json *skew(struct arena *a, const struct operator_view *in, const struct json *live,
			 const struct json *infra, bool automatic)
{
	const struct json *spec = json_at(live, "spec.bootImageSkewEnforcement");
	struct str given = json_str(spec, "mode"), mode = automatic ? S("Automatic") : S("Manual");
	struct json *j = json_new(a, JSON_OBJECT), *of;

	if (str_is(given, "Manual") || str_is(given, "None"))
		return json_clone(a, spec);
	if (boots_release_image(in, json_str(infra, "status.platformStatus.type")) ||
	    str_is(json_str(infra, "status.controlPlaneTopology"), "SingleReplica")) {
		json_add_str(a, j, "mode", S("None"));
		return j;
	}
	if (is_current(live, mode))
		return json_clone(a, json_at(live, "status.bootImageSkewEnforcementStatus"));
	json_add_str(a, j, "mode", mode);
	of = json_add_object(a, j, automatic ? "automatic" : "manual");
	if (!automatic)
		json_add_str(a, of, "mode", S("OCPVersion"));
	json_add_str(a, of, "ocpVersion", install_version(a, in));
	return j;
}

bool op_boot_images(struct arena *a, const struct operator_view *in, const struct json *live,
		    struct json *status)
{
	const struct json *infra = in->get(in, OPERATOR_INFRASTRUCTURES, S(NAME_CLUSTER));
	const struct json *old = json_at(live, "status.managedBootImagesStatus." MANAGERS);
	const struct json *given = json_at(live, "spec.managedBootImages." MANAGERS);
	struct str platform = json_str(infra, "status.platformStatus.type"), mode;
	bool supported = is_supported(infra, platform), managed = has_controller(a, live), all;
	struct json *next =
		supported ? managers(a, in, live, platform, managed) : json_new(a, JSON_OBJECT);

	all = str_is(manager_mode(json_at(next, MANAGERS), MACHINE_SETS), "All");
	json_set(status, S("managedBootImagesStatus"), next);
	if (mc_gate(&in->gates, "BootImageSkewEnforcement"))
		json_set(status, S("bootImageSkewEnforcementStatus"),
			 skew(a, in, live, infra, all && managed));
	mode = manager_mode(old, MACHINE_SETS);
	return all && !find_manager(given, MACHINE_SETS) && (!mode.n || str_is(mode, "None"));
}

/* ---- the stamp ----------------------------------------------------------- */

/* The master pool runs a config of this release, or has begun to. */
static bool runs_release(struct arena *a, const struct operator_view *in)
{
	const struct json *pool = in->get(in, OPERATOR_POOLS, S("master"));
	struct str name = json_str(pool, "spec.configuration.name");
	const struct json *mc = in->get(in, OPERATOR_MACHINE_CONFIGS, name);
	const struct json *notes = json_at(mc, "metadata.annotations");
	struct conditions list = conditions_of(a, json_at(pool, "status.conditions"));

	if (!str_eq(json_text(json_member(notes, S(ANNO_BY_CONTROLLER))), in->hash) ||
	    !str_eq(json_text(json_member(notes, S(ANNO_RELEASE_VERSION))), in->release))
		return false;
	if (conditions_true(&list, "Updating"))
		return json_i64(pool, "status.updatedMachineCount", 0) > 0;
	return conditions_true(&list, "Updated") &&
	       str_eq(json_str(pool, "status.configuration.name"), name);
}

void op_boot_stamp(struct arena *a, const struct operator_view *in, struct actions *out)
{
	const struct json *map = in->get(in, OPERATOR_CONFIG_MAPS, S(BOOT_IMAGES));
	const struct json *data = json_at(map, "data");
	struct json *j, *to;

	if (!map || !runs_release(a, in) ||
	    (str_eq(json_str(data, "MCOVersionHash"), in->hash) &&
	     str_eq(json_str(data, "MCOReleaseImageVersion"), in->release)))
		return;
	j = json_new(a, JSON_OBJECT);
	to = json_add_object(a, j, "data");
	json_add_str(a, to, "MCOVersionHash", in->hash);
	json_add_str(a, to, "MCOReleaseImageVersion", in->release);
	(void)action_add(a, out, ACTION_MERGE,
			 S(PATH_CORE "namespaces/" NS_MCO "/configmaps/" BOOT_IMAGES),
			 json_format(a, j, 0), S("the master pool runs this release"));
}
