/*
 * What the operator writes for a desired object over a live one, and that at rest it writes nothing.
 */
#include "actions_print.h"
#include "operator_case.h"
#include "plan/operator/op_apply.h"
#include "plan/operator_manifests.h"

#define OBJECTS "test/golden/operator-objects/"
#define NS "openshift-machine-config-operator"

static struct json *parse(struct arena *a, const char *text)
{
	struct err err = ERR_INIT(a);
	struct docs docs = { 0 };

	if (docs_parse(a, str_of(text), &docs, NULL, &err) < 0) {
		(void)printf("%s: %.*s\n", text, STRF(err.msg));
		abort();
	}
	return docs.v[0].tree;
}

static void start(struct arena *a, struct operator_case *c)
{
	*c = (struct operator_case){ .a = a };
	c->view = (struct operator_view){ .get = operator_case_get,
					  .list = operator_case_list,
					  .served = operator_case_served,
					  .ctx = c };
}

static struct str apply(struct operator_case *c, struct json *desired)
{
	struct actions out = { 0 };
	struct buf b;

	buf_init(&b, c->a);
	(void)operator_apply_one(c->a, &c->view, desired, "", &out);
	actions_print(&b, &out);
	return buf_str(&b);
}

/* ---- one object ---------------------------------------------------------- */

#define ROLE "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, "
#define BINDING "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, "
#define CORE(kind) "{apiVersion: v1, kind: " kind ", "
#define POD_LIVE                                                                                \
	"tolerations: [{key: x, operator: Exists}, {key: b, operator: Equal}], "                \
	"nodeSelector: {mine: ''}, volumes: [{name: other, emptyDir: {}}], "                    \
	"containers: [{name: c, image: i, terminationMessagePath: /dev/termination-log, "       \
	"resources: {}, ports: [{containerPort: 1, hostPort: 1, protocol: TCP}], args: [a]}], " \
	"restartPolicy: Always, securityContext: {}, hostNetwork: true"
#define DAEMON "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, namespace: " NS

static const struct apply_case {
	const char *name, *live, *desired, *want;
} cases[] = {
	{ "creates what is missing and says so", NULL,
	  ROLE "metadata: {name: r}, rules: [{apiGroups: [''], verbs: [get]}]}",
	  "0 POST /apis/rbac.authorization.k8s.io/v1/clusterroles {\"apiVersion\":"
	  "\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRole\",\"metadata\":{\"name\":\"r\"},"
	  "\"rules\":[{\"apiGroups\":[\"\"],\"verbs\":[\"get\"]}]}  # it is missing\n"
	  "1 EVENT Normal ClusterRoleCreated on Deployment/machine-config-operator: Created "
	  "ClusterRole.rbac.authorization.k8s.io/r because it was missing\n" },
	{ "names the namespace, and no group for core kinds", NULL,
	  CORE("ServiceAccount") "metadata: {name: s, namespace: " NS "}}",
	  "0 POST /api/v1/namespaces/" NS "/serviceaccounts {\"apiVersion\":\"v1\",\"kind\":"
	  "\"ServiceAccount\",\"metadata\":{\"name\":\"s\",\"namespace\":\"" NS
	  "\"}}  # it is missing\n"
	  "1 EVENT Normal ServiceAccountCreated on Deployment/machine-config-operator: Created "
	  "ServiceAccount/s -n " NS " because it was missing\n" },
	{ "keeps labels and annotations of others",
	  ROLE "metadata: {name: r, resourceVersion: '7', labels: {a: b}, annotations: {c: d}}, "
	       "rules: null}",
	  ROLE "metadata: {name: r}, rules: []}", "" },
	{ "restores rules",
	  ROLE "metadata: {name: r, resourceVersion: '7', labels: {a: b}}, "
	       "rules: [{verbs: [get, list]}]}",
	  ROLE "metadata: {name: r, labels: {c: d}}, rules: [{verbs: [get]}]}",
	  "0 PUT /apis/rbac.authorization.k8s.io/v1/clusterroles/r {\"apiVersion\":"
	  "\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRole\",\"metadata\":{\"name\":\"r\","
	  "\"resourceVersion\":\"7\",\"labels\":{\"a\":\"b\",\"c\":\"d\"}},\"rules\":[{\"verbs\":"
	  "[\"get\"]}]}  # it differs from the manifest\n"
	  "1 EVENT Normal ClusterRoleUpdated on Deployment/machine-config-operator: Updated "
	  "ClusterRole.rbac.authorization.k8s.io/r because it changed\n" },
	{ "replaces subjects",
	  BINDING "metadata: {name: b, namespace: default}, roleRef: {kind: Role, name: r}, "
		  "subjects: [{kind: User, name: eve}]}",
	  BINDING "metadata: {name: b, namespace: default}, roleRef: {kind: Role, name: r}, "
		  "subjects: [{kind: User, name: adam}]}",
	  "0 PUT /apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/b "
	  "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"RoleBinding\",\"metadata\":"
	  "{\"name\":\"b\",\"namespace\":\"default\"},\"roleRef\":{\"kind\":\"Role\",\"name\":"
	  "\"r\"},\"subjects\":[{\"kind\":\"User\",\"name\":\"adam\"}]}  # it differs from the "
	  "manifest\n"
	  "1 EVENT Normal RoleBindingUpdated on Deployment/machine-config-operator: Updated "
	  "RoleBinding.rbac.authorization.k8s.io/b -n default because it changed\n" },
	{ "makes a binding with another role again, for the server does not change it",
	  BINDING "metadata: {name: b, namespace: default}, roleRef: {kind: Role, name: old}}",
	  BINDING "metadata: {name: b, namespace: default}, roleRef: {kind: Role, name: r}}",
	  "0 DELETE /apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/b  # immutable "
	  "fields differ\n"
	  "1 POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings "
	  "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"RoleBinding\",\"metadata\":"
	  "{\"name\":\"b\",\"namespace\":\"default\"},\"roleRef\":{\"kind\":\"Role\",\"name\":"
	  "\"r\"}}  # it is missing\n"
	  "2 EVENT Normal RoleBindingCreated on Deployment/machine-config-operator: Created "
	  "RoleBinding.rbac.authorization.k8s.io/b -n default because it was missing\n" },
	{ "removes a key that was added to a ConfigMap",
	  CORE("ConfigMap") "metadata: {name: m, namespace: " NS "}, data: {a: b, c: d}}",
	  CORE("ConfigMap") "metadata: {name: m, namespace: " NS "}, data: {a: b}}",
	  "0 PUT /api/v1/namespaces/" NS "/configmaps/m {\"apiVersion\":\"v1\",\"kind\":"
	  "\"ConfigMap\",\"metadata\":{\"name\":\"m\",\"namespace\":\"" NS "\"},\"data\":{\"a\":"
	  "\"b\"}}  # it differs from the manifest\n"
	  "1 EVENT Normal ConfigMapUpdated on Deployment/machine-config-operator: Updated "
	  "ConfigMap/m -n " NS " because it changed\n" },
	{ "keeps the data of a service account's token",
	  CORE("Secret") "metadata: {name: s, namespace: " NS "}, data: {token: eA==}, "
			 "type: kubernetes.io/service-account-token}",
	  CORE("Secret") "metadata: {name: s, namespace: " NS "}, "
			 "type: kubernetes.io/service-account-token}",
	  "" },
	{ "replaces the data of another Secret",
	  CORE("Secret") "metadata: {name: s, namespace: openshift-machine-api}, type: Opaque, "
			 "data: {a: eA==, b: eA==}}",
	  CORE("Secret") "metadata: {name: s, namespace: openshift-machine-api}, type: Opaque, "
			 "data: {a: eQ==}}",
	  "0 PUT /api/v1/namespaces/openshift-machine-api/secrets/s {\"apiVersion\":\"v1\","
	  "\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\",\"namespace\":"
	  "\"openshift-machine-api\"},\"type\":\"Opaque\",\"data\":{\"a\":\"eQ==\"}}  # it differs "
	  "from the manifest\n"
	  "1 EVENT Normal SecretUpdated on Deployment/machine-config-operator: Updated Secret/s -n "
	  "openshift-machine-api because it changed\n" },
	{ "makes a Secret of another type again",
	  CORE("Secret") "metadata: {name: s, namespace: " NS "}, type: Opaque}",
	  CORE("Secret") "metadata: {name: s, namespace: " NS "}, "
			 "type: kubernetes.io/service-account-token}",
	  "0 DELETE /api/v1/namespaces/" NS "/secrets/s  # immutable fields differ\n"
	  "1 POST /api/v1/namespaces/" NS "/secrets {\"apiVersion\":\"v1\",\"kind\":\"Secret\","
	  "\"metadata\":{\"name\":\"s\",\"namespace\":\"" NS "\"},\"type\":"
	  "\"kubernetes.io/service-account-token\"}  # it is missing\n"
	  "2 EVENT Normal SecretCreated on Deployment/machine-config-operator: Created Secret/s -n " NS
	  " because it was missing\n" },
	{ "leaves tolerations, volumes and selectors that others added to a workload",
	  DAEMON ", labels: {theirs: x}}, spec: {template: {metadata: {annotations: {k: v}}, "
		 "spec: {" POD_LIVE "}}}}",
	  DAEMON "}, spec: {template: {spec: {tolerations: [{key: b, operator: Equal}], "
		 "nodeSelector: {mine: ''}, containers: [{name: c, image: i, args: [a], ports: "
		 "[{containerPort: 1, protocol: TCP}]}], hostNetwork: true}}}}",
	  "" },
	{ "restores the containers of a workload and adds what is missing, without an Event",
	  DAEMON "}, spec: {template: {spec: {" POD_LIVE "}}}}",
	  DAEMON "}, spec: {template: {metadata: {labels: {l: m}}, spec: {tolerations: "
		 "[{key: b, operator: Exists}, {operator: Exists}], nodeSelector: {os: linux}, "
		 "volumes: [{name: v, hostPath: {path: /}}], containers: [{name: c, image: i, "
		 "args: [b]}], hostNetwork: true, priorityClassName: p}}}}",
	  "0 PUT /apis/apps/v1/namespaces/" NS "/daemonsets/d {\"apiVersion\":\"apps/v1\",\"kind\":"
	  "\"DaemonSet\",\"metadata\":{\"name\":\"d\",\"namespace\":\"" NS "\"},\"spec\":"
	  "{\"template\":{\"spec\":{\"tolerations\":[{\"key\":\"x\",\"operator\":\"Exists\"},"
	  "{\"key\":\"b\",\"operator\":\"Exists\"},{\"operator\":\"Exists\"}],\"nodeSelector\":"
	  "{\"mine\":\"\",\"os\":\"linux\"},\"volumes\":[{\"name\":\"other\",\"emptyDir\":{}},"
	  "{\"name\":\"v\",\"hostPath\":{\"path\":\"/\"}}],\"containers\":[{\"name\":\"c\","
	  "\"image\":\"i\",\"args\":[\"b\"]}],\"restartPolicy\":\"Always\",\"securityContext\":{},"
	  "\"hostNetwork\":true,\"priorityClassName\":\"p\"},\"metadata\":{\"labels\":{\"l\":"
	  "\"m\"}}}}}  # it differs from the manifest\n" },
	{ "removes what others added to a container",
	  DAEMON "}, spec: {template: {spec: {containers: [{name: c, image: i, stdin: true}]}}}}",
	  DAEMON "}, spec: {template: {spec: {containers: [{name: c, image: i}]}}}}",
	  "0 PUT /apis/apps/v1/namespaces/" NS "/daemonsets/d {\"apiVersion\":\"apps/v1\",\"kind\":"
	  "\"DaemonSet\",\"metadata\":{\"name\":\"d\",\"namespace\":\"" NS "\"},\"spec\":"
	  "{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]},"
	  "\"metadata\":{}}}}  # it differs from the manifest\n" },
	{ "merges a ControllerConfig as upstream does",
	  "{apiVersion: machineconfiguration.openshift.io/v1, kind: ControllerConfig, metadata: "
	  "{name: machine-config-controller, annotations: {z: w}}, spec: {clusterDNSIP: 10.0.0.10, "
	  "releaseImage: given, images: {a: old, b: kept}, proxy: {httpProxy: p}, rootCAData: eA==, "
	  "additionalTrustBundle: eA==, imageRegistryBundleData: [{file: f, data: eA==}], infra: "
	  "{metadata: {resourceVersion: '7', managedFields: [{}]}, status: {controlPlaneTopology: "
	  "HighlyAvailable}}, dns: {metadata: {resourceVersion: '1'}, status: {a: b}}, other: "
	  "kept}}",
	  "{apiVersion: machineconfiguration.openshift.io/v1, kind: ControllerConfig, metadata: "
	  "{name: machine-config-controller, annotations: {k: v}}, spec: {clusterDNSIP: '', "
	  "releaseImage: '', images: {a: new}, proxy: null, rootCAData: eQ==, "
	  "additionalTrustBundle: null, imageRegistryBundleData: [], infra: {metadata: "
	  "{resourceVersion: '7'}, status: {}}, dns: {metadata: {resourceVersion: '2'}}}}",
	  "0 PUT /apis/machineconfiguration.openshift.io/v1/controllerconfigs/"
	  "machine-config-controller {\"apiVersion\":\"machineconfiguration.openshift.io/v1\","
	  "\"kind\":\"ControllerConfig\",\"metadata\":{\"name\":\"machine-config-controller\","
	  "\"annotations\":{\"z\":\"w\",\"k\":\"v\"}},\"spec\":{\"clusterDNSIP\":\"10.0.0.10\","
	  "\"releaseImage\":\"given\",\"images\":{\"a\":\"new\",\"b\":\"kept\"},\"proxy\":null,"
	  "\"rootCAData\":\"eQ==\",\"additionalTrustBundle\":null,\"imageRegistryBundleData\":[],"
	  "\"infra\":{\"metadata\":{\"resourceVersion\":\"7\",\"managedFields\":[{}]},"
	  "\"status\":{\"controlPlaneTopology\":\"HighlyAvailable\"}},\"dns\":{\"metadata\":"
	  "{\"resourceVersion\":\"2\"}},\"other\":\"kept\"}}  # it differs from the manifest\n" },
};

TEST writes_of_one_object(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_case c;
		struct str got;

		start(&a, &c);
		if (cases[i].live)
			operator_case_put(&c, parse(&a, cases[i].live));
		got = apply(&c, parse(&a, cases[i].desired));
		if (!str_is(got, cases[i].want))
			(void)printf("%s:\n%.*s", cases[i].name, STRF(got));
		ASSERT_STR(cases[i].want, got);
	}
	PASS();
}

/* What was written is what is desired: a second pass finds nothing to write. */
TEST writes_once(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct actions out = { 0 };
		struct operator_case c;

		start(&a, &c);
		if (cases[i].live)
			operator_case_put(&c, parse(&a, cases[i].live));
		(void)operator_apply_one(&a, &c.view, parse(&a, cases[i].desired), "", &out);
		(void)operator_case_act(&c, &out);
		ASSERT_STR("", apply(&c, parse(&a, cases[i].desired)));
	}
	PASS();
}

static bool not_served(const struct operator_view *in, enum operator_kind kind)
{
	(void)in;
	return kind != OPERATOR_POLICIES && kind != OPERATOR_POLICY_BINDINGS;
}

TEST a_server_without_policies_gets_none(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;

	start(&a, &c);
	c.view.served = not_served;
	ASSERT_STR("", apply(&c, parse(&a, "{apiVersion: admissionregistration.k8s.io/v1, kind: "
					   "ValidatingAdmissionPolicy, metadata: {name: p}}")));
	PASS();
}

/* ---- at rest ------------------------------------------------------------- */

/* The values of the record. */
static const struct operator_values in_words = {
	.machineConfigOperator = S_INIT("<machineConfigOperator>"),
	.kubeRbacProxy = S_INIT("<kubeRbacProxy>"),
	.release = S_INIT("<release>"),
	.verbosity = S_INIT("<log>"),
	.tlsCipherSuites = S_INIT("<ciphers>"),
	.tlsMinVersion = S_INIT("<tlsmin>"),
	.apiServerInternalURI = S_INIT("<infra.status.apiServerInternalURI>"),
	.httpProxy = S_INIT(""),
	.httpsProxy = S_INIT(""),
	.noProxy = S_INIT(""),
};

static const struct operator_values recorded = {
	.machineConfigOperator = S_INIT(CASE_MCO),
	.kubeRbacProxy = S_INIT("registry.example.test/mill/krp@sha256:"
				"df202535868b9bece1f1424757a8adbd0e0313646979cacfdf202535868b9bec"),
	.release = S_INIT("4.22.0"),
	.verbosity = S_INIT("2"),
	.tlsCipherSuites = S_INIT("A,B"),
	.tlsMinVersion = S_INIT("VersionTLS12"),
	.apiServerInternalURI = S_INIT("https://api-int.grove.example.test:6443"),
	.httpProxy = S_INIT("http://p:3128"),
	.httpsProxy = S_INIT(""),
	.noProxy = S_INIT(".svc"),
};

static void load(struct operator_case *c, const char *path)
{
	struct err err = ERR_INIT(c->a);
	struct docs docs = { 0 };

	if (docs_parse(c->a, test_file(c->a, path), &docs, NULL, &err) < 0)
		abort();
	for (size_t i = 0; i < docs.n; i++)
		operator_case_put(c, docs.v[i].tree);
}

static struct str apply_all(struct operator_case *c, struct operator_values v, size_t *n)
{
	struct operator_file files[COMPONENTS];
	struct operator_objects list = { 0 };
	struct actions out = { 0 };
	struct buf b;

	v.gates = &c->view.gates;
	operator_manifests(c->a, files);
	for (size_t i = 0; i < COMPONENTS; i++)
		operator_objects(c->a, &files[i], &v, &list);
	for (size_t i = 0; i < list.n; i++)
		(void)operator_apply_one(c->a, &c->view, list.v[i], "", &out);
	*n = list.n;
	buf_init(&b, c->a);
	for (size_t i = 0; i < out.n; i++)
		buf_addf(&b, "%s %.*s\n", out.v[i].kind == ACTION_CREATE ? "POST" : "PUT",
			 STRF(out.v[i].path));
	return buf_str(&b);
}

TEST at_rest_on_upstreams_objects(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;
	size_t n;

	start(&a, &c);
	VEC_PUSH(&a, &c.view.gates.enabled, S("ManagedBootImagesCPMS"));
	load(&c, OBJECTS "objects.yaml");
	/* the record does not have what is made on demand */
	ASSERT_STR("POST /apis/apps/v1/namespaces/" NS "/deployments\n",
		   apply_all(&c, in_words, &n));
	ASSERT_INT(54, (int)n);
	PASS();
}

TEST at_rest_on_1_35(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;
	size_t n;

	start(&a, &c);
	VEC_PUSH(&a, &c.view.gates.enabled, S("ManagedBootImagesCPMS"));
	VEC_PUSH(&a, &c.view.gates.enabled, S("OSStreams"));
	VEC_PUSH(&a, &c.view.gates.enabled, S("NoRegistryClusterInstall"));
	load(&c, OBJECTS "live-1.35.yaml");
	ASSERT_STR("", apply_all(&c, recorded, &n));
	ASSERT_INT(60, (int)n);
	PASS();
}

TEST at_rest_on_1_20(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;
	size_t n;

	start(&a, &c);
	c.view.served = not_served;
	load(&c, OBJECTS "live-1.20.yaml");
	ASSERT_STR("", apply_all(&c, recorded, &n));
	ASSERT_INT(52, (int)n);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(writes_of_one_object);
	RUN_TEST(writes_once);
	RUN_TEST(a_server_without_policies_gets_none);
	RUN_TEST(at_rest_on_upstreams_objects);
	RUN_TEST(at_rest_on_1_35);
	RUN_TEST(at_rest_on_1_20);
}

TEST_MAIN(suite)
