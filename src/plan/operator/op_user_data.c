/*
 * The user data of new machines: an Ignition config that fetches the pool's config from the
 * machine-config-server and trusts its CA. The bytes are upstream's: a difference would replace the
 * Secrets of every cluster.
 */
#include "base/codec.h"
#include "data/url.h"
#include "op_apply.h"
#include "op_pools.h"

#define PORT "22623"
#define LABEL_USER_DATA KEY_MC "managed-ca-bundle-derived-from-configmap"

/* The first internal address of the API on platforms that have one, or "". */
static struct str vip(const struct json *infra)
{
	static const struct {
		const char *type, *path;
	} rows[] = {
		{ "BareMetal", "status.platformStatus.baremetal.apiServerInternalIPs" },
		{ "OpenStack", "status.platformStatus.openstack.apiServerInternalIPs" },
		{ "oVirt", "status.platformStatus.ovirt.apiServerInternalIPs" },
		{ "VSphere", "status.platformStatus.vsphere.apiServerInternalIPs" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_is(json_str(infra, "status.platformStatus.type"), rows[i].type))
			return json_text(json_first(json_at(infra, rows[i].path)));
	return S("");
}

static int server_host(struct arena *a, const struct operator_render *r, struct str *out,
		       struct err *err)
{
	struct str host = vip(r->infra);
	struct url url;

	if (!host.n) {
		if (url_parse(r->api_url, &url, err) < 0)
			return err_wrap(err, "apiServerInternalURI");
		host = url.host;
	}
	*out = str_fmt(a, str_chr(host, ':') < 0 ? "%.*s:" PORT : "[%.*s]:" PORT, STRF(host));
	return 0;
}

static struct str base64(struct arena *a, struct str bytes)
{
	struct buf b;

	buf_init(&b, a);
	base64_add(&b, bytes);
	return buf_str(&b);
}

static struct str pointer(struct arena *a, struct str host, struct str pool, struct str root_ca)
{
	struct str ca = base64(a, root_ca);

	return str_fmt(a,
		       "{\"ignition\":{\"config\":{\"merge\":[{\"source\":\"https://%.*s/config/"
		       "%.*s\",\"verification\":{}}],\"replace\":{\"verification\":{}}},"
		       "\"proxy\":{},\"security\":{\"tls\":{\"certificateAuthorities\":[{"
		       "\"source\":\"data:text/plain;charset=utf-8;base64,%.*s\","
		       "\"verification\":{}}]}},\"timeouts\":{},\"version\":\"3.5.0\"},"
		       "\"kernelArguments\":{},\"passwd\":{},\"storage\":{},\"systemd\":{}}",
		       STRF(host), STRF(pool), STRF(ca));
}

int op_user_data(struct arena *a, const struct operator_view *in, const struct operator_render *r,
		 const struct mcp_list *pools, struct actions *out, struct err *err)
{
	struct str host;
	int rc = server_host(a, r, &host, err);

	for (size_t i = 0; i < pools->n && rc == 0; i++) {
		const struct mcp *pool = pools->v[i];
		struct str text = pointer(a, host, pool->meta.name, r->root_ca);
		struct json *data, *j = mc_object_new(a, API_CORE, "Secret", NS_MACHINE_API,
						      str_fmt(a, "%.*s-user-data-managed",
							      STRF(pool->meta.name)));

		json_add_str(a, json_make(a, j, "metadata.labels"), LABEL_USER_DATA, S(""));
		op_own(a, j, pool);
		data = json_make(a, j, "data");
		json_add_str(a, data, "disableTemplating", base64(a, S("true\n")));
		json_add_str(a, data, "userData", base64(a, text));
		json_add_str(a, j, "type", S("Opaque"));
		(void)operator_apply_one(a, in, j, "", out);
	}
	return rc;
}
