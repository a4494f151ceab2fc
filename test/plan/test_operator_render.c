/*
 * RenderConfig: what the golden cases do not show. Each test changes the cluster of case 001.
 */
#include "fixture.h"
#include "operator_case.h"

#define NS_OF(ns, name) \
	"{'apiVersion':'v1','kind':'ConfigMap','metadata':{'namespace':'" ns "','name':'" name "'}"
#define CERT "-----BEGIN CERTIFICATE-----\\nMIIB\\n-----END CERTIFICATE-----\\n"

struct cluster {
	struct arena a;
	struct operator_case c;
	struct operator_memory m;
	struct operator_render r;
	struct operator_result out;
	struct err err;
};

static void setup(struct cluster *k, const char *name)
{
	*k = (struct cluster){ .a = ARENA_INIT };
	k->err = ERR_INIT(&k->a);
	operator_case_load(&k->a, name, CASE_AT_REST, &k->c);
}

/* Merges objects into the cluster; null removes a member. */
static void change(struct cluster *k, const char *object)
{
	operator_case_put(&k->c, fx_quote(&k->a, object));
}

static void drop(struct cluster *k, const char *object)
{
	operator_case_drop(&k->c, fx_quote(&k->a, object));
}

static int run(struct cluster *k)
{
	k->out = (struct operator_result){ 0 };
	return operator_render_config(&k->a, &k->c.view, &k->m, &k->r, &k->out, &k->err);
}

/* The error of one step, after a change; "" when there is none. */
struct fault {
	const char *name;
	const char *change; /* an object to merge */
	const char *drop; /* an object to delete */
	const char *error;
};

#define PULLER                                                                \
	"{'apiVersion':'v1','kind':'ServiceAccount','metadata':{'namespace':" \
	"'openshift-machine-config-operator','name':'machine-os-puller'}"

static const struct fault faults[] = {
	{ "a key of machine-config-osimageurl is missing",
	  NS_OF("openshift-machine-config-operator",
		"machine-config-osimageurl") ",'data':{'osImageURL':null}}",
	  NULL,
	  "could not get OS images: configmap \"machine-config-osimageurl\" has no key "
	  "\"osImageURL\"" },
	{ "a CA bundle has no such key",
	  NS_OF("openshift-machine-config-operator",
		"machine-config-server-ca") ",'data':{'ca-bundle.crt':null}}",
	  NULL,
	  "could not get MCSC CA bundle: ca-bundle.crt not found in "
	  "openshift-machine-config-operator/machine-config-server-ca" },
	{ "no Infrastructure", NULL,
	  "{'apiVersion':'config.openshift.io/v1','kind':'Infrastructure','metadata':{'name':"
	  "'cluster'}}",
	  "infrastructure.config.openshift.io \"cluster\" not found" },
	{ "no DNS", NULL,
	  "{'apiVersion':'config.openshift.io/v1','kind':'DNS','metadata':{'name':'cluster'}}",
	  "dns.config.openshift.io \"cluster\" not found" },
	{ "no Proxy is no fault", NULL,
	  "{'apiVersion':'config.openshift.io/v1','kind':'Proxy','metadata':{'name':'cluster'}}",
	  "" },
	{ "no APIServer is no fault", NULL,
	  "{'apiVersion':'config.openshift.io/v1','kind':'APIServer','metadata':{'name':'cluster'}}",
	  "" },
	{ "a cloud config is required where the Infrastructure names one",
	  "{'apiVersion':'config.openshift.io/v1','kind':'Infrastructure','metadata':{'name':"
	  "'cluster'},'spec':{'cloudConfig':{'name':'x'}}}",
	  NULL,
	  "openshift-config-managed/kube-cloud-config configmap is required on platform None but "
	  "not found: configmap \"kube-cloud-config\" not found" },
	{ "a trust bundle without a certificate",
	  NS_OF("openshift-config", "user-ca-bundle") ",'data':{'ca-bundle.crt':'" CERT "'}}", NULL,
	  "configmap openshift-config/user-ca-bundle doesn't have a valid PEM bundle" },
	{ "an empty trust bundle is no fault",
	  NS_OF("openshift-config", "user-ca-bundle") ",'data':{'ca-bundle.crt':''}}", NULL, "" },
};

TEST faults_have_upstreams_texts(void)
{
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		struct cluster k;
		int rc;

		setup(&k, "001-none-fresh");
		if (faults[i].change)
			change(&k, faults[i].change);
		if (faults[i].drop)
			drop(&k, faults[i].drop);
		rc = run(&k);
		ASSERT_STR_M(faults[i].name, str_of(faults[i].error), rc < 0 ? k.err.msg : S(""));
		ASSERT_INT_M(faults[i].name, 0, (int)k.out.actions.n);
		arena_free(&k.a);
	}
	PASS();
}

TEST images_json_is_read_at_every_sync(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	k.c.view.images = S("{\"releaseVersion\":");
	ASSERT(run(&k) < 0);
	ASSERT_STR("could not parse images.json bytes: unexpected end of JSON input", k.err.msg);
	k.c.view.images_error = S("open /x/images.json: no such file or directory");
	ASSERT(run(&k) < 0);
	ASSERT_STR("open /x/images.json: no such file or directory", k.err.msg);
	k.c.view.images_error = S("");
	k.c.view.images = S("{}");
	ASSERT_INT(0, run(&k));
	ASSERT(k.out.wait.on);
	ASSERT_INT(3000, k.out.wait.limit_ms);
	ASSERT_STR("error during operator version check", k.out.wait.what);
	ASSERT_STR("refusing to read images.json version \"\", operator version \"4.22.0\"",
		   k.out.wait.why);
	arena_free(&k.a);
	PASS();
}

/* ---- what later steps get ------------------------------------------------ */

TEST later_steps_get_their_input(void)
{
	struct cluster k;

	setup(&k, "009-aws-proxy-trustbundle");
	ASSERT_INT(0, run(&k));
	ASSERT_STR("https://api-int.orchard.example.test:6443", k.r.api_url);
	ASSERT_STR("https://proxy.example.test:3129", json_str(k.r.proxy, "httpsProxy"));
	ASSERT_STR("VersionTLS12", k.r.tls.min_version);
	ASSERT_STR("AWS", json_str(k.r.infra, "status.platformStatus.type"));
	ASSERT(str_starts(k.r.root_ca, S("-----BEGIN CERTIFICATE-----\nMIIBtjCCAV2g")));
	ASSERT(str_find(json_str(k.r.images, "kubeRbacProxy"), S("/krp@sha256:")) > 0);
	ASSERT_INT(2, k.r.verbosity);
	arena_free(&k.a);

	setup(&k, "026-tls-custom-traceall");
	ASSERT_INT(0, run(&k));
	ASSERT_INT(8, k.r.verbosity);
	ASSERT(!k.r.proxy);
	arena_free(&k.a);

	setup(&k, "027-tls-modern");
	ASSERT_INT(0, run(&k));
	ASSERT_STR("VersionTLS13", k.r.tls.min_version);
	arena_free(&k.a);
	PASS();
}

TEST the_os_image_is_that_of_the_default_stream(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	VEC_PUSH(&k.a, &k.c.view.gates.enabled, S("OSStreams"));
	ASSERT(run(&k) < 0);
	ASSERT_STR("could not get OS images: could not get OSImageStream: "
		   "osimagestream.machineconfiguration.openshift.io \"cluster\" not found",
		   k.err.msg);
	change(&k, "{'apiVersion':'machineconfiguration.openshift.io/v1alpha1','kind':"
		   "'OSImageStream','metadata':{'name':'cluster'},'status':{'defaultStream':'b',"
		   "'availableStreams':[{'name':'a'}]}}");
	ASSERT(run(&k) < 0);
	ASSERT_STR("could not get OS images: could not get OSImageStream: "
		   "osimagestreams.machineconfiguration.openshift.io \"b\" not found",
		   k.err.msg);
	change(&k, "{'apiVersion':'machineconfiguration.openshift.io/v1alpha1','kind':"
		   "'OSImageStream','metadata':{'name':'cluster'},'status':{'defaultStream':'b',"
		   "'availableStreams':[{'name':'a','osImage':'i/a','osExtensionsImage':'e/a'},"
		   "{'name':'b','osImage':'i/b','osExtensionsImage':'e/b'}]}}");
	ASSERT_INT(0, run(&k));
	ASSERT_STR("i/b", k.r.os_image);
	ASSERT_STR("e/b", json_str(k.r.spec, "baseOSExtensionsContainerImage"));
	arena_free(&k.a);
	PASS();
}

/* ---- the internal registry ----------------------------------------------- */

TEST pull_secrets_are_checked(void)
{
	static const struct fault cases[] = {
		{ "a listed secret is missing", PULLER ",'imagePullSecrets':[{'name':'lost'}]}",
		  NULL, "failed to retrieve image pull secret lost: secret \"lost\" not found" },
		{ "the pull secret is of another type",
		  "{'apiVersion':'v1','kind':'Secret','metadata':{'namespace':'openshift-config',"
		  "'name':'pull-secret'},'type':'Opaque'}",
		  NULL, "expected secret type kubernetes.io/dockerconfigjson found Opaque" },
		{ "an empty pull secret is skipped",
		  "{'apiVersion':'v1','kind':'Secret','metadata':{'namespace':'openshift-config',"
		  "'name':'pull-secret'},'data':{'.dockerconfigjson':''}}",
		  NULL, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cluster k;
		int rc;

		setup(&k, "013-internal-registry-pull-secret");
		change(&k, cases[i].change);
		rc = run(&k);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].error), rc < 0 ? k.err.msg : S(""));
		arena_free(&k.a);
	}
	PASS();
}

TEST without_the_service_account_there_is_no_pull_secret(void)
{
	struct cluster k;

	setup(&k, "013-internal-registry-pull-secret");
	drop(&k, PULLER "}");
	ASSERT_INT(0, run(&k));
	ASSERT_INT(JSON_NULL, json_kind(json_at(k.r.spec, "internalRegistryPullSecret")));
	arena_free(&k.a);
	PASS();
}

static bool lacks_proxies(const struct operator_view *in, enum operator_kind kind)
{
	return kind != OPERATOR_PROXIES && operator_case_served(in, kind);
}

/* A ControllerConfig without its proxy would reboot every node. */
TEST a_proxy_that_is_unknown_is_not_an_absent_one(void)
{
	struct cluster k;

	setup(&k, "009-aws-proxy-trustbundle");
	ASSERT_INT(0, run(&k));
	ASSERT(k.r.proxy);
	operator_case_drop_kind(&k.c, "Proxy");
	k.c.view.served = lacks_proxies;
	ASSERT_INT(-ERR_AGAIN, run(&k));
	ASSERT_STR("the server does not have proxies.config.openshift.io", k.err.msg);
	k.c.view.served = operator_case_served;
	ASSERT_INT(0, run(&k));
	ASSERT_FALSE(k.r.proxy);
	arena_free(&k.a);
	PASS();
}

static bool lacks_operators(const struct operator_view *in, enum operator_kind kind)
{
	return kind != OPERATOR_CLUSTER_OPERATORS && operator_case_served(in, kind);
}

TEST a_registry_that_is_unknown_is_not_an_absent_one(void)
{
	struct cluster k;

	setup(&k, "013-internal-registry-pull-secret");
	ASSERT_INT(0, run(&k));
	ASSERT_INT(JSON_STRING, json_kind(json_at(k.r.spec, "internalRegistryPullSecret")));
	operator_case_drop_kind(&k.c, "ClusterOperator");
	k.c.view.served = lacks_operators;
	ASSERT_INT(-ERR_AGAIN, run(&k));
	ASSERT_STR("the server does not have clusteroperators.config.openshift.io", k.err.msg);
	k.c.view.served = operator_case_served;
	ASSERT_INT(0, run(&k));
	ASSERT_INT(JSON_NULL, json_kind(json_at(k.r.spec, "internalRegistryPullSecret")));
	arena_free(&k.a);
	PASS();
}

#define MERGED                                                                                      \
	"{'apiVersion':'v1','kind':'ConfigMap','metadata':{'namespace':'openshift-config-managed'," \
	"'name':'merged-trusted-image-registry-ca'}"

TEST the_merged_map_is_patched(void)
{
	struct cluster k;

	setup(&k, "011-image-registry-cas");
	change(&k,
	       MERGED ",'data':{'bin.example.test':'old','more':'x','plain.example.test':null}}");
	ASSERT_INT(0, run(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	ASSERT_INT(ACTION_MERGE, (int)k.out.actions.v[0].kind);
	ASSERT_STR("/api/v1/namespaces/openshift-config-managed/configmaps/"
		   "merged-trusted-image-registry-ca",
		   k.out.actions.v[0].path);
	ASSERT_INT(3, (int)json_len(json_at(fx_json(&k.a, k.out.actions.v[0].body), "data")));
	ASSERT(str_find(k.out.actions.v[0].body, S("\"more\":null")) >= 0);
	(void)operator_case_act(&k.c, &k.out.actions);
	ASSERT_INT(0, run(&k));
	ASSERT_INT(0, (int)k.out.actions.n);
	arena_free(&k.a);
	PASS();
}

/* A certificate in DER: the text of the merged map has U+FFFD for each such byte, as Go writes it. */
TEST bytes_that_are_not_text_do_not_keep_the_map_changing(void)
{
	struct cluster k;

	setup(&k, "011-image-registry-cas");
	change(&k, NS_OF("openshift-config", "orchard-registries") ",'binaryData':{'der':'MIL/'}}");
	ASSERT_INT(0, run(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	(void)operator_case_act(&k.c, &k.out.actions);
	ASSERT_INT(0, run(&k));
	ASSERT_INT(0, (int)k.out.actions.n);
	ASSERT(str_find(json_format(&k.a, k.r.spec, 0), S("\"MIL/\"")) >= 0);
	arena_free(&k.a);
	PASS();
}

/* ---- kubeconfig-data ----------------------------------------------------- */

static int rotate(struct cluster *k)
{
	k->out = (struct operator_result){ 0 };
	return operator_kubeconfig_data(&k->a, &k->c.view, &k->m, &k->out, &k->err);
}

#define SERVER_CA(text)                                               \
	NS_OF("openshift-config-managed", "kube-apiserver-server-ca") \
	",'data':{'ca-bundle.crt':'" text "'}}"

TEST a_missing_copy_is_created_at_once(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	change(&k, SERVER_CA("one!"));
	drop(&k, NS_OF("openshift-machine-config-operator", "kubeconfig-data") "}");
	ASSERT_INT(0, rotate(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	ASSERT_INT(ACTION_CREATE, (int)k.out.actions.v[0].kind);
	ASSERT_STR("/api/v1/namespaces/openshift-machine-config-operator/configmaps",
		   k.out.actions.v[0].path);
	ASSERT_STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
		   "\"kubeconfig-data\",\"namespace\":\"openshift-machine-config-operator\"},"
		   "\"binaryData\":{\"ca-bundle.crt\":\"b25lIQ==\"}}",
		   k.out.actions.v[0].body);
	ASSERT(k.m.ca_rotated);
	(void)operator_case_act(&k.c, &k.out.actions);
	ASSERT_INT(0, rotate(&k));
	ASSERT_INT(0, (int)(k.out.actions.n + (size_t)k.out.again_ms));
	arena_free(&k.a);
	PASS();
}

TEST a_new_ca_is_copied_after_a_minute_of_stability(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	ASSERT_INT(0, rotate(&k));
	ASSERT_INT(0, (int)(k.out.actions.n + (size_t)k.out.again_ms));
	change(&k, SERVER_CA("one!"));
	ASSERT_INT(0, rotate(&k));
	ASSERT_INT(0, (int)k.out.actions.n);
	ASSERT_INT(15000, k.out.again_ms);
	k.c.view.clock_ms += 50000;
	change(&k, SERVER_CA("two!")); /* changed again: the minute begins anew */
	ASSERT_INT(0, rotate(&k));
	k.c.view.clock_ms += 55000;
	ASSERT_INT(0, rotate(&k));
	ASSERT_INT(0, (int)k.out.actions.n);
	ASSERT_INT(5000, k.out.again_ms);
	ASSERT(!k.m.ca_rotated);
	k.c.view.clock_ms += 5000;
	ASSERT_INT(0, rotate(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	ASSERT_INT(ACTION_MERGE, (int)k.out.actions.v[0].kind);
	ASSERT_STR("{\"binaryData\":{\"ca-bundle.crt\":\"dHdvIQ==\"}}", k.out.actions.v[0].body);
	ASSERT(k.m.ca_rotated);
	ASSERT_INT(0, run(&k));
	ASSERT(k.r.ca_rotated);
	arena_free(&k.a);
	PASS();
}

TEST a_change_that_is_undone_is_not_copied(void)
{
	struct cluster k;
	struct json *before;

	setup(&k, "001-none-fresh");
	before = json_clone(&k.a, operator_case_find(&k.c.objects, "ConfigMap",
						     "openshift-config-managed/"
						     "kube-apiserver-server-ca"));
	change(&k, SERVER_CA("one!"));
	ASSERT_INT(0, rotate(&k));
	operator_case_put(&k.c, before);
	ASSERT_INT(0, rotate(&k));
	k.c.view.clock_ms += 100000;
	change(&k, SERVER_CA("one!"));
	ASSERT_INT(0, rotate(&k));
	ASSERT_INT(0, (int)k.out.actions.n);
	arena_free(&k.a);
	PASS();
}

/* ---- a cluster without config.openshift.io ------------------------------- */

#define NODE(name, label)                                                                 \
	"{'apiVersion':'v1','kind':'Node','metadata':{'name':'" name "','labels':{" label \
	"'x':''}}}"

TEST a_plain_cluster_is_described_by_flags_and_nodes(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	k.c.objects.n = 0;
	k.c.view.standalone = true;
	k.c.view.api_url = S("https://10.0.0.1:6443");
	k.c.view.service_network = S("10.96.0.0/12, fd00::/112");
	ASSERT(run(&k) < 0);
	ASSERT_STR("could not get MCSC CA bundle: the CA of the cluster is unknown: there is "
		   "neither ConfigMap openshift-machine-config-operator/kube-root-ca.crt nor "
		   "kube-public/cluster-info; give --root-ca",
		   k.err.msg);
	change(&k, NS_OF("openshift-machine-config-operator",
			 "kube-root-ca.crt") ",'data':{'ca.crt':'one!'}}");
	change(&k, NODE("a", "'node-role.kubernetes.io/control-plane':'true',"));
	change(&k, NODE("b", ""));
	ASSERT_INT(0, run(&k));
	ASSERT_INT(0, (int)k.out.actions.n);
	ASSERT_STR("https://10.0.0.1:6443", k.r.api_url);
	ASSERT_STR("one!", k.r.root_ca);
	ASSERT_STR("b25lIQ==", json_str(k.r.spec, "kubeAPIServerServingCAData"));
	ASSERT_STR("10.96.0.10", json_str(k.r.spec, "clusterDNSIP"));
	ASSERT_STR("DualStack", json_str(k.r.spec, "ipFamilies"));
	ASSERT_STR("none", json_str(k.r.spec, "platform"));
	ASSERT_STR("SingleReplica", json_str(k.r.infra, "status.controlPlaneTopology"));
	ASSERT_STR("", json_str(k.r.spec, "baseOSContainerImage"));
	ASSERT_EQ(NULL, json_at(k.r.spec, "pullSecret"));
	change(&k, NODE("b", "'node-role.kubernetes.io/master':'',"));
	ASSERT_INT(0, run(&k));
	ASSERT_STR("HighlyAvailable", json_str(k.r.infra, "status.controlPlaneTopology"));
	ASSERT_STR("HighlyAvailable", json_str(k.r.infra, "status.infrastructureTopology"));
	ASSERT_INT(0, rotate(&k));
	ASSERT_INT(ACTION_CREATE, (int)k.out.actions.v[0].kind);
	arena_free(&k.a);
	PASS();
}

/* A node that joins the control plane must not change the configuration of all others. */
TEST a_plain_cluster_keeps_its_topology(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	k.c.objects.n = 0;
	k.c.view.standalone = true;
	k.c.view.root_ca = S("one!");
	k.c.view.service_network = S("10.96.0.0/12");
	change(&k, NODE("a", "'node-role.kubernetes.io/control-plane':'',"));
	change(&k, NODE("b", "'node-role.kubernetes.io/control-plane':'',"));
	change(&k, "{'apiVersion':'machineconfiguration.openshift.io/v1','kind':'ControllerConfig',"
		   "'metadata':{'name':'machine-config-controller'},'spec':{'infra':{'status':{"
		   "'controlPlaneTopology':'SingleReplica'}}}}");
	ASSERT_INT(0, run(&k));
	ASSERT_STR("SingleReplica", json_str(k.r.infra, "status.controlPlaneTopology"));
	ASSERT_STR("SingleReplica", json_str(k.r.infra, "status.infrastructureTopology"));
	operator_case_drop_kind(&k.c, "ControllerConfig");
	ASSERT_INT(0, run(&k));
	ASSERT_STR("HighlyAvailable", json_str(k.r.infra, "status.controlPlaneTopology"));
	arena_free(&k.a);
	PASS();
}

#define SERVICE_CIDR(cidrs)                                                             \
	"{'apiVersion':'networking.k8s.io/v1','kind':'ServiceCIDR','metadata':{'name':" \
	"'kubernetes'},'spec':{'cidrs':[" cidrs "]}}"
#define KUBE_DNS(ip)                                                                      \
	"{'apiVersion':'v1','kind':'Service','metadata':{'name':'kube-dns','namespace':'" \
	"kube-system'},'spec':{'clusterIP':'" ip "'}}"
#define UNKNOWN_NETWORK                                                                \
	"the service network is unknown: there is neither ServiceCIDR kubernetes nor " \
	"Service kube-system/kube-dns; give --service-network"

/* What the cluster has, and what the flags say instead: the facts of the ControllerConfig. */
TEST the_facts_of_a_plain_cluster(void)
{
	static const struct {
		const char *name, *objects[2], *network, *dns;
		const char *ip, *families, *error;
	} cases[] = {
		{ "nothing is known", { NULL }, "", "", "", "", UNKNOWN_NETWORK },
		{ "the ServiceCIDR of the API server",
		  { SERVICE_CIDR("'10.43.0.0/16'") },
		  "",
		  "",
		  "10.43.0.10",
		  "IPv4",
		  "" },
		{ "two networks",
		  { SERVICE_CIDR("'fd00::/112','10.43.0.0/16'") },
		  "",
		  "",
		  "fd00::a",
		  "DualStackIPv6Primary",
		  "" },
		{ "the Service of the DNS",
		  { SERVICE_CIDR("'10.43.0.0/16'"), KUBE_DNS("10.43.0.3") },
		  "",
		  "",
		  "10.43.0.3",
		  "IPv4",
		  "" },
		{ "its address alone", { KUBE_DNS("10.43.0.3") }, "", "", "10.43.0.3", "IPv4", "" },
		{ "its address alone, IPv6",
		  { KUBE_DNS("fd00::3") },
		  "",
		  "",
		  "fd00::3",
		  "IPv6",
		  "" },
		{ "a DNS without an address",
		  { KUBE_DNS("None") },
		  "",
		  "",
		  "",
		  "",
		  UNKNOWN_NETWORK },
		{ "the network of the flag",
		  { SERVICE_CIDR("'10.43.0.0/16'") },
		  "10.96.0.0/12,fd00::/112",
		  "",
		  "10.96.0.10",
		  "DualStack",
		  "" },
		{ "the address of the flag",
		  { SERVICE_CIDR("'10.43.0.0/16'"), KUBE_DNS("10.43.0.3") },
		  "",
		  "169.254.20.10",
		  "169.254.20.10",
		  "IPv4",
		  "" },
		{ "a network that is none",
		  { NULL },
		  "10.96.0.0",
		  "",
		  "",
		  "",
		  "invalid CIDR address: 10.96.0.0" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cluster k;
		int rc;

		setup(&k, "001-none-fresh");
		k.c.objects.n = 0;
		k.c.view.standalone = true;
		k.c.view.api_url = S("https://10.0.0.1:6443");
		k.c.view.root_ca = S("of the flag");
		k.c.view.service_network = str_of(cases[i].network);
		k.c.view.cluster_dns = str_of(cases[i].dns);
		for (size_t n = 0; n < 2 && cases[i].objects[n]; n++)
			change(&k, cases[i].objects[n]);
		rc = run(&k);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].error), rc < 0 ? k.err.msg : S(""));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].ip),
			     json_str(k.r.spec, "clusterDNSIP"));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].families),
			     json_str(k.r.spec, "ipFamilies"));
		if (rc == 0)
			ASSERT_STR("of the flag", k.r.root_ca);
		arena_free(&k.a);
	}
	PASS();
}

TEST the_ca_that_kubeadm_publishes(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	k.c.objects.n = 0;
	k.c.view.standalone = true;
	k.c.view.service_network = S("10.96.0.0/12");
	change(&k,
	       NS_OF("kube-public",
		     "cluster-info") ",'data':{'kubeconfig':'clusters:\\n- name: x\\n"
				     "  cluster:\\n    certificate-authority-data: b25lIQ==\\n'}}");
	ASSERT_INT(0, run(&k));
	ASSERT_STR("one!", k.r.root_ca);
	change(&k, NS_OF("kube-public", "cluster-info") ",'data':{'kubeconfig':'clusters: {'}}");
	ASSERT(run(&k) < 0);
	change(&k, NS_OF("kube-public", "cluster-info") ",'data':{'kubeconfig':null}}");
	ASSERT(run(&k) < 0);
	arena_free(&k.a);
	PASS();
}

TEST a_missing_map_of_registry_cas_is_logged(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	change(&k, "{'apiVersion':'config.openshift.io/v1','kind':'Image','metadata':{'name':"
		   "'cluster'},'spec':{'additionalTrustedCA':{'name':'nowhere'}}}");
	ASSERT_INT(0, run(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	ASSERT_INT(ACTION_LOG, (int)k.out.actions.v[0].kind);
	ASSERT_STR("could not find configmap specified in image.config.openshift.io/cluster with "
		   "the name nowhere",
		   k.out.actions.v[0].reason);
	ASSERT(k.r.spec);
	arena_free(&k.a);
	PASS();
}

/* ---- robustness ---------------------------------------------------------- */

/* Each object in turn is absent, or has a part of another type: a result or an error with a text. */
TEST any_object_may_be_absent_or_malformed(void)
{
	static const char *const parts[] = { "",     "spec",	   "data",    "status",
					     "type", "binaryData", "metadata" };
	size_t n = 1;

	for (size_t i = 0; i < n; i++)
		for (size_t p = 0; p < ARRAY_LEN(parts); p++) {
			struct cluster k;
			struct json *j;
			int rc;

			setup(&k, "013-internal-registry-pull-secret");
			n = k.c.objects.n;
			j = k.c.objects.v[i].tree;
			if (!p)
				operator_case_drop(&k.c, j);
			else if (p + 1 < ARRAY_LEN(parts))
				json_set(j, str_of(parts[p]), json_new_str(&k.a, S("x")));
			else
				(void)json_remove(json_at(j, "metadata"), S("annotations"));
			rc = run(&k);
			ASSERT(rc >= 0 || k.err.msg.n);
			k.out = (struct operator_result){ 0 };
			rc = operator_machine_configuration(&k.a, &k.c.view, &k.m, &k.out, &k.err);
			ASSERT(rc >= 0 || k.err.msg.n);
			rc = rotate(&k);
			ASSERT(rc >= 0 || k.err.msg.n);
			arena_free(&k.a);
		}
	ASSERT(n > 50);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(a_plain_cluster_is_described_by_flags_and_nodes);
	RUN_TEST(a_plain_cluster_keeps_its_topology);
	RUN_TEST(the_facts_of_a_plain_cluster);
	RUN_TEST(the_ca_that_kubeadm_publishes);
	RUN_TEST(a_missing_map_of_registry_cas_is_logged);
	RUN_TEST(any_object_may_be_absent_or_malformed);
	RUN_TEST(faults_have_upstreams_texts);
	RUN_TEST(images_json_is_read_at_every_sync);
	RUN_TEST(later_steps_get_their_input);
	RUN_TEST(the_os_image_is_that_of_the_default_stream);
	RUN_TEST(pull_secrets_are_checked);
	RUN_TEST(without_the_service_account_there_is_no_pull_secret);
	RUN_TEST(a_proxy_that_is_unknown_is_not_an_absent_one);
	RUN_TEST(a_registry_that_is_unknown_is_not_an_absent_one);
	RUN_TEST(the_merged_map_is_patched);
	RUN_TEST(bytes_that_are_not_text_do_not_keep_the_map_changing);
	RUN_TEST(a_missing_copy_is_created_at_once);
	RUN_TEST(a_new_ca_is_copied_after_a_minute_of_stability);
	RUN_TEST(a_change_that_is_undone_is_not_copied);
}

TEST_MAIN(suite)
