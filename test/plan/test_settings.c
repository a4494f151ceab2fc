/* The status of MachineConfiguration while no operator runs. */
#include "plan/settings.h"

#include "fixture.h"
#include "data/yml.h"

#define CASES "test/golden/settings/"

static struct json *read_yaml(struct arena *a, const char *path)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	if (yml_parse(a, test_file(a, path), NULL, &j, &err) < 0) {
		(void)printf("%s: %.*s\n", path, STRF(err.msg));
		abort();
	}
	return j;
}

/* What upstream's operator wrote after the same edit. */
TEST the_bytes_are_the_operators(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *after = read_yaml(&a, CASES "010-after.yaml");
	struct settings_view v = { .settings = read_yaml(&a, CASES "010-before.yaml"),
				   .idle_ms = SETTINGS_WAIT_MS,
				   .wait_ms = SETTINGS_WAIT_MS };
	struct actions out = { 0 };

	ASSERT(settings_stale(v.settings));
	ASSERT(!settings_stale(after));
	plan_settings(&a, &v, &out);
	ASSERT_INT(1, (int)out.n);
	ASSERT_INT(ACTION_REPLACE, (int)out.v[0].kind);
	ASSERT_STR("/apis/operator.openshift.io/v1/machineconfigurations/"
		   "cluster/status",
		   out.v[0].path);
	ASSERT(json_eq(after, fx_json(&a, out.v[0].body)));
	PASS();
}

TEST the_defaults_are_the_operators(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct json *after = read_yaml(&a, CASES "001-after.yaml");
	static const char policies[] = "status.nodeDisruptionPolicyStatus";
	struct settings_view v = { .settings = json_clone(&a, after),
				   .idle_ms = SETTINGS_WAIT_MS,
				   .wait_ms = SETTINGS_WAIT_MS };
	struct actions out = { 0 };
	struct json *body;

	json_set((struct json *)v.settings, S("status"), json_new(&a, JSON_OBJECT));
	plan_settings(&a, &v, &out);
	ASSERT_INT(1, (int)out.n);
	body = fx_json(&a, out.v[0].body);
	ASSERT(json_eq(json_at(after, policies), json_at(body, policies)));
	ASSERT_INT(1, (int)json_i64(body, "status.observedGeneration", 0));
	PASS();
}

#define NOW 1800000000 /* 2027-01-15T08:00:00Z */

/* How long the plan waits for an operator that never changes its lease again. Only the plan's
 * requeue times advance the clock. */
static int64_t written_after(struct arena *a, const char *lease)
{
	struct settings_view v = { .settings = fx_quote(a, "{'metadata':{'name':'cluster',"
							   "'generation':2},'status':{"
							   "'observedGeneration':1}}"),
				   .lease = lease ? fx_quote(a, lease) : NULL,
				   .now = { .sec = NOW },
				   .wait_ms = SETTINGS_WAIT_MS };

	for (int i = 0; i < 1000; i++) {
		struct actions out = { 0 };

		plan_settings(a, &v, &out);
		if (out.n != 1)
			return -1;
		if (out.v[0].kind == ACTION_REPLACE)
			return v.idle_ms;
		if (out.v[0].kind != ACTION_REQUEUE || out.v[0].after < 1 || out.v[0].after > 30000)
			return -2;
		v.idle_ms += out.v[0].after;
		v.now.sec = NOW + v.idle_ms / 1000;
	}
	return -3;
}

TEST an_operator_is_waited_for(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	ASSERT_INT(0, written_after(&a, NULL));
	ASSERT_INT(300000, written_after(&a, "{'spec':{'holderIdentity':'',"
					     "'leaseDurationSeconds':1}}"));
	ASSERT_INT(437000, written_after(&a, "{'spec':{'holderIdentity':'a_b',"
					     "'leaseDurationSeconds':137}}"));
	ASSERT_INT(570000, written_after(&a, "{'spec':{'holderIdentity':'a_b',"
					     "'leaseDurationSeconds':270}}"));
	ASSERT_INT(437000, written_after(&a, "{'spec':{'holderIdentity':'a_b'}}"));
	ASSERT_INT(3900000, written_after(&a, "{'spec':{'holderIdentity':'a_b',"
					      "'leaseDurationSeconds':99999999}}"));
	PASS();
}

TEST the_time_of_the_lease_decides(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	/* renewed five minutes ago, or longer: no operator leads */
	ASSERT_INT(0, written_after(&a, "{'spec':{'holderIdentity':'a_b','leaseDurationSeconds':"
					"137,'renewTime':'2027-01-15T07:55:00.000000Z'}}"));
	ASSERT_INT(0, written_after(&a, "{'spec':{'holderIdentity':'','leaseDurationSeconds':1,"
					"'renewTime':'2020-01-01T00:00:00.000000Z'}}"));
	/* four minutes ago: one minute left */
	ASSERT_INT(60000, written_after(&a, "{'spec':{'holderIdentity':'a_b',"
					    "'leaseDurationSeconds':137,"
					    "'renewTime':'2027-01-15T07:56:00.000000Z'}}"));
	/* in the future: the clocks differ, so the lease has to be seen unchanged */
	ASSERT_INT(437000, written_after(&a, "{'spec':{'holderIdentity':'a_b',"
					     "'leaseDurationSeconds':137,"
					     "'renewTime':'2027-01-15T09:00:00.000000Z'}}"));
	PASS();
}

TEST what_is_up_to_date_is_left_alone(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct settings_view v = { .idle_ms = SETTINGS_WAIT_MS, .wait_ms = SETTINGS_WAIT_MS };
	struct actions out = { 0 };

	plan_settings(&a, &v, &out);
	v.settings = read_yaml(&a, CASES "010-after.yaml");
	plan_settings(&a, &v, &out);
	ASSERT_INT(0, (int)out.n);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(the_bytes_are_the_operators);
	RUN_TEST(the_defaults_are_the_operators);
	RUN_TEST(an_operator_is_waited_for);
	RUN_TEST(the_time_of_the_lease_decides);
	RUN_TEST(what_is_up_to_date_is_left_alone);
}

TEST_MAIN(suite)
