/*
 * The registry of the release images that the cluster carries requires a password. It is
 * added to the pull secret that is rendered for nodes; the user's Secret is not changed.
 */
#include "base/codec.h"
#include "plan/template_sync.h"

#define PORT ":22625"

static int read_auth(struct arena *a, const struct template_view *in, struct str *auth,
		     struct str *domain, struct err *err)
{
	const struct json *dns = json_at(in->controller_config->tree, "spec.dns");
	struct str password = S("");
	struct buf b;

	if (!in->release_auth)
		return err_set(err, ERR_AGAIN,
			       "could not get IRI auth secret: secret \"%s\" "
			       "not found",
			       TEMPLATE_RELEASE_AUTH);
	if (json_kind(dns) != JSON_OBJECT)
		return err_set(err, ERR_AGAIN, "ControllerConfig DNS spec must not be nil");
	if (base64_decode(a, json_str(in->release_auth, "data.password"), &password, err) < 0)
		return -(int)err->code;
	if (!password.n)
		return err_set(err, ERR_AGAIN,
			       "IRI registry credentials secret missing or "
			       "empty \"password\" field");
	*domain = json_str(dns, "spec.baseDomain");
	if (!str_trim(*domain).n)
		return err_set(err, ERR_AGAIN, "ControllerConfig baseDomain must not be empty");
	buf_init(&b, a);
	base64_add(&b, str_fmt(a, "openshift:%.*s", STRF(password)));
	*auth = buf_str(&b);
	return 0;
}

/* True when it was added. */
static bool add_auth(struct arena *a, struct json *auths, struct str host, struct str auth)
{
	const struct json *is = json_member(auths, host);
	struct json *j;

	if (str_eq(json_str(is, "auth"), auth))
		return false;
	j = json_new(a, JSON_OBJECT);
	json_add(j, S("auth"), json_new_str(a, auth));
	json_set(auths, str_dup(a, host), j);
	return true;
}

static int merge(struct arena *a, const struct template_view *in, struct str *secret,
		 struct err *err)
{
	struct str auth = S(""), domain = S("");
	struct json *j = NULL, *auths;
	struct json_fault fault = { 0 };
	struct json_opts opts = { .fault = &fault };
	bool changed;
	int rc = read_auth(a, in, &auth, &domain, err);

	if (rc < 0)
		return rc;
	if (json_parse(a, *secret, &opts, &j, err) < 0)
		return err_set(err, ERR_AGAIN, "could not parse pull secret: %.*s",
			       STRF(fault.problem));
	auths = json_at(j, "auths");
	if (json_kind(auths) != JSON_OBJECT)
		return err_set(err, ERR_AGAIN, "pull secret missing 'auths' field");
	changed = add_auth(a, auths, str_fmt(a, "api-int.%.*s" PORT, STRF(domain)), auth);
	changed |= add_auth(a, auths, S("localhost" PORT), auth);
	if (!changed)
		return 0;
	*secret = json_format(a, j, JSON_SORTED);
	return 0;
}

int template_release_auth(struct arena *a, const struct template_view *in, struct str *secret,
			  struct err *err)
{
	if (!in->release_image || merge(a, in, secret, err) == 0)
		return 0;
	return err_wrap(err, "could not merge IRI registry credentials into "
			     "pull secret");
}
