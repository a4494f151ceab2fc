/*
 * op_apply: which write an object needs, and its Event.
 *
 * Each write is a step of its own, so objects are written in the caller's order. The Event is in a
 * later step: a refused write sends none.
 */
#include "op_apply.h"

#include "mc/api.h"
#include "op_merge.h"
#include "plan/apply.h"

/* ---- where an object is -------------------------------------------------- */

enum { NS_NONE, NS_OURS, NS_SYSTEM, NS_DEFAULT, NS_MACHINES, NS_MANAGED, NAMESPACES };

static const char namespaces[NAMESPACES][34] = {
	[NS_OURS] = NS_MCO,
	[NS_SYSTEM] = NS_KUBE_SYSTEM,
	[NS_DEFAULT] = "default",
	[NS_MACHINES] = NS_MACHINE_API,
	[NS_MANAGED] = NS_CONFIG_MANAGED,
};

/* The list of a kind in a namespace. */
static const struct {
	char kind[33];
	unsigned char ns, list;
} lists[] = {
	{ "ClusterRole", NS_NONE, OPERATOR_CLUSTER_ROLES },
	{ "ClusterRoleBinding", NS_NONE, OPERATOR_CLUSTER_ROLE_BINDINGS },
	{ "Role", NS_OURS, OPERATOR_ROLES },
	{ "Role", NS_SYSTEM, OPERATOR_ROLES_SYSTEM },
	{ "RoleBinding", NS_OURS, OPERATOR_ROLE_BINDINGS },
	{ "RoleBinding", NS_SYSTEM, OPERATOR_ROLE_BINDINGS_SYSTEM },
	{ "RoleBinding", NS_DEFAULT, OPERATOR_ROLE_BINDINGS_DEFAULT },
	{ "ServiceAccount", NS_OURS, OPERATOR_SERVICE_ACCOUNTS },
	{ "Secret", NS_OURS, OPERATOR_SECRETS },
	{ "Secret", NS_MACHINES, OPERATOR_SECRETS_MACHINE_API },
	{ "ConfigMap", NS_OURS, OPERATOR_CONFIG_MAPS },
	{ "ConfigMap", NS_MANAGED, OPERATOR_CONFIG_MAPS_MANAGED },
	{ "ValidatingAdmissionPolicy", NS_NONE, OPERATOR_POLICIES },
	{ "ValidatingAdmissionPolicyBinding", NS_NONE, OPERATOR_POLICY_BINDINGS },
	{ "DaemonSet", NS_OURS, OPERATOR_DAEMON_SETS },
	{ "Deployment", NS_OURS, OPERATOR_DEPLOYMENTS },
	{ "ControllerConfig", NS_NONE, OPERATOR_CONTROLLER_CONFIGS },
	{ "MachineConfigPool", NS_NONE, OPERATOR_POOLS },
};

enum operator_kind operator_kind_of(const struct json *object)
{
	struct str kind = json_str(object, "kind"), ns = json_str(object, "metadata.namespace");

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		if (str_is(kind, lists[i].kind) && str_is(ns, namespaces[lists[i].ns]))
			return (enum operator_kind)lists[i].list;
	return OPERATOR_KINDS;
}

static struct str list_path(struct arena *a, const struct json *object)
{
	struct str api = json_str(object, "apiVersion");
	struct str ns = json_str(object, "metadata.namespace");
	struct buf b;

	buf_init(&b, a);
	buf_addf(&b, "/api%s/%.*s/", str_chr(api, '/') < 0 ? "" : "s", STRF(api));
	if (ns.n)
		buf_addf(&b, "namespaces/%.*s/", STRF(ns));
	buf_add(&b, json_str(object, "kind"));
	/* the kinds in the table are ASCII */
	for (size_t i = b.n - json_str(object, "kind").n; i < b.n; i++)
		b.p[i] |= 0x20;
	if (b.p[b.n - 1] == 'y') {
		b.n--;
		buf_addz(&b, "ie");
	}
	buf_addc(&b, 's');
	return buf_str(&b);
}

/* ---- Events -------------------------------------------------------------- */

/* Upstream's library announces what it applies, but not these kinds. */
static bool is_silent(enum operator_kind kind)
{
	return kind == OPERATOR_DAEMON_SETS || kind == OPERATOR_DEPLOYMENTS ||
	       kind == OPERATOR_CONTROLLER_CONFIGS || kind == OPERATOR_POOLS;
}

static void announce(struct arena *a, const struct json *object, bool created, struct actions *out)
{
	struct str kind = json_str(object, "kind"), api = json_str(object, "apiVersion");
	struct str ns = json_str(object, "metadata.namespace"), group = S(""), version;
	struct action_event about = { .api = S(API_APPS),
				      .kind = S("Deployment"),
				      .name = S(NAME_OPERATOR),
				      /* upstream's library does not count them */
				      .each = true };

	(void)str_cut(api, '/', &group, &version);
	about.reason = str_fmt(a, "%.*s%s", STRF(kind), created ? "Created" : "Updated");
	action_event(a, out, about,
		     str_fmt(a, "%sd %.*s%s%.*s/%.*s%s%.*s because it %s",
			     created ? "Create" : "Update", STRF(kind), group.n ? "." : "",
			     STRF(group), STRF(json_str(object, "metadata.name")),
			     ns.n ? " -n " : "", STRF(ns), created ? "was missing" : "changed"));
}

/* ---- writes -------------------------------------------------------------- */

static void add(struct arena *a, struct actions *out, enum action_kind kind, struct str path,
		const struct json *object, const char *wrap)
{
	static const char *const reasons[] = { [ACTION_CREATE] = "it is missing",
					       [ACTION_REPLACE] = "it differs from the manifest",
					       [ACTION_DELETE] = "immutable fields differ" };
	struct action *act =
		action_add(a, out, kind, path, object ? json_format(a, object, 0) : S(""),
			   str_of(reasons[kind]));

	act->object = object;
	act->wrap = str_of(wrap);
}

bool operator_apply_one(struct arena *a, const struct operator_view *in, const struct json *desired,
			const char *wrap, struct actions *out)
{
	enum operator_kind kind = operator_kind_of(desired);
	struct str list = list_path(a, desired), name = json_str(desired, "metadata.name");
	struct str path = str_fmt(a, "%.*s/%.*s", STRF(list), STRF(name));
	const struct json *live, *merged;

	if ((kind == OPERATOR_POLICIES || kind == OPERATOR_POLICY_BINDINGS) &&
	    !in->served(in, kind))
		return false;
	live = in->get(in, kind, name);
	merged = live ? operator_merge(a, kind, live, desired) : NULL;
	if (live && merged == live)
		return false;
	actions_step(out);
	if (live && !merged) {
		add(a, out, ACTION_DELETE, path, NULL, wrap);
		actions_step(out);
	}
	if (merged)
		add(a, out, ACTION_REPLACE, path, merged, wrap);
	else
		add(a, out, ACTION_CREATE, list, desired, wrap);
	if (!is_silent(kind)) {
		actions_step(out);
		announce(a, desired, !merged, out);
	}
	return true;
}
