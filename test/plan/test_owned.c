/* KubeletConfigs, ContainerRuntimeConfigs, feature gates, Node config and registries:
 * which MachineConfigs they own, their names, and when they are deleted. */
#include "fixture.h"
#include "actions_print.h"
#include "plan/kubelet_sync.h"
#include "plan/runtime_sync.h"

struct world {
	struct arena a;
	struct mc_controller_config cc;
	struct mc_list mcs;
	struct mcp_list pools;
	struct mc_object_list configs;
	struct template_file files[8];
	struct template_tree tree;
	struct template_input templates;
	struct owned_view o;
	struct actions out;
	struct err err;
};

#define CC_TEXT                                                                \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"         \
	"'ControllerConfig','metadata':{'name':'machine-config-controller',"   \
	"'generation':2},'spec':{'infra':{'status':{'platformStatus':{'type':" \
	"'None'}}}},'status':{'observedGeneration':2,'conditions':[{'type':"   \
	"'TemplateControllerCompleted','status':'True'}]}}"

static void add_pool(struct world *w, const char *name)
{
	struct mcp *p = ARENA_NEW(&w->a, struct mcp);
	struct doc d = fx_doc(&w->a, str_fmt(&w->a,
					     "{'apiVersion':'machineconfiguration.openshift.io/v1',"
					     "'kind':'MachineConfigPool','metadata':{'name':'%s',"
					     "'uid':'uid-%s','labels':{'pool':'%s','all':'',"
					     "'machineconfiguration.openshift.io/mco-built-in':''"
					     "}},'spec':{}}",
					     name, name, name)
					     .p);

	if (mcp_decode(&w->a, &d, p, &w->err) < 0)
		abort();
	VEC_PUSH(&w->a, &w->pools, p);
}

static struct mc_object *make_object(struct world *w, enum mc_kind kind, const char *text)
{
	struct mc_object *o = ARENA_NEW(&w->a, struct mc_object);
	struct doc d = fx_doc(&w->a, text);

	if (mc_object_decode(&w->a, &d, kind, o, &w->err) < 0) {
		(void)printf("%.*s\n", STRF(w->err.msg));
		abort();
	}
	return o;
}

static void start(struct world *w, const struct owned_kind *kind)
{
	static const struct template_file files[] = {
		{ { "worker/01-w/_base/files/kubelet.yaml", 36 },
		  { "path: /etc/kubernetes/kubelet.conf\nmode: 0644\n"
		    "contents:\n  inline: |\n    kind: KubeletConfiguration\n"
		    "    maxPods: 250\n",
		    127 } },
	};

	*w = (struct world){ 0 };
	w->err = ERR_INIT(&w->a);
	fx_cc(&w->a, CC_TEXT, &w->cc);
	add_pool(w, "infra");
	add_pool(w, "worker");
	w->files[0] = files[0];
	w->files[0].path = str_of(files[0].path.p);
	w->files[0].text = str_of(files[0].text.p);
	w->files[1] = (struct template_file){
		S("worker/01-w/_base/files/storage.yaml"),
		S("path: /etc/containers/storage.conf\ncontents:\n  inline: |\n"
		  "    [storage]\n    driver = \"overlay\"\n")
	};
	w->files[2] = (struct template_file){
		S("worker/01-w/_base/files/registries.yaml"),
		S("path: /etc/containers/registries.conf\ncontents:\n"
		  "  inline: 'unqualified-search-registries = [\"a.io\"]'\n")
	};
	w->files[3] = (struct template_file){
		S("worker/01-w/_base/files/policy.yaml"),
		S("path: /etc/containers/policy.json\ncontents:\n  inline: "
		  "'{\"default\":[{\"type\":\"insecureAcceptAnything\"}]}'\n")
	};
	w->tree = (struct template_tree){ .dir = S("/t"), .v = w->files, .n = 4 };
	w->templates = (struct template_input){ .tree = &w->tree,
						.controller_config = &w->cc,
						.pull_secret = S("{}"),
						.hash = S("h1") };
	w->o = (struct owned_view){ .now = { 1700000000, 0 },
				    .hash = S("h1"),
				    .kind = kind,
				    .configs = &w->configs,
				    .pools = &w->pools,
				    .mcs = &w->mcs };
}

/* name: "mc", or "mc@owner" for one that a config generated. */
static void add_mc(struct world *w, const char *name, const char *version)
{
	struct str mc = str_of(name), owner = S("");
	struct buf b;

	(void)str_cut(str_of(name), '@', &mc, &owner);
	buf_init(&b, &w->a);
	buf_addf(&b,
		 "{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"
		 "'MachineConfig','metadata':{'name':'%.*s','uid':'uid-%.*s',"
		 "'resourceVersion':'70','annotations':{"
		 "'machineconfiguration.openshift.io/"
		 "generated-by-controller-version':'%s'}",
		 STRF(mc), STRF(mc), version);
	if (owner.n)
		buf_addf(&b,
			 ",'ownerReferences':[{'kind':'KubeletConfig','name':"
			 "'%.*s','uid':'uid-%.*s','controller':true}]",
			 STRF(owner), STRF(owner));
	buf_addz(&b, "},'spec':{}}");
	VEC_PUSH(&w->a, &w->mcs, fx_mc(&w->a, b.p));
}

/* ---- names --------------------------------------------------------------- */

struct name_case {
	const char *name;
	const char *configs; /* "name created suffix finalizers;…" */
	const char *mcs; /* existing ones, with their owners */
	const char *want; /* the name for the first config */
};

static const struct name_case names[] = {
	{ "the only one has no suffix", "k 1 - -", "", "99-worker-generated-kubelet" },
	{ "the youngest of two gets the next", "k 2 - -;o 1 - -", "",
	  "99-worker-generated-kubelet-1" },
	{ "after the highest there is", "k 9 - -;o 1 3 -;p 2 1 -", "",
	  "99-worker-generated-kubelet-4" },
	{ "what was once given stays", "k 1 2 -;o 9 5 -", "", "99-worker-generated-kubelet-2" },
	{ "an empty suffix stays empty", "k 1 0 -;o 9 5 -", "", "99-worker-generated-kubelet" },
	{ "an old one is known by its finalizer",
	  "k 1 - 99-worker-generated-kubelet,99-worker-generated-kubelet-2;"
	  "o 9 5 -",
	  "99-worker-generated-kubelet,99-worker-generated-kubelet-2",
	  "99-worker-generated-kubelet-2" },
	{ "if what that names exists", "k 1 - 99-worker-generated-kubelet-2;o 9 5 -", "",
	  "99-worker-generated-kubelet-6" },
	{ "and is of this pool", "k 1 - 99-infra-generated-kubelet;o 9 5 -",
	  "99-infra-generated-kubelet", "99-worker-generated-kubelet-6" },
	{ "one that another has is not taken over", "k 1 - -;o 2 - -",
	  "99-worker-generated-kubelet-1@o", "99-worker-generated-kubelet-2" },
	{ "nor where both have its suffix", "k 1 1 -;o 2 1 -", "99-worker-generated-kubelet-1@o",
	  "99-worker-generated-kubelet-2" },
	{ "and the one that has it keeps it", "k 1 1 -;o 2 1 -", "99-worker-generated-kubelet-1@k",
	  "99-worker-generated-kubelet-1" },
	{ "what a config that is gone had is free", "k 1 1 -", "99-worker-generated-kubelet-1@gone",
	  "99-worker-generated-kubelet-1" },
	{ "at most ten, of any owner", "k 9 - -;o 1 8 -", "99-worker-generated-kubelet-9@o",
	  "max number of supported kubelet config (10) has been reached. Please "
	  "delete old kubelet configs before retrying" },
	{ "ten are enough", "k 9 - -;o 1 9 -", "",
	  "max number of supported kubelet config (10) has been reached. Please "
	  "delete old kubelet configs before retrying" },
	{ "a suffix that is no number", "k 9 - -;o 1 x -", "",
	  "error converting x to int: strconv.Atoi: parsing \"x\": invalid "
	  "syntax" },
};

static void add_config(struct world *w, struct str text)
{
	struct str name = fx_word(&text, ' '), at = fx_word(&text, ' ');
	struct str suffix = fx_word(&text, ' '), list = text;
	struct buf b;

	buf_init(&b, &w->a);
	buf_addf(&b,
		 "{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"
		 "'KubeletConfig','metadata':{'name':'%.*s','uid':'uid-%.*s',"
		 "'creationTimestamp':'2020-01-0%.*sT00:00:00Z',",
		 STRF(name), STRF(name), STRF(at));
	if (!str_is(suffix, "-"))
		buf_addf(&b, "'annotations':{'" ANNO_NAME_SUFFIX "':'%.*s'},",
			 STRF(str_is(suffix, "0") ? S("") : suffix));
	buf_addz(&b, "'finalizers':[");
	for (int i = 0; list.n && !str_is(list, "-"); i++) {
		struct str one = fx_word(&list, ',');

		buf_addf(&b, "%s'%.*s'", i ? "," : "", STRF(one));
	}
	buf_addz(&b, "]},'spec':{'machineConfigPoolSelector':{'matchLabels':{"
		     "'pool':'worker'}}}}");
	VEC_PUSH(&w->a, &w->configs, make_object(w, MC_KUBELET_CONFIG, b.p));
}

TEST named(void)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct name_case *c = &names[i];
		struct str rest = str_of(c->configs), mcs = str_of(c->mcs), got;
		struct owned_job job = { 0 };
		struct world w;

		start(&w, &owned_kubelet);
		while (rest.n)
			add_config(&w, fx_word(&rest, ';'));
		while (mcs.n)
			add_mc(&w, str_z(&w.a, fx_word(&mcs, ',')), "h1");
		w.o.config = w.configs.v[0];
		if (owned_name(&w.a, &w.o, &job, w.pools.v[1], &got, &w.err) < 0)
			got = w.err.msg;
		ASSERT_STR_M(c->name, str_of(c->want), got);
		arena_free(&w.a);
	}
	PASS();
}

/* ---- syncs --------------------------------------------------------------- */

static struct str print(struct world *w, int rc)
{
	struct buf b;

	buf_init(&b, &w->a);
	for (size_t i = 0; i < w->out.n; i++) {
		struct action act = w->out.v[i];
		struct actions one = { .v = &act, .n = 1 };

		if (act.kind == ACTION_METRIC)
			continue;
		if (act.kind == ACTION_CREATE) /* print its name */
			act.body = json_str(fx_json(&w->a, act.body), "metadata.name");
		if (act.kind == ACTION_REPLACE)
			act.body = S("");
		actions_print(&b, &one);
	}
	if (rc < 0)
		buf_addf(&b, "ERROR %d %.*s\n", rc, STRF(w->err.msg));
	return buf_str(&b);
}

static struct kubelet_view kubelet_view(struct world *w)
{
	return (struct kubelet_view){ .owned = w->o,
				      .controller_config = &w->cc,
				      .templates = &w->templates };
}

static struct str sync_kubelet(struct world *w)
{
	struct kubelet_view v = kubelet_view(w);

	w->out = (struct actions){ 0 };
	return print(w, plan_kubelet_sync(&w->a, &v, &w->out, &w->err));
}

#define KC(extra, selector, conf, status)                                     \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"        \
	"'KubeletConfig','metadata':{'name':'k','uid':'kc-uid','generation':" \
	"3,'resourceVersion':'8'" extra "},'spec':{"                          \
	"'machineConfigPoolSelector':{'matchLabels':{" selector "}},"         \
	"'kubeletConfig':{" conf "}},'status':{" status "}}"
#define API "/apis/machineconfiguration.openshift.io/v1/"
#define KC_PATH API "kubeletconfigs/k"
#define STATUS(type, text, prefix)                                             \
	"MERGE " KC_PATH "/status {\"status\":{\"conditions\":[" prefix        \
	"{\"lastTransitionTime\":\"2023-11-14T22:13:20Z\",\"message\":\"" text \
	"\",\"status\":\"True\",\"type\":\"" type "\"}],\"observedGeneration\":3}}  # " text "\n"

#define IF_70                                                \
	"{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\"," \
	"\"preconditions\":{\"resourceVersion\":\"70\"}}"

static void set_config(struct world *w, const char *text)
{
	w->configs.n = 0;
	VEC_PUSH(&w->a, &w->configs, make_object(w, MC_KUBELET_CONFIG, text));
	w->o.config = w->configs.v[0];
}

TEST kubelet_config_made(void)
{
	struct world w;

	start(&w, &owned_kubelet);
	set_config(&w, KC("", "'pool':'worker'", "'maxPods':100", ""));
	ASSERT_STR(
		"0 MERGE " KC_PATH " "
		"{\"metadata\":{\"annotations\":{\"machineconfiguration.openshift.io/mc-name-suffix\":\"\"}}} "
		" # record the suffix of its MachineConfig's name\n"
		"1 POST " API "machineconfigs 99-worker-generated-kubelet  "
		"# KubeletConfig k for pool worker\n"
		"2 MERGE " KC_PATH " "
		"{\"metadata\":{\"finalizers\":[\"99-worker-generated-kubelet\"]}} "
		" # keep it until its MachineConfigs are deleted\n"
		"3 " STATUS("Success", "Success", ""),
		sync_kubelet(&w));
	/* when it is up to date, nothing is written */
	VEC_PUSH(&w.a, &w.mcs, fx_mc(&w.a, str_z(&w.a, w.out.v[1].body)));
	set_config(&w, KC(",'annotations':{'machineconfiguration.openshift.io/"
			  "mc-name-suffix':''},'finalizers':["
			  "'99-worker-generated-kubelet']",
			  "'pool':'worker'", "'maxPods':100",
			  "'observedGeneration':3,'conditions':[{'type':'Success',"
			  "'status':'True','message':'Success'}]"));
	ASSERT_STR("", sync_kubelet(&w));
	/* an edit is overwritten */
	json_set(json_at(w.mcs.v[0]->doc.tree, "spec"), S("config"), json_new(&w.a, JSON_OBJECT));
	ASSERT_STR("0 PUT " API "machineconfigs/99-worker-generated-kubelet  # "
		   "KubeletConfig k for pool worker\n",
		   sync_kubelet(&w));
	arena_free(&w.a);
	PASS();
}

/* The plan for a MachineConfig of a settled KubeletConfig. */
struct stay_case {
	const char *name, *config;
	const char *base; /* podsPerCore in the templates, or NULL */
	const char *gate; /* a feature gate, or NULL */
	const char *hash; /* the hash of this version */
	bool written;
};

#define SETTLED                                                            \
	"'observedGeneration':3,'conditions':[{'type':'Success','status':" \
	"'True','message':'Success'}]"
#define OWNS                                                        \
	",'annotations':{'" ANNO_NAME_SUFFIX "':''},'finalizers':[" \
	"'99-worker-generated-kubelet']"
#define KC_NOW(status) KC(OWNS, "'pool':'worker'", "'maxPods':100", status)

static const struct stay_case stays[] = {
	{ "other templates, as with another Node config or APIServer", KC_NOW(SETTLED), "251", NULL,
	  "h1", false },
	{ "another feature gate", KC_NOW(SETTLED), NULL, "NewThing", "h1", true },
	{ "another version", KC_NOW(SETTLED), "251", NULL, "h2", true },
	{ "an edit that was not observed",
	  KC_NOW("'observedGeneration':2,'conditions':[{'type':'Success',"
		 "'status':'True','message':'Success'}]"),
	  "251", NULL, "h1", true },
	{ "a failure",
	  KC_NOW("'observedGeneration':3,'conditions':[{'type':'Success',"
		 "'status':'True','message':'Success'},{'type':'Failure',"
		 "'status':'True','message':'x'}]"),
	  "251", NULL, "h1", true },
	{ "no status yet", KC_NOW(""), "251", NULL, "h1", true },
};

static void change_base(struct world *w, const char *pods_per_core)
{
	w->files[0].text = str_fmt(&w->a,
				   "path: /etc/kubernetes/kubelet.conf\nmode: 0644\n"
				   "contents:\n  inline: |\n    kind: "
				   "KubeletConfiguration\n    podsPerCore: %s\n",
				   pods_per_core);
}

TEST kubelet_config_stays(void)
{
	for (size_t i = 0; i < ARRAY_LEN(stays); i++) {
		const struct stay_case *c = &stays[i];
		struct str gate = str_of(c->gate ? c->gate : "");
		struct kubelet_view v;
		struct world w;
		bool written = false;

		start(&w, &owned_kubelet);
		set_config(&w, KC("", "'pool':'worker'", "'maxPods':100", ""));
		(void)sync_kubelet(&w);
		VEC_PUSH(&w.a, &w.mcs, fx_mc(&w.a, str_z(&w.a, w.out.v[1].body)));
		set_config(&w, c->config);
		if (c->base)
			change_base(&w, c->base);
		w.o.hash = str_of(c->hash);
		v = kubelet_view(&w);
		v.gates_on = (struct strs){ &gate, c->gate != NULL, 1 };
		w.out = (struct actions){ 0 };
		ASSERT_INT_M(c->name, 0, plan_kubelet_sync(&w.a, &v, &w.out, &w.err));
		for (size_t k = 0; k < w.out.n; k++)
			written |= w.out.v[k].kind == ACTION_REPLACE;
		ASSERT_INT_M(c->name, c->written, written);
		if (!c->written)
			ASSERT_INT_M(c->name, 0, (long long)w.out.n);
		arena_free(&w.a);
	}
	PASS();
}

/* Upstream's workers gave two configs one name: both keep it until one is edited. */
TEST kubelet_configs_share(void)
{
	static const char *const hashes[] = { "h1", "h2" };
	struct world w;

	for (size_t i = 0; i < 2; i++) {
		start(&w, &owned_kubelet);
		w.o.hash = str_of(hashes[i]);
		add_mc(&w, "99-worker-generated-kubelet-1@o", "h1");
		set_config(&w, KC(",'annotations':{'" ANNO_NAME_SUFFIX "':'1'},"
				  "'finalizers':["
				  "'99-worker-generated-kubelet-1']",
				  "'pool':'worker'", "", SETTLED));
		add_config(&w, S("o 1 1 99-worker-generated-kubelet-1"));
		ASSERT_STR("", sync_kubelet(&w));
		arena_free(&w.a);
	}
	PASS();
}

TEST kubelet_config_for_two_pools(void)
{
	struct world w;

	start(&w, &owned_kubelet);
	set_config(&w, KC(",'finalizers':['some-uid']", "'all':''", "", ""));
	add_mc(&w, "99-worker-uid-worker-kubelet", "h0");
	add_mc(&w, "99-gone-generated-kubelet-3", "h0");
	add_mc(&w, "98-gone-generated-kubelet", "h0");
	ASSERT_STR(
		"0 MERGE " KC_PATH " "
		"{\"metadata\":{\"annotations\":{\"machineconfiguration.openshift.io/mc-name-suffix\":\"\"}}} "
		" # record the suffix of its MachineConfig's name\n"
		"1 POST " API "machineconfigs 99-infra-generated-kubelet  # "
		"KubeletConfig k for pool infra\n"
		"2 POST " API "machineconfigs 99-worker-generated-kubelet  "
		"# KubeletConfig k for pool worker\n"
		"2 DELETE " API "machineconfigs/99-worker-uid-worker-kubelet  # its name "
		"changed\n"
		"3 MERGE " KC_PATH " "
		"{\"metadata\":{\"finalizers\":[\"99-infra-generated-kubelet\",\"99-worker-generated-kubelet\"]}} "
		" # keep it until its MachineConfigs are deleted\n"
		"4 DELETE " API "machineconfigs/99-gone-generated-kubelet-3"
		" " IF_70 "  # generated by another version\n5 " STATUS("Success", "Success", ""),
		sync_kubelet(&w));
	arena_free(&w.a);
	PASS();
}

struct fail_case {
	const char *name, *config, *want;
};

#define OLD(n)                                            \
	"{'type':'Failure','status':'True','message':'" n \
	"','lastTransitionTime':'2020-01-01T00:00:00Z'}"
#define OLD_OUT(n)                                                          \
	"{\"lastTransitionTime\":\"2020-01-01T00:00:00Z\",\"message\":\"" n \
	"\",\"status\":\"True\",\"type\":\"Failure\"},"
#define NO_POOL "Error: could not find any MachineConfigPool set for KubeletConfig"

static const struct fail_case fails[] = {
	{ "no pool", KC("", "'pool':'x'", "", ""),
	  "0 " STATUS("Failure", NO_POOL, "") "ERROR -5 could not find any "
					      "MachineConfigPool set for KubeletConfig\n" },
	{ "its pool was deleted", KC("", "'pool':'x'", "", SETTLED), "" },
	{ "an empty selector is for no pool", KC("", "", "", ""),
	  "0 " STATUS("Failure", NO_POOL, "") "ERROR -5 could not find any "
					      "MachineConfigPool set for KubeletConfig\n" },
	{ "not valid: never tried again", KC("", "'pool':'worker'", "'clusterDomain':'x'", ""),
	  "0 " STATUS("Failure",
		      "Error: KubeletConfiguration: clusterDomain is not "
		      "allowed to be set, but contains: x",
		      "") "ERROR -1 KubeletConfiguration: clusterDomain is not "
			  "allowed to be set, but contains: x\n" },
	{ "three conditions stay",
	  KC("", "'pool':'x'", "", "'conditions':[" OLD("1") "," OLD("2") "," OLD("3") "]"),
	  "0 " STATUS(
		  "Failure", NO_POOL,
		  OLD_OUT("2") OLD_OUT(
			  "3")) "ERROR -5 "
				"could not find any MachineConfigPool set for KubeletConfig\n" },
	{ "said once",
	  KC("", "'pool':'x'", "", "'observedGeneration':3,'conditions':[" OLD(NO_POOL) "]"),
	  "ERROR -5 could not find any MachineConfigPool set for "
	  "KubeletConfig\n" },
};

TEST kubelet_config_fails(void)
{
	for (size_t i = 0; i < ARRAY_LEN(fails); i++) {
		struct world w;

		start(&w, &owned_kubelet);
		set_config(&w, fails[i].config);
		ASSERT_STR_M(fails[i].name, str_of(fails[i].want), sync_kubelet(&w));
		arena_free(&w.a);
	}
	PASS();
}

TEST kubelet_config_deleted(void)
{
	struct world w;

	start(&w, &owned_kubelet);
	add_mc(&w, "99-worker-generated-kubelet", "h1");
	set_config(&w, KC(",'deletionTimestamp':'2020-01-01T00:00:00Z',"
			  "'finalizers':['99-worker-generated-kubelet','b']",
			  "'pool':'worker'", "", ""));
	ASSERT_STR("0 DELETE " API "machineconfigs/99-worker-generated-kubelet"
		   "  # KubeletConfig k is being deleted\n"
		   "1 MERGE " KC_PATH " {\"metadata\":{\"finalizers\":[\"b\"],"
		   "\"resourceVersion\":\"8\"}}  # its MachineConfigs are "
		   "deleted\n",
		   sync_kubelet(&w));
	set_config(&w, KC(",'deletionTimestamp':'2020-01-01T00:00:00Z',"
			  "'finalizers':['b']",
			  "'pool':'worker'", "", ""));
	ASSERT_STR("0 MERGE " KC_PATH " {\"metadata\":{\"finalizers\":null,"
		   "\"resourceVersion\":\"8\"}}  # its MachineConfigs are "
		   "deleted\n",
		   sync_kubelet(&w));
	set_config(&w,
		   KC(",'deletionTimestamp':'2020-01-01T00:00:00Z'", "'pool':'worker'", "", ""));
	ASSERT_STR("", sync_kubelet(&w));
	arena_free(&w.a);
	PASS();
}

/* Two configs with one name: the config that owns the MachineConfig keeps it. */
TEST kubelet_configs_part(void)
{
	struct world w;

	start(&w, &owned_kubelet);
	add_mc(&w, "99-worker-generated-kubelet-1@o", "h1");
	set_config(&w, KC(",'annotations':{'" ANNO_NAME_SUFFIX "':'1'},"
			  "'finalizers':['99-worker-generated-kubelet-1']",
			  "'pool':'worker'", "", ""));
	add_config(&w, S("o 1 1 99-worker-generated-kubelet-1"));
	ASSERT(str_starts(sync_kubelet(&w), S("0 MERGE " KC_PATH " {\"metadata\":{"
					      "\"annotations\":{\"" ANNO_NAME_SUFFIX
					      "\":\"2\"}}}  # record the suffix of its "
					      "MachineConfig's name\n"
					      "1 POST " API "machineconfigs "
					      "99-worker-generated-kubelet-2  # KubeletConfig k "
					      "for pool worker\n")));
	/* deleting the other config does not delete it either */
	set_config(&w, KC(",'deletionTimestamp':'2020-01-01T00:00:00Z',"
			  "'finalizers':['99-worker-generated-kubelet-1']",
			  "'pool':'worker'", "", ""));
	add_config(&w, S("o 1 1 99-worker-generated-kubelet-1"));
	ASSERT_STR("0 MERGE " KC_PATH " {\"metadata\":{\"finalizers\":null,"
		   "\"resourceVersion\":\"8\"}}  # its MachineConfigs are "
		   "deleted\n",
		   sync_kubelet(&w));
	arena_free(&w.a);
	PASS();
}

/* The first run of another version: MachineConfigs that other configs will write are
 * left to them. */
TEST kubelet_config_taken_over(void)
{
	struct world w;

	start(&w, &owned_kubelet);
	set_config(&w, KC(",'annotations':{'" ANNO_NAME_SUFFIX "':''},"
			  "'finalizers':['99-worker-generated-kubelet']",
			  "'pool':'worker'", "", ""));
	add_config(&w, S("second 1 1 99-worker-generated-kubelet-1"));
	add_config(&w, S("old 1 - 99-worker-generated-kubelet-2"));
	add_mc(&w, "99-worker-generated-kubelet@k", "h0");
	add_mc(&w, "99-worker-generated-kubelet-1@second", "h0");
	add_mc(&w, "99-infra-generated-kubelet-1@second", "h0");
	add_mc(&w, "99-worker-generated-kubelet-2@old", "h0");
	add_mc(&w, "99-worker-generated-kubelet-3@gone", "h0");
	ASSERT_STR("0 PUT " API "machineconfigs/99-worker-generated-kubelet  # "
		   "KubeletConfig k for pool worker\n"
		   "1 DELETE " API "machineconfigs/99-infra-generated-kubelet-1"
		   " " IF_70 "  # generated by another version\n1 DELETE " API
		   "machineconfigs/99-worker-generated-kubelet"
		   "-3 " IF_70
		   "  # generated by another version\n2 " STATUS("Success", "Success", ""),
		   sync_kubelet(&w));
	arena_free(&w.a);
	PASS();
}

TEST features_and_node(void)
{
	struct kubelet_view v;
	struct world w;
	struct str *gate;

	start(&w, &owned_kubelet);
	gate = ARENA_NEW(&w.a, struct str);
	*gate = S("NewThing");
	v = kubelet_view(&w);
	v.gates_on = (struct strs){ gate, 1, 1 };
	ASSERT_STR("0 POST " API "machineconfigs 98-infra-generated-kubelet  # "
		   "feature gates of pool infra\n"
		   "0 POST " API "machineconfigs 98-worker-generated-kubelet  "
		   "# feature gates of pool worker\n",
		   print(&w, plan_features_sync(&w.a, &v, &w.out, &w.err)));
	w.out = (struct actions){ 0 };
	ASSERT_STR("ERROR -5 could not fetch Node: missing node configuration, "
		   "key: cluster\n",
		   print(&w, plan_node_sync(&w.a, &v, &w.out, &w.err)));
	v.node = fx_quote(&w.a, "{'spec':{'cgroupMode':'v2'}}");
	w.out = (struct actions){ 0 };
	ASSERT_STR("0 POST " API "machineconfigs 97-infra-generated-kubelet  # "
		   "node config of pool infra\n"
		   "0 POST " API "machineconfigs 97-worker-generated-kubelet  "
		   "# node config of pool worker\n",
		   print(&w, plan_node_sync(&w.a, &v, &w.out, &w.err)));
	ASSERT(str_find(w.out.v[0].body, S("systemd.unified")) < 0);
	ASSERT(str_find(w.out.v[2].body, S("\"systemd.unified_cgroup_hierarchy=1\"")) >= 0);
	arena_free(&w.a);
	PASS();
}

struct node_case {
	const char *name, *old, *new, *want;
};

#define NODE(n, p) "{'metadata':{'name':'" n "'},'spec':{" p "}}"
#define LATENCY(p) "'workerLatencyProfile':'" p "'"

static const struct node_case node_cases[] = {
	{ "new", NULL, NODE("cluster", LATENCY("LowUpdateSlowReaction")), "" },
	{ "one step", NODE("cluster", ""), NODE("cluster", LATENCY("MediumUpdateAverageReaction")),
	  "" },
	{ "two steps", NODE("cluster", ""), NODE("cluster", LATENCY("LowUpdateSlowReaction")),
	  "Skipping the Update Node event, name: cluster, transition not "
	  "allowed from old WorkerLatencyProfile: \"\" to new "
	  "WorkerLatencyProfile: \"LowUpdateSlowReaction\"" },
	{ "two steps back", NODE("cluster", LATENCY("LowUpdateSlowReaction")),
	  NODE("cluster", LATENCY("Default")),
	  "Skipping the Update Node event, name: cluster, transition not "
	  "allowed from old WorkerLatencyProfile: \"LowUpdateSlowReaction\" to "
	  "new WorkerLatencyProfile: \"Default\"" },
	{ "another name", NULL, NODE("mine", ""),
	  "The node.config.openshift.io \"mine\" is invalid: metadata.name "
	  "Invalid value: \"mine\" : must be \"cluster\"" },
};

TEST node_changes(void)
{
	for (size_t i = 0; i < ARRAY_LEN(node_cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct node_case *c = &node_cases[i];
		struct actions out = { 0 };
		bool ok = node_config_allowed(&a, c->old ? fx_quote(&a, c->old) : NULL,
					      fx_quote(&a, c->new), &out);

		ASSERT_INT_M(c->name, c->want[0] == 0, ok);
		ASSERT_STR_M(c->name, str_of(c->want), out.n ? out.v[0].reason : S(""));
	}
	PASS();
}

/* ---- container runtime and registries ------------------------------------ */

#define CRC(selector, conf)                                               \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"    \
	"'ContainerRuntimeConfig','metadata':{'name':'c','generation':1," \
	"'finalizers':['mine']},'spec':{'machineConfigPoolSelector':{"    \
	"'matchLabels':{" selector "}},'containerRuntimeConfig':{" conf "}},'status':{}}"

TEST runtime_config_made(void)
{
	struct runtime_view v;
	struct world w;

	start(&w, &owned_runtime);
	VEC_PUSH(&w.a, &w.configs,
		 make_object(&w, MC_RUNTIME_CONFIG, CRC("'pool':'worker'", "'pidsLimit':2048")));
	w.o.config = w.configs.v[0];
	v = (struct runtime_view){ .owned = w.o, .templates = &w.templates };
	ASSERT_STR(
		"0 MERGE " API "containerruntimeconfigs/c "
		"{\"metadata\":{\"annotations\":{\"machineconfiguration.openshift.io/mc-name-suffix\":\"\"}}} "
		" # record the suffix of its MachineConfig's name\n"
		"1 POST " API "machineconfigs "
		"99-worker-generated-containerruntime  # "
		"ContainerRuntimeConfig c for pool worker\n"
		"2 MERGE " API "containerruntimeconfigs/c "
		"{\"metadata\":{\"finalizers\":[\"mine\","
		"\"99-worker-generated-containerruntime\"]}}  # keep it "
		"until its MachineConfigs are deleted\n"
		"3 MERGE " API "containerruntimeconfigs/c/status {"
		"\"status\":{\"conditions\":[{\"lastTransitionTime\":"
		"\"2023-11-14T22:13:20Z\",\"message\":\"Success\","
		"\"status\":\"True\",\"type\":\"Success\"}],"
		"\"observedGeneration\":1}}  # Success\n",
		print(&w, plan_runtime_sync(&w.a, &v, &w.out, &w.err)));
	w.configs.v[0] =
		make_object(&w, MC_RUNTIME_CONFIG, CRC("'pool':'worker'", "'pidsLimit':3"));
	v.owned.config = w.configs.v[0];
	w.out = (struct actions){ 0 };
	ASSERT(str_ends(print(&w, plan_runtime_sync(&w.a, &v, &w.out, &w.err)),
			S("ERROR -5 invalid PidsLimit 3\n")));
	arena_free(&w.a);
	PASS();
}

/* A settled config stays unchanged; a pool that it newly selects gets its own. */
TEST runtime_config_stays(void)
{
	struct runtime_view v;
	struct world w;

	start(&w, &owned_runtime);
	VEC_PUSH(&w.a, &w.configs,
		 make_object(&w, MC_RUNTIME_CONFIG, CRC("'all':''", "'overlaySize':'8G'")));
	w.o.config = w.configs.v[0];
	v = (struct runtime_view){ .owned = w.o, .templates = &w.templates };
	(void)plan_runtime_sync(&w.a, &v, &w.out, &w.err);
	VEC_PUSH(&w.a, &w.mcs, fx_mc(&w.a, str_z(&w.a, w.out.v[1].body)));
	json_set((struct json *)(uintptr_t)w.configs.v[0]->doc.tree, S("status"),
		 json_at(fx_json(&w.a, w.out.v[w.out.n - 1].body), "status"));
	json_set(json_at(w.configs.v[0]->doc.tree, "metadata"), S("annotations"),
		 fx_quote(&w.a, "{'" ANNO_NAME_SUFFIX "':''}"));
	w.files[1].text = S("path: /etc/containers/storage.conf\ncontents:\n"
			    "  inline: |\n    [storage]\n    driver = "
			    "\"vfs\"\n");
	w.out = (struct actions){ 0 };
	ASSERT_STR("0 POST " API "machineconfigs "
		   "99-worker-generated-containerruntime  # "
		   "ContainerRuntimeConfig c for pool worker\n"
		   "1 MERGE " API "containerruntimeconfigs/c "
		   "{\"metadata\":{\"finalizers\":[\"mine\","
		   "\"99-worker-generated-containerruntime\"]}}  # keep it "
		   "until its MachineConfigs are deleted\n",
		   print(&w, plan_runtime_sync(&w.a, &v, &w.out, &w.err)));
	arena_free(&w.a);
	PASS();
}

/* Two configs that upstream gave one name keep it until one is edited. */
TEST runtime_configs_share(void)
{
	static const char text[] = "{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"
				   "'ContainerRuntimeConfig','metadata':{'name':'%s','uid':"
				   "'uid-%s','generation':%d,'annotations':{'" ANNO_NAME_SUFFIX
				   "':'1'},'finalizers':['99-worker-generated-containerruntime-1']"
				   "},'spec':{'machineConfigPoolSelector':{'matchLabels':{'pool':"
				   "'worker'}},'containerRuntimeConfig':{'pidsLimit':2048}},"
				   "'status':{'observedGeneration':1,'conditions':[{'type':"
				   "'Success','status':'True','message':'Success'}]}}";
	struct runtime_view v;
	struct world w;

	for (int generation = 1; generation <= 2; generation++) {
		struct str got;

		start(&w, &owned_runtime);
		VEC_PUSH(&w.a, &w.mcs,
			 fx_mc(&w.a, "{'apiVersion':'machineconfiguration.openshift."
				     "io/v1','kind':'MachineConfig','metadata':{"
				     "'name':'99-worker-generated-containerruntime-1'"
				     ",'annotations':{'machineconfiguration.openshift"
				     ".io/generated-by-controller-version':'h1'},"
				     "'ownerReferences':[{'kind':"
				     "'ContainerRuntimeConfig','name':'d','uid':"
				     "'uid-d','controller':true}]},'spec':{}}"));
		VEC_PUSH(&w.a, &w.configs,
			 make_object(&w, MC_RUNTIME_CONFIG,
				     str_fmt(&w.a, text, "c", "c", generation).p));
		VEC_PUSH(&w.a, &w.configs,
			 make_object(&w, MC_RUNTIME_CONFIG, str_fmt(&w.a, text, "d", "d", 1).p));
		w.o.config = w.configs.v[0];
		v = (struct runtime_view){ .owned = w.o, .templates = &w.templates };
		got = print(&w, plan_runtime_sync(&w.a, &v, &w.out, &w.err));
		if (generation == 1)
			ASSERT_STR("", got);
		else
			ASSERT(str_find(got, S("POST " API "machineconfigs 99-worker-"
					       "generated-containerruntime-2 ")) > 0);
		arena_free(&w.a);
	}
	PASS();
}

#define CRC_STATUS(step, said, why)                                         \
	step " MERGE " API "containerruntimeconfigs/c/status {\"status\":{" \
	     "\"conditions\":[" said "],\"observedGeneration\":1}}  # " why "\n"
#define CRC_SAID(type, text)                                                   \
	"{\"lastTransitionTime\":\"2023-11-14T22:13:20Z\",\"message\":\"" text \
	"\",\"status\":\"True\",\"type\":\"" type "\"}"

#define NOT_READ                                                       \
	"could not update container runtime config with new changes: " \
	"error decoding crio config: toml: line 1: expected a key"
#define LEFT_OUT "Error: " NOT_READ

/* A storage.conf that cannot be edited is left out, and the status has the reason. */
TEST runtime_config_in_part(void)
{
	struct runtime_view v;
	struct world w;

	start(&w, &owned_runtime);
	w.files[1].text = S("path: /etc/containers/storage.conf\ncontents:\n"
			    "  inline: '['\n");
	VEC_PUSH(&w.a, &w.configs,
		 make_object(&w, MC_RUNTIME_CONFIG, CRC("'pool':'worker'", "'overlaySize':'8G'")));
	w.o.config = w.configs.v[0];
	v = (struct runtime_view){ .owned = w.o, .templates = &w.templates };
	ASSERT_STR(
		"0 LOG error merging user changes to storage.conf: " NOT_READ "\n" CRC_STATUS(
			"1", CRC_SAID("Failure", LEFT_OUT),
			LEFT_OUT) "2 MERGE " API "containerruntimeconfigs/c "
				  "{\"metadata\":{\"annotations\":{\"machineconfiguration.openshift.io/mc-name-suffix\":\"\"}}} "
				  " # record the suffix of its MachineConfig's "
				  "name\n"
				  "3 POST " API "machineconfigs "
				  "99-worker-generated-containerruntime  # "
				  "ContainerRuntimeConfig c for pool worker\n"
				  "4 MERGE " API "containerruntimeconfigs/c "
				  "{\"metadata\":{\"finalizers\":[\"mine\","
				  "\"99-worker-generated-containerruntime\"]}} "
				  " # keep it until its MachineConfigs are "
				  "deleted\n" CRC_STATUS("5",
							 CRC_SAID("Failure", LEFT_OUT) "," CRC_SAID(
								 "Success", "Success"),
							 "Success"),
		print(&w, plan_runtime_sync(&w.a, &v, &w.out, &w.err)));
	/* reported once */
	for (size_t i = 0; i < w.out.n; i++)
		if (w.out.v[i].kind == ACTION_CREATE)
			VEC_PUSH(&w.a, &w.mcs, fx_mc(&w.a, str_z(&w.a, w.out.v[i].body)));
	json_set((struct json *)(uintptr_t)w.configs.v[0]->doc.tree, S("status"),
		 json_at(fx_json(&w.a, w.out.v[w.out.n - 1].body), "status"));
	w.out = (struct actions){ 0 };
	ASSERT(str_find(print(&w, plan_runtime_sync(&w.a, &v, &w.out, &w.err)), S("status")) < 0);
	arena_free(&w.a);
	PASS();
}

TEST registries_made(void)
{
	struct registries_in in;
	struct runtime_view v;
	struct mc_object_list objects = { 0 };
	struct world w;

	start(&w, &owned_runtime);
	VEC_PUSH(&w.a, &objects,
		 make_object(&w, MC_IMAGE,
			     "{'apiVersion':'config.openshift.io/v1','kind':"
			     "'Image','metadata':{'name':'cluster','uid':"
			     "'img-uid'},'spec':{'registrySources':{"
			     "'insecureRegistries':['bad.io']}}}"));
	in = (struct registries_in){ .objects = &objects,
				     .release_image = S("q.io/o/r@sha256:"
							"0123456789abcdef0123"
							"456789abcdef01234567"
							"89abcdef0123456789ab"
							"cdef") };
	v = (struct runtime_view){ .owned = w.o, .templates = &w.templates, .registries = &in };
	/* nothing before an Image config exists */
	ASSERT_STR("", print(&w, plan_registries_sync(&w.a, &v, &w.out, &w.err)));
	v.image = objects.v[0]->doc.tree;
	ASSERT_STR("0 POST " API "machineconfigs 99-infra-generated-registries"
		   "  # registries of pool infra\n"
		   "0 POST " API "machineconfigs "
		   "99-worker-generated-registries  # registries of pool "
		   "worker\n",
		   print(&w, plan_registries_sync(&w.a, &v, &w.out, &w.err)));
	ASSERT_STR("[{\"apiVersion\":\"config.openshift.io/v1\",\"kind\":"
		   "\"Image\",\"name\":\"cluster\",\"uid\":\"img-uid\"}]",
		   json_format(&w.a,
			       json_at(fx_json(&w.a, w.out.v[0].body), "metadata.ownerReferences"),
			       0));
	VEC_PUSH(&w.a, &w.mcs, fx_mc(&w.a, str_z(&w.a, w.out.v[0].body)));
	VEC_PUSH(&w.a, &w.mcs, fx_mc(&w.a, str_z(&w.a, w.out.v[2].body)));
	w.out = (struct actions){ 0 };
	ASSERT_STR("", print(&w, plan_registries_sync(&w.a, &v, &w.out, &w.err)));
	arena_free(&w.a);
	PASS();
}

#define POLICY(kind, meta, scope)                                                             \
	"{'apiVersion':'config.openshift.io/v1','kind':'" kind "','metadata':{" meta          \
	"},'spec':{'scopes':['" scope "'],'policy':{'rootOfTrust':{'policyType':'PublicKey'," \
	"'publicKey':{'keyData':'a2V5'}}}},'status':{'conditions':[{"                         \
	"'type':'Old','status':'True'}]}}"

/* Upstream's role may update, but not patch, the status of image policies. */
TEST image_policy_outranked(void)
{
	struct mc_object_list objects = { 0 };
	struct registries_in in = { .objects = &objects,
				    .release_image = S("q.io/o/r:t"),
				    .sigstore = true };
	struct runtime_view v = { .registries = &in };
	struct world w;

	start(&w, &owned_runtime);
	VEC_PUSH(&w.a, &objects,
		 make_object(&w, MC_CLUSTER_IMAGE_POLICY,
			     POLICY("ClusterImagePolicy", "'name':'c'", "a.io")));
	VEC_PUSH(&w.a, &objects,
		 make_object(&w, MC_IMAGE_POLICY,
			     POLICY("ImagePolicy",
				    "'name':'p','namespace':'shop',"
				    "'resourceVersion':'4'",
				    "a.io/x")));
	w.pools.n = 0;
	v.owned = w.o;
	v.templates = &w.templates;
	v.image = fx_json(&w.a, S("{}"));
	ASSERT_STR("0 PUT /apis/config.openshift.io/v1/namespaces/shop/"
		   "imagepolicies/p/status  # has conflicting scope(s) "
		   "[\"a.io/x\"] that equal to or nest inside existing "
		   "clusterimagepolicy, only policy from clusterimagepolicy "
		   "scope(s) will be applied\n",
		   print(&w, plan_registries_sync(&w.a, &v, &w.out, &w.err)));
	ASSERT_STR("{\"conditions\":[{\"lastTransitionTime\":\""
		   "2023-11-14T22:13:20Z\",\"message\":\"has conflicting "
		   "scope(s) [\\\"a.io/x\\\"] that equal to or nest inside "
		   "existing clusterimagepolicy, only policy from "
		   "clusterimagepolicy scope(s) will be applied\",\"reason\":"
		   "\"ConflictScopes\",\"status\":\"False\",\"type\":"
		   "\"Pending\"}]}",
		   json_format(&w.a, json_at(fx_json(&w.a, w.out.v[0].body), "status"), 0));
	arena_free(&w.a);
	PASS();
}

SUITE(owned)
{
	RUN_TEST(named);
	RUN_TEST(kubelet_config_made);
	RUN_TEST(kubelet_config_stays);
	RUN_TEST(kubelet_configs_share);
	RUN_TEST(kubelet_config_for_two_pools);
	RUN_TEST(kubelet_config_fails);
	RUN_TEST(kubelet_config_deleted);
	RUN_TEST(kubelet_configs_part);
	RUN_TEST(kubelet_config_taken_over);
	RUN_TEST(features_and_node);
	RUN_TEST(node_changes);
	RUN_TEST(runtime_config_made);
	RUN_TEST(runtime_config_stays);
	RUN_TEST(runtime_configs_share);
	RUN_TEST(runtime_config_in_part);
	RUN_TEST(registries_made);
	RUN_TEST(image_policy_outranked);
}

TEST_MAIN(owned)
