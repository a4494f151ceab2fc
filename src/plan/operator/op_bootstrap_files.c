/*
 * The files that bootstrap writes. Their texts are Go templates, packed into the program; values
 * are inserted as they are. The path of a text is that of its file, below one of the directories
 * common (every platform), arbiter, coredns and keepalived. Which files a platform gets depends on the
 * blocks of platformStatus, not on its type; their contents depend on the type, as upstream has it.
 */
#include "data/packed.h"
#include "data/tmpl.h"
#include "data/yml.h"
#include "op_bootstrap_parts.h"
#include "operator_bootstrap_texts.h"

#define MANAGED "OpenShiftManagedDefault"

struct writer {
	struct arena *a;
	struct str texts; /* packed files */
	struct json *data; /* of the templates */
	const struct json *platform; /* status.platformStatus */
	struct operator_bootstrap_out *out;
	struct err *err;
};

/* ---- texts --------------------------------------------------------------- */

/* A text that is empty makes no file. */
static int add_file(struct writer *w, struct str path, struct str text)
{
	struct bootstrap_file f = { .path = path };
	struct tmpl *t;
	struct buf b;
	int rc = tmpl_parse(w->a, str_z(w->a, path), text, NULL, &t, w->err);

	buf_init(&b, w->a);
	if (rc >= 0)
		rc = tmpl_run(w->a, t, tmpl_from_json(w->a, w->data), NULL, &b, w->err);
	f.text = buf_str(&b);
	if (rc >= 0 && b.n)
		VEC_PUSH(w->a, &w->out->files, f);
	return rc;
}

/* Adds the files of a directory of the texts, below dest. */
static int add_files(struct writer *w, const char *dir, const char *dest)
{
	struct str rest = w->texts, path, text, top, name;
	int rc = 0;

	while (rc >= 0 && packed_next(&rest, &path, &text))
		if (str_cut(path, '/', &top, &name) && str_is(top, dir))
			rc = add_file(w, str_fmt(w->a, "%s%.*s", dest, STRF(name)), text);
	return rc;
}

static void set(struct writer *w, const char *key, struct str value)
{
	json_set(w->data, str_of(key), json_new_str(w->a, value));
}

/* ---- platforms ----------------------------------------------------------- */

/* The blocks, which are also the directories of their files, in upstream's order; on-premises
 * platforms first. */
static const struct {
	char block[11], type[10], name[10];
} platforms[] = {
	{ "baremetal/", "BareMetal", "kni" },
	{ "openstack/", "OpenStack", "openstack" },
	{ "ovirt/", "oVirt", "ovirt" },
	{ "vsphere/", "VSphere", "vsphere" },
	{ "nutanix/", "Nutanix", "nutanix" },
	{ "gcp/", "GCP", "" },
	{ "aws/", "AWS", "" },
	{ "azure/", "Azure", "" },
};
#define VSPHERE 3
#define CLOUDS 5

static const struct json *block_of(const struct writer *w, size_t i)
{
	struct str name = str_of(platforms[i].block);

	return json_member(w->platform, str_sub(name, 0, name.n - 1));
}

static void join(struct writer *w, const char *key, const struct json *list)
{
	struct buf b;

	buf_init(&b, w->a);
	for (const struct json *ip = json_first(list); ip; ip = json_next(ip))
		buf_addf(&b, "%s%.*s", b.n ? "," : "", STRF(json_text(ip)));
	set(w, key, buf_str(&b));
}

/* Names that match are answered with the first address of a list. */
static void add_record(struct writer *w, const char *match, const char *vip, const struct json *ips)
{
	struct json *r = json_new(w->a, JSON_OBJECT);

	json_add_str(w->a, r, "match", str_of(match));
	json_add_str(w->a, r, "vip", str_of(vip));
	json_add_str(w->a, r, "ip", json_text(json_first(ips)));
	json_push(json_member(w->data, S("records")), r);
}

static void set_addresses(struct writer *w, const struct json *api, const struct json *internal,
			  const struct json *ingress, bool cloud)
{
	json_set(w->data, S("records"), json_new(w->a, JSON_ARRAY));
	json_set(w->data, S("cloud"), json_new_bool(w->a, cloud));
	join(w, "api", api);
	join(w, "internal", internal);
	join(w, "ingress", ingress);
	add_record(w, ".*.apps", cloud ? "CloudLB" : "IngressVIP", ingress);
	add_record(w, "^api", cloud ? "CloudLB" : "APIVIP", api);
	add_record(w, "^api-int", cloud ? "CloudLB" : "APIVIP", internal);
}

/* The addresses and the name in namespaces are those of the platform's type. */
static int add_on_premises(struct writer *w, const char *dest, struct str balancer)
{
	struct str type = json_str(w->platform, "type"), name = S("");
	const struct json *block = NULL, *api;
	int rc;

	for (size_t k = 0; k < CLOUDS; k++) {
		if (!str_is(type, platforms[k].type))
			continue;
		name = str_of(platforms[k].name);
		block = block_of(w, k);
	}
	api = json_member(block, S("apiServerInternalIPs"));
	set(w, "short", name);
	set_addresses(w, api, api, json_member(block, S("ingressIPs")), false);
	rc = add_files(w, "coredns", dest);
	if (rc >= 0 && (!balancer.n || str_is(balancer, MANAGED)))
		rc = add_files(w, "keepalived", dest);
	return rc;
}

#define ALT_DNS "manifests/cloud-platform-alt-dns/coredns.yaml"

static int add_cloud(struct writer *w, size_t i, const struct json *block)
{
	const struct json *config = json_member(block, S("cloudLoadBalancerConfig"));
	const struct json *ips = json_member(config, S("clusterHosted"));

	if (!str_is(json_str(config, "dnsType"), "ClusterHosted"))
		return 0;
	if (!ips)
		return err_set(
			w->err, ERR_INVALID,
			"failed to execute template: template: " ALT_DNS
			":35:32: executing \"" ALT_DNS
			"\" at <cloudPlatformAPILoadBalancerIPs .ControllerConfig>: error "
			"calling cloudPlatformAPILoadBalancerIPs: %s API Server Load Balancer "
			"IPs unavailable when the DNSType is ClusterHosted",
			platforms[i].type);
	set(w, "short", S("cloud-platform"));
	set_addresses(w, json_member(ips, S("apiLoadBalancerIPs")),
		      json_member(ips, S("apiIntLoadBalancerIPs")),
		      json_member(ips, S("ingressLoadBalancerIPs")), true);
	return add_files(w, "coredns", platforms[i].block);
}

/* As upstream: the load balancer of a block also applies to the later blocks, and vSphere without
 * managed addresses ends the list. */
static int add_platforms(struct writer *w)
{
	struct str balancer = S(MANAGED);
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < ARRAY_LEN(platforms); i++) {
		const struct json *block = block_of(w, i);
		const struct json *own = json_member(block, S("loadBalancer"));

		if (!block)
			continue;
		if (i == VSPHERE && (!json_len(json_member(block, S("apiServerInternalIPs"))) ||
				     (own && !str_is(json_str(own, "type"), MANAGED))))
			return 0;
		if (own && i != VSPHERE)
			balancer = json_str(own, "type");
		rc = i < CLOUDS ? add_on_premises(w, platforms[i].block, balancer)
				: add_cloud(w, i, block);
	}
	return rc;
}

int op_bootstrap_files(struct arena *a, const struct operator_bootstrap_in *in,
		       const struct json *images, const struct json *spec,
		       struct operator_bootstrap_out *out, struct err *err)
{
	struct writer w = { .a = a,
			    .texts = PACKED(a, packed_bootstrap),
			    .data = json_new(a, JSON_OBJECT),
			    .platform = json_at(spec, "infra.status.platformStatus"),
			    .out = out,
			    .err = err };
	struct buf b;
	int rc;

	buf_init(&b, a);
	rc = yml_emit(&b, spec, err);
	if (rc < 0)
		return rc;
	set(&w, "spec", buf_str(&b));
	set(&w, "raw", in->raw);
	set(&w, "release", in->release);
	set(&w, "ca", in->files[OPERATOR_KUBE_CA].text);
	set(&w, "pullSecret", in->files[OPERATOR_PULL_SECRET].text);
	set(&w, "domain", json_str(spec, "dns.spec.baseDomain"));
	json_add(w.data, S("images"), json_clone(a, images));
	rc = add_files(&w, "common", "");
	if (rc >= 0 &&
	    str_is(json_str(spec, "infra.status.controlPlaneTopology"), "HighlyAvailableArbiter"))
		rc = add_files(&w, "arbiter", "");
	return rc < 0 ? rc : add_platforms(&w);
}
