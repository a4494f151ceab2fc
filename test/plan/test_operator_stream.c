/* The step OSImageStream. */
#include "actions_print.h"
#include "fixture.h"
#include "operator_case.h"

#define HEAD "{'apiVersion':'machineconfiguration.openshift.io/v1alpha1','kind':'OSImageStream',"
#define OURS                                                                                      \
	"'metadata':{'name':'cluster','annotations':{'machineconfiguration.openshift.io/release-" \
	"image-version':'" OPERATOR_CASE_HASH "'}},"
#define THEIRS                                                                                    \
	"'metadata':{'name':'cluster','annotations':{'machineconfiguration.openshift.io/release-" \
	"image-version':'abc'}},"
#define STREAMS                                                                       \
	"'availableStreams':[{'name':'a','osImage':'i/a','osExtensionsImage':'e/a'}," \
	"{'name':'b','osImage':'i/b','osExtensionsImage':'e/b'}]"
#define PATH "/apis/machineconfiguration.openshift.io/v1alpha1/osimagestreams/cluster"

static const struct {
	const char *name, *object;
	bool off; /* the gate */
	const char *actions, *error;
} cases[] = {
	{ "nothing without the gate", NULL, true, "", "" },
	{ "an absent object cannot be built", NULL, false, "",
	  "OSImageStream cluster does not exist, and this operator cannot build it: it does not "
	  "inspect images in a registry. Create the object, or disable the feature gate OSStreams" },
	{ "nor one of another release", HEAD THEIRS "'status':{'defaultStream':'c'}}", false, "",
	  "OSImageStream cluster is of another release, and this operator cannot build it: it does "
	  "not inspect images in a registry. Create the object, or disable the feature gate "
	  "OSStreams" },
	{ "an object with the images of this release is taken over",
	  HEAD THEIRS "'status':{" STREAMS "}}", false,
	  "0 MERGE " PATH " {\"metadata\":{\"annotations\":{\"machineconfiguration.openshift.io/"
	  "release-image-version\":\"" OPERATOR_CASE_HASH
	  "\"}}}  # it has the images of this release\n",
	  "" },
	{ "the default stays without a choice",
	  HEAD OURS "'spec':{},'status':{'defaultStream':'a'," STREAMS "}}", false, "", "" },
	{ "the choice is in place",
	  HEAD OURS "'spec':{'defaultStream':'b'},'status':{'defaultStream':'b'," STREAMS "}}",
	  false, "", "" },
	{ "the choice must exist",
	  HEAD OURS "'spec':{'defaultStream':'x'},'status':{'defaultStream':'b'," STREAMS "}}",
	  false, "",
	  "error syncing default OSImageStream with OSImageStream x: "
	  "osimagestreams.machineconfiguration.openshift.io \"x\" not found" },
};

static void load(struct arena *a, struct operator_case *c)
{
	operator_case_load(a, "001-none-fresh", CASE_INPUT, c);
	operator_case_put(c, fx_quote(a, "{'apiVersion':'v1','kind':'ConfigMap','metadata':{"
					 "'namespace':'openshift-machine-config-operator','name':"
					 "'machine-config-osimageurl'},'data':{"
					 "'baseOSContainerImage':'i/b',"
					 "'baseOSExtensionsContainerImage':'e/b'}}"));
	VEC_PUSH(a, &c->view.gates.enabled, S("OSStreams"));
}

TEST the_step_uses_what_exists(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct operator_memory m = { .a = &a };
		struct operator_result out = { 0 };
		struct err err = ERR_INIT(&a);
		struct operator_case c;
		struct buf b;
		int rc;

		load(&a, &c);
		if (cases[i].off)
			c.view.gates.enabled.n--;
		if (cases[i].object)
			operator_case_put(&c, fx_quote(&a, cases[i].object));
		rc = operator_os_image_stream(&a, &c.view, &m, &out, &err);
		buf_init(&b, &a);
		actions_print(&b, &out.actions);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].error), rc < 0 ? err.msg : S(""));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].actions), buf_str(&b));
	}
	PASS();
}

TEST the_choice_is_written_into_the_status(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct operator_memory m = { .a = &a };
	struct operator_result out = { 0 };
	struct err err = ERR_INIT(&a);
	struct operator_case c;

	load(&a, &c);
	operator_case_put(&c, fx_quote(&a, HEAD OURS "'spec':{'defaultStream':'b'},'status':{"
						     "'defaultStream':'a'," STREAMS "}}"));
	ASSERT_INT(0, operator_os_image_stream(&a, &c.view, &m, &out, &err));
	ASSERT_INT(1, (int)out.actions.n);
	ASSERT_INT(ACTION_REPLACE, (int)out.actions.v[0].kind);
	ASSERT_STR(PATH "/status", out.actions.v[0].path);
	(void)operator_case_act(&c, &out.actions);
	ASSERT_STR("b", json_str(operator_case_find(&c.objects, "OSImageStream", "cluster"),
				 "status.defaultStream"));
	out = (struct operator_result){ 0 };
	ASSERT_INT(0, operator_os_image_stream(&a, &c.view, &m, &out, &err));
	ASSERT_INT(0, (int)out.actions.n);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(the_step_uses_what_exists);
	RUN_TEST(the_choice_is_written_into_the_status);
}

TEST_MAIN(suite)
