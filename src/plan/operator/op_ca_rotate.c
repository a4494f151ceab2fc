/*
 * ConfigMap kubeconfig-data: a copy of the CA that signs the API server's certificates. Nodes build
 * kubeconfigs from it.
 *
 * While the API server's operator rotates the CA, the source changes several times. So the copy is
 * written only after the source has not changed for a minute. A missing copy is created at once.
 */
#include "base/codec.h"
#include "base/hash.h"
#include "mc/object.h"
#include "op_render.h"

#define COPY "kubeconfig-data"
#define KEY "ca-bundle.crt"
#define PATH PATH_CORE "namespaces/" NS_MCO "/configmaps"
#define STABLE_MS 60000
#define POLL_MS 15000

static uint64_t hash_of(struct str s)
{
	unsigned char sum[HASH_MAX];
	struct hash h;
	uint64_t out;

	hash_init(&h, HASH_MD5);
	hash_add(&h, s);
	(void)hash_sum(&h, sum);
	memcpy(&out, sum, sizeof(out));
	return out;
}

static void write_copy(struct arena *a, bool create, struct str bytes, struct actions *out)
{
	struct json *j = create ? mc_object_new(a, API_CORE, "ConfigMap", NS_MCO, S(COPY))
				: json_new(a, JSON_OBJECT);
	struct buf b;

	buf_init(&b, a);
	base64_add(&b, bytes);
	json_add_str(a, json_add_object(a, j, "binaryData"), KEY, buf_str(&b));
	(void)action_add(a, out, create ? ACTION_CREATE : ACTION_MERGE,
			 create ? S(PATH) : S(PATH "/" COPY), json_format(a, j, 0),
			 create ? S("the copy of the API server's CA is missing")
				: S("the API server has a new CA"));
}

int operator_kubeconfig_data(struct arena *a, const struct operator_view *in,
			     struct operator_memory *m, struct operator_result *out,
			     struct err *err)
{
	bool exists = in->get(in, OPERATOR_CONFIG_MAPS, S(COPY));
	struct err ignored = ERR_INIT(a);
	struct str source, copy;
	uint64_t hash;
	int rc = in->standalone
			 ? op_standalone_ca(a, in, &source, err)
			 : op_ca_bytes(a, in, OPERATOR_CONFIG_MAPS_MANAGED, NS_CONFIG_MANAGED,
				       S("kube-apiserver-server-ca"), KEY, &source, err);

	if (rc < 0)
		return rc;
	if (op_ca_bytes(a, in, OPERATOR_CONFIG_MAPS, NS_MCO, S(COPY), KEY, &copy, &ignored) >= 0 &&
	    str_eq(copy, source)) {
		m->ca_since = 0;
		return 0;
	}
	hash = hash_of(source);
	if (exists && (!m->ca_since || m->ca_hash != hash)) {
		m->ca_since = in->clock_ms;
		m->ca_hash = hash;
	}
	if (exists && in->clock_ms - m->ca_since < STABLE_MS) {
		out->again_ms = m->ca_since + STABLE_MS - in->clock_ms;
		if (out->again_ms > POLL_MS)
			out->again_ms = POLL_MS;
		return 0;
	}
	write_copy(a, !exists, source, &out->actions);
	m->ca_rotated = true;
	return 0;
}
