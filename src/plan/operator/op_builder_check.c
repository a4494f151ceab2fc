/*
 * What must be right before images are built: Nodes that can boot them, Secrets and a name to push
 * to. The texts are upstream's.
 */
#include "base/codec.h"
#include "base/imageref.h"
#include "op_builder.h"

/* ---- Nodes --------------------------------------------------------------- */

static bool is_coreos(struct str os)
{
	return str_find(os, S("Red Hat Enterprise Linux CoreOS")) >= 0 ||
	       str_find(os, S("Fedora Linux")) >= 0 || str_find(os, S("CentOS Stream CoreOS")) >= 0;
}

/* Adds the message for a Node to the list, once. */
static int add_node(struct arena *a, const struct mcp_list *pools, const struct json *tree,
		    const struct knode *node, struct strs *found, struct err *err)
{
	struct str os = json_str(tree, "status.nodeInfo.osImage"), text;
	struct mcp_of_node of = { 0 };
	struct buf b;

	if (mcp_of_node(pools, node, &of, err) < 0)
		return -ERR_INVALID;
	buf_init(&b, a);
	buf_addf(&b, "non-CoreOS OS %.*s detected on node %.*s in MachineConfigPool(s) [",
		 STRF(go_quoted(a, os)), STRF(go_quoted(a, node->name)));
	for (size_t i = 0; i < of.n; i++)
		buf_addf(&b, "%s%.*s", i ? " " : "", STRF(go_quoted(a, of.v[i]->meta.name)));
	buf_addc(&b, ']');
	text = buf_str(&b);
	for (size_t i = 0; i < found->n; i++)
		if (str_eq(found->v[i], text))
			return 0;
	VEC_PUSH(a, found, text);
	return 0;
}

static int find_nodes(struct arena *a, const struct operator_view *in, const struct mcp_list *pools,
		      const struct mcp *layered, struct strs *found, struct err *err)
{
	const struct json *const *v;
	size_t n = in->list(in, OPERATOR_NODES, a, &v);
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++) {
		AUTO(arena) struct arena scratch = ARENA_INIT;
		struct knode node;

		if (is_coreos(json_str(v[i], "status.nodeInfo.osImage")))
			continue;
		knode_decode(&scratch, v[i], &node);
		if (layered->selects_all ||
		    (layered->nodes.n && selector_matches_labels(&layered->nodes, node.labels)))
			rc = add_node(a, pools, v[i], &node, found, err);
	}
	return rc;
}

int op_builder_check_nodes(struct arena *a, const struct operator_view *in,
			   const struct mcp_list *pools, const struct mcp_list *layered,
			   struct err *err)
{
	struct strs found = { 0 };
	struct buf b;
	int rc = 0;

	for (size_t i = 0; i < layered->n && rc == 0; i++)
		rc = find_nodes(a, in, pools, layered->v[i], &found, err);
	if (rc < 0 || !found.n)
		return rc;
	buf_init(&b, a);
	for (size_t i = 0; i < found.n; i++)
		buf_addf(&b, "%s%.*s", i ? ", " : "", STRF(found.v[i]));
	return err_set(err, ERR_AGAIN,
		       "on-cluster layering is only supported on CoreOS-based nodes: %s%.*s%s",
		       found.n > 1 ? "[" : "", STRF(buf_str(&b)), found.n > 1 ? "]" : "");
}

/* ---- MachineOSConfigs ---------------------------------------------------- */

#define TYPES "'" SECRET_DOCKER_CFG "' or '" SECRET_DOCKER_JSON "'"

/* The fault of a Secret of a registry, or "". */
static struct str secret_fault(struct arena *a, const struct json *secret)
{
	const struct json *data = json_at(secret, "data"), *value;
	struct str type = json_str(secret, "type");
	bool json = str_is(type, SECRET_DOCKER_JSON);
	const char *key = json ? ".dockerconfigjson" : ".dockercfg";
	const char *other = json ? ".dockercfg" : ".dockerconfigjson";

	/* Upstream looks at the data first; of other types the cache has none. */
	if (type.n && !json && !str_is(type, SECRET_DOCKER_CFG))
		return str_fmt(a, "invalid secret key type %.*s, expected " TYPES, STRF(type));
	if (!json_len(data))
		return S("has no data");
	if (!type.n)
		return S("type field not set");
	value = json_member(data, str_of(key));
	if (!value)
		return str_fmt(a, "type is '%.*s' but required key '%s' is missing", STRF(type),
			       key);
	if (!json_text(value).n)
		return str_fmt(a, "type is '%.*s' but key '%s' has an empty value", STRF(type),
			       key);
	if (json_member(data, str_of(other)))
		return str_fmt(a, "type is '%.*s' but also contains unexpected key '%s'",
			       STRF(type), other);
	return S("");
}

static int check_secret(struct arena *a, const struct operator_view *in, struct str config,
			struct str name, struct err *err)
{
	const struct json *secret = in->get(in, OPERATOR_SECRETS, name);
	struct str fault;

	if (!name.n)
		return err_set(err, ERR_AGAIN, "no secret name provided");
	if (!secret)
		return err_set(err, ERR_AGAIN,
			       "secret %.*s from %.*s is not found. Did you use the right secret "
			       "name?",
			       STRF(name), STRF(config));
	fault = secret_fault(a, secret);
	if (!fault.n)
		return 0;
	/* Upstream names the Secret before its namespace. */
	return err_set(err, ERR_AGAIN, "secret '%.*s/" NS_MCO "' %.*s", STRF(name), STRF(fault));
}

static int check_config(struct arena *a, const struct operator_view *in, const struct json *config,
			struct err *err)
{
	static const char *const fields[] = { "renderedImagePushSecret", "baseImagePullSecret" };
	struct str name = json_str(config, "metadata.name");
	struct str spec = json_str(config, "spec.renderedImagePushSpec");
	struct imageref ref;

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const struct json *field = json_member(json_at(config, "spec"), str_of(fields[i]));
		struct str secret = json_str(field, "name");

		/* The pull secret is optional. */
		if ((i == 0 || json_kind(field) == JSON_OBJECT) &&
		    check_secret(a, in, name, secret, err) < 0)
			return err_wrap(err, "could not validate %s %.*s for MachineOSConfig %.*s",
					fields[i], STRF(go_quoted(a, secret)), STRF(name));
	}
	if (imageref_canonical(a, spec, &ref, err) < 0)
		return err_wrap(err,
				"could not validate renderdImagePushspec %.*s for MachineOSConfig "
				"%.*s",
				STRF(spec), STRF(name));
	return 0;
}

int op_builder_check_configs(struct arena *a, const struct operator_view *in,
			     const struct mcp_list *layered, struct err *err)
{
	const struct json *const *v;
	size_t n = in->list(in, OPERATOR_OS_CONFIGS, a, &v);
	int rc = 0;

	for (size_t i = 0; i < layered->n && rc == 0; i++) {
		struct str pool = layered->v[i]->meta.name;
		size_t k = 0;

		while (k < n && !str_eq(json_str(v[k], "spec.machineConfigPool.name"), pool))
			k++;
		if (k == n)
			return err_set(err, ERR_AGAIN,
				       "MachineOSConfig for pool %.*s missing, did you create it?",
				       STRF(pool));
		rc = check_config(a, in, v[k], err);
	}
	return rc;
}
