/*
 * Certificate authorities and the cloud's configuration, from the ConfigMaps of others.
 *
 * Values of ConfigMaps are bytes in binaryData and text in data. Upstream also accepts base64 in
 * data; so a text that happens to be valid base64 is decoded.
 */
#include "base/codec.h"
#include "data/pem.h"
#include "mc/api.h"
#include "mc/cert.h"
#include "op_render.h"

#define BUNDLE "ca-bundle.crt"
#define USER_BUNDLE "user-ca-bundle"
#define CLOUD_CONFIG "kube-cloud-config"
#define KUBELET_SIGNER "kube-apiserver-to-kubelet-signer"

const struct json *op_need(const struct operator_view *in, enum operator_kind kind,
			   const char *resource, struct str name, struct err *err)
{
	const struct json *j = in->get(in, kind, name);

	if (!j)
		(void)err_set(err, ERR_NOTFOUND, "%s \"%.*s\" not found", resource, STRF(name));
	return j;
}

/* False when the key is absent. */
static bool map_bytes(struct arena *a, const struct json *map, const char *key, struct str *out)
{
	const struct json *binary = json_member(json_at(map, "binaryData"), str_of(key));
	const struct json *text = json_member(json_at(map, "data"), str_of(key));
	struct err ignored = ERR_INIT(a);

	if (!binary && !text)
		return false;
	*out = S("");
	if (base64_decode(a, json_text(binary ? binary : text), out, &ignored) < 0 && !binary)
		*out = json_text(text);
	if (!out->p)
		*out = S("");
	return true;
}

int op_ca_bytes(struct arena *a, const struct operator_view *in, enum operator_kind list,
		const char *ns, struct str name, const char *key, struct str *out, struct err *err)
{
	const struct json *map = op_need(in, list, "configmap", name, err);

	if (!map)
		return -ERR_NOTFOUND;
	if (!map_bytes(a, map, key, out))
		return err_set(err, ERR_INVALID, "%s not found in %s/%.*s", key, ns, STRF(name));
	return 0;
}

/* ---- of the API server and the machine-config-server --------------------- */

int op_root_ca(struct arena *a, const struct operator_view *in, struct str *out, struct err *err)
{
	int rc = op_ca_bytes(a, in, OPERATOR_CONFIG_MAPS, NS_MCO, S("machine-config-server-ca"),
			     BUNDLE, out, err);

	if (rc == -ERR_NOTFOUND && in->standalone)
		rc = op_standalone_ca(a, in, out, err);
	else if (rc == -ERR_NOTFOUND)
		rc = op_ca_bytes(a, in, OPERATOR_ROOT_CA, NS_KUBE_SYSTEM, S("root-ca"), "ca.crt",
				 out, err);
	return rc < 0 ? err_wrap(err, "could not get MCSC CA bundle") : 0;
}

bool op_bootstrapped(const struct operator_view *in)
{
	return !in->bring_up && in->get(in, OPERATOR_BOOTSTRAP, S("bootstrap"));
}

static void add_pem(struct buf *b, struct str der)
{
	struct buf text;

	buf_init(&text, b->a);
	base64_add(&text, der);
	buf_addz(b, "-----BEGIN CERTIFICATE-----\n");
	for (size_t i = 0; i < text.n; i += 64)
		buf_addf(b, "%.*s\n", STRF(str_sub(buf_str(&text), i, i + 64)));
	buf_addz(b, "-----END CERTIFICATE-----\n");
}

/* The installer's bundle with the present certificates of the kubelet's clients in the place of
 * those that the installer made. */
static struct str replace_signer(struct arena *a, struct str bundle, struct str signer)
{
	struct err ignored = ERR_INIT(a);
	struct buf b;
	struct pem p;
	int rc;

	buf_init(&b, a);
	while ((rc = pem_next(a, &bundle, &p, &ignored)) != 0) {
		struct cert c;

		if (rc < 0 || !cert_parse(a, p.der, &c))
			continue;
		if (str_find(c.subject, S(KUBELET_SIGNER)) >= 0)
			buf_add(&b, signer);
		else
			add_pem(&b, p.der);
	}
	return buf_str(&b);
}

int op_kube_ca(struct arena *a, const struct operator_view *in, struct str *out, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct str signer;
	int rc;

	if (in->standalone)
		return op_standalone_ca(a, in, out, err);
	if (op_bootstrapped(in))
		return op_ca_bytes(a, in, OPERATOR_CONFIG_MAPS_MANAGED, NS_CONFIG_MANAGED,
				   S("kube-apiserver-client-ca"), BUNDLE, out, err);
	rc = op_ca_bytes(a, in, OPERATOR_CONFIG_MAPS_CONFIG, NS_CONFIG,
			 S("initial-kube-apiserver-server-ca"), BUNDLE, out, err);
	if (rc >= 0 &&
	    op_ca_bytes(a, in, OPERATOR_KUBELET_CA, NS_KUBE_APISERVER_OPERATOR,
			S("kube-apiserver-to-kubelet-client-ca"), BUNDLE, &signer, &ignored) >= 0)
		*out = replace_signer(a, *out, signer);
	return rc;
}

/* ---- trust bundles ------------------------------------------------------- */

/* At least one certificate of the bundle can be used. */
static bool has_certificate(struct arena *a, struct str bundle)
{
	struct err ignored = ERR_INIT(a);
	struct cert c;
	struct pem p;
	int rc;

	while ((rc = pem_next(a, &bundle, &p, &ignored)) != 0)
		if (rc > 0 && str_is(p.label, "CERTIFICATE") && !p.headers.n &&
		    cert_parse(a, p.der, &c))
			return true;
	return false;
}

static int add_bundle(struct arena *a, const struct operator_view *in, struct str name,
		      struct buf *b, struct err *err)
{
	struct str bytes;
	int rc = op_ca_bytes(a, in, OPERATOR_CONFIG_MAPS_CONFIG, NS_CONFIG, name, BUNDLE, &bytes,
			     err);

	if (rc < 0)
		return rc;
	if (bytes.n && !has_certificate(a, bytes))
		return err_set(err, ERR_INVALID,
			       "configmap " NS_CONFIG "/%.*s doesn't have a valid PEM bundle",
			       STRF(name));
	buf_add(b, bytes);
	return 0;
}

int op_trust_bundle(struct arena *a, const struct operator_view *in, const struct json *proxy,
		    struct str *out, struct err *err)
{
	struct str name = json_str(proxy, "spec.trustedCA.name");
	struct buf b;
	int rc;

	buf_init(&b, a);
	rc = add_bundle(a, in, S(USER_BUNDLE), &b, err);
	if (rc == -ERR_NOTFOUND)
		rc = 0;
	if (rc >= 0 && name.n && !str_is(name, USER_BUNDLE))
		rc = add_bundle(a, in, name, &b, err);
	*out = b.n ? buf_str(&b) : (struct str){ 0 };
	return rc;
}

/* ---- the cloud ----------------------------------------------------------- */

int op_cloud_config(struct arena *a, const struct operator_view *in, const struct json *infra,
		    struct str *config, struct str *ca, struct err *err)
{
	static const char *const clouds[] = { "Azure", "GCP", "OpenStack", "VSphere" };
	struct str type = json_str(infra, "status.platformStatus.type");
	const struct json *map = in->get(in, OPERATOR_CONFIG_MAPS_MANAGED, S(CLOUD_CONFIG));
	bool needs = false;

	for (size_t i = 0; i < ARRAY_LEN(clouds); i++)
		needs = needs || str_is(type, clouds[i]);
	*config = S("");
	*ca = (struct str){ 0 };
	if (!map && (needs || json_str(infra, "spec.cloudConfig.name").n))
		return err_set(err, ERR_NOTFOUND,
			       NS_CONFIG_MANAGED "/" CLOUD_CONFIG
						 " configmap is required on platform %.*s but not "
						 "found: configmap \"" CLOUD_CONFIG "\" not found",
			       STRF(type));
	if (!map)
		return 0;
	*config = json_text(json_member(json_at(map, "data"), S("cloud.conf")));
	if (needs && !json_member(json_at(map, "data"), S("cloud.conf")))
		return err_set(err, ERR_INVALID,
			       NS_CONFIG_MANAGED "/" CLOUD_CONFIG
						 " configmap must have the cloud.conf key on "
						 "platform %.*s but not found",
			       STRF(type));
	(void)map_bytes(a, map, "ca-bundle.pem", ca);
	return 0;
}
