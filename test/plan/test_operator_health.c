/*
 * The conditions in the operator's own Deployment: each outcome of a pass, one after the other, and
 * the exact patch that it makes due.
 */
#include "fixture.h"
#include "operator_case.h"
#include "plan/operator/op_status.h"

#define DEPLOYMENT                                                                              \
	"{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':"                       \
	"'machine-config-operator','namespace':'openshift-machine-config-operator'},'status':{" \
	"'conditions':[{'type':'Progressing','status':'True','reason':'NewReplicaSetAvailable'}]}}"
#define AVAILABLE "MachineConfigAvailable"
#define PROGRESSING "MachineConfigProgressing"
#define DEGRADED "MachineConfigDegraded"

static void load(struct arena *a, struct operator_case *c)
{
	operator_case_load(a, "001-none-fresh", 0, c);
	c->view.standalone = true;
	c->view.release = S("1.0");
	operator_case_put(c, fx_quote(a, DEPLOYMENT));
}

/* Merges the patch by type, as the server does, and describes it: "Type=Status Reason: message\n". */
static struct str act(struct operator_case *c, const struct actions *list)
{
	struct json *live =
		operator_case_find(&c->objects, "Deployment", "machine-config-operator");
	struct json *conditions = json_at(live, "status.conditions"), *patch = NULL, *m;
	struct err err = ERR_INIT(c->a);
	struct buf b;

	buf_init(&b, c->a);
	if (!list->n)
		return buf_str(&b);
	if (list->n != 1 || list->v[0].kind != ACTION_STRATEGIC ||
	    !str_is(list->v[0].path, "/apis/apps/v1/namespaces/openshift-machine-config-operator/"
				     "deployments/machine-config-operator/status") ||
	    json_parse(c->a, list->v[0].body, NULL, &patch, &err) < 0)
		return S("another action");
	for (m = json_first(json_at(patch, "status.conditions")); m; m = json_next(m)) {
		for (struct json *old = json_first(conditions); old; old = json_next(old))
			if (str_eq(json_str(old, "type"), json_str(m, "type"))) {
				json_detach(conditions, old);
				break;
			}
		json_push(conditions, json_clone(c->a, m));
		buf_addf(&b, "%.*s=%.*s %.*s: %.*s\n", STRF(json_str(m, "type")),
			 STRF(json_str(m, "status")), STRF(json_str(m, "reason")),
			 STRF(json_str(m, "message")));
	}
	return buf_str(&b);
}

static struct str member_of(struct operator_case *c, const char *type, const char *member)
{
	const struct json *live =
		operator_case_find(&c->objects, "Deployment", "machine-config-operator");

	for (const struct json *m = json_first(json_at(live, "status.conditions")); m;
	     m = json_next(m))
		if (str_is(json_str(m, "type"), type))
			return json_str(m, member);
	return S("no such condition");
}

/* In the order of the life of a cluster: each outcome follows the one before it. */
static const struct {
	const char *name, *release;
	struct operator_outcome o;
	const char *want;
} life[] = {
	{ "the first step fails",
	  "1.0",
	  { OPERATOR_PASS_FAILED, OPERATOR_RENDER_CONFIG, { "no network", 10 }, { 0 } },
	  AVAILABLE "=False Deploying: \n" PROGRESSING
		    "=True Deploying: Unable to apply 1.0\n" DEGRADED
		    "=True RenderConfigFailed: Unable to apply 1.0: no network\n" },
	{ "it fails again",
	  "1.0",
	  { OPERATOR_PASS_FAILED, OPERATOR_RENDER_CONFIG, { "no network", 10 }, { 0 } },
	  "" },
	{ "it is tried again",
	  "1.0",
	  { OPERATOR_PASS_GOES_ON, OPERATOR_RENDER_CONFIG, { 0 }, { 0 } },
	  "" },
	{ "a later step is reached",
	  "1.0",
	  { OPERATOR_PASS_GOES_ON, OPERATOR_DAEMON, { 0 }, { 0 } },
	  PROGRESSING "=True Deploying: Working towards 1.0\n" DEGRADED "=False AsExpected: \n" },
	{ "the rollout of the daemon continues",
	  "1.0",
	  { OPERATOR_PASS_GOES_ON, OPERATOR_DAEMON, { 0 }, { 0 } },
	  "" },
	{ "pools update",
	  "1.0",
	  { OPERATOR_PASS_WAITS, OPERATOR_REQUIRED_POOLS, { "1 of 3", 6 }, { 0 } },
	  PROGRESSING "=True Deploying: Working towards 1.0: 1 of 3\n" },
	{ "the sync is complete",
	  "1.0",
	  { OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, { 0 }, { 0 } },
	  AVAILABLE "=True AsExpected: Cluster has deployed 1.0\n" PROGRESSING
		    "=False AsExpected: Cluster version is 1.0\n" },
	{ "at rest", "1.0", { OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, { 0 }, { 0 } }, "" },
	{ "a step undoes a change",
	  "1.0",
	  { OPERATOR_PASS_GOES_ON, OPERATOR_SERVER, { 0 }, { 0 } },
	  "" },
	{ "pools update to a new config",
	  "1.0",
	  { OPERATOR_PASS_WAITS, OPERATOR_REQUIRED_POOLS, { "1 of 3", 6 }, { 0 } },
	  "" },
	{ "MachineConfiguration fails meanwhile",
	  "1.0",
	  { OPERATOR_PASS_WAITS, OPERATOR_REQUIRED_POOLS, { "1 of 3", 6 }, { "bad", 3 } },
	  DEGRADED "=True MachineConfigurationFailed: Failed to resync 1.0 because: bad\n" },
	{ "a step undoes a change meanwhile",
	  "1.0",
	  { OPERATOR_PASS_GOES_ON, OPERATOR_SERVER, { 0 }, { "bad", 3 } },
	  "" },
	{ "MachineConfiguration succeeds",
	  "1.0",
	  { OPERATOR_PASS_WAITS, OPERATOR_REQUIRED_POOLS, { "1 of 3", 6 }, { 0 } },
	  DEGRADED "=False AsExpected: \n" },
	{ "a step fails after the install",
	  "1.0",
	  { OPERATOR_PASS_FAILED, OPERATOR_DAEMON, { "late", 4 }, { 0 } },
	  DEGRADED "=True MachineConfigDaemonFailed: Failed to resync 1.0 because: late\n" },
	{ "it succeeds",
	  "1.0",
	  { OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, { 0 }, { 0 } },
	  DEGRADED "=False AsExpected: \n" },
	{ "an upgrade begins",
	  "2.0",
	  { OPERATOR_PASS_GOES_ON, OPERATOR_MACHINE_CONFIG_POOLS, { 0 }, { 0 } },
	  PROGRESSING "=True Deploying: Working towards 2.0\n" },
	{ "a step of the upgrade fails",
	  "2.0",
	  { OPERATOR_PASS_FAILED, OPERATOR_DAEMON, { "late", 4 }, { 0 } },
	  PROGRESSING "=True Deploying: Unable to apply 2.0\n" DEGRADED
		      "=True MachineConfigDaemonFailed: Unable to apply 2.0: late\n" },
	{ "the upgrade is complete",
	  "2.0",
	  { OPERATOR_PASS_DONE, OPERATOR_REQUIRED_POOLS, { 0 }, { 0 } },
	  AVAILABLE "=True AsExpected: Cluster has deployed 2.0\n" PROGRESSING
		    "=False AsExpected: Cluster version is 2.0\n" DEGRADED
		    "=False AsExpected: \n" },
};

TEST the_life_of_a_cluster(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_case c;

	load(&a, &c);
	for (size_t i = 0; i < ARRAY_LEN(life); i++) {
		struct actions list = { 0 };

		c.view.release = str_of(life[i].release);
		c.view.now.sec++;
		operator_health(&a, &c.view, &life[i].o, &list);
		ASSERT_STR_M(life[i].name, str_of(life[i].want), act(&c, &list));
	}
	/* the conditions of the Deployment's controller are there */
	ASSERT_STR("NewReplicaSetAvailable", member_of(&c, "Progressing", "reason"));
	/* Available became True with the 7th outcome and stayed so; its message is of the last */
	ASSERT_STR("2027-01-15T08:00:07Z", member_of(&c, AVAILABLE, "lastTransitionTime"));
	ASSERT_STR("2027-01-15T08:00:18Z", member_of(&c, AVAILABLE, "lastUpdateTime"));
	PASS();
}

TEST no_health_elsewhere(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_outcome done = { .pass = OPERATOR_PASS_DONE };
	struct actions list = { 0 };
	struct operator_case c;

	load(&a, &c);
	c.view.standalone = false;
	operator_health(&a, &c.view, &done, &list);
	ASSERT_INT(0, (int)list.n);
	c.view.standalone = true;
	c.objects.n = 0; /* it runs outside of the cluster */
	operator_health(&a, &c.view, &done, &list);
	ASSERT_INT(0, (int)list.n);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(the_life_of_a_cluster);
	RUN_TEST(no_health_elsewhere);
}

TEST_MAIN(suite)
