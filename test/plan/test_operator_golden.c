/*
 * Upstream's golden cases of the running operator, in process: what RenderConfig and
 * MachineConfiguration make of a cluster must equal what upstream wrote, from an empty cluster and
 * at rest, where nothing may be written.
 */
#include "operator_case.h"

#define NS "openshift-machine-config-operator/"
#define MERGED "openshift-config-managed/merged-trusted-image-registry-ca"
#define PASSES 10

struct tally {
	size_t cases, bad;
	size_t specs, errors, maps, statuses;
};

static void differs(struct tally *t, const char *name, const char *what, struct str want,
		    struct str got)
{
	(void)printf("%s: %s\n  expected %.*s\n  got      %.*s\n", name, what, STRF(want),
		     STRF(got));
	t->bad++;
}

static void same_json(struct tally *t, struct arena *a, const char *name, const char *what,
		      const struct json *want, const struct json *got)
{
	if (json_eq(want, got))
		return;
	if (json_kind(want) == JSON_OBJECT && json_kind(got) == JSON_OBJECT) {
		for (const struct json *m = json_first(want); m; m = json_next(m))
			same_json(t, a, name, str_fmt(a, "%s.%.*s", what, STRF(json_key(m))).p, m,
				  json_member(got, json_key(m)));
		for (const struct json *m = json_first(got); m; m = json_next(m))
			if (!json_member(want, json_key(m)))
				differs(t, name, what, S("(absent)"), json_key(m));
	} else
		differs(t, name, what, json_format(a, want, JSON_SORTED),
			json_format(a, got, JSON_SORTED));
}

/* ---- RenderConfig -------------------------------------------------------- */

/* The input's objects have no uid, resourceVersion, generation and times. */
static struct json *normal_spec(struct arena *a, const struct json *spec)
{
	static const char *const metas[] = { "infra.metadata", "dns.metadata" };
	struct json *j = json_clone(a, spec);

	for (size_t i = 0; i < ARRAY_LEN(metas); i++) {
		struct json *m = json_make(a, j, metas[i]), *next;

		for (m = json_first(m); m; m = next) {
			next = json_next(m);
			if (!str_is(json_key(m), "name"))
				json_detach(json_at(j, metas[i]), m);
		}
	}
	return j;
}

/* The error of a step in the ClusterOperator, or "". */
static struct str degraded(const struct operator_case *c, const char *reason)
{
	const struct json *co =
		operator_case_find(&c->expected, "ClusterOperator", "machine-config");
	struct str text, before;

	for (const struct json *m = json_first(json_at(co, "status.conditions")); m;
	     m = json_next(m))
		if (str_is(json_str(m, "reason"), reason)) {
			text = json_str(m, "message");
			(void)str_cut(text, ':', &before, &text);
			return str_trim(text);
		}
	return S("");
}

/* Runs RenderConfig until it neither writes nor waits. Returns what the ClusterOperator says. */
static struct str render(struct operator_case *c, struct operator_render *r, size_t *writes)
{
	struct operator_memory m = { .a = c->a };
	struct err err = ERR_INIT(c->a);

	*writes = 0;
	for (int i = 0; i < PASSES; i++) {
		struct operator_result out = { 0 };

		if (operator_render_config(c->a, &c->view, &m, r, &out, &err) < 0)
			return err.msg;
		if (out.wait.on)
			return str_fmt(c->a, "%.*s: [context deadline exceeded, %.*s]",
				       STRF(out.wait.what), STRF(out.wait.why));
		if (!out.actions.n)
			return S("");
		*writes += operator_case_act(c, &out.actions);
	}
	return S("does not come to rest");
}

static void check_spec(struct tally *t, struct operator_case *c, const char *name,
		       const struct operator_render *r)
{
	const struct json *cc =
		operator_case_find(&c->expected, "ControllerConfig", "machine-config-controller");

	if (!cc)
		return;
	t->specs++;
	same_json(t, c->a, name, "spec", normal_spec(c->a, json_at(cc, "spec")),
		  normal_spec(c->a, r->spec));
}

static void check_merged(struct tally *t, struct operator_case *c, const char *name)
{
	const struct json *want = operator_case_find(&c->expected, "ConfigMap", MERGED);
	const struct json *got = operator_case_find(&c->objects, "ConfigMap", MERGED);

	t->maps++;
	same_json(t, c->a, name, "merged data", json_at(want, "data"), json_at(got, "data"));
	same_json(t, c->a, name, "merged annotations", json_at(want, "metadata.annotations"),
		  json_at(got, "metadata.annotations"));
}

/* Whether the number of a case is in a list such as "070 081". */
static bool is_one_of(const char *name, const char *list)
{
	return str_find(str_of(list), str_sub(str_of(name), 0, 3)) >= 0;
}

/* Cases where upstream wrote the map before the case began. */
#define MERGED_BEFORE "070 081 082"
#define STAMPED_BEFORE "008 043 044 046 047"

static void render_case(const char *name, void *ctx)
{
	static const unsigned from[] = { CASE_INPUT | CASE_CONTEXT, CASE_AT_REST };
	struct tally *t = ctx;

	t->cases++;
	for (size_t i = 0; i < ARRAY_LEN(from); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_render r;
		struct operator_case c;
		struct str want, got;
		size_t writes;

		operator_case_load(&a, name, from[i], &c);
		got = render(&c, &r, &writes);
		want = degraded(&c, "RenderConfigFailed");
		if (!str_eq(want, got))
			differs(t, name, "error", want, got);
		if (want.n)
			t->errors++;
		else
			check_spec(t, &c, name, &r);
		if (from[i] == CASE_AT_REST && writes)
			differs(t, name, "writes at rest", S("0"), str_fmt(&a, "%zu", writes));
		if (from[i] == CASE_AT_REST || !is_one_of(name, MERGED_BEFORE))
			check_merged(t, &c, name);
	}
}

TEST render_config_is_upstreams(void)
{
	struct tally t = { 0 };

	(void)operator_cases(render_case, &t);
	(void)printf("RenderConfig: %zu cases: %zu specs, %zu errors, %zu merged maps equal "
		     "upstream's\n",
		     t.cases, t.specs, t.errors, t.maps);
	ASSERT_INT(0, (int)t.bad);
	ASSERT_INT(61, (int)t.cases);
	ASSERT_INT(2 * 45, (int)t.specs);
	ASSERT_INT(2 * 14, (int)t.errors);
	PASS();
}

/* ---- kubeconfig-data ----------------------------------------------------- */

static void copy_case(const char *name, void *ctx)
{
	static const unsigned from[] = { CASE_INPUT | CASE_CONTEXT, CASE_AT_REST };
	struct tally *t = ctx;

	for (size_t i = 0; i < ARRAY_LEN(from); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_memory m = { .a = &a };
		struct operator_result out = { 0 };
		struct err err = ERR_INIT(&a);
		const struct json *want;
		struct operator_case c;

		operator_case_load(&a, name, from[i], &c);
		want = operator_case_find(&c.expected, "ConfigMap", NS "kubeconfig-data");
		if (!want)
			return;
		t->maps++;
		if (operator_kubeconfig_data(&a, &c.view, &m, &out, &err) < 0)
			differs(t, name, "error", S(""), err.msg);
		if (out.actions.n != (from[i] == CASE_AT_REST ? 0 : 1))
			differs(t, name, "writes", S(""), str_fmt(&a, "%zu", out.actions.n));
		(void)operator_case_act(&c, &out.actions);
		same_json(t, &a, name, "kubeconfig-data", json_at(want, "binaryData"),
			  json_at(operator_case_find(&c.objects, "ConfigMap", NS "kubeconfig-data"),
				  "binaryData"));
	}
}

TEST kubeconfig_data_is_upstreams(void)
{
	struct tally t = { 0 };

	(void)operator_cases(copy_case, &t);
	(void)printf("kubeconfig-data: %zu maps equal upstream's\n", t.maps);
	ASSERT_INT(0, (int)t.bad);
	ASSERT_INT(94, (int)t.maps);
	PASS();
}

/* ---- MachineConfiguration ------------------------------------------------ */

static struct json *configuration(struct operator_case *c)
{
	return operator_case_find(&c->objects, "MachineConfiguration", "cluster");
}

static struct str configure(struct operator_case *c, size_t *writes)
{
	struct operator_memory m = { .a = c->a };
	struct err err = ERR_INIT(c->a);

	*writes = 0;
	for (int i = 0; i < PASSES; i++) {
		struct operator_result out = { 0 };

		if (operator_machine_configuration(c->a, &c->view, &m, &out, &err) < 0)
			return err.msg;
		if (!out.actions.n)
			return S("");
		*writes += operator_case_act(c, &out.actions);
	}
	return S("does not come to rest");
}

/* The object as the controller left it: nothing of the operator in its status. */
static void forget_status(struct operator_case *c)
{
	struct json *j = configuration(c), *status = json_new(c->a, JSON_OBJECT);

	if (json_at(j, "status.conditions"))
		json_add(status, S("conditions"),
			 json_clone(c->a, json_at(j, "status.conditions")));
	json_set(j, S("status"), status);
	(void)json_remove(json_at(j, "metadata"), S("annotations"));
	j = json_at(operator_case_find(&c->objects, "ConfigMap", NS "coreos-bootimages"), "data");
	(void)json_remove(j, S("MCOVersionHash"));
	(void)json_remove(j, S("MCOReleaseImageVersion"));
}

static void check_configuration(struct tally *t, struct operator_case *c, const char *name)
{
	static const char note[] = "machineconfiguration.openshift.io/boot-image-updates-"
				   "opted-in-at";
	const struct json *want =
		operator_case_find(&c->expected, "MachineConfiguration", "cluster");
	const struct json *got = configuration(c);

	t->statuses++;
	same_json(t, c->a, name, "status", json_at(want, "status"), json_at(got, "status"));
	if (!json_member(json_at(want, "metadata.annotations"), str_of(note)) !=
	    !json_member(json_at(got, "metadata.annotations"), str_of(note)))
		differs(t, name, "opt-in", S("the other"), S("this"));
}

static void check_stamp(struct tally *t, struct operator_case *c, const char *name)
{
	const struct json *want =
		operator_case_find(&c->expected, "ConfigMap", NS "coreos-bootimages");
	const struct json *got =
		operator_case_find(&c->objects, "ConfigMap", NS "coreos-bootimages");

	t->maps++;
	same_json(t, c->a, name, "boot images", json_at(want, "data"), json_at(got, "data"));
}

static void configuration_case(const char *name, void *ctx)
{
	struct tally *t = ctx;

	t->cases++;
	for (int rest = 0; rest < 2; rest++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_case c;
		struct str want, got;
		size_t writes;

		operator_case_load(&a, name, CASE_AT_REST, &c);
		if (!configuration(&c))
			return;
		/* The ClusterVersion of the upgrades does not have the version of the install. */
		if (!rest && !str_is(c.view.release, "4.22.0"))
			continue;
		if (!rest)
			forget_status(&c);
		got = configure(&c, &writes);
		want = degraded(&c, "MachineConfigurationFailed");
		if (!str_eq(want, got))
			differs(t, name, "error", want, got);
		if (want.n)
			t->errors++;
		check_configuration(t, &c, name);
		if (rest || !is_one_of(name, STAMPED_BEFORE))
			check_stamp(t, &c, name);
		if (rest && writes)
			differs(t, name, "writes at rest", S("0"), str_fmt(&a, "%zu", writes));
	}
}

TEST machine_configuration_is_upstreams(void)
{
	struct tally t = { 0 };

	(void)operator_cases(configuration_case, &t);
	(void)printf("MachineConfiguration: %zu cases: %zu statuses, %zu errors, %zu stamps equal "
		     "upstream's\n",
		     t.cases, t.statuses, t.errors, t.maps);
	ASSERT_INT(0, (int)t.bad);
	ASSERT_INT(61, (int)t.cases);
	ASSERT_INT(2, (int)t.errors);
	ASSERT_INT(92, (int)t.statuses);
	ASSERT_INT(87, (int)t.maps);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(kubeconfig_data_is_upstreams);
	RUN_TEST(machine_configuration_is_upstreams);
	RUN_TEST(render_config_is_upstreams);
}

TEST_MAIN(suite)
