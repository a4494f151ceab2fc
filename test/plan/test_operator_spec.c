/*
 * The ControllerConfig's spec: the golden cases of `bootstrap` byte by byte, and what a live
 * cluster's differs in.
 */
#include "fixture.h"

#include <dirent.h>
#include <unistd.h>

#include "data/yml.h"
#include "plan/operator/op_spec.h"

#define CASES "test/golden/operator-bootstrap"
#define OUTPUT "expected/bootstrap/manifests/machineconfigcontroller-controllerconfig.yaml"

/* ---- golden cases -------------------------------------------------------- */

struct golden {
	struct arena *a;
	const char *dir;
	struct str args;
};

/* The value of a flag in args.txt; p is NULL when it is absent. */
static struct str flag(const struct golden *g, const char *name)
{
	struct str rest = g->args, line, key, value;

	while (str_line(&rest, &line))
		if (str_cut(line, '=', &key, &value) && str_is(str_from(key, 2), name))
			return value;
	return (struct str){ 0 };
}

/* The file that a flag names; p is NULL when there is none. */
static struct str file(const struct golden *g, const char *name)
{
	const char *path = str_fmt(g->a, "%s/%.*s", g->dir, STRF(flag(g, name))).p;

	return flag(g, name).p && access(path, R_OK) == 0 ? test_file(g->a, path)
							  : (struct str){ 0 };
}

static struct json *object(const struct golden *g, const char *name)
{
	struct err err = ERR_INIT(g->a);
	struct json *j = NULL;
	struct str text = file(g, name);

	return !text.p || yml_parse(g->a, text, NULL, &j, &err) < 0 ? NULL : j;
}

static const char *const image_flags[][2] = {
	{ "machineConfigOperator", "machine-config-operator-image" },
	{ "infraImage", "infra-image" },
	{ "keepalivedImage", "keepalived-image" },
	{ "corednsImage", "coredns-image" },
	{ "haproxyImage", "haproxy-image" },
	{ "baremetalRuntimeCfgImage", "baremetal-runtimecfg-image" },
	{ "kubeRbacProxy", "kube-rbac-proxy-image" },
	{ "dockerRegistryImage", "docker-registry-image" },
};

static struct str cloud_config(const struct golden *g, const struct json *infra)
{
	const struct json *data = json_member(object(g, "cloud-config-file"), S("data"));
	struct json *found = json_member(data, S("cloud.conf"));

	if (!json_str(infra, "spec.cloudConfig.name").n)
		return S("");
	return json_text(found ? found
			       : json_member(data, json_str(infra, "spec.cloudConfig.key")));
}

static void read_inputs(const struct golden *g, struct operator_inputs *in)
{
	const struct json *bundle = object(g, "additional-trust-bundle-config-file");
	struct json *images = json_new(g->a, JSON_OBJECT);

	for (size_t i = 0; i < ARRAY_LEN(image_flags); i++)
		json_add_str(g->a, images, image_flags[i][0], flag(g, image_flags[i][1]));
	*in = (struct operator_inputs){
		.infra = object(g, "infra-config-file"),
		.network = object(g, "network-config-file"),
		.proxy = object(g, "proxy-config-file"),
		.dns = object(g, "dns-config-file"),
		.images = images,
		.root_ca = file(g, "root-ca"),
		.kube_ca = file(g, "kube-ca"),
		.cloud_ca = file(g, "cloud-provider-ca-file"),
		.os_image = flag(g, "baseos-image"),
		.os_extensions = flag(g, "baseos-extensions-image"),
		.release_image = flag(g, "release-image"),
	};
	in->cloud_config = cloud_config(g, in->infra);
	if (bundle)
		in->trust_bundle =
			json_text(json_member(json_member(bundle, S("data")), S("ca-bundle.crt")));
}

/* The spec of the expected file: what follows "spec:", without its two columns. */
static struct str expected_spec(const struct golden *g)
{
	struct str rest = test_file(g->a, str_fmt(g->a, "%s/" OUTPUT, g->dir).p), line;
	bool spec = false;
	struct buf b;

	buf_init(&b, g->a);
	while (str_line(&rest, &line)) {
		if (spec)
			buf_addf(&b, "%.*s\n", STRF(str_from(line, 2)));
		spec = spec || str_is(line, "spec:");
	}
	return str_sub(buf_str(&b), 0, b.n - 1); /* the last line is two blanks */
}

static bool right(const struct golden *g)
{
	struct err err = ERR_INIT(g->a);
	struct operator_inputs in;
	struct json *spec = NULL;
	struct buf b;

	read_inputs(g, &in);
	buf_init(&b, g->a);
	if (operator_spec(g->a, &in, &spec, &err) < 0 || yml_emit(&b, spec, &err) < 0)
		return test_same(g->dir, S(""), err.msg);
	return test_same(g->dir, expected_spec(g), buf_str(&b));
}

TEST golden_cases(void)
{
	struct dirent **list = NULL;
	int n = scandir(CASES, &list, NULL, alphasort), ran = 0;

	ASSERT(n > 0);
	for (int i = 0; i < n; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct golden g = { &a, str_fmt(&a, CASES "/%s", list[i]->d_name).p, { 0 } };

		free(list[i]);
		if (access(str_fmt(&a, "%s/" OUTPUT, g.dir).p, R_OK) != 0)
			continue;
		g.args = test_file(&a, str_fmt(&a, "%s/args.txt", g.dir).p);
		if (flag(&g, "image-references").p)
			continue; /* another source of the images: test_operator_bootstrap.sh */
		ASSERTm(g.dir, right(&g));
		ran++;
	}
	free((void *)list);
	ASSERT_INT(43, ran);
	PASS();
}

/* ---- a live cluster ------------------------------------------------------ */

#define INFRA(platform)                                                        \
	"{'metadata':{'name':'cluster','resourceVersion':'7','managedFields':" \
	"[{'manager':'x','fieldsV1':{'f:spec':{}}}]},'status':{'platformStatus':" platform "}}"
#define NETWORK(services) "{'spec':{'serviceNetwork':" services "}}"

static int build(struct arena *a, const char *infra, const char *network, bool live,
		 struct json **out, struct err *err)
{
	struct operator_inputs in = {
		.infra = fx_quote(a, infra),
		.network = fx_quote(a, network),
		.dns = fx_quote(a, "{'metadata':{'name':'cluster'},'spec':{'baseDomain':'d'}}"),
		.live = live,
	};

	return operator_spec(a, &in, out, err);
}

struct form_case {
	const char *name, *path, *live, *file;
};

static const struct form_case forms[] = {
	{ "the registries' CAs", "imageRegistryBundleData", "[]", "null" },
	{ "the user's registries' CAs", "imageRegistryBundleUserData", "[]", "null" },
	{ "the pull secret", "pullSecret",
	  "{\"namespace\":\"openshift-config\",\"name\":\"pull-secret\"}", "null" },
	{ "nulls of the DNS", "dns.spec.platform", "{\"type\":\"\"}",
	  "{\"type\":\"\",\"aws\":null}" },
	{ "nulls of the infrastructure", "infra.status.platformStatus.baremetal",
	  "{\"apiServerInternalIPs\":[],\"ingressIPs\":[]}",
	  "{\"apiServerInternalIPs\":[],\"ingressIPs\":[],\"machineNetworks\":null}" },
	{ "metadata, managedFields too", "infra.metadata",
	  "{\"name\":\"cluster\",\"resourceVersion\":\"7\",\"managedFields\":[{\"manager\":\"x\","
	  "\"fieldsV1\":{\"f:spec\":{}}}]}",
	  "{\"name\":\"cluster\",\"resourceVersion\":\"7\",\"managedFields\":[{\"manager\":\"x\","
	  "\"fieldsV1\":{\"f:spec\":{}}}]}" },
	{ "kind of the infrastructure", "infra.kind", "\"Infrastructure\"", "\"Infrastructure\"" },
	{ "apiVersion of the DNS", "dns.apiVersion", "\"config.openshift.io/v1\"",
	  "\"config.openshift.io/v1\"" },
	{ "no proxy", "proxy", "null", "null" },
	{ "no bytes", "rootCAData", "null", "null" },
};

TEST both_forms(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct json *live, *file;
	const char *infra = INFRA("{'type':'BareMetal','baremetal':{'apiServerInternalIPs':[],"
				  "'ingressIPs':[]}}");

	ASSERT_INT(0, build(&a, infra, NETWORK("['10.0.0.0/24']"), true, &live, &err));
	ASSERT_INT(0, build(&a, infra, NETWORK("['10.0.0.0/24']"), false, &file, &err));
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		const struct form_case *c = &forms[i];

		ASSERT_STR_M(c->name, str_of(c->live), json_format(&a, json_at(live, c->path), 0));
		ASSERT_STR_M(c->name, str_of(c->file), json_format(&a, json_at(file, c->path), 0));
	}
	PASS();
}

/* ---- networks ------------------------------------------------------------ */

struct network_case {
	const char *name, *network, *want; /* "IP families networkType", or the error */
};

static const struct network_case networks[] = {
	{ "four", NETWORK("['172.30.0.0/16']"), "172.30.0.10 IPv4 " },
	{ "host bits are cleared", NETWORK("['172.30.255.255/16']"), "172.30.0.10 IPv4 " },
	{ "the smallest network", NETWORK("['10.0.0.240/28']"), "10.0.0.250 IPv4 " },
	{ "too small", NETWORK("['10.0.0.248/29']"),
	  "prefix of 29 does not accommodate a host numbered 10" },
	{ "one address", NETWORK("['10.0.0.1/32']"),
	  "prefix of 32 does not accommodate a host numbered 10" },
	{ "everything", NETWORK("['0.0.0.0/0']"), "0.0.0.10 IPv4 " },
	{ "six", NETWORK("['fd00::/112']"), "fd00::a IPv6 " },
	{ "all of six", NETWORK("['::/0']"), "::a IPv6 " },
	{ "six, too small", NETWORK("['fd00::/125']"),
	  "prefix of 125 does not accommodate a host numbered 10" },
	{ "four first", NETWORK("['10.0.0.0/24','fd00::/112']"), "10.0.0.10 DualStack " },
	{ "six first", NETWORK("['fd00::/112','10.0.0.0/24']"), "fd00::a DualStackIPv6Primary " },
	{ "none", NETWORK("[]"), "service cidr is empty in Network" },
	{ "absent", "{}", "service cidr is empty in Network" },
	{ "no prefix", NETWORK("['10.0.0.0']"), "invalid CIDR address: 10.0.0.0" },
	{ "prefix too long", NETWORK("['10.0.0.0/33']"), "invalid CIDR address: 10.0.0.0/33" },
	{ "octal", NETWORK("['010.0.0.0/8']"), "invalid CIDR address: 010.0.0.0/8" },
	{ "a bad second one", NETWORK("['10.0.0.0/8','x/8']"), "invalid CIDR address: x/8" },
	{ "type of the spec", "{'spec':{'serviceNetwork':['10.0.0.0/8'],'networkType':'A'}}",
	  "10.0.0.10 IPv4 A" },
	{ "type of the status",
	  "{'spec':{'serviceNetwork':['10.0.0.0/8'],'networkType':'A'},"
	  "'status':{'networkType':'B'}}",
	  "10.0.0.10 IPv4 B" },
	{ "type of the migration",
	  "{'spec':{'serviceNetwork':['10.0.0.0/8'],'networkType':'A'},"
	  "'status':{'networkType':'B','migration':{'networkType':'C'}}}",
	  "10.0.0.10 IPv4 C" },
	{ "a migration of the MTU alone has no type",
	  "{'spec':{'serviceNetwork':['10.0.0.0/8']},'status':{'networkType':'B',"
	  "'migration':{'mtu':{'network':{'to':9}}}}}",
	  "10.0.0.10 IPv4 {\"mtuMigration\":{\"network\":{\"to\":9}}}" },
};

TEST service_networks(void)
{
	for (size_t i = 0; i < ARRAY_LEN(networks); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct json *s;
		struct str got;
		const char *infra = INFRA("{'type':'None'}");

		if (build(&a, infra, networks[i].network, true, &s, &err) < 0)
			got = err.msg;
		else
			got = str_fmt(&a, "%.*s %.*s %.*s%s", STRF(json_str(s, "clusterDNSIP")),
				      STRF(json_str(s, "ipFamilies")),
				      STRF(json_str(s, "networkType")),
				      json_at(s, "network.mtuMigration")
					      ? json_format(&a, json_at(s, "network"), 0).p
					      : "");
		ASSERT_STR_M(networks[i].name, str_of(networks[i].want), got);
	}
	PASS();
}

SUITE(operator_spec_)
{
	RUN_TEST(golden_cases);
	RUN_TEST(both_forms);
	RUN_TEST(service_networks);
}

TEST_MAIN(operator_spec_)
