/*
 * The operator's manifests: against upstream's objects (test/golden/operator-objects), the order of
 * upstream's writes, and the containers of upstream's golden cases.
 */
#include "mc/tls_profile.h"
#include "operator_case.h"
#include "plan/operator/op_apply.h"
#include "plan/operator/op_rollout.h"

#define OBJECTS "test/golden/operator-objects/"

static struct docs read_docs(struct arena *a, const char *path)
{
	struct err err = ERR_INIT(a);
	struct docs out = { 0 };

	if (docs_parse(a, test_file(a, path), &out, NULL, &err) < 0) {
		(void)printf("%s: %.*s\n", path, STRF(err.msg));
		abort();
	}
	return out;
}

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

static struct mc_gates gates_of(struct arena *a, const char *const *names)
{
	struct mc_gates g = { 0 };

	for (; *names; names++)
		VEC_PUSH(a, &g.enabled, str_of(*names));
	return g;
}

static void all_objects(struct arena *a, struct operator_values v, const struct mc_gates *gates,
			struct operator_objects *out)
{
	struct operator_file files[COMPONENTS];

	v.gates = gates;
	operator_manifests(a, files);
	for (size_t c = 0; c < COMPONENTS; c++)
		operator_objects(a, &files[c], &v, out);
}

TEST files_are_packed(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	static const char *const names[COMPONENTS] = { "machine-config-daemon.yaml",
						       "machine-config-controller.yaml",
						       "machine-config-server.yaml",
						       "machine-os-builder.yaml" };
	struct operator_file files[COMPONENTS];

	operator_manifests(&a, files);
	for (size_t i = 0; i < COMPONENTS; i++) {
		ASSERT_STR(names[i], files[i].name);
		ASSERT_STR(
			test_file(&a, str_fmt(&a, "src/plan/operator/manifests/%s", names[i]).p).p,
			files[i].text);
	}
	PASS();
}

/* "clusterroles machine-config-daemon" */
static struct str order_line(struct arena *a, const struct json *j)
{
	struct str ns = json_str(j, "metadata.namespace"), name = json_str(j, "metadata.name");

	return str_fmt(a, "%.*s %.*s%s%.*s", STRF(operator_case_plural(a, json_str(j, "kind"))),
		       STRF(ns), ns.n ? "/" : "", STRF(name));
}

/* With the gates of case 001. The ConfigMap of the controller's step is there already, and the
 * builder's Deployment is not made. */
TEST objects_are_in_upstreams_order(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_gates gates = gates_of(&a, (const char *[]){ "ManagedBootImagesCPMS", NULL });
	struct str want = test_file(&a, OBJECTS "order.txt"), line;
	struct operator_objects got = { 0 };
	size_t i = 0, lines = 0;

	all_objects(&a, in_words, &gates, &got);
	while (str_line(&want, &line)) {
		lines++;
		if (str_starts(line, S("controllerconfigs ")))
			continue;
		if (lines > 14 && str_is(json_str(got.v[i], "kind"), "ConfigMap"))
			i++;
		ASSERT_STR(str_z(&a, line), order_line(&a, got.v[i]));
		i++;
	}
	ASSERT_INT(53, (int)lines);
	ASSERT_INT((int)got.n - 1, (int)i);
	PASS();
}

static const struct json *find(const struct operator_objects *list, const struct json *like)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(json_str(list->v[i], "kind"), json_str(like, "kind")) &&
		    str_eq(json_str(list->v[i], "metadata.name"),
			   json_str(like, "metadata.name")) &&
		    str_eq(json_str(list->v[i], "metadata.namespace"),
			   json_str(like, "metadata.namespace")))
			return list->v[i];
	return NULL;
}

/* Objects without a pod are equal member by member; workloads up to the server's defaults. */
TEST objects_are_upstreams(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_gates gates = gates_of(&a, (const char *[]){ "ManagedBootImagesCPMS", NULL });
	struct docs want = read_docs(&a, OBJECTS "objects.yaml");
	struct operator_objects got = { 0 };
	size_t equal = 0, same = 0;

	all_objects(&a, in_words, &gates, &got);
	for (size_t i = 0; i < want.n; i++) {
		const struct json *object = find(&got, want.v[i].tree);
		bool pod = json_at(object, "spec.template") != NULL;

		if (pod ? !operator_same(
				  json_at(object, "spec.template.spec.containers"),
				  json_at(want.v[i].tree, "spec.template.spec.containers")) ||
				    !operator_same(
					    json_at(object, "spec.template.spec.volumes"),
					    json_at(want.v[i].tree, "spec.template.spec.volumes"))
			: !json_eq(object, want.v[i].tree)) {
			(void)printf("want %.*s\ngot  %.*s\n",
				     STRF(json_format(&a, want.v[i].tree, JSON_SORTED)),
				     STRF(json_format(&a, object, JSON_SORTED)));
			FAIL();
		}
		same += pod;
		equal += !pod;
	}
	(void)printf("%zu objects equal, %zu workloads\n", equal, same);
	ASSERT_INT(49, (int)equal);
	ASSERT_INT(3, (int)same);
	PASS();
}

/* The two ConfigMaps are one object. Not in the record: the Deployment of the builder. */
TEST nothing_else_is_made(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_objects got = { 0 };

	all_objects(&a, in_words, NULL, &got);
	ASSERT_INT(49 + 3 - 2 + 1 + 1, (int)got.n);
	PASS();
}

TEST gates_add_policies(void)
{
	static const struct {
		const char *gate, *policies;
	} cases[] = {
		{ "ManagedBootImagesCPMS", "managed-bootimages-cpms-platform-check" },
		{ "OSStreams", "machineconfigpool-osimagestream-reference-validation "
			       "osimagestream-prevent-deletion" },
		{ "NoRegistryClusterInstall", "internalreleaseimage-deletion-guard" },
		{ "Other", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct mc_gates gates = gates_of(&a, (const char *[]){ cases[i].gate, NULL });
		struct operator_objects with = { 0 }, without = { 0 };
		struct buf b;
		size_t bindings = 0;

		buf_init(&b, &a);
		all_objects(&a, in_words, &gates, &with);
		all_objects(&a, in_words, NULL, &without);
		for (size_t k = 0; k < with.n; k++) {
			ASSERT_EQ(NULL, json_member(json_at(with.v[k], "metadata.annotations"),
						    S("release.openshift.io/feature-gate")));
			if (find(&without, with.v[k]))
				continue;
			if (str_is(json_str(with.v[k], "kind"), "ValidatingAdmissionPolicy"))
				buf_addf(&b, "%s%.*s", b.n ? " " : "",
					 STRF(json_str(with.v[k], "metadata.name")));
			else
				bindings += str_ends(json_str(with.v[k], "metadata.name"),
						     S("-binding"));
		}
		ASSERT_STR(cases[i].policies, buf_str(&b));
		ASSERT_INT((int)(with.n - without.n), (int)(2 * bindings));
	}
	PASS();
}

/* ---- values -------------------------------------------------------------- */

static struct json *workload(struct arena *a, enum operator_component c, struct operator_values v)
{
	struct operator_file files[COMPONENTS];
	struct operator_objects list = { 0 };

	operator_manifests(a, files);
	operator_objects(a, &files[c], &v, &list);
	return list.v[list.n - 1];
}

TEST values_need_no_quotes(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_values v = in_words;
	struct json *pod;

	v.httpProxy = S("http://u:a#b@h: \"x\" ${release}");
	v.noProxy = S(".svc");
	pod = json_at(workload(&a, COMPONENT_CONTROLLER, v), "spec.template.spec");
	ASSERT_STR("[{\"name\":\"HTTP_PROXY\",\"value\":\"http://u:a#b@h: \\\"x\\\" ${release}\"},"
		   "{\"name\":\"NO_PROXY\",\"value\":\".svc\"}]",
		   json_format(&a, json_at(json_first(json_at(pod, "containers")), "env"), 0));
	PASS();
}

TEST a_value_that_is_not_given_stays(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_values v = in_words;
	const struct json *c;

	v.release = v.verbosity = (struct str){ 0 };
	ASSERT(operator_value_set(&v, S("tlsMinVersion"), S("x")));
	ASSERT_FALSE(operator_value_set(&v, S("tls"), S("x")));
	c = json_first(json_at(workload(&a, COMPONENT_DAEMON, v), "spec.template.spec.containers"));
	ASSERT_STR("[\"start\",\"--payload-version=${release}\",\"--v=${verbosity}\","
		   "\"--tls-cipher-suites=<ciphers>\",\"--tls-min-version=x\"]",
		   json_format(&a, json_at(c, "args"), JSON_NO_HTML));
	PASS();
}

TEST an_image_that_is_missing_removes_its_container_outside_of_openshift(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_values v = in_words;
	struct json *pod, *side_car;

	v.kubeRbacProxy = S("");
	pod = json_at(workload(&a, COMPONENT_DAEMON, v), "spec.template.spec");
	side_car = json_next(json_first(json_at(pod, "containers")));
	ASSERT_STR("kube-rbac-proxy", json_str(side_car, "name"));
	ASSERT_STR("\"\"", json_format(&a, json_at(side_car, "image"), 0));
	v.standalone = true;
	pod = json_at(workload(&a, COMPONENT_DAEMON, v), "spec.template.spec");
	ASSERT_INT(1, (int)json_len(json_at(pod, "containers")));
	ASSERT_STR("[{\"name\":\"rootfs\",\"hostPath\":{\"path\":\"/\"}}]",
		   json_format(&a, json_at(pod, "volumes"), 0));
	PASS();
}

/* The server refuses a container without an image: a pod without its main container would run. */
TEST the_components_own_container_stays(void)
{
	for (size_t i = 0; i < COMPONENTS; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_values v = in_words;
		struct json *pod;

		v.machineConfigOperator = S("");
		pod = json_at(workload(&a, (enum operator_component)i, v), "spec.template.spec");
		ASSERT(json_len(json_at(pod, "containers")) > 0);
		ASSERT_STR("\"\"",
			   json_format(&a, json_at(json_first(json_at(pod, "containers")), "image"),
				       0));
	}
	PASS();
}

TEST standalone_finds_any_control_plane(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_values v = in_words;
	struct json *pod;

	v.standalone = true;
	pod = json_at(workload(&a, COMPONENT_SERVER, v), "spec.template.spec");
	ASSERT_EQ(NULL, json_at(pod, "nodeSelector"));
	ASSERT_STR("{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"
		   "\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"node-role.kubernetes."
		   "io/control-plane\",\"operator\":\"Exists\"}]},{\"matchExpressions\":[{\"key\":"
		   "\"node-role.kubernetes.io/master\",\"operator\":\"Exists\"}]}]}}}",
		   json_format(&a, json_at(pod, "affinity"), 0));
	ASSERT_INT(3, (int)json_len(json_at(pod, "tolerations")));
	/* the controller learns that there are no feature gates */
	pod = json_at(workload(&a, COMPONENT_CONTROLLER, v), "spec.template.spec");
	ASSERT(str_find(json_format(&a, json_at(json_first(json_at(pod, "containers")), "args"), 0),
			S(",\"--standalone\"]")) > 0);
	/* the daemon runs on every node */
	pod = json_at(workload(&a, COMPONENT_DAEMON, v), "spec.template.spec");
	ASSERT_STR("{\"kubernetes.io/os\":\"linux\"}",
		   json_format(&a, json_at(pod, "nodeSelector"), 0));
	PASS();
}

/* On a server without the kind of their parameter they would deny every write. */
TEST standalone_has_no_policy_with_parameters(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_gates gates = gates_of(&a, (const char *[]){ "ManagedBootImagesCPMS", "OSStreams",
							       "NoRegistryClusterInstall", NULL });
	struct operator_values v = in_words;
	struct operator_objects got = { 0 };
	struct buf b;

	v.standalone = true;
	all_objects(&a, v, &gates, &got);
	buf_init(&b, &a);
	for (size_t i = 0; i < got.n; i++)
		if (str_starts(json_str(got.v[i], "kind"), S("Validating")))
			buf_addf(&b, "%.*s\n", STRF(json_str(got.v[i], "metadata.name")));
	ASSERT_STR("mcn-guards\nmcn-guards-binding\n"
		   "machine-configuration-guards\ncustom-machine-config-pool-selector\n"
		   "osimagestream-prevent-deletion\n"
		   "machine-configuration-guards-binding\n"
		   "custom-machine-config-pool-selector-binding\n"
		   "osimagestream-prevent-deletion-binding\n",
		   buf_str(&b));
	PASS();
}

/* ---- upstream's cases ---------------------------------------------------- */

static int verbosity_of(const struct json *configuration)
{
	struct str level = json_str(configuration, "spec.operatorLogLevel");

	return str_is(level, "TraceAll") ? 8
	       : str_is(level, "Trace")	 ? 6
	       : str_is(level, "Debug")	 ? 4
					 : 2;
}

static struct operator_render case_render(struct operator_case *c)
{
	const struct json *api = operator_case_find(&c->objects, "APIServer", "cluster");
	const struct json *config =
		operator_case_find(&c->expected, "ControllerConfig", "machine-config-controller");
	struct operator_render r = {
		.infra = operator_case_find(&c->objects, "Infrastructure", "cluster"),
		.proxy = json_at(config, "spec.proxy"),
		.tls = mc_tls_profile(c->a, json_at(api, "spec.tlsSecurityProfile")),
		.verbosity = verbosity_of(
			operator_case_find(&c->objects, "MachineConfiguration", "cluster")),
	};
	struct err err = ERR_INIT(c->a);
	struct json *images = NULL;

	if (json_parse(c->a, c->view.images, NULL, &images, &err) < 0)
		abort();
	r.images = images;
	r.api_url = json_str(r.infra, "status.apiServerInternalURI");
	return r;
}

/* The members of a container that the record has. */
static struct json *record_of(struct arena *a, const struct json *object)
{
	static const char *const members[] = { "name", "image", "command", "args", "env" };
	struct json *out = json_new(a, JSON_ARRAY);

	for (const struct json *c = json_first(json_at(object, "spec.template.spec.containers")); c;
	     c = json_next(c)) {
		struct json *one = json_new(a, JSON_OBJECT);

		for (size_t i = 0; i < ARRAY_LEN(members); i++)
			if (json_at(c, members[i]))
				json_add(one, str_of(members[i]),
					 json_clone(a, json_at(c, members[i])));
		json_push(out, one);
	}
	return out;
}

static const struct json *modern(struct arena *a)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add_str(a, j, "type", S("Modern"));
	return j;
}

struct tally {
	size_t files, workloads, bad;
};

static void check_case(const char *name, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	static const char *const names[COMPONENTS] = { "machine-config-daemon",
						       "machine-config-controller",
						       "machine-config-server",
						       "machine-os-builder" };
	struct str path = str_fmt(&a, OPERATOR_CASES "%s/workloads.yaml", name);
	struct tally *t = ctx;
	struct operator_case c;
	struct operator_render r;
	struct docs want;

	if (str_starts(str_of(name), S("001"))) /* has no record of them */
		return;
	t->files++;
	want = read_docs(&a, path.p);
	operator_case_load(&a, name, CASE_INPUT | CASE_EXPECTED, &c);
	/* a blocked upgrade leaves the workloads of the old release */
	if (str_starts(str_of(name), S("070")) || str_starts(str_of(name), S("071")))
		c.view.release = S("4.22.0");
	r = case_render(&c);
	/* the profile was changed by a patch, which input.yaml does not have */
	if (str_starts(str_of(name), S("02")) && name[2] >= '7')
		r.tls = mc_tls_profile(&a, modern(&a));
	for (size_t i = 0; want.n && i < COMPONENTS; i++) {
		const struct json *w = json_member(want.v[0].tree, str_of(names[i]));
		struct operator_objects list = { 0 };
		struct json *got;

		if (!w)
			continue;
		operator_component_objects(&a, &c.view, &r, (enum operator_component)i, &list);
		got = record_of(&a, list.v[list.n - 1]);
		t->workloads++;
		if (json_eq(got, json_at(w, "containers")))
			continue;
		t->bad++;
		(void)printf("%s %s:\nwant %.*s\ngot  %.*s\n", name, names[i],
			     STRF(json_format(&a, json_at(w, "containers"), JSON_SORTED)),
			     STRF(json_format(&a, got, JSON_SORTED)));
	}
}

TEST containers_of_every_case(void)
{
	struct tally t = { 0 };
	size_t n = operator_cases(check_case, &t);

	(void)printf("%zu cases, %zu records, %zu workloads, %zu differ\n", n, t.files, t.workloads,
		     t.bad);
	ASSERT_INT(60, (int)t.files);
	ASSERT_INT(0, (int)t.bad);
	ASSERT_INT(142, (int)t.workloads);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(files_are_packed);
	RUN_TEST(objects_are_in_upstreams_order);
	RUN_TEST(objects_are_upstreams);
	RUN_TEST(nothing_else_is_made);
	RUN_TEST(gates_add_policies);
	RUN_TEST(values_need_no_quotes);
	RUN_TEST(a_value_that_is_not_given_stays);
	RUN_TEST(an_image_that_is_missing_removes_its_container_outside_of_openshift);
	RUN_TEST(the_components_own_container_stays);
	RUN_TEST(standalone_finds_any_control_plane);
	RUN_TEST(standalone_has_no_policy_with_parameters);
	RUN_TEST(containers_of_every_case);
}

TEST_MAIN(suite)
