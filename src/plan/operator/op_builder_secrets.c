/*
 * Copies of Secrets that image builds mount: they run in our namespace. A copy is made for each
 * layered pool (entitlement) or once (pull secret), and deleted when no layered pool needs it. As
 * upstream, only the data is compared, and no Event is sent.
 */
#include "op_builder.h"

#define ENTITLEMENT "etc-pki-entitlement"
#define PULL_COPY "global-pull-secret-copy"
#define SECRETS PATH_CORE "namespaces/" NS_MCO "/secrets"

static struct str path(struct arena *a, struct str name)
{
	return str_fmt(a, SECRETS "/%.*s", STRF(name));
}

static void drop(struct arena *a, const struct operator_view *in, struct str name,
		 struct actions *out)
{
	if (in->get(in, OPERATOR_SECRETS, name))
		(void)action_add(a, out, ACTION_DELETE, path(a, name), S(""),
				 S("no layered pool needs it"));
}

/* Makes or updates the copy of a Secret; owner: its pool, or NULL. */
static void copy(struct arena *a, const struct operator_view *in, const struct json *from,
		 struct str name, const char *type, const struct mcp *owner, struct actions *out)
{
	const struct json *live = in->get(in, OPERATOR_SECRETS, name);
	const struct json *data = json_at(from, "data");
	struct json *j;

	if (live && json_eq(json_at(live, "data"), data))
		return;
	j = live ? json_clone(a, live) : mc_object_new(a, API_CORE, "Secret", NS_MCO, name);
	json_set(j, S("data"), data ? json_clone(a, data) : json_new(a, JSON_OBJECT));
	if (!live) {
		json_add_str(a, j, "type", str_of(type));
		if (owner)
			op_own(a, j, owner);
	}
	(void)action_add(a, out, live ? ACTION_REPLACE : ACTION_CREATE,
			 live ? path(a, name) : S(SECRETS), json_format(a, j, 0),
			 live ? S("the copied Secret changed") : S("a pool is layered"));
}

int op_builder_secrets(struct arena *a, const struct operator_view *in,
		       const struct mcp_list *pools, const struct mcp_list *layered,
		       struct actions *out, struct err *err)
{
	const struct json *from = in->get(in, OPERATOR_SECRETS_MANAGED, S(ENTITLEMENT));
	const struct json *pull = in->get(in, OPERATOR_SECRETS_CONFIG, S("pull-secret"));

	for (size_t i = 0; i < pools->n; i++) {
		const struct mcp *pool = pools->v[i];
		struct str name = str_fmt(a, ENTITLEMENT "-%.*s", STRF(pool->meta.name));

		if (!mcp_find(layered, pool->meta.name))
			drop(a, in, name, out);
		else if (from)
			copy(a, in, from, name, "Opaque", pool, out);
	}
	if (!layered->n)
		drop(a, in, S(PULL_COPY), out);
	else if (pull)
		copy(a, in, pull, S(PULL_COPY), SECRET_DOCKER_JSON, NULL, out);
	else
		return err_set(
			err, ERR_AGAIN,
			"could not reconcile global pull secret copy: error fetching cluster "
			"pull secret: secret \"pull-secret\" not found");
	return 0;
}
