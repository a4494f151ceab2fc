/*
 * Whether the cluster may be upgraded, and the findings that telemetry collects.
 *
 * The reasons of pools win over the skew of boot images. A boot image of unknown version does not
 * block upgrades, nor does a boot image controller that has not completed its first pass.
 */
#include "mc/object.h"
#include "op_status.h"

#define OCP_MIN "4.13.0"
#define RHEL_MIN "9.2"
#define DOCS "https://docs.redhat.com/en/documentation/openshift_container_platform/"
#define DOCS_PAGE "/html/machine_configuration/mco-update-boot-skew-mgmt"
#define RESOLVE ", please see `oc get mcp` for further details and resolve before upgrading"

/* Two to four numbers with dots, then anything: as apimachinery's ParseGeneric. */
struct version {
	int64_t v[4];
};

static bool version_parse(struct str s, struct version *out)
{
	struct version r = { { 0 } };
	size_t n = 0, i = 0;

	s = str_trim(s);
	if (str_starts(s, S("v")))
		s = str_from(s, 1);
	while (n < ARRAY_LEN(r.v)) {
		size_t from = i;

		while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
			i++;
		if (i == from || !str_to_i64(str_sub(s, from, i), &r.v[n]))
			break;
		n++;
		if (i == s.n || s.p[i] != '.')
			break;
		i++;
	}
	if (n < 2)
		return false;
	*out = r;
	return true;
}

static bool version_below(struct str s, const char *min)
{
	struct version x, y;

	if (!version_parse(s, &x) || !version_parse(str_of(min), &y))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(x.v); i++)
		if (x.v[i] != y.v[i])
			return x.v[i] < y.v[i];
	return false;
}

/* The RHEL version in an RHCOS version: 9.6 of "9.6.20251023-0", 8.4 of "48.84.202208021106-0"; or
 * "". */
static struct str rhel_version(struct arena *a, struct str v)
{
	struct str major, minor, stamp, rest;

	if (!str_cut(v, '.', &major, &minor) || !str_cut(minor, '.', &minor, &stamp))
		return S("");
	(void)str_cut(stamp, '.', &stamp, &rest);
	(void)str_cut(stamp, '-', &stamp, &rest);
	if (stamp.n == S("YYYYMMDD").n)
		return str_fmt(a, "%.*s.%.*s", STRF(major), STRF(minor));
	if (stamp.n == S("YYYYMMDDHHmm").n && minor.n >= 2)
		return str_fmt(a, "%c.%.*s", minor.p[0], STRF(str_from(minor, 1)));
	return S("");
}

/* Why the boot image is too old, or "". */
static struct str old_image(struct arena *a, const struct json *mode)
{
	struct str ocp = json_str(mode, "ocpVersion"), rhcos = json_str(mode, "rhcosVersion");
	struct str rhel = rhel_version(a, rhcos);

	if (ocp.n && version_below(ocp, OCP_MIN))
		return str_fmt(a,
			       "the cluster is using OCP boot image version %.*s, which is below "
			       "the minimum required version " OCP_MIN,
			       STRF(ocp));
	if (!ocp.n && version_below(rhel, RHEL_MIN))
		return str_fmt(a,
			       "the cluster is using RHCOS boot image version %.*s(RHEL version: "
			       "%.*s), which is below the minimum required RHEL version " RHEL_MIN,
			       STRF(rhcos), STRF(rhel));
	return S("");
}

static struct str docs_version(struct arena *a, const struct operator_view *in)
{
	const struct json *cv = in->get(in, OPERATOR_CLUSTER_VERSIONS, S("version"));
	struct version v;

	if (!version_parse(json_str(json_first(json_at(cv, "status.history")), "version"), &v))
		return S("latest");
	return str_fmt(a, "%lld.%lld", (long long)v.v[0], (long long)v.v[1]);
}

/* Why the boot images forbid an upgrade, or "". */
static struct str skew(struct arena *a, const struct operator_view *in)
{
	const struct json *status =
		json_at(in->get(in, OPERATOR_CONFIGURATIONS, S(NAME_CLUSTER)), "status");
	const struct json *enforced = json_at(status, "bootImageSkewEnforcementStatus");
	struct conditions list = conditions_of(a, json_at(status, "conditions"));
	const struct condition *c;
	struct str why, mode = json_str(enforced, "mode");

	if (!mc_gate(&in->gates, "BootImageSkewEnforcement"))
		return S("");
	if (str_is(mode, "Automatic")) {
		c = conditions_find(&list, S("BootImageUpdateDegraded"));
		if (c && str_eq(c->status, CONDITION_TRUE))
			return str_fmt(a,
				       "Upgrades have been disabled due to boot image update "
				       "failures: Boot image controller is degraded: %.*s",
				       STRF(c->message));
		c = conditions_find(&list, S("BootImageUpdateProgressing"));
		if (!c || str_eq(c->status, CONDITION_TRUE))
			return S("");
		why = old_image(a, json_at(enforced, "automatic"));
	} else if (str_is(mode, "Manual")) {
		why = old_image(a, json_at(enforced, "manual"));
	} else {
		return S("");
	}
	if (!why.n)
		return why;
	return str_fmt(
		a,
		"Upgrades have been disabled because %.*s. To enable upgrades, please update "
		"your boot images or disable boot image skew enforcement by following the "
		"documentation at " DOCS "%.*s" DOCS_PAGE,
		STRF(why), STRF(docs_version(a, in)));
}

struct condition operator_upgradeable(struct arena *a, const struct operator_view *in)
{
	struct condition c = { S("Upgradeable"), CONDITION_FALSE, S(""), S(""), S("") };
	const struct json *const *pools;
	size_t n = in->list(in, OPERATOR_POOLS, a, &pools);

	for (size_t i = 0; i < n; i++) {
		struct conditions list = conditions_of(a, json_at(pools[i], "status.conditions"));

		if (conditions_true(&list, "Degraded")) {
			c.reason = S("DegradedPool");
			c.message = S("One or more machine config pools are degraded" RESOLVE);
			return c;
		}
		if (conditions_true(&list, "BuildInterrupted")) {
			c.reason = S("InterruptedBuild");
			c.message = S("One or more machine config pools' builds have been "
				      "interrupted" RESOLVE);
			return c;
		}
	}
	c.message = skew(a, in);
	c.reason = c.message.n ? S("ClusterBootImageSkewError") : S("AsExpected");
	c.status = c.message.n ? CONDITION_FALSE : CONDITION_TRUE;
	return c;
}

struct str operator_evaluations(struct arena *a, const struct operator_view *in)
{
	const struct json *const *v;
	bool swap = false, runc = false;
	size_t n = in->list(in, OPERATOR_KUBELET_CONFIGS, a, &v);

	for (size_t i = 0; i < n; i++)
		swap |= !json_bool(v[i], "spec.kubeletConfig.failSwapOn", true);
	n = in->list(in, OPERATOR_RUNTIME_CONFIGS, a, &v);
	for (size_t i = 0; i < n; i++)
		runc |= str_is(json_str(v[i], "spec.containerRuntimeConfig.defaultRuntime"),
			       "runc");
	return str_fmt(a, "%s%s%s",
		       swap ? "failswapon: KubeletConfig setting is currently unsupported by "
			      "OpenShift"
			    : "",
		       swap && runc ? "::" : "", runc ? "runc: transition to default crun" : "");
}
