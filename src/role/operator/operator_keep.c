/*
 * What the caches keep of an object: the fields that a step reads, as compact JSON. A pass parses
 * what it reads, once.
 *
 * Objects that no step asks for by name are ignored. The data of Secrets is kept only where it is
 * copied or compared. resourceVersion is kept beside the text, so that an object whose other fields
 * are the same has not changed.
 */
#include <stdlib.h>

#include "operator_state.h"

#include "mc/api.h"

/*
 * names: the beginnings of the names that are kept; NULL: all. fields: the paths that are kept,
 * beside apiVersion, kind and the name; NULL: all but managedFields.
 */
static const struct {
	const char *names, *fields;
} rules[OPERATOR_KINDS] = {
	[OPERATOR_NODES] = { NULL, "metadata.uid metadata.labels metadata.annotations "
				   "status.phase status.nodeInfo.osImage" },
	[OPERATOR_CONFIG_NODES] = { NULL, "metadata.ownerReferences spec" },
	[OPERATOR_MACHINE_CONFIGS] = { NULL, "metadata.uid metadata.labels metadata.annotations "
					     "metadata.ownerReferences spec.osImageURL" },
	[OPERATOR_KUBELET_CONFIGS] = { NULL, "spec.kubeletConfig.failSwapOn" },
	[OPERATOR_RUNTIME_CONFIGS] = { NULL, "spec.containerRuntimeConfig.defaultRuntime" },
	[OPERATOR_CLUSTER_OPERATORS] = { OPERATOR_NAME " image-registry", NULL },
	[OPERATOR_CLUSTER_VERSIONS] = { NULL, "status.history status.desired" },
	[OPERATOR_CONFIG_MAPS] = { "machine-config-server-ca machine-config-osimageurl "
				   "kubeconfig-data coreos-bootimages kube-rbac-proxy kube-root-ca.crt",
				   NULL },
	[OPERATOR_SERVICE_CIDRS] = { NULL, "spec.cidrs" },
	[OPERATOR_SERVICES_SYSTEM] = { NULL, "spec.clusterIP" },
	[OPERATOR_CONFIG_MAPS_MANAGED] = { "kube-cloud-config kube-apiserver-client-ca "
					   "kube-apiserver-server-ca image-registry-ca "
					   "merged-trusted-image-registry-ca",
					   NULL },
	[OPERATOR_CLUSTER_ROLES] = { "machine-", NULL },
	[OPERATOR_CLUSTER_ROLE_BINDINGS] = { "machine- system-bootstrap-node-", NULL },
	[OPERATOR_ROLES_SYSTEM] = { "machine-", NULL },
	[OPERATOR_ROLE_BINDINGS_SYSTEM] = { "machine-", NULL },
	[OPERATOR_ROLE_BINDINGS_DEFAULT] = { "machine-", NULL },
	[OPERATOR_POLICIES] = { "mcn- machine managed- custom-machine- osimagestream- "
				"internalreleaseimage-",
				NULL },
	[OPERATOR_POLICY_BINDINGS] = { "mcn- machine managed- custom-machine- osimagestream- "
				       "internalreleaseimage-",
				       NULL },
};

/* Takes the next word off *rest. */
static bool next_word(struct str *rest, struct str *word)
{
	if (!rest->n)
		return false;
	if (!str_cut(*rest, ' ', word, rest)) {
		*word = *rest;
		rest->n = 0;
	}
	return true;
}

static bool is_wanted(enum operator_kind kind, struct str name)
{
	struct str rest = str_of(rules[kind].names), word;

	if (!rules[kind].names)
		return true;
	while (next_word(&rest, &word))
		if (str_starts(name, word))
			return true;
	return false;
}

/* Copies the value at a path, if it is there, with the objects above it. */
static void copy_field(struct arena *a, struct json *to, const struct json *from, struct str path)
{
	struct str key, more;

	while (str_cut(path, '.', &key, &more)) {
		struct json *next = json_member(to, key);

		from = json_member(from, key);
		if (json_kind(from) != JSON_OBJECT)
			return;
		if (!next) {
			next = json_new(a, JSON_OBJECT);
			json_add(to, key, next);
		}
		to = next;
		path = more;
	}
	from = json_member(from, path);
	if (from)
		json_add(to, path, json_clone(a, from));
}

static struct json *pick(struct arena *a, const struct json *tree, const char *fields)
{
	struct json *out = json_new(a, JSON_OBJECT);
	struct str rest = S("apiVersion kind metadata.name"), word;

	while (next_word(&rest, &word))
		copy_field(a, out, tree, word);
	rest = str_of(fields);
	while (next_word(&rest, &word))
		copy_field(a, out, tree, word);
	return out;
}

/* Only what moves a Node's MachineConfigNode: other annotations change often. */
static void trim_node(struct json *out)
{
	struct json *list = json_at(out, "metadata.annotations"), *next;

	for (struct json *m = json_first(list); m; m = next) {
		next = json_next(m);
		if (!str_is(json_key(m), ANNO_DESIRED_CONFIG))
			json_detach(list, m);
	}
}

/* Secrets of other types are looked up, but not read. Those that are written are kept, whatever
 * their type: without data the write would be repeated. */
static bool reads_data(enum operator_kind kind, const struct json *tree)
{
	struct str type = json_str(tree, "type"), name = json_str(tree, "metadata.name");

	return kind != OPERATOR_SECRETS || str_is(type, SECRET_DOCKER_CFG) ||
	       str_is(type, SECRET_DOCKER_JSON) || str_starts(name, S("etc-pki-entitlement")) ||
	       str_is(name, "node-bootstrapper-token") || str_is(name, "global-pull-secret-copy");
}

struct json *operator_keep(struct arena *a, enum operator_kind kind, const struct json *tree)
{
	struct str name = json_str(tree, "metadata.name");
	struct json *out;

	if (!is_wanted(kind, name) ||
	    (kind == OPERATOR_SECRETS_MACHINE_API && !str_ends(name, S("-user-data-managed"))))
		return NULL;
	if (rules[kind].fields)
		out = pick(a, tree, rules[kind].fields);
	else
		out = json_clone(a, tree);
	(void)json_remove(json_at(out, "metadata"), S("managedFields"));
	(void)json_remove(json_at(out, "metadata"), S("resourceVersion"));
	if (kind == OPERATOR_NODES)
		trim_node(out);
	if (kind == OPERATOR_CLUSTER_OPERATORS && !str_is(name, OPERATOR_NAME))
		out = pick(a, tree, "");
	if (!reads_data(kind, tree))
		(void)json_remove(out, S("data"));
	if (kind == OPERATOR_CONFIG_MAPS && str_is(name, "coreos-bootimages"))
		(void)json_remove(json_at(out, "data"), S("stream")); /* large, and not read */
	return out;
}

void *operator_make(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct kube_watch *w = ctx;
	struct json *kept = operator_keep(&a, (enum operator_kind)w->kind, tree);
	struct kept_object *o;
	struct str text;
	int64_t version = 0;

	if (!kept)
		return NULL;
	text = json_format(&a, kept, JSON_NO_HTML);
	o = malloc(sizeof(*o) + text.n);
	if (!o)
		abort();
	(void)str_to_i64(json_str(tree, "metadata.resourceVersion"), &version);
	*o = (struct kept_object){ .version = (uint64_t)version,
				   .text = { (char *)(o + 1), text.n } };
	memcpy(o + 1, text.p, text.n);
	return o;
}
