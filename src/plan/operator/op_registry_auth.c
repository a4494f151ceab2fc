/*
 * The pull secret of the internal registry: the credentials of the service account that pulls OS
 * images, and those of the cluster. Of two for the same host the later one counts.
 */
#include "base/codec.h"
#include "mc/api.h"
#include "op_render.h"

#define PULLER "machine-os-puller"
#define REGISTRY "image-registry." NS_IMAGE_REGISTRY ".svc:5000"
#define ROUTE "default-route-" NS_IMAGE_REGISTRY ".apps."

/* One entry as Go's DockerConfigEntry marshals it. */
static struct json *entry_of(struct arena *a, const struct json *from)
{
	static const char *const fields[] = { "username", "password", "email", "auth" };
	struct json *j = json_new(a, JSON_OBJECT);

	for (size_t i = 0; i < ARRAY_LEN(fields); i++)
		if (json_str(from, fields[i]).n)
			json_add_str(a, j, fields[i], json_str(from, fields[i]));
	return j;
}

/* Adds the hosts of a Secret's key; nested: below "auths". */
static int add_secret(struct arena *a, const struct json *secret, const char *key, bool nested,
		      struct json *auths, struct err *err)
{
	struct str text;
	struct json *j = NULL;
	int rc = base64_decode(a, json_text(json_member(json_at(secret, "data"), str_of(key))),
			       &text, err);

	if (rc >= 0 && !str_trim(text).n)
		return 0;
	if (rc >= 0)
		rc = json_parse(a, text, NULL, &j, err);
	if (rc < 0)
		return err_wrap(err, "secret %.*s", STRF(json_str(secret, "metadata.name")));
	for (const struct json *m = json_first(nested ? json_at(j, "auths") : j); m;
	     m = json_next(m))
		json_set(auths, json_key(m), entry_of(a, m));
	return 0;
}

static int add_account(struct arena *a, const struct operator_view *in, const struct json *account,
		       struct json *auths, struct err *err)
{
	int rc = 0;

	for (const struct json *m = json_first(json_at(account, "imagePullSecrets")); m && rc >= 0;
	     m = json_next(m)) {
		struct str name = json_str(m, "name");
		const struct json *secret = op_need(in, OPERATOR_SECRETS, "secret", name, err);

		if (!secret)
			return err_wrap(err, "failed to retrieve image pull secret %.*s",
					STRF(name));
		rc = add_secret(a, secret, ".dockercfg", false, auths, err);
	}
	return rc;
}

static int add_cluster(struct arena *a, const struct operator_view *in, struct json *auths,
		       struct err *err)
{
	const struct json *secret =
		op_need(in, OPERATOR_SECRETS_CONFIG, "secret", S("pull-secret"), err);
	struct str type = json_str(secret, "type");

	if (!secret)
		return -ERR_NOTFOUND;
	if (!str_is(type, SECRET_DOCKER_JSON))
		return err_set(err, ERR_INVALID,
			       "expected secret type " SECRET_DOCKER_JSON " found %.*s",
			       STRF(type));
	return add_secret(a, secret, ".dockerconfigjson", true, auths, err);
}

/* {"auths":{…}} with sorted hosts; the fields of an entry keep their order. */
static struct str encode(struct arena *a, const struct json *auths)
{
	struct json *j = json_new(a, JSON_OBJECT), *to = json_add_object(a, j, "auths");
	const struct json **v;
	size_t n = op_sorted(a, auths, &v);

	for (size_t i = 0; i < n; i++)
		json_add(to, json_key(v[i]), json_clone(a, v[i]));
	return json_format(a, j, 0);
}

int op_registry_auth(struct arena *a, const struct operator_view *in, const struct json *dns,
		     struct str *out, struct err *err)
{
	const struct json *account = in->get(in, OPERATOR_SERVICE_ACCOUNTS, S(PULLER));
	struct json *auths = json_new(a, JSON_OBJECT), *own;
	int rc;

	*out = (struct str){ 0 };
	if (!op_bootstrapped(in) || !account)
		return 0;
	/* an unknown kind is not an empty one: without the secret every node would be updated */
	if (!in->standalone && !in->served(in, OPERATOR_CLUSTER_OPERATORS))
		return err_set(err, ERR_AGAIN,
			       "the server does not have clusteroperators." GROUP_CONFIG);
	if (!in->get(in, OPERATOR_CLUSTER_OPERATORS, S("image-registry")))
		return 0;
	rc = add_account(a, in, account, auths, err);
	if (rc >= 0)
		rc = add_cluster(a, in, auths, err);
	if (rc < 0 || !json_len(auths))
		return rc;
	own = json_member(auths, S(REGISTRY));
	if (own)
		json_set(auths, str_fmt(a, ROUTE "%.*s", STRF(json_str(dns, "spec.baseDomain"))),
			 json_clone(a, own));
	*out = encode(a, auths);
	return 0;
}
