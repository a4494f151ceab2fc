/*
 * MachineConfigNodes, pools, user data, pre-built images and the os-builder: upstream's golden
 * cases from the given objects to rest, and malformed objects.
 */
#include "operator_case.h"
#include "plan/operator/op_status.h"

/* ---- running the steps on a case ----------------------------------------- */

struct run {
	struct arena a;
	struct operator_case c;
	struct operator_render r;
	struct operator_memory m;
	struct err err; /* of the last step that failed */
	size_t requests;
	struct operator_wait wait;
};

/* The server's CA, or the cluster's first one. */
static struct str root_ca(const struct docs *in)
{
	const struct json *ours = operator_case_find(
		in, "ConfigMap", "openshift-machine-config-operator/machine-config-server-ca");
	const struct json *root = operator_case_find(in, "ConfigMap", "kube-system/root-ca");

	return ours ? json_text(json_member(json_at(ours, "data"), S("ca-bundle.crt")))
		    : json_text(json_member(json_at(root, "data"), S("ca.crt")));
}

/* The given objects and what others wrote, but nothing that the operator makes. */
static void run_begin(struct run *run, const char *name, bool at_rest)
{
	struct json *images = NULL;
	struct docs context;

	*run = (struct run){ 0 };
	run->err = ERR_INIT(&run->a);
	run->m.a = &run->a;
	operator_case_load(&run->a, name, at_rest ? CASE_AT_REST : CASE_INPUT, &run->c);
	context = operator_case_file(&run->a, name, "controller-context.yaml");
	for (size_t i = 0; i < context.n && !at_rest; i++) {
		struct json *j = context.v[i].tree;
		struct str kind = json_str(j, "kind");

		if (str_is(kind, "Node") ||
		    (str_is(kind, "MachineConfig") &&
		     !str_starts(json_str(j, "metadata.name"), S("10-prebuiltimage"))))
			operator_case_put(&run->c, j);
	}
	(void)json_parse(&run->a, run->c.view.images, NULL, &images, &run->err);
	run->r = (struct operator_render){
		.images = images,
		.root_ca = root_ca(&run->c.objects),
		.infra = operator_case_find(&run->c.objects, "Infrastructure", "cluster"),
		.verbosity = 2,
	};
	run->r.api_url = json_str(run->r.infra, "status.apiServerInternalURI");
	run->c.view.bring_up = false;
}

/* The server gives each object a uid. */
static void run_act(struct run *run, const struct actions *list)
{
	run->requests += operator_case_act(&run->c, list);
	for (size_t i = 0; i < run->c.objects.n; i++) {
		struct json *meta = json_make(&run->a, run->c.objects.v[i].tree, "metadata");

		if (!json_member(meta, S("uid")))
			json_add_str(&run->a, meta, "uid", S("X"));
	}
}

typedef int (*step_fn)(struct run *run, struct operator_result *out);

static int nodes_step(struct run *run, struct operator_result *out)
{
	return operator_config_nodes(&run->a, &run->c.view, out, &run->err);
}

static int pools_step(struct run *run, struct operator_result *out)
{
	return operator_pools(&run->a, &run->c.view, &run->m, &run->r, out, &run->err);
}

static int builder_step(struct run *run, struct operator_result *out)
{
	return operator_os_builder(&run->a, &run->c.view, &run->m, &run->r, out, &run->err);
}

/* Passes over the steps until they have no requests. */
static int run_steps(struct run *run, const step_fn *steps, size_t n)
{
	size_t before;
	int rc = 0, passes = 0;

	do {
		before = run->requests;
		for (size_t i = 0; i < n && before == run->requests; i++) {
			struct operator_result out = { 0 };

			rc = steps[i](run, &out);
			run_act(run, &out.actions);
			run->wait = out.wait;
			if (rc < 0)
				break;
		}
	} while (before != run->requests && ++passes < 20);
	return rc;
}

static const step_fn both[] = { nodes_step, pools_step };
static const step_fn builder[] = { builder_step };

/* ---- golden cases -------------------------------------------------------- */

struct tally {
	size_t bad, objects, cases;
};

/* What the server or others set is not compared. */
static struct str normal(struct arena *a, const struct json *object)
{
	static const char *const server[] = { "creationTimestamp", "generation", "resourceVersion",
					      "managedFields", "uid" };
	struct json *j = object ? json_clone(a, object) : json_new(a, JSON_NULL);

	for (size_t i = 0; i < ARRAY_LEN(server); i++)
		(void)json_remove(json_at(j, "metadata"), str_of(server[i]));
	(void)json_remove(j, S("status"));
	if (json_at(j, "spec")) {
		(void)json_remove(json_at(j, "spec"), S("configuration"));
		/* The server drops a null where the schema has no nullable. */
		if (json_kind(json_at(j, "spec.extensions")) == JSON_NULL)
			(void)json_remove(json_at(j, "spec"), S("extensions"));
	}
	return json_format(a, j, JSON_SORTED);
}

/* What the steps nodes and pools write. */
static bool is_ours(const struct json *j)
{
	struct str kind = json_str(j, "kind");

	return str_is(kind, "MachineConfigPool") || str_is(kind, "MachineConfigNode") ||
	       (str_is(kind, "MachineConfig") &&
		str_starts(json_str(j, "metadata.name"), S("10-prebuiltimage"))) ||
	       (str_is(kind, "Secret") &&
		str_is(json_str(j, "metadata.namespace"), "openshift-machine-api"));
}

/* What the step MachineOSBuilder writes apart from accounts. */
static bool is_builders(const struct json *j)
{
	struct str name = json_str(j, "metadata.name");

	return str_is(name, "global-pull-secret-copy") ||
	       str_starts(name, S("etc-pki-entitlement-"));
}

static const struct json *same_object(struct docs *in, const struct json *like)
{
	struct str ns = json_str(like, "metadata.namespace");
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str name = json_str(like, "metadata.name");

	return operator_case_find(
		in, str_z(&a, json_str(like, "kind")),
		str_fmt(&a, "%.*s%s%.*s", STRF(ns), ns.n ? "/" : "", STRF(name)).p);
}

/* Each expected object is there, and no other. */
static void compare(struct run *run, const char *name, bool (*mine)(const struct json *),
		    struct tally *t)
{
	struct docs *want = &run->c.expected, *got = &run->c.objects;

	for (size_t i = 0; i < want->n; i++) {
		const struct json *w = want->v[i].tree;

		if (!mine(w))
			continue;
		t->objects++;
		if (!test_same(name, normal(&run->a, w), normal(&run->a, same_object(got, w))))
			t->bad++;
	}
	for (size_t i = 0; i < got->n; i++)
		if (mine(got->v[i].tree) && !same_object(want, got->v[i].tree)) {
			(void)printf("%s: %.*s is not expected\n", name,
				     STRF(json_str(got->v[i].tree, "metadata.name")));
			t->bad++;
		}
}

/* What `how` of a case says that the admin changed in a pool. */
static void edit(struct run *run, const char *name)
{
	static const struct {
		const char *number, *pool, *path, *key, *value;
	} edits[] = {
		{ "007", "master", "spec", "paused", "" },
		{ "008", "master", "spec", "paused", "" },
		{ "053", "worker", "metadata.labels", "mine", "yes" },
	};

	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		struct json *pool =
			operator_case_find(&run->c.objects, "MachineConfigPool", edits[i].pool);

		if (!str_starts(str_of(name), str_of(edits[i].number)))
			continue;
		json_set(json_make(&run->a, pool, edits[i].path), str_of(edits[i].key),
			 edits[i].value[0] ? json_new_str(&run->a, str_of(edits[i].value))
					   : json_new_bool(&run->a, true));
		(void)json_remove(json_at(pool, "metadata.labels"),
				  S("machineconfiguration.openshift.io/mco-built-in"));
	}
	(void)run_steps(run, both, ARRAY_LEN(both));
}

static void golden_pools(const char *name, void *ctx)
{
	struct tally *t = ctx;
	struct run run;

	run_begin(&run, name, false);
	/* Without pools upstream has failed before. */
	if (operator_case_find(&run.c.expected, "MachineConfigPool", "master")) {
		t->cases++;
		if (run_steps(&run, both, ARRAY_LEN(both)) < 0) {
			(void)printf("%s: %.*s\n", name, STRF(run.err.msg));
			t->bad++;
		}
		edit(&run, name);
		compare(&run, name, is_ours, t);
	}
	arena_free(&run.a);
}

TEST golden_cases_have_upstreams_pools_nodes_and_user_data(void)
{
	struct tally t = { 0 };

	(void)operator_cases(golden_pools, &t);
	(void)printf("pools, nodes, user data: %zu of %zu objects of %zu cases equal\n",
		     t.objects - t.bad, t.objects, t.cases);
	ASSERT_INT(0, (int)t.bad);
	PASS();
}

static void golden_rest(const char *name, void *ctx)
{
	struct tally *t = ctx;
	struct run run;

	run_begin(&run, name, true);
	if (operator_case_find(&run.c.expected, "MachineConfigPool", "master")) {
		(void)run_steps(&run, both, ARRAY_LEN(both));
		t->bad += run.requests;
		if (run.requests)
			(void)printf("%s: %zu requests\n", name, run.requests);
	}
	arena_free(&run.a);
}

TEST golden_cases_are_at_rest(void)
{
	struct tally t = { 0 };

	(void)operator_cases(golden_rest, &t);
	ASSERT_INT(0, (int)t.bad);
	PASS();
}

/* The error that the expected ClusterOperator has for the step. */
static struct str builder_error(struct run *run)
{
	const struct json *co =
		operator_case_find(&run->c.expected, "ClusterOperator", "machine-config");

	for (const struct json *c = json_first(json_at(co, "status.conditions")); c;
	     c = json_next(c)) {
		struct str text = json_str(c, "message");

		if (str_is(json_str(c, "reason"), "MachineOSBuilderFailed"))
			return str_from(text, strlen("Failed to resync 4.22.0 because: "));
	}
	return S("");
}

/* Whether the step writes upstream's Deployment, which has the server's defaults, again. */
static bool rewrites(struct run *run, const struct json *got, const struct json *want)
{
	size_t before = run->requests;

	operator_case_drop(&run->c, got);
	operator_case_put(&run->c, json_clone(&run->a, want));
	(void)run_steps(run, builder, 1);
	return run->requests != before;
}

static void golden_builder(const char *name, void *ctx)
{
	struct tally *t = ctx;
	struct run run;
	const struct json *got, *want;
	struct str error;

	run_begin(&run, name, false);
	if (!operator_case_find(&run.c.expected, "MachineConfigPool", "master")) {
		arena_free(&run.a);
		return;
	}
	t->cases++;
	(void)run_steps(&run, both, ARRAY_LEN(both));
	if (str_starts(str_of(name), S("028")))
		run.r.verbosity = 8;
	(void)run_steps(&run, builder, 1);
	error = builder_error(&run);
	if (!test_same(name, error, run.err.msg))
		t->bad++;
	t->objects += error.n > 0;
	compare(&run, name, is_builders, t);
	want = operator_case_find(&run.c.expected, "Deployment", "machine-os-builder");
	got = operator_case_find(&run.c.objects, "Deployment", "machine-os-builder");
	t->objects += want != NULL;
	if (!want != !got || (want && rewrites(&run, got, want))) {
		(void)printf("%s: Deployment differs\n", name);
		t->bad++;
	}
	arena_free(&run.a);
}

TEST golden_cases_have_upstreams_os_builder(void)
{
	struct tally t = { 0 };

	(void)operator_cases(golden_builder, &t);
	(void)printf("os-builder: %zu of %zu objects and errors of %zu cases equal\n",
		     t.objects - t.bad, t.objects, t.cases);
	ASSERT_INT(0, (int)t.bad);
	PASS();
}

/* ---- robustness ---------------------------------------------------------- */

/* A value somewhere below j, chosen at random. */
static struct json *random_value(struct json *j, struct test_rng *rng)
{
	while (json_len(j) && json_kind(j) >= JSON_ARRAY && test_rand(rng, 6)) {
		uint32_t k = test_rand(rng, (uint32_t)json_len(j));

		j = json_first(j);
		while (k--)
			j = json_next(j);
	}
	return j;
}

/* Replaces a value by one of another kind, or removes it; what identifies the object stays. */
static void damage(struct arena *a, struct json *object, struct test_rng *rng)
{
	struct json *parent = object, *value = object, *new;
	struct str name = json_str(object, "metadata.name"), kind = json_str(object, "kind");
	struct str ns = json_str(object, "metadata.namespace"),
		   api = json_str(object, "apiVersion");

	for (int i = 0; i < 8 && value == object; i++)
		value = random_value(object, rng);
	if (value == object)
		return;
	for (bool found = false; !found;) {
		struct json *next = NULL;

		for (struct json *m = json_first(parent); m && !found; m = json_next(m)) {
			found = m == value;
			if (!found && json_path_of(a, m, value).n)
				next = m;
		}
		if (!found)
			parent = next;
	}
	new = json_new(a, (enum json_kind)test_rand(rng, JSON_OBJECT + 1));
	if (json_kind(new) == JSON_NUMBER)
		new = json_new_i64(a, (int64_t)test_rand(rng, 3) - 1);
	if (json_kind(new) == JSON_NULL && json_kind(parent) == JSON_OBJECT)
		json_detach(parent, value);
	else
		json_replace(parent, value, new);
	json_set(object, S("apiVersion"), json_new_str(a, api));
	json_set(object, S("kind"), json_new_str(a, kind));
	json_set(json_make(a, object, "metadata"), S("name"), json_new_str(a, name));
	json_set(json_make(a, object, "metadata"), S("namespace"), json_new_str(a, ns));
}

/* Every step and every status: requests with bodies that are JSON, or an error with a text. */
static bool survives(struct run *run)
{
	struct arena *a = &run->a;
	bool good = true;

	for (int i = 0; i < 5; i++) {
		struct operator_outcome o = { (enum operator_pass)i, OPERATOR_SERVER, S("no"),
					      S("") };
		struct operator_result out = { 0 };
		struct err ignored = ERR_INIT(a);
		struct json *body;
		int rc = 0;

		run->err = ERR_INIT(a);
		if (i < 2)
			rc = both[i](run, &out);
		else if (i == 2)
			rc = builder_step(run, &out);
		else if (i == 3)
			rc = operator_required_pools(a, &run->c.view, &run->r, &out, &run->err);
		good &= rc == 0 || run->err.msg.n;
		operator_status_begin(a, &run->c.view, &run->m, &out.actions);
		if (i < 4)
			operator_status(a, &run->c.view, &o, &out.actions);
		for (size_t k = 0; k < out.actions.n; k++)
			good &= !out.actions.v[k].body.n ||
				json_parse(a, out.actions.v[k].body, NULL, &body, &ignored) == 0;
	}
	return good;
}

TEST any_value_may_be_malformed(void)
{
	static const char *const cases[] = { "028-machineosconfig", "082-prebuilt-image" };
	struct test_rng rng = { 7 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct run base;

		run_begin(&base, cases[i], true);
		for (int round = 0; round < 200; round++) {
			struct run run = base;

			run.a = ARENA_INIT;
			run.c.a = &run.a;
			run.c.view.ctx = &run.c;
			run.c.objects = (struct docs){ 0 };
			for (size_t k = 0; k < base.c.objects.n; k++) {
				struct doc d = { .tree = json_clone(&run.a,
								    base.c.objects.v[k].tree) };

				VEC_PUSH(&run.a, &run.c.objects, d);
			}
			for (int k = 0; k < 4; k++)
				damage(&run.a,
				       run.c.objects.v[test_rand(&rng, (uint32_t)run.c.objects.n)]
					       .tree,
				       &rng);
			ASSERT(survives(&run));
			arena_free(&run.a);
		}
		arena_free(&base.a);
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(any_value_may_be_malformed);
	RUN_TEST(golden_cases_have_upstreams_pools_nodes_and_user_data);
	RUN_TEST(golden_cases_are_at_rest);
	RUN_TEST(golden_cases_have_upstreams_os_builder);
}

TEST_MAIN(suite)
