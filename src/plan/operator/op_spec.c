/*
 * The spec of the ControllerConfig. It is built as a held object (data/shape.h) with only the
 * members that have a value; marshalling it as Go does adds zero values and nulls.
 */
#include "op_spec.h"

#include <arpa/inet.h>

#include "base/codec.h"
#include "mc/api.h"
#include "mc/types.h"

/* ---- the network --------------------------------------------------------- */

/* The host number of the DNS service in the service network. */
#define DNS_HOST 10

struct cidr {
	unsigned char ip[16];
	int family;
	int64_t bits, prefix; /* of the address, of the network */
};

static int parse_cidr(struct arena *a, struct str text, struct cidr *out, struct err *err)
{
	struct str ip, prefix;
	struct cidr c = { .family = AF_INET, .bits = 32 };

	if (!str_cut(text, '/', &ip, &prefix) || !str_to_i64(prefix, &c.prefix))
		goto invalid;
	if (str_chr(ip, ':') >= 0)
		c.family = AF_INET6, c.bits = 128;
	if (inet_pton(c.family, str_z(a, ip), c.ip) != 1 || c.prefix < 0 || c.prefix > c.bits)
		goto invalid;
	*out = c;
	return 0;
invalid:
	return err_set(err, ERR_INVALID, "invalid CIDR address: %.*s", STRF(text));
}

static int dns_ip(struct arena *a, struct cidr c, struct str *out, struct err *err)
{
	char text[INET6_ADDRSTRLEN];

	if (c.bits - c.prefix < 63 && (int64_t)1 << (c.bits - c.prefix) <= DNS_HOST)
		return err_set(err, ERR_INVALID,
			       "prefix of %d does not accommodate a host numbered %d",
			       (int)c.prefix, DNS_HOST);
	for (int64_t i = c.prefix; i < c.bits; i++)
		c.ip[i / 8] &= (unsigned char)~(0x80 >> i % 8);
	c.ip[c.bits / 8 - 1] |= DNS_HOST; /* its four bits are in the host's part */
	*out = str_dup(a, str_of(inet_ntop(c.family, c.ip, text, sizeof(text))));
	return 0;
}

static int add_service_network(struct arena *a, const struct operator_inputs *in, struct json *spec,
			       struct err *err)
{
	const struct json *first = json_first(json_at(in->network, "spec.serviceNetwork"));
	bool four = false, six = false;
	struct str ip = in->cluster_dns;
	struct cidr c = { 0 }, main;
	int rc;

	if (!first)
		return err_set(err, ERR_INVALID, "service cidr is empty in Network");
	rc = parse_cidr(a, json_text(first), &main, err);
	if (rc >= 0 && !ip.n)
		rc = dns_ip(a, main, &ip, err);
	for (const struct json *n = first; n && rc >= 0; n = json_next(n)) {
		rc = parse_cidr(a, json_text(n), &c, err);
		*(c.family == AF_INET ? &four : &six) = true;
	}
	if (rc < 0)
		return rc;
	json_add_str(a, spec, "clusterDNSIP", ip);
	json_add_str(a, spec, "ipFamilies",
		     !six		      ? S("IPv4")
		     : !four		      ? S("IPv6")
		     : main.family == AF_INET ? S("DualStack")
					      : S("DualStackIPv6Primary"));
	return 0;
}

/* The status is empty until the network operator has run. A migration of the MTU alone has no
 * type: the spec then has none, and an update of the ControllerConfig keeps the old one. */
static void add_network(struct arena *a, const struct json *network, struct json *spec)
{
	const struct json *migration = json_at(network, "status.migration"), *mtu;
	struct str type = json_str(network, "status.networkType");

	if (!type.n) {
		type = json_str(network, "spec.networkType");
	} else if (json_kind(migration) == JSON_OBJECT) {
		type = json_str(migration, "networkType");
		mtu = json_member(migration, S("mtu"));
		if (json_kind(mtu) == JSON_OBJECT)
			json_add(json_add_object(a, spec, "network"), S("mtuMigration"),
				 json_clone(a, mtu));
	}
	json_add_str(a, spec, "networkType", type);
}

/* ---- the rest ------------------------------------------------------------ */

static void add_bytes(struct arena *a, struct json *spec, const char *key, struct str bytes)
{
	struct buf b;

	if (!bytes.p)
		return;
	buf_init(&b, a);
	base64_add(&b, bytes);
	json_add_str(a, spec, key, buf_str(&b));
}

static void add_list(struct arena *a, struct json *spec, const char *key, const struct json *list,
		     bool live)
{
	if (list)
		json_add(spec, str_of(key), json_clone(a, list));
	else if (live)
		json_add(spec, str_of(key), json_new(a, JSON_ARRAY));
}

static void add_images(struct arena *a, const struct json *images, struct json *spec)
{
	static const char keys[][2][25] = {
		{ "apiServerWatcherKey", "machineConfigOperator" },
		{ "baremetalRuntimeCfgImage", "baremetalRuntimeCfgImage" },
		{ "corednsImage", "corednsImage" },
		{ "dockerRegistryImage", "dockerRegistryImage" },
		{ "haproxyImage", "haproxyImage" },
		{ "infraImageKey", "infraImage" },
		{ "keepalivedImage", "keepalivedImage" },
		{ "kubeRbacProxyImage", "kubeRbacProxy" },
		{ "machineConfigOperator", "machineConfigOperator" },
	};
	struct json *to = json_add_object(a, spec, "images");

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		json_add_str(a, to, keys[i][0], json_str(images, keys[i][1]));
}

static void add_platform(struct arena *a, const struct json *infra, struct json *spec)
{
	struct str type = json_str(infra, "status.platformStatus.type");
	char *z = str_z(a, type);

	for (size_t i = 0; i < type.n; i++)
		if (z[i] >= 'A' && z[i] <= 'Z')
			z[i] = (char)(z[i] | 0x20);
	json_add_str(a, spec, "platform", (struct str){ z, type.n });
	json_add_str(a, spec, "etcdDiscoveryDomain", json_str(infra, "status.etcdDiscoveryDomain"));
}

static void add_proxy(struct arena *a, const struct json *proxy, struct json *spec)
{
	const struct json *status = json_member(proxy, S("status"));

	if (json_str(status, "httpProxy").n || json_str(status, "httpsProxy").n ||
	    json_str(status, "noProxy").n)
		json_add(spec, S("proxy"), json_clone(a, status));
}

static int add_objects(struct arena *a, const struct operator_inputs *in, struct json *spec,
		       struct err *err)
{
	struct json *infra, *dns;
	int rc = operator_infra(a, in->infra, &infra, err);

	if (rc >= 0)
		rc = shape_hold(a, &mc_shapes, MC_T_DNS, 0, in->dns, &dns, err);
	if (rc < 0)
		return rc;
	json_set(dns, S("kind"), json_new_str(a, S("DNS")));
	json_set(dns, S("apiVersion"), json_new_str(a, S(API_CONFIG)));
	add_platform(a, infra, spec);
	json_add(spec, S("infra"), infra);
	json_add(spec, S("dns"), dns);
	return 0;
}

static void drop_nulls(struct json *j)
{
	for (struct json *m = json_first(j), *next; m; m = next) {
		next = json_next(m);
		if (json_kind(m) == JSON_NULL)
			json_detach(j, m);
		else
			drop_nulls(m);
	}
}

int operator_spec(struct arena *a, const struct operator_inputs *in, struct json **spec,
		  struct err *err)
{
	struct json *s = json_new(a, JSON_OBJECT), *ref;
	int rc = add_service_network(a, in, s, err);

	if (rc >= 0)
		rc = add_objects(a, in, s, err);
	if (rc < 0)
		return rc;
	add_network(a, in->network, s);
	add_proxy(a, in->proxy, s);
	add_images(a, in->images, s);
	add_bytes(a, s, "rootCAData", in->root_ca);
	add_bytes(a, s, "kubeAPIServerServingCAData", in->kube_ca);
	add_bytes(a, s, "cloudProviderCAData", in->cloud_ca);
	add_bytes(a, s, "additionalTrustBundle", in->trust_bundle);
	add_bytes(a, s, "internalRegistryPullSecret", in->registry_pull_secret);
	add_list(a, s, "imageRegistryBundleData", in->registry_cas, in->live);
	add_list(a, s, "imageRegistryBundleUserData", in->user_registry_cas, in->live);
	json_add_str(a, s, "cloudProviderConfig", in->cloud_config);
	json_add_str(a, s, "baseOSContainerImage", in->os_image);
	json_add_str(a, s, "baseOSExtensionsContainerImage", in->os_extensions);
	json_add_str(a, s, "releaseImage", in->release_image);
	if (in->live) {
		ref = json_add_object(a, s, "pullSecret");
		json_add_str(a, ref, "name", S("pull-secret"));
		json_add_str(a, ref, "namespace", S(NS_CONFIG));
	}
	s = shape_marshal(a, &mc_shapes, MC_T_ControllerConfigSpec, s);
	if (in->live) {
		drop_nulls(json_member(s, S("infra")));
		drop_nulls(json_member(s, S("dns")));
	}
	*spec = s;
	return 0;
}
