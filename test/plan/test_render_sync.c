/* The render controller, and how MachineConfigs are updated to the wanted state. */
#include "plan/render_sync.h"
#include "actions_print.h"

#include "fixture.h"
#include "mc/brief.h"
#include "plan/apply.h"
#include "plan/owned.h"

struct cluster {
	struct arena a;
	struct mcp pool;
	struct mc_list mcs;
	struct mc_controller_config cc;
	struct render_view v;
	struct actions out;
	struct err err;
};

static void add_mc(struct cluster *c, const char *text)
{
	VEC_PUSH(&c->a, &c->mcs, fx_mc(&c->a, text));
}

static void set_pool(struct cluster *c, const char *text)
{
	struct doc d = fx_doc(&c->a, text);

	if (mcp_decode(&c->a, &d, &c->pool, &c->err) < 0)
		abort();
}

#define CC(observed, failing)                                                    \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"           \
	"'ControllerConfig','metadata':{'name':'machine-config-controller',"     \
	"'generation':2,'annotations':{'machineconfiguration.openshift.io/"      \
	"generated-by-version':'v1','machineconfiguration.openshift.io/"         \
	"release-image-version':'4.22'}},'spec':{'osImageURL':'old',"            \
	"'baseOSContainerImage':'img'},'status':{'observedGeneration':" observed \
	",'conditions':[{'type':'TemplateControllerCompleted',"                  \
	"'status':'True'},{'type':'TemplateControllerFailing','status':'" failing "'}]}}"
#define POOL_TEXT(conf)                                                       \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"        \
	"'MachineConfigPool','metadata':{'name':'worker','uid':'u1',"         \
	"'labels':{'p':'w'}},'spec':{'machineConfigSelector':{'matchLabels':" \
	"{'machineconfiguration.openshift.io/role':'worker'}},"               \
	"'configuration':" conf "}}"
#define MC_TEXT(name, spec)                                                 \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"      \
	"'MachineConfig','metadata':{'name':'" name "','labels':{"          \
	"'machineconfiguration.openshift.io/role':'worker'}},'spec':{" spec \
	"'config':{'ignition':{'version':'3.5.0'}}}}"

static void start(struct cluster *c)
{
	*c = (struct cluster){ 0 };
	c->err = ERR_INIT(&c->a);
	fx_cc(&c->a, CC("2", "False"), &c->cc);
	set_pool(c, POOL_TEXT("{}"));
	add_mc(c, MC_TEXT("10-b", "'kernelArguments':['quiet'],"));
	add_mc(c, MC_TEXT("00-a", ""));
	c->v = (struct render_view){ .now = { 1700000000, 0 },
				     .raw = S("v1"),
				     .hash = S("h1"),
				     .pool = &c->pool,
				     .mcs = &c->mcs,
				     .controller_config = &c->cc };
}

static struct str plan(struct cluster *c)
{
	struct buf b;
	int rc;

	c->out = (struct actions){ 0 };
	rc = plan_render_sync(&c->a, &c->v, &c->out, &c->err);
	buf_init(&b, &c->a);
	for (size_t i = 0; i < c->out.n; i++) {
		struct actions one = { .v = &c->out.v[i], .n = 1 };

		if (c->out.v[i].kind == ACTION_CREATE || c->out.v[i].kind == ACTION_REPLACE)
			one.v[0].body.n = 0; /* bodies are compared elsewhere */
		actions_print(&b, &one);
	}
	if (rc < 0)
		buf_addf(&b, "ERROR %d %.*s\n", rc, STRF(c->err.msg));
	return buf_str(&b);
}

/* Adds the written object to the cluster. */
static void take(struct cluster *c, size_t i)
{
	struct action *act = &c->out.v[i];
	/* plan() hides a body by setting its length to 0 */
	struct str body = str_of(act->body.p);

	if (act->kind == ACTION_CREATE)
		add_mc(c, str_z(&c->a, body));
	else
		set_pool(c, str_z(&c->a, body));
}

#define API "/apis/machineconfiguration.openshift.io/v1/"
#define METRIC "0 METRIC os_image_url_override worker = 0\n"

TEST rendered(void)
{
	struct cluster c;
	struct str got, name;

	start(&c);
	got = plan(&c);
	name = str_dup(&c.a, json_str(fx_json(&c.a, str_of(c.out.v[1].body.p)), "metadata.name"));
	ASSERT(str_starts(name, S("rendered-worker-")));
	ASSERT_STR_M("first",
		     str_fmt(&c.a,
			     METRIC "0 POST " API "machineconfigs  # pool worker: rendered from "
				    "2 configs\n"
				    "1 EVENT Normal RenderedConfigGenerated on "
				    "MachineConfigPool/worker: %.*s successfully "
				    "generated (release version: 4.22, controller "
				    "version: h1)\n"
				    "1 PUT " API "machineconfigpools/worker  # now targeting "
				    "%.*s\n"
				    "2 LOG Pool worker: now targeting: %.*s\n"
				    "2 METRIC mcc_sub_controller_state "
				    "machine-config-controller-render,Sync Machine "
				    "Config Pool with new MC,worker = now\n",
			     STRF(name), STRF(name), STRF(name)),
		     got);
	take(&c, 1);
	take(&c, 3);
	ASSERT_STR_M("sources, by name",
		     str_fmt(&c.a,
			     "{\"name\":\"%.*s\",\"source\":[{\"apiVersion\":"
			     "\"machineconfiguration.openshift.io/v1\","
			     "\"kind\":\"MachineConfig\",\"name\":\"00-a\"},"
			     "{\"apiVersion\":"
			     "\"machineconfiguration.openshift.io/v1\","
			     "\"kind\":\"MachineConfig\",\"name\":\"10-b\"}]}",
			     STRF(name)),
		     json_format(&c.a, json_at(c.pool.tree, "spec.configuration"), 0));
	ASSERT_STR(METRIC "1 PUT " API "machineconfigpools/worker/status  # rendered\n", plan(&c));
	take(&c, 1);
	ASSERT_STR(METRIC, plan(&c)); /* and nothing more */
	arena_free(&c.a);
	PASS();
}

/* Someone edits the rendered config in use: the plan restores it. */
TEST edited(void)
{
	struct cluster c;
	struct json *spec;

	start(&c);
	(void)plan(&c);
	take(&c, 1);
	take(&c, 3);
	(void)plan(&c);
	take(&c, 1);
	spec = json_at(c.mcs.v[2]->doc.tree, "spec");
	json_set(spec, S("kernelArguments"), json_new(&c.a, JSON_ARRAY));
	ASSERT_STR_M("corrected",
		     str_fmt(&c.a,
			     METRIC "0 PUT " API "machineconfigs/%.*s  # pool worker: "
				    "rendered from 2 configs\n",
			     STRF(c.mcs.v[2]->meta.name)),
		     plan(&c));
	/* a deleted one is created again */
	c.mcs.n = 2;
	ASSERT(str_find(plan(&c), S("POST " API "machineconfigs")) >= 0);
	arena_free(&c.a);
	PASS();
}

/* Upstream's type always writes whether the pool is paused; the value is kept. */
TEST paused_is_written(void)
{
	static const char *const pools[] = { POOL_TEXT("{}"), POOL_TEXT("{},'paused':true") };

	for (size_t i = 0; i < 2; i++) {
		struct cluster c;
		const struct json *paused;

		start(&c);
		set_pool(&c, pools[i]);
		(void)plan(&c);
		paused = json_at(fx_json(&c.a, str_of(c.out.v[3].body.p)), "spec.paused");
		ASSERT_INT(JSON_BOOL, json_kind(paused));
		ASSERT_INT(i == 1, json_is_true(paused));
		arena_free(&c.a);
	}
	PASS();
}

struct wait_case {
	const char *name, *cc, *pool, *kc, *crc, *want;
};

#define KC_WITH(meta, sel, rest) \
	"{'metadata':{'name':'k','generation':3" meta "},'spec':{" sel "},'status':{" rest "}}"
#define KC(sel, rest) KC_WITH("", sel, rest)
#define SUFFIXED ",'annotations':{'" ANNO_NAME_SUFFIX "':'2'}"
#define NAMED SUFFIXED ",'finalizers':['x','99-worker-generated-kubelet-2']"
#define FOR "'machineConfigPoolSelector':{'matchLabels':{'p':'w'}}"
#define DONE "'observedGeneration':3,'conditions':[{'type':'Success'}]"
#define GOES_ON METRIC "0 POST "

static const struct wait_case waits[] = {
	{ "no ControllerConfig status yet", CC("1", "False"), NULL, NULL, NULL,
	  "ERROR -5 status for ControllerConfig machine-config-controller is "
	  "being reported for 1, expecting it for 2\n" },
	{ "a failing template controller", CC("2", "True"), NULL, NULL, NULL,
	  "ERROR -5 ControllerConfig has not completed: completed(true) "
	  "running(false) failing(true)\n" },
	{ "a KubeletConfig not looked at", NULL, NULL, KC(FOR, "'observedGeneration':2"), NULL,
	  "ERROR -5 status for KubeletConfig k is being reported for 2, "
	  "expecting it for 3\n" },
	{ "one that failed", NULL, NULL,
	  KC(FOR, "'observedGeneration':3,'conditions':[{'type':'Success'},"
		  "{'type':'Failure'}]"),
	  NULL, "ERROR -5 KubeletConfig has not completed\n" },
	{ "one without conditions", NULL, NULL, KC(FOR, "'observedGeneration':3"), NULL,
	  "ERROR -5 KubeletConfig has not completed\n" },
	{ "one for every pool", NULL, NULL, KC("'machineConfigPoolSelector':{}", ""), NULL,
	  "ERROR -5 status for KubeletConfig k is being reported for 0, "
	  "expecting it for 3\n" },
	{ "one for another pool", NULL, NULL,
	  KC("'machineConfigPoolSelector':{'matchLabels':{'p':'x'}}", ""), NULL, GOES_ON },
	{ "one for no pool", NULL, NULL, KC("", ""), NULL, GOES_ON },
	{ "one that is done", NULL, NULL, KC(FOR, DONE), NULL, GOES_ON },
	{ "one whose MachineConfig is gone", NULL, NULL, KC_WITH(NAMED, FOR, DONE), NULL,
	  "ERROR -5 KubeletConfig k: MachineConfig "
	  "99-worker-generated-kubelet-2 is missing\n" },
	{ "one that never made any for this pool, which is newer", NULL, NULL,
	  KC_WITH(SUFFIXED, FOR, DONE), NULL, GOES_ON },
	{ "as it is with one that is being deleted", NULL, NULL,
	  KC_WITH(NAMED ",'deletionTimestamp':'2020-01-01T00:00:00Z'", FOR, DONE), NULL, GOES_ON },
	{ "and is not with one that makes none", NULL, NULL,
	  KC_WITH(NAMED, "'machineConfigPoolSelector':{}", DONE), NULL, GOES_ON },
	{ "a ContainerRuntimeConfig first", NULL, NULL, KC(FOR, ""), KC(FOR, ""),
	  "ERROR -5 status for ContainerRuntimeConfig k is being reported for "
	  "0, expecting it for 3\n" },
	{ "a selector that selects everything", NULL,
	  "{'metadata':{'name':'worker'},'spec':{'machineConfigSelector':{}}}", NULL, NULL,
	  "0 EVENT Warning SelectingAll on MachineConfigPool/worker: This "
	  "machineconfigpool is selecting all machineconfigs. A non-empty "
	  "selector is required.\n" },
};

TEST waiting(void)
{
	for (size_t i = 0; i < ARRAY_LEN(waits); i++) {
		const struct wait_case *w = &waits[i];
		const struct json *kc[1], *crc[1];
		struct cluster c;
		struct str got;

		start(&c);
		if (w->cc)
			fx_cc(&c.a, w->cc, &c.cc);
		if (w->pool)
			set_pool(&c, w->pool);
		if (w->kc) {
			kc[0] = fx_quote(&c.a, w->kc);
			c.v.kubelet_configs = (struct json_list){ kc, 1, 1 };
		}
		if (w->crc) {
			crc[0] = fx_quote(&c.a, w->crc);
			c.v.runtime_configs = (struct json_list){ crc, 1, 1 };
		}
		got = plan(&c);
		if (str_starts(str_of(w->want), S(METRIC)))
			got = str_sub(got, 0, strlen(w->want));
		ASSERT_STR_M(w->name, str_of(w->want), got);
		arena_free(&c.a);
	}
	PASS();
}

struct fail_case {
	const char *name, *mc, *pool, *want;
};

static const struct fail_case fails[] = {
	{ "no MachineConfigs", NULL,
	  "{'metadata':{'name':'worker'},'spec':{'machineConfigSelector':{"
	  "'matchLabels':{'a':'b'}}}}",
	  "no MachineConfigs found matching selector a=b" },
	{ "no selector", NULL, "{'metadata':{'name':'worker'},'spec':{}}",
	  "no MachineConfigs found matching selector " },
	{ "a bad kernel type", MC_TEXT("99-z", "'kernelType':'fast',"), NULL,
	  "could not generate rendered MachineConfig: kernelType=fast is "
	  "invalid" },
	{ "one made by an older controller",
	  "{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"
	  "'MachineConfig','metadata':{'name':'z','labels':{"
	  "'machineconfiguration.openshift.io/role':'worker'},'annotations':{"
	  "'machineconfiguration.openshift.io/generated-by-controller-version'"
	  ":'h0'}},'spec':{'config':{'ignition':{'version':'3.5.0'}}}}",
	  NULL,
	  "could not generate rendered MachineConfig: Ignoring MC z generated "
	  "by older version h0 (my version: h1)" },
};

TEST failing(void)
{
	for (size_t i = 0; i < ARRAY_LEN(fails); i++) {
		const struct fail_case *f = &fails[i];
		const struct condition *cond;
		struct conditions list;
		struct cluster c;
		struct str text;

		start(&c);
		if (f->mc)
			add_mc(&c, f->mc);
		if (f->pool)
			set_pool(&c, f->pool);
		text = plan(&c);
		ASSERT_STR_M(f->name,
			     str_fmt(&c.a,
				     "0 PUT " API "machineconfigpools/worker/status  # "
				     "rendering failed\n"
				     "ERROR -5 %s\n",
				     f->want),
			     text);
		take(&c, 0);
		list = conditions_of(&c.a, json_at(c.pool.tree, "status.conditions"));
		cond = conditions_find(&list, S("RenderDegraded"));
		ASSERT_INT_M(f->name, 1, cond != NULL);
		ASSERT_STR_M(f->name, S("True"), cond->status);
		ASSERT_STR_M(f->name,
			     str_fmt(&c.a,
				     "Failed to render configuration for pool "
				     "worker: %s",
				     f->want),
			     cond->message);
		/* reported once */
		ASSERT_STR_M(f->name, str_fmt(&c.a, "ERROR -5 %s\n", f->want), plan(&c));
		/* and cleared when the fault is fixed */
		set_pool(&c, POOL_TEXT("{'name':'x'}"));
		c.mcs.n = 2;
		(void)plan(&c);
		ASSERT_INT_M(f->name, ACTION_CREATE, c.out.v[1].kind);
		arena_free(&c.a);
	}
	PASS();
}

TEST irreconcilable(void)
{
	struct cluster c;

	start(&c);
	(void)plan(&c);
	take(&c, 1);
	take(&c, 3);
	add_mc(&c, MC_TEXT("99-f", "'fips':true,"));
	ASSERT(str_find(plan(&c), S("and base config \"99-f\": detected change to FIPS "
				    "flag; refusing to modify FIPS on a running "
				    "cluster\n")) >= 0);
	arena_free(&c.a);
	PASS();
}

static struct mc *brief_of(struct cluster *c, const struct mc *whole)
{
	struct mc *brief = ARENA_NEW(&c->a, struct mc);

	*brief = *whole;
	brief->brief = true;
	brief->doc = (struct doc){ .tree = mc_brief_tree(&c->a, whole->doc.tree) };
	brief->config_tree = NULL;
	brief->config_digest = mc_config_digest(&c->a, whole->doc.tree);
	return brief;
}

/* The cluster after its first plans, with its rendered config held brief; returns the
 * complete config. */
static struct mc *start_brief(struct cluster *c, struct strs *wanted)
{
	struct mc *whole;

	start(c);
	(void)plan(c);
	take(c, 1);
	take(c, 3);
	(void)plan(c);
	take(c, 1);
	whole = c->mcs.v[2];
	c->mcs.v[2] = brief_of(c, whole);
	c->v.wanted = wanted;
	return whole;
}

/* Plans with a brief config; when the plan wants the complete one, plans again with it. */
static struct str plan_read(struct cluster *c, struct mc *whole, size_t wanted)
{
	size_t before = c->v.wanted->n;
	struct mc_list list = { 0 };
	struct str got = plan(c);

	if (c->v.wanted->n != before + wanted)
		return S("other wants");
	if (!wanted)
		return got;
	if (!str_starts(got, S("ERROR -5 ")) || c->out.n)
		return str_fmt(&c->a, "not put off: %.*s", STRF(got));
	VEC_PUSH(&c->a, &list, whole);
	c->v.whole = &list;
	got = plan(c);
	c->v.whole = NULL;
	return c->v.wanted->n == before + wanted ? got : S("wanted again");
}

#define CONFIG_MC(storage)                                                              \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':'MachineConfig',"  \
	"'metadata':{'name':'99-k','labels':{'machineconfiguration.openshift.io/role':" \
	"'worker'}},'spec':{'config':{'ignition':{'version':'3.5.0'},'storage':{" storage "}}}}"
#define FILE_MC CONFIG_MC("'files':[{'path':'/a','contents':{'source':'data:,1'}}]")
#define DIR_MC CONFIG_MC("'directories':[{'path':'/d'}]")

TEST brief(void)
{
	struct strs wanted = { 0 };
	struct str all, part;
	struct cluster c;
	struct mc *whole = start_brief(&c, &wanted);

	ASSERT_STR_M("nothing changed: nothing is read", S(METRIC), plan_read(&c, whole, 0));
	add_mc(&c, MC_TEXT("99-f", "'fips':true,"));
	part = plan_read(&c, whole, 0); /* the contents are equal */
	ASSERT(str_find(part, S("detected change to FIPS flag")) >= 0);
	c.mcs.v[3] = fx_mc(&c.a, FILE_MC);
	part = plan_read(&c, whole, 1);
	c.mcs.v[2] = whole;
	all = plan(&c);
	ASSERT_STR_M("a new target is the same", all, part);
	/* after the read, the config is refused */
	c.mcs.v[2] = brief_of(&c, whole);
	c.mcs.v[3] = fx_mc(&c.a, DIR_MC);
	part = plan_read(&c, whole, 1);
	ASSERT(str_find(part, S("PUT " API "machineconfigpools/worker/status")) >= 0);
	ASSERT(str_find(part, S("ignition directories section contains changes")) >= 0);
	ASSERT(str_find(all, S("now targeting")) >= 0);
	arena_free(&c.a);
	PASS();
}

/* Someone edits the rendered config: the plan reads it before it restores it. */
TEST brief_edited(void)
{
	static const char *const parts[] = { "spec", "metadata" };
	struct cluster c;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct strs wanted = { 0 };
		struct mc *whole = start_brief(&c, &wanted);
		struct json *to = json_at(c.mcs.v[2]->doc.tree, parts[i]);

		json_set(to, i ? S("annotations") : S("kernelArguments"),
			 json_new(&c.a, JSON_NULL));
		json_set(json_at(whole->doc.tree, parts[i]),
			 i ? S("annotations") : S("kernelArguments"), json_new(&c.a, JSON_NULL));
		ASSERT_STR_M(parts[i],
			     str_fmt(&c.a,
				     METRIC "0 PUT " API "machineconfigs/%.*s  # pool worker: "
					    "rendered from 2 configs\n",
				     STRF(whole->meta.name)),
			     plan_read(&c, whole, 1));
		arena_free(&c.a);
	}
	PASS();
}

/* Different contents are found by the digest. */
TEST brief_contents(void)
{
	struct strs wanted = { 0 };
	struct cluster c;
	struct mc *whole = start_brief(&c, &wanted);

	json_set(json_at(whole->doc.tree, "spec.config"), S("passwd"), json_new(&c.a, JSON_OBJECT));
	c.mcs.v[2]->config_digest = mc_config_digest(&c.a, whole->doc.tree);
	ASSERT_STR_M("corrected",
		     str_fmt(&c.a,
			     METRIC "0 PUT " API "machineconfigs/%.*s  # pool worker: rendered "
				    "from 2 configs\n",
			     STRF(whole->meta.name)),
		     plan_read(&c, whole, 1));
	arena_free(&c.a);
	PASS();
}

/* A selector that matches objects without labels matches rendered configs, as upstream's does. */
TEST brief_selected(void)
{
	struct strs wanted = { 0 };
	struct cluster c;
	struct mc *whole = start_brief(&c, &wanted);
	struct str all, part;

	set_pool(&c, "{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"
		     "'MachineConfigPool','metadata':{'name':'worker','uid':'u1'},'spec':{"
		     "'machineConfigSelector':{'matchExpressions':[{'key':'x','operator':"
		     "'DoesNotExist'}]}}}");
	part = plan_read(&c, whole, 1);
	c.mcs.v[2] = whole;
	all = plan(&c);
	ASSERT_STR_M("as with the whole", all, part);
	ASSERT(str_find(all, S("Cannot find label in MachineConfig rendered-worker-")) >= 0);
	arena_free(&c.a);
	PASS();
}

TEST streams(void)
{
	struct cluster c;

	start(&c);
	c.v.os_streams = true;
	ASSERT(str_find(plan(&c), S("could not get OSImageStream for pool "
				    "worker: ")) >= 0);
	c.v.os_image_stream = fx_quote(&c.a, "{'metadata':{'annotations':{"
					     "'machineconfiguration.openshift."
					     "io/release-image-version':'h0'}}}");
	ASSERT(str_find(plan(&c), S("ignoring OSImageStream with version h0 "
				    "(my version: h1)")) >= 0);
	c.v.os_image_stream = fx_quote(&c.a, "{'metadata':{'annotations':{'machineconfiguration."
					     "openshift.io/release-image-version':'h1'}},'status':{"
					     "'defaultStream':'d','availableStreams':[{'name':'d',"
					     "'osImage':'stream-img','osExtensionsImage':'e'}]}}");
	(void)plan(&c);
	ASSERT(str_find(str_of(c.out.v[1].body.p), S("\"osImageURL\":\"stream-img\"")) >= 0);
	c.pool.os_image_stream = S("other");
	ASSERT(str_find(plan(&c), S("could not get OSImageStreamSet for pool worker: "
				    "osimagestreams.machineconfiguration.openshift.io "
				    "\"other\" not found")) >= 0);
	arena_free(&c.a);
	PASS();
}

/* ---- apply --------------------------------------------------------------- */

struct apply_case {
	const char *name, *existing, *required, *want;
};

static const struct apply_case applies[] = {
	{ "nothing there", NULL, "{'metadata':{'name':'m'}}", "{\"metadata\":{\"name\":\"m\"}}" },
	{ "the same in another order",
	  "{'metadata':{'name':'m'},'spec':{'config':{'a':1,'b':2},'fips':"
	  "false}}",
	  "{'metadata':{'name':'m'},'spec':{'config':{'b':2,'a':1}}}", "" },
	{ "labels of others stay", "{'metadata':{'name':'m','labels':{'a':'1','b':'2'}}}",
	  "{'metadata':{'name':'m','labels':{'a':'3'}}}",
	  "{\"metadata\":{\"name\":\"m\",\"labels\":{\"a\":\"3\",\"b\":\"2\"}},"
	  "\"spec\":{}}" },
	{ "an owner is replaced, another kept",
	  "{'metadata':{'name':'m','ownerReferences':[{'apiVersion':'g/v1',"
	  "'kind':'K','name':'n','uid':'1'},{'kind':'O','name':'o'}]}}",
	  "{'metadata':{'name':'m','ownerReferences':[{'apiVersion':'g/v2',"
	  "'kind':'K','name':'n','uid':'2'}]}}",
	  "{\"metadata\":{\"name\":\"m\",\"ownerReferences\":[{\"apiVersion\":"
	  "\"g/v2\",\"kind\":\"K\",\"name\":\"n\",\"uid\":\"2\"},{\"kind\":"
	  "\"O\",\"name\":\"o\"}]},\"spec\":{}}" },
	{ "an image is only set, never cleared",
	  "{'metadata':{'name':'m'},'spec':{'osImageURL':'x'}}",
	  "{'metadata':{'name':'m'},'spec':{'osImageURL':''}}", "" },
	{ "kernel arguments are, and unknown fields survive",
	  "{'metadata':{'name':'m'},'spec':{'kernelArguments':['a'],'new':1}}",
	  "{'metadata':{'name':'m'},'spec':{'kernelArguments':[]}}",
	  "{\"metadata\":{\"name\":\"m\"},\"spec\":{\"kernelArguments\":[],"
	  "\"new\":1}}" },
};

TEST applied(void)
{
	for (size_t i = 0; i < ARRAY_LEN(applies); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct apply_case *c = &applies[i];
		struct actions out = { 0 };
		const struct json *old = c->existing ? fx_quote(&a, c->existing) : NULL;
		bool wrote = apply_mc(&a, old, fx_quote(&a, c->required), S("why"), &out);

		ASSERT_INT_M(c->name, c->want[0] != 0, wrote);
		ASSERT_STR_M(c->name, str_of(c->want), wrote ? out.v[0].body : S(""));
	}
	PASS();
}

SUITE(render_sync)
{
	RUN_TEST(rendered);
	RUN_TEST(paused_is_written);
	RUN_TEST(edited);
	RUN_TEST(waiting);
	RUN_TEST(failing);
	RUN_TEST(irreconcilable);
	RUN_TEST(brief);
	RUN_TEST(brief_edited);
	RUN_TEST(brief_contents);
	RUN_TEST(brief_selected);
	RUN_TEST(streams);
	RUN_TEST(applied);
}

TEST_MAIN(render_sync)
