/*
 * MachineConfiguration: what the golden cases do not show.
 */
#include "fixture.h"
#include "operator_case.h"

#define PATH "/apis/operator.openshift.io/v1/machineconfigurations/cluster"
#define KIND                                                                                 \
	"{'apiVersion':'operator.openshift.io/v1','kind':'MachineConfiguration','metadata':" \
	"{'name':'cluster'}"
#define INFRA                                                                                \
	"{'apiVersion':'config.openshift.io/v1','kind':'Infrastructure','metadata':{'name':" \
	"'cluster'}"
#define OPT_IN "machineconfiguration.openshift.io/boot-image-updates-opted-in-at"

struct cluster {
	struct arena a;
	struct operator_case c;
	struct operator_memory m;
	struct operator_result out;
	struct err err;
};

static void setup(struct cluster *k, const char *name)
{
	*k = (struct cluster){ .a = ARENA_INIT };
	k->err = ERR_INIT(&k->a);
	operator_case_load(&k->a, name, CASE_AT_REST, &k->c);
}

static void change(struct cluster *k, const char *object)
{
	operator_case_put(&k->c, fx_quote(&k->a, object));
}

static int run(struct cluster *k)
{
	k->out = (struct operator_result){ 0 };
	return operator_machine_configuration(&k->a, &k->c.view, &k->m, &k->out, &k->err);
}

static const struct json *object(struct cluster *k)
{
	return operator_case_find(&k->c.objects, "MachineConfiguration", "cluster");
}

/* Runs until nothing is written. */
static bool settle(struct cluster *k)
{
	for (int i = 0; i < 10; i++) {
		if (run(k) < 0)
			return false;
		if (!k->out.actions.n)
			return true;
		(void)operator_case_act(&k->c, &k->out.actions);
	}
	return false;
}

TEST an_absent_object_is_applied_first_and_filled_next(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	operator_case_drop(&k.c, object(&k));
	ASSERT_INT(0, run(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	ASSERT_INT(ACTION_APPLY, (int)k.out.actions.v[0].kind);
	ASSERT_STR(PATH "?fieldManager=machine-config-operator&force=false",
		   k.out.actions.v[0].path);
	ASSERT_STR(
		"{\"apiVersion\":\"operator.openshift.io/v1\",\"kind\":\"MachineConfiguration\","
		"\"metadata\":{\"name\":\"cluster\"},\"spec\":{\"managementState\":\"Managed\"}}",
		k.out.actions.v[0].body);
	(void)operator_case_act(&k.c, &k.out.actions);
	ASSERT_INT(0, run(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	ASSERT_INT(ACTION_REPLACE, (int)k.out.actions.v[0].kind);
	ASSERT_STR(PATH "/status", k.out.actions.v[0].path);
	arena_free(&k.a);
	PASS();
}

/* ---- boot images --------------------------------------------------------- */

struct boot {
	const char *name, *from, *change;
	const char *images, *skew; /* the status, as JSON with sorted keys */
};

#define MANAGER(resource, mode)                                                                   \
	"{'apiGroup':'machine.openshift.io','resource':'" resource "','selection':{'mode':'" mode \
	"'}}"
#define MANUAL(version) \
	"{'manual':{'mode':'OCPVersion','ocpVersion':'" version "'},'mode':'Manual'}"
#define AUTOMATIC(version) "{'automatic':{'ocpVersion':'" version "'},'mode':'Automatic'}"
#define BOTH(sets, control)                                                                        \
	"{'machineManagers':[" MANAGER("machinesets", sets) "," MANAGER("controlplanemachinesets", \
									control) "]}"
#define NO_CONTROLLER KIND ",'status':{'conditions':null}}"
#define VERSIONS(list)                                                                       \
	"{'apiVersion':'config.openshift.io/v1','kind':'ClusterVersion','metadata':{'name':" \
	"'version'},'status':{'history':" list "}}"

static const struct boot boots[] = {
	{ "without a boot image controller nobody manages them", "009-aws-proxy-trustbundle",
	  NO_CONTROLLER, BOTH("None", "None"), MANUAL("4.22.0") },
	{ "the admin's choice is copied, but without a controller it is not automatic",
	  "009-aws-proxy-trustbundle",
	  KIND ",'spec':{'managedBootImages':{'machineManagers':[" MANAGER(
		  "machinesets", "All") "]}},'status':{'conditions':null}}",
	  BOTH("All", "None"), MANUAL("4.22.0") },
	{ "the admin's choice of one manager leaves the other's default",
	  "009-aws-proxy-trustbundle",
	  KIND ",'spec':{'managedBootImages':{'machineManagers':[" MANAGER(
		  "controlplanemachinesets", "All") "]}}}",
	  BOTH("All", "All"), AUTOMATIC("4.22.0") },
	{ "Azure Stack is not supported", "009-aws-proxy-trustbundle",
	  INFRA ",'status':{'platformStatus':{'type':'Azure','azure':{'cloudName':"
		"'AzureStackCloud'}}}}",
	  "{}", MANUAL("4.22.0") },
	{ "None is copied", "009-aws-proxy-trustbundle",
	  KIND ",'spec':{'bootImageSkewEnforcement':{'mode':'None'}}}", BOTH("All", "None"),
	  "{'mode':'None'}" },
	{ "the version of an automatic status is the boot image controller's",
	  "009-aws-proxy-trustbundle",
	  KIND
	  ",'status':{'bootImageSkewEnforcementStatus':{'automatic':{'ocpVersion':'4.23.9'}}}}",
	  BOTH("All", "None"), AUTOMATIC("4.23.9") },
	{ "a single replica has no skew enforcement", "009-aws-proxy-trustbundle",
	  INFRA ",'status':{'controlPlaneTopology':'SingleReplica'}}", BOTH("All", "None"),
	  "{'mode':'None'}" },
	{ "the skew of an edited spec is computed again", "014-evaluation-and-skew",
	  "{'apiVersion':'operator.openshift.io/v1','kind':'MachineConfiguration','metadata':"
	  "{'name':'cluster','generation':9},'spec':{'bootImageSkewEnforcement':null},'status':"
	  "{'conditions':null}}",
	  BOTH("None", "None"), MANUAL("4.22.0") },
	{ "bare metal with its own image has a version", "002-baremetal-dualstack",
	  "{'apiVersion':'metal3.io/v1alpha1','kind':'Provisioning','metadata':{'name':"
	  "'provisioning-configuration'},'spec':{'provisioningOSDownloadURL':'http://x'}}",
	  "{}", MANUAL("4.22.0") },
	{ "bare metal with the image of the release has none", "002-baremetal-dualstack",
	  "{'apiVersion':'metal3.io/v1alpha1','kind':'Provisioning','metadata':{'name':"
	  "'provisioning-configuration'},'spec':{'provisioningOSDownloadURL':''}}",
	  "{}", "{'mode':'None'}" },
};

TEST boot_images_follow_what_is_observed(void)
{
	for (size_t i = 0; i < ARRAY_LEN(boots); i++) {
		const struct boot *b = &boots[i];
		struct cluster k;

		setup(&k, b->from);
		change(&k, b->change);
		ASSERTm(b->name, settle(&k));
		ASSERT_STR_M(b->name, json_format(&k.a, fx_quote(&k.a, b->images), JSON_SORTED),
			     json_format(&k.a,
					 json_at(object(&k), "status.managedBootImagesStatus"),
					 JSON_SORTED));
		ASSERT_STR_M(
			b->name, json_format(&k.a, fx_quote(&k.a, b->skew), JSON_SORTED),
			json_format(&k.a,
				    json_at(object(&k), "status.bootImageSkewEnforcementStatus"),
				    JSON_SORTED));
		arena_free(&k.a);
	}
	PASS();
}

TEST the_install_version_is_the_oldest_one(void)
{
	static const struct {
		const char *history, *version;
	} cases[] = {
		{ "[{'version':'4.22.3'},{'version':'4.21.0'},{'version':'4.12.7-rc.1'}]",
		  "4.12.7" },
		{ "[{'version':'4.22.3'},{'version':'latest'}]", "0.0.0" },
		{ "[]", "0.0.0" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cluster k;

		setup(&k, "001-none-fresh");
		change(&k, str_fmt(&k.a, VERSIONS("%s"), cases[i].history).p);
		change(&k, KIND ",'status':null}");
		ASSERT(settle(&k));
		ASSERT_STR(cases[i].version,
			   json_str(object(&k),
				    "status.bootImageSkewEnforcementStatus.manual.ocpVersion"));
		arena_free(&k.a);
	}
	PASS();
}

TEST without_the_gate_there_is_no_skew_status(void)
{
	struct cluster k;

	setup(&k, "001-none-fresh");
	k.c.view.gates.enabled.n = 0;
	change(&k, KIND ",'status':null}");
	ASSERT(settle(&k));
	ASSERT(!json_at(object(&k), "status.bootImageSkewEnforcementStatus"));
	ASSERT(json_at(object(&k), "status.managedBootImagesStatus"));
	arena_free(&k.a);
	PASS();
}

/* The annotation is written before the status, and a later opt-in renews it. */
TEST an_opt_in_is_dated(void)
{
	struct cluster k;

	setup(&k, "009-aws-proxy-trustbundle");
	change(&k, KIND ",'status':{'managedBootImagesStatus':null}}");
	change(&k, "{'apiVersion':'operator.openshift.io/v1','kind':'MachineConfiguration',"
		   "'metadata':{'name':'cluster','annotations':{'" OPT_IN
		   "':'2020-01-01T00:00:00Z'}}}");
	ASSERT_INT(0, run(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	ASSERT_INT(ACTION_MERGE, (int)k.out.actions.v[0].kind);
	ASSERT_STR(PATH, k.out.actions.v[0].path);
	ASSERT_STR("{\"metadata\":{\"annotations\":{\"" OPT_IN "\":\"2027-01-15T08:00:00Z\"}}}",
		   k.out.actions.v[0].body);
	(void)operator_case_act(&k.c, &k.out.actions);
	k.c.view.now.sec += 2;
	ASSERT_INT(0, run(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	ASSERT_STR(PATH "/status", k.out.actions.v[0].path);
	(void)operator_case_act(&k.c, &k.out.actions);
	k.c.view.now.sec += 3600;
	ASSERT_INT(0, run(&k));
	ASSERT_INT(0, (int)k.out.actions.n);
	arena_free(&k.a);
	PASS();
}

TEST a_degraded_boot_image_does_not_block_the_status(void)
{
	struct cluster k;

	setup(&k, "076-bootimage-degraded");
	change(&k, "{'apiVersion':'operator.openshift.io/v1','kind':'MachineConfiguration',"
		   "'metadata':{'name':'cluster','generation':9}}");
	ASSERT_INT(0, run(&k));
	ASSERT_INT(1, (int)k.out.actions.n);
	(void)operator_case_act(&k.c, &k.out.actions);
	ASSERT_INT(9, json_i64(object(&k), "status.observedGeneration", 0));
	ASSERT(run(&k) < 0);
	ASSERT_STR("bootimage update failed: no image for grove-north", k.err.msg);
	arena_free(&k.a);
	PASS();
}

/* ---- the stamp ----------------------------------------------------------- */

#define MASTER                                                                             \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':'MachineConfigPool'," \
	"'metadata':{'name':'master'}"

static const struct {
	const char *name, *pool;
	bool stamped;
} stamps[] = {
	{ "updated", "", true },
	{ "updating, none updated",
	  ",'status':{'updatedMachineCount':0,'conditions':[{'type':"
	  "'Updating','status':'True'}]}",
	  false },
	{ "updating, one updated",
	  ",'status':{'updatedMachineCount':1,'conditions':[{'type':"
	  "'Updating','status':'True'}]}",
	  true },
	{ "updated to another config", ",'status':{'configuration':{'name':'rendered-master-0'}}",
	  false },
	{ "of no config", ",'spec':{'configuration':{'name':'rendered-master-0'}}", false },
};

TEST boot_images_are_stamped_once_master_runs_the_release(void)
{
	for (size_t i = 0; i < ARRAY_LEN(stamps); i++) {
		struct cluster k;

		setup(&k, "001-none-fresh");
		change(&k,
		       "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'namespace':"
		       "'openshift-machine-config-operator','name':'coreos-bootimages'},'data':{"
		       "'MCOVersionHash':'old'}}");
		change(&k, str_fmt(&k.a, MASTER "%s}", stamps[i].pool).p);
		ASSERT_INT(0, run(&k));
		ASSERT_INT_M(stamps[i].name, stamps[i].stamped, (int)k.out.actions.n);
		if (stamps[i].stamped)
			ASSERT_STR("{\"data\":{\"MCOVersionHash\":\"" OPERATOR_CASE_HASH
				   "\",\"MCOReleaseImageVersion\":\"4.22.0\"}}",
				   k.out.actions.v[0].body);
		arena_free(&k.a);
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(an_absent_object_is_applied_first_and_filled_next);
	RUN_TEST(boot_images_follow_what_is_observed);
	RUN_TEST(the_install_version_is_the_oldest_one);
	RUN_TEST(without_the_gate_there_is_no_skew_status);
	RUN_TEST(an_opt_in_is_dated);
	RUN_TEST(a_degraded_boot_image_does_not_block_the_status);
	RUN_TEST(boot_images_are_stamped_once_master_runs_the_release);
}

TEST_MAIN(suite)
