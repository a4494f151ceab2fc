/*
 * Template functions that depend on the platform and on its section of the infrastructure
 * status.
 */
#include "template_parts.h"

/* Go's runtime error for a nil pointer. */
static const char nil_deref[] = "runtime error: invalid memory address or nil pointer dereference";

static bool fail(struct tmpl_call *c, const char *text)
{
	c->error = str_of(text);
	return false;
}

static bool text(struct tmpl_value *out, struct str s)
{
	*out = tmpl_str(s);
	return true;
}

/* ---- the platform -------------------------------------------------------- */

/*
 * All platform types, spelled as in the API; sections are named as in the API. A type
 * without a layer uses that of None.
 */
static const struct platform {
	const char *type, *layer, *section, *short_name, *credentials;
	bool external; /* its cloud provider runs outside the kubelet */
	bool cloud_lb; /* may have load balancer addresses in the cluster's own DNS */
} platforms[] = {
	{ .type = "AWS",
	  .layer = "aws",
	  .section = "aws",
	  .credentials = "ecr",
	  .external = true,
	  .cloud_lb = true },
	{ .type = "Azure",
	  .layer = "azure",
	  .section = "azure",
	  .credentials = "acr",
	  .external = true,
	  .cloud_lb = true },
	{ .type = "GCP",
	  .layer = "gcp",
	  .section = "gcp",
	  .credentials = "gcr",
	  .external = true,
	  .cloud_lb = true },
	{ .type = "BareMetal", .layer = "baremetal", .section = "baremetal", .short_name = "kni" },
	{ .type = "oVirt", .layer = "ovirt", .section = "ovirt", .short_name = "ovirt" },
	{ .type = "OpenStack",
	  .layer = "openstack",
	  .section = "openstack",
	  .short_name = "openstack",
	  .external = true },
	{ .type = "VSphere",
	  .layer = "vsphere",
	  .section = "vsphere",
	  .short_name = "vsphere",
	  .external = true },
	{ .type = "Nutanix",
	  .layer = "nutanix",
	  .section = "nutanix",
	  .short_name = "nutanix",
	  .external = true },
	{ .type = "KubeVirt", .layer = "kubevirt", .external = true },
	{ .type = "PowerVS", .layer = "powervs", .external = true },
	{ .type = "Libvirt", .layer = "libvirt" },
	{ .type = "External", .layer = "external" },
	{ .type = "None", .layer = "none" },
	{ .type = "AlibabaCloud", .external = true },
	{ .type = "IBMCloud", .external = true },
	{ .type = "EquinixMetal" },
	{ 0 }, /* unknown types */
};

static const struct platform *platform(struct str type)
{
	const struct platform *p = platforms;

	while (p->type && !str_is(type, p->type))
		p++;
	return p;
}

struct str template_layer(struct str type)
{
	const char *layer = platform(type)->layer;

	return str_of(layer ? layer : "none");
}

bool template_on_prem(struct str type)
{
	return platform(type)->short_name != NULL;
}

/* The platform's section of the status, or NULL. */
static const struct json *section(const struct render_data *d)
{
	const struct platform *p = platform(d->type);

	return p->section ? json_at(d->platform, p->section) : NULL;
}

enum lb_state template_lb_state(const struct render_data *d)
{
	const struct json *lb = json_at(section(d), "cloudLoadBalancerConfig");

	if (!platform(d->type)->cloud_lb || !str_is(json_str(lb, "dnsType"), "ClusterHosted"))
		return LB_DEFAULT;
	return json_at(lb, "clusterHosted") ? LB_AVAILABLE : LB_ABSENT;
}

/* All functions but one dereference infra. */
static bool has_infra(struct tmpl_call *c)
{
	const struct render_data *d = c->ctx;

	return d->infra || fail(c, nil_deref);
}

static bool f_cloud_provider(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct render_data *d = c->ctx;
	bool external = platform(d->type)->external;

	if (str_is(d->type, "External"))
		external = str_is(json_str(d->platform, "external.cloudControllerManager."
							"state"),
				  "External");
	return has_infra(c) && text(out, external ? S("external") : S(""));
}

static bool f_credential_flag(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct render_data *d = c->ctx;
	const char *kind = platform(d->type)->credentials;

	if (!kind)
		return text(out, S(""));
	return text(out, str_fmt(c->a,
				 "--image-credential-provider-bin-dir=/usr/libexec/"
				 "kubelet-image-credential-provider-plugins "
				 "--image-credential-provider-config=/etc/kubernetes/"
				 "credential-providers/%s-credential-provider.yaml",
				 kind));
}

static bool f_platform_type(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct render_data *d = c->ctx;

	if (!has_infra(c))
		return false;
	if (!d->platform)
		return fail(c, "could not determine platform type");
	(void)text(out, d->type);
	out->go = "v1.PlatformType";
	return true;
}

static bool f_short_name(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct render_data *d = c->ctx;
	const char *name = platform(d->type)->short_name;

	return has_infra(c) && text(out, str_of(name ? name : ""));
}

/* ---- on premises --------------------------------------------------------- */

static struct tmpl_value strings(struct arena *a, const struct json *j)
{
	struct strs list = { 0 };

	for (const struct json *e = json_first(j); e; e = json_next(e))
		VEC_PUSH(a, &list, json_text(e));
	return tmpl_strs(a, &list);
}

/* Addresses from the section of an on-premises platform. */
static bool addresses(struct tmpl_call *c, const char *member, const char *other,
		      struct tmpl_value *out)
{
	const struct render_data *d = c->ctx;
	const struct json *s = section(d);

	if (!has_infra(c))
		return false;
	if (!d->platform)
		return fail(c, "");
	if (!template_on_prem(d->type))
		return fail(c, other);
	/* vSphere has no section when the user manages the addresses */
	if (!s && !str_is(d->type, "VSphere"))
		return fail(c, nil_deref);
	*out = strings(c->a, json_at(s, member));
	return true;
}

/* The first address; vSphere may have none. */
static bool first_of(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct render_data *d = c->ctx;

	if (out->list->n) {
		*out = out->list->v[0];
		return true;
	}
	*out = (struct tmpl_value){ 0 };
	return str_is(d->type, "VSphere") ||
	       fail(c, "runtime error: index out of range [0] with length 0");
}

static bool f_api_ips(struct tmpl_call *c, struct tmpl_value *out)
{
	return addresses(c, "apiServerInternalIPs", "invalid platform for API Server Internal IP",
			 out);
}

static bool f_api_ip(struct tmpl_call *c, struct tmpl_value *out)
{
	return f_api_ips(c, out) && first_of(c, out);
}

static bool f_ingress_ips(struct tmpl_call *c, struct tmpl_value *out)
{
	return addresses(c, "ingressIPs", "invalid platform for Ingress IP", out);
}

static bool f_ingress_ip(struct tmpl_call *c, struct tmpl_value *out)
{
	return f_ingress_ips(c, out) && first_of(c, out);
}

static bool managed(const struct render_data *d)
{
	const struct json *s = section(d);

	if (!d->platform)
		return false;
	if (!template_on_prem(d->type))
		return true;
	if (!s || (str_is(d->type, "VSphere") && !json_len(json_at(s, "apiServerInternalIPs"))))
		return false;
	if (!json_at(s, "loadBalancer"))
		return true;
	return str_is(json_str(s, "loadBalancer.type"), "OpenShiftManagedDefault");
}

static bool f_managed_lb(struct tmpl_call *c, struct tmpl_value *out)
{
	*out = tmpl_bool(managed(c->ctx));
	return has_infra(c);
}

static bool f_dns_records(struct tmpl_call *c, struct tmpl_value *out)
{
	const struct render_data *d = c->ctx;
	const struct json *s = section(d);
	bool own = template_on_prem(d->type) && !str_is(d->type, "oVirt");

	(void)text(out, own && s ? json_str(s, "dnsRecordsType") : S("Internal"));
	out->go = "v1.DNSRecordsType";
	return has_infra(c);
}

/* ---- clouds with DNS of their own ---------------------------------------- */

static bool cloud_ips(struct tmpl_call *c, const char *member, const char *what,
		      struct tmpl_value *out)
{
	const struct render_data *d = c->ctx;

	if (!has_infra(c))
		return false;
	if (!d->platform)
		return fail(c, "");
	if (!platform(d->type)->cloud_lb)
		return fail(c, "invalid cloud platform for API Server Internal "
			       "IPs");
	switch (template_lb_state(d)) {
	case LB_AVAILABLE:
		break;
	case LB_ABSENT:
		c->error = str_fmt(c->a,
				   "%.*s %s Load Balancer IPs unavailable when "
				   "the DNSType is ClusterHosted",
				   STRF(d->type), what);
		return false;
	case LB_DEFAULT:
		return fail(c, "");
	}
	*out = strings(c->a, json_member(json_at(section(d), "cloudLoadBalancerConfig."
							     "clusterHosted"),
					 str_of(member)));
	out->go = "[]v1.IP";
	for (size_t i = 0; i < out->list->n; i++)
		out->list->v[i].go = "v1.IP";
	return true;
}

static bool f_cloud_api_int(struct tmpl_call *c, struct tmpl_value *out)
{
	return cloud_ips(c, "apiIntLoadBalancerIPs", "Internal API Server", out);
}

static bool f_cloud_api(struct tmpl_call *c, struct tmpl_value *out)
{
	return cloud_ips(c, "apiLoadBalancerIPs", "API Server", out);
}

static bool f_cloud_ingress(struct tmpl_call *c, struct tmpl_value *out)
{
	return cloud_ips(c, "ingressLoadBalancerIPs", "Ingress", out);
}

const struct tmpl_func template_funcs[] = {
	{ "cloudProvider", "r", f_cloud_provider },
	{ "credentialProviderConfigFlag", "r", f_credential_flag },
	{ "platformType", "r", f_platform_type },
	{ "onPremPlatformShortName", "r", f_short_name },
	{ "onPremPlatformAPIServerInternalIP", "r", f_api_ip },
	{ "onPremPlatformAPIServerInternalIPs", "r", f_api_ips },
	{ "onPremPlatformIngressIP", "r", f_ingress_ip },
	{ "onPremPlatformIngressIPs", "r", f_ingress_ips },
	{ "isOpenShiftManagedDefaultLB", "r", f_managed_lb },
	{ "dnsRecordsType", "r", f_dns_records },
	{ "cloudPlatformAPIIntLoadBalancerIPs", "r", f_cloud_api_int },
	{ "cloudPlatformAPILoadBalancerIPs", "r", f_cloud_api },
	{ "cloudPlatformIngressLoadBalancerIPs", "r", f_cloud_ingress },
	{ 0 },
};

int template_render(struct arena *a, const struct render_data *d, const char *name,
		    struct str source, struct str *out, struct err *err)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct render_data data = *d;
	struct tmpl *t = NULL;
	struct buf b;

	if (str_find(source, S("{{")) < 0) { /* no actions: the output is the source */
		*out = source;
		return 0;
	}
	if (tmpl_parse(&scratch, name, source, template_funcs, &t, err) < 0)
		return err_wrap(err, "failed to parse template %s", name);
	buf_init(&b, a);
	buf_reserve(&b, source.n);
	if (tmpl_run(&scratch, t, data.dot, &data, &b, err) < 0)
		return err_wrap(err, "failed to execute template");
	*out = buf_str(&b);
	return 0;
}

int template_one(struct arena *a, const char *name, struct str source, const struct json *data,
		 bool render_config, struct str *out, struct err *err)
{
	struct render_data d = { 0 };
	struct strs suites = { 0 };
	const struct json *list = json_at(data, "tlsCipherSuites");
	int rc = 0;

	for (const struct json *e = json_first(list); e; e = json_next(e))
		VEC_PUSH(a, &suites, json_text(e));
	if (render_config)
		rc = template_data(a, json_at(data, "spec"), true, json_str(data, "tlsMinVersion"),
				   &suites, &d, err);
	else
		d.dot = tmpl_from_json(a, data);
	if (rc < 0)
		return rc;
	if (render_config)
		template_data_secret(&d, json_str(data, "pullSecret"));
	return template_render(a, &d, name, source, out, err);
}
