/* CRIOCredentialProviderConfig cluster: the provider file generated from it, and its status. */
#include "base/codec.h"
#include "fixture.h"
#include "plan/credentials.h"

struct world {
	struct arena a;
	struct mc_controller_config cc;
	struct mc_list mcs;
	struct mcp_list pools;
	struct template_file files[1];
	struct template_tree tree;
	struct template_input templates;
	struct runtime_view in;
	struct actions out;
	struct err err;
};

static void add_pool(struct world *w, const char *name, const char *label)
{
	struct mcp *p = ARENA_NEW(&w->a, struct mcp);
	struct doc d = fx_doc(&w->a, str_fmt(&w->a,
					     "{'apiVersion':'machineconfiguration.openshift.io/v1',"
					     "'kind':'MachineConfigPool','metadata':{'name':'%s',"
					     "'labels':{%s}},'spec':{}}",
					     name, label)
					     .p);

	if (mcp_decode(&w->a, &d, p, &w->err) < 0)
		abort();
	VEC_PUSH(&w->a, &w->pools, p);
}

static void start(struct world *w, const char *platform, const char *file)
{
	*w = (struct world){ 0 };
	w->err = ERR_INIT(&w->a);
	fx_cc(&w->a,
	      str_fmt(&w->a,
		      "{'apiVersion':'machineconfiguration.openshift.io/v1',"
		      "'kind':'ControllerConfig','metadata':{'name':"
		      "'machine-config-controller'},'spec':{'infra':{'status':"
		      "{'platformStatus':{'type':'%s'}}}}}",
		      platform)
		      .p,
	      &w->cc);
	add_pool(w, "infra", "");
	add_pool(w, "worker", "'machineconfiguration.openshift.io/mco-built-in':''");
	w->files[0] = (struct template_file){
		S("worker/00-w/aws/files/providers"),
		str_fmt(&w->a,
			"path: /etc/kubernetes/credential-providers/%s\n"
			"contents:\n  inline: |\n"
			"    apiVersion: kubelet.config.k8s.io/v1\n"
			"    kind: CredentialProviderConfig\n"
			"    providers:\n"
			"      - name: ecr-credential-provider\n"
			"        matchImages: ['*.ecr.example', taken.io/a]\n"
			"        defaultCacheDuration: \"12h\"\n"
			"        apiVersion: "
			"credentialprovider.kubelet.k8s.io/v1\n",
			file)
	};
	w->tree = (struct template_tree){ .dir = S("/t"), .v = w->files, .n = 1 };
	w->templates = (struct template_input){ .tree = &w->tree,
						.controller_config = &w->cc,
						.pull_secret = S("{}"),
						.hash = S("h1") };
	w->in = (struct runtime_view){
		.owned = { .now = { 1700000000, 0 },
			   .hash = S("h1"),
			   .kind = &owned_runtime,
			   .pools = &w->pools,
			   .mcs = &w->mcs },
		.templates = &w->templates,
	};
}

static const struct json *config_of(struct world *w, const char *images, const char *status)
{
	return fx_quote(&w->a, str_fmt(&w->a,
				       "{'apiVersion':'config.openshift.io/v1alpha1','kind':"
				       "'CRIOCredentialProviderConfig','metadata':{'name':"
				       "'cluster','uid':'u1','generation':3},"
				       "'spec':{'matchImages':[%s]}%s}",
				       images, status)
				       .p);
}

/* The text of the n-th file in the body of an action, and its path. */
static struct str file_in(struct world *w, size_t i, size_t n, struct str *path)
{
	const struct json *j = fx_json(&w->a, w->out.v[i].body);
	const struct json *f = json_first(json_at(j, "spec.config.storage.files"));
	struct str source, text;

	while (f && n--)
		f = json_next(f);
	*path = json_str(f, "path");
	source = json_str(f, "contents.source");
	if (!source.n)
		return S("");
	source = str_from(source, strlen("data:text/plain;charset=utf-8;base64,"));
	if (base64_decode(&w->a, source, &text, &w->err) < 0)
		abort();
	return text;
}

static const char OURS[] = "- apiVersion: credentialprovider.kubelet.k8s.io/v1\n"
			   "  defaultCacheDuration: 1s\n"
			   "  matchImages:\n"
			   "  - '*.other.io'\n"
			   "  - b.io/x\n"
			   "  name: crio-credential-provider\n"
			   "  tokenAttributes:\n"
			   "    cacheType: Token\n"
			   "    requireServiceAccount: false\n"
			   "    serviceAccountTokenAudience: https://kubernetes.default.svc\n";

#define HEAD                                     \
	"apiVersion: kubelet.config.k8s.io/v1\n" \
	"kind: CredentialProviderConfig\nproviders:\n"

TEST a_platform_without_providers(void)
{
	struct world w;
	struct str path;

	start(&w, "None", "x");
	ASSERT_INT(0, plan_credentials_sync(&w.a, &w.in,
					    config_of(&w, "'b.io/x','*.other.io','b.io/x'", ""),
					    &w.out, &w.err));
	/* the MachineConfig, its metric, the status: for no other pool */
	ASSERT_INT(3, (long long)w.out.n);
	ASSERT_STR(str_fmt(&w.a, HEAD "%s", OURS).p, file_in(&w, 0, 0, &path));
	ASSERT_STR("/etc/kubernetes/credential-providers/"
		   "generic-credential-provider.yaml",
		   path);
	ASSERT_STR("[Service]\n# Prepends the credential provider flags to the "
		   "existing Kubelet arguments\nEnvironment=\""
		   "KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS="
		   "--image-credential-provider-bin-dir=/usr/libexec/"
		   "kubelet-image-credential-provider-plugins "
		   "--image-credential-provider-config=/etc/kubernetes/"
		   "credential-providers/generic-credential-provider.yaml\"\n",
		   file_in(&w, 0, 1, &path));
	ASSERT_STR("/etc/systemd/system/kubelet.service.d/"
		   "40-kubelet-crio-image-credential-provider.conf",
		   path);
	ASSERT_STR("{\"apiVersion\":\"config.openshift.io/v1alpha1\",\"kind\":"
		   "\"CRIOCredentialProviderConfig\",\"name\":\"cluster\","
		   "\"uid\":\"u1\"}",
		   json_format(&w.a,
			       json_first(json_at(fx_json(&w.a, w.out.v[0].body),
						  "metadata.ownerReferences")),
			       0));
	arena_free(&w.a);
	PASS();
}

TEST a_platform_with_providers(void)
{
	struct world w;
	struct str path;

	start(&w, "AWS", "ecr-credential-provider.yaml");
	ASSERT_INT(0, plan_credentials_sync(&w.a, &w.in,
					    config_of(&w,
						      "'taken.io','b.io/x','a.ecr.example/r'"
						      ",'*.other.io'",
						      ""),
					    &w.out, &w.err));
	ASSERT_STR(str_fmt(&w.a,
			   HEAD "- apiVersion: credentialprovider.kubelet.k8s.io/v1\n"
				"  defaultCacheDuration: 12h0m0s\n"
				"  matchImages:\n  - '*.ecr.example'\n"
				"  - taken.io/a\n  name: ecr-credential-provider\n%s",
			   OURS)
			   .p,
		   file_in(&w, 0, 0, &path));
	ASSERT_STR("/etc/kubernetes/credential-providers/"
		   "ecr-credential-provider.yaml",
		   path);
	ASSERT_STR("", file_in(&w, 0, 1, &path));
	ASSERT_STR("{\"conditions\":[{\"lastTransitionTime\":"
		   "\"2023-11-14T22:13:20Z\",\"message\":"
		   "\"CRIOCredentialProviderConfig has one or multiple entries "
		   "that overlap with the original credential provider config. "
		   "Skip rendering entries: [a.ecr.example/r taken.io].\","
		   "\"reason\":"
		   "\"ConfigurationPartiallyApplied\",\"status\":\"False\","
		   "\"type\":\"Validated\",\"observedGeneration\":3},{\"lastTransitionTime\":"
		   "\"2023-11-14T22:13:20Z\",\"message\":\"Success\","
		   "\"reason\":"
		   "\"MachineConfigRenderingSucceeded\",\"status\":\"True\","
		   "\"type\":\"MachineConfigRendered\",\"observedGeneration\":3}]}",
		   json_format(&w.a, json_at(fx_json(&w.a, w.out.v[2].body), "status"), 0));
	arena_free(&w.a);
	PASS();
}

TEST all_of_them_taken(void)
{
	struct world w;
	struct str path;

	start(&w, "AWS", "ecr-credential-provider.yaml");
	ASSERT_INT(0, plan_credentials_sync(&w.a, &w.in, config_of(&w, "'taken.io/a/b'", ""),
					    &w.out, &w.err));
	(void)file_in(&w, 0, 0, &path);
	ASSERT_STR("", path);
	arena_free(&w.a);
	PASS();
}

/* An unchanged condition is not written; other conditions stay. */
TEST told_once(void)
{
	struct world w;

	start(&w, "AWS", "another.yaml");
	ASSERT_INT(-ERR_AGAIN,
		   plan_credentials_sync(&w.a, &w.in,
					 config_of(&w, "'b.io'",
						   ",'status':{'conditions':[{'type':"
						   "'MachineConfigRendered','status':"
						   "'False','lastTransitionTime':"
						   "'2020-01-01T00:00:00Z','reason':'x',"
						   "'message':'y'},{'type':'Mine'}]}"),
					 &w.out, &w.err));
	ASSERT_INT(1, (long long)w.out.n);
	ASSERT_STR("{\"conditions\":[{\"type\":\"MachineConfigRendered\","
		   "\"status\":\"False\",\"lastTransitionTime\":"
		   "\"2020-01-01T00:00:00Z\",\"reason\":"
		   "\"MachineConfigRenderingFailed\",\"message\":\"could not "
		   "Create/Update MachineConfig: could not generate original "
		   "CRIOCredentialProvider config for role worker: could not "
		   "generate original credential provider configs: could not find "
		   "CRIOCredentialProvider Config\",\"observedGeneration\":3},"
		   "{\"type\":\"Mine\"}]}",
		   json_format(&w.a, json_at(fx_json(&w.a, w.out.v[0].body), "status"), 0));
	arena_free(&w.a);
	PASS();
}

SUITE(credentials)
{
	RUN_TEST(a_platform_without_providers);
	RUN_TEST(a_platform_with_providers);
	RUN_TEST(all_of_them_taken);
	RUN_TEST(told_once);
}

TEST_MAIN(credentials)
