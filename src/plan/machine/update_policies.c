/*
 * Disruption policies: upstream's defaults, and the spec of a MachineConfiguration over
 * them.
 */
#include "plan/update.h"

/* Upstream's defaults. */
static const struct {
	const char *path; /* or, for a unit, its name */
	struct {
		enum update_kind kind;
		const char *service;
	} actions[2];
} default_policies[] = {
#define CRIO "crio.service"
#define KUBELET "kubelet.service"
#define TRUST "coreos-update-ca-trust.service"
#define IRI "iri-registry.service"
#define ANCHORS "/etc/pki/ca-trust/source/anchors/"
	{ "/var/lib/kubelet/config.json", { { UPDATE_NONE, "-" } } },
	{ "/etc/machine-config-daemon/no-reboot/containers-gpg.pub", { { UPDATE_RELOAD, CRIO } } },
	{ "/etc/containers/policy.json", { { UPDATE_RELOAD, CRIO } } },
	{ "/etc/containers/registries.conf", { { UPDATE_SPECIAL, "-" } } },
	{ "/etc/containers/registries.d", { { UPDATE_RELOAD, CRIO } } },
	{ "/etc/crio/policies", { { UPDATE_RELOAD, CRIO } } },
	{ "/etc/nmstate/openshift", { { UPDATE_NONE, "-" } } },
	{ ANCHORS "openshift-config-user-ca-bundle.crt",
	  { { UPDATE_RESTART, TRUST }, { UPDATE_RESTART, CRIO } } },
	{ "/etc/kubernetes/credential-providers", { { UPDATE_RESTART, KUBELET } } },
	{ "/etc/systemd/system/kubelet.service.d/"
	  "40-kubelet-crio-image-credential-provider.conf",
	  { { UPDATE_DAEMON_RELOAD, "-" }, { UPDATE_RESTART, KUBELET } } },
	{ "/etc/iri-registry", { { UPDATE_RESTART, IRI } } },
	{ "/usr/local/bin/load-registry-image.sh", { { UPDATE_RESTART, IRI } } },
	{ ANCHORS "iri-root-ca.crt", { { UPDATE_RESTART, TRUST } } },
	{ IRI, { { UPDATE_DAEMON_RELOAD, "-" }, { UPDATE_RESTART, IRI } } },
};

static struct json *action_json(struct arena *a, enum update_kind kind, const char *service)
{
	struct json *j = json_new(a, JSON_OBJECT), *s;

	json_add(j, S("type"), json_new_str(a, str_of(update_kind_name(kind))));
	if (kind == UPDATE_RELOAD || kind == UPDATE_RESTART) {
		s = json_new(a, JSON_OBJECT);
		json_add(s, S("serviceName"), json_new_str(a, str_of(service)));
		json_add(j, kind == UPDATE_RELOAD ? S("reload") : S("restart"), s);
	}
	return j;
}

static struct json *defaults_json(struct arena *a)
{
	struct json *files = json_new(a, JSON_ARRAY), *actions, *p;
	struct json *units = json_new(a, JSON_ARRAY);
	struct json *out = json_new(a, JSON_OBJECT);

	for (size_t i = 0; i < ARRAY_LEN(default_policies); i++) {
		const char *name = default_policies[i].path;
		bool file = name[0] == '/';

		p = json_new(a, JSON_OBJECT);
		actions = json_new(a, JSON_ARRAY);
		json_add(p, file ? S("path") : S("name"), json_new_str(a, str_of(name)));
		for (size_t k = 0; k < 2 && default_policies[i].actions[k].service; k++)
			json_push(actions, action_json(a, default_policies[i].actions[k].kind,
						       default_policies[i].actions[k].service));
		json_add(p, S("actions"), actions);
		json_push(file ? files : units, p);
	}
	p = json_new(a, JSON_OBJECT);
	actions = json_new(a, JSON_ARRAY);
	json_push(actions, action_json(a, UPDATE_NONE, ""));
	json_add(p, S("actions"), actions);
	json_add(out, S("files"), files);
	json_add(out, S("units"), units);
	json_add(out, S("sshkey"), p);
	return out;
}

/* Replaces the entry of the same key, or appends it. */
static void override(struct arena *a, struct json *list, const struct json *mine, const char *key)
{
	for (const struct json *m = json_first(mine); m; m = json_next(m)) {
		struct str name = json_str(m, key);
		struct json *copy = json_clone(a, m), *old = NULL;

		for (struct json *o = json_first(list); o; o = json_next(o))
			if (str_eq(json_str(o, key), name))
				old = o;
		if (old)
			json_replace(list, old, copy);
		else
			json_push(list, copy);
	}
}

struct json *update_merged_policies(struct arena *a, const struct json *j)
{
	const struct json *spec = json_at(j, "spec.nodeDisruptionPolicy");
	struct json *d = defaults_json(a);

	override(a, json_member(d, S("files")), json_at(spec, "files"), "path");
	override(a, json_member(d, S("units")), json_at(spec, "units"), "name");
	if (json_at(spec, "sshkey"))
		json_set(d, S("sshkey"), json_clone(a, json_at(spec, "sshkey")));
	return d;
}

const struct json *update_policies(struct arena *a, const struct json *j)
{
	const struct json *status = json_at(j, "status.nodeDisruptionPolicyStatus.clusterPolicies");

	return json_first(status) ? status : update_merged_policies(a, j);
}
