/* The template controller: what it owns, and the status of the ControllerConfig. */
#include "plan/template_sync.h"
#include "actions_print.h"

#include "fixture.h"

struct world {
	struct arena a;
	struct mc_controller_config cc;
	struct mc_list mcs;
	struct template_file files[4];
	struct template_tree tree;
	struct template_view v;
	struct actions out;
	struct err err;
};

#define CC(observed, conds)                                                  \
	"{'apiVersion':'machineconfiguration.openshift.io/v1','kind':"       \
	"'ControllerConfig','metadata':{'name':'machine-config-controller'," \
	"'uid':'cc-uid','generation':2},'spec':{'pullSecret':{'name':'p',"   \
	"'namespace':'n'},'infra':{'status':{'platformStatus':{'type':"      \
	"'None'}}},'clusterDNSIP':'10.0.0.10'},'status':{"                   \
	"'observedGeneration':" observed ",'conditions':[" conds "]}}"
#define COND(type, status, text)                                                                  \
	"{'type':'TemplateController" type "','status':'" status "','reason':'','message':'" text \
	"','lastTransitionTime':"                                                                 \
	"'2020-01-01T00:00:00Z'}"

static void start(struct world *w)
{
	*w = (struct world){ 0 };
	w->err = ERR_INIT(&w->a);
	fx_cc(&w->a, CC("2", ""), &w->cc);
	w->files[0] = (struct template_file){ S("worker/00-worker/_base/files/dns.yaml"),
					      S("path: /etc/dns\nmode: 0644\ncontents:\n  inline: "
						"'{{.ClusterDNSIP}}'\n") };
	w->files[1] =
		(struct template_file){ S("worker/01-worker-b/_base/files/b.yaml"),
					S("path: /etc/b\nmode: 0644\ncontents:\n  inline: b\n") };
	w->tree = (struct template_tree){ .dir = S("/t"), .v = w->files, .n = 2 };
	w->v = (struct template_view){
		.now = { 1700000000, 0 },
		.raw = S("v1"),
		.hash = S("h1"),
		.controller_config = &w->cc,
		.tree = &w->tree,
		.mcs = &w->mcs,
		.pull_secret = fx_quote(&w->a, "{'type':'kubernetes.io/dockerconfigjson',"
					       "'data':{'.dockerconfigjson':'e30='}}"),
	};
}

static struct str plan(struct world *w)
{
	struct buf b;
	int rc;

	w->out = (struct actions){ 0 };
	rc = plan_template_sync(&w->a, &w->v, &w->out, &w->err);
	buf_init(&b, &w->a);
	for (size_t i = 0; i < w->out.n; i++) {
		struct actions one = { .v = &w->out.v[i], .n = 1 };
		struct action act = w->out.v[i];

		act.body = S("");
		one.v = &act;
		actions_print(&b, &one);
	}
	if (rc < 0)
		buf_addf(&b, "ERROR %d %.*s\n", rc, STRF(w->err.msg));
	return buf_str(&b);
}

static void take(struct world *w, size_t i)
{
	const char *body = str_z(&w->a, w->out.v[i].body);

	if (w->out.v[i].kind == ACTION_CREATE)
		VEC_PUSH(&w->a, &w->mcs, fx_mc(&w->a, body));
	else
		fx_cc(&w->a, body, &w->cc);
}

static struct str conditions_text(struct world *w)
{
	struct conditions list = conditions_of(&w->a, json_at(w->cc.tree, "status.conditions"));
	struct buf b;

	buf_init(&b, &w->a);
	for (size_t i = 0; i < list.n; i++)
		buf_addf(&b, "%.*s=%.*s %.*s\n", STRF(str_from(list.v[i].type, 18)),
			 STRF(list.v[i].status), STRF(list.v[i].message));
	return buf_str(&b);
}

#define API "/apis/machineconfiguration.openshift.io/v1/"
#define METRIC(step, name)                       \
	step " METRIC mcc_sub_controller_state " \
	     "machine-config-controller-template,Sync Controller Config," name " = now\n"
#define STATUS "PUT " API "controllerconfigs/machine-config-controller/status"

TEST first_time(void)
{
	struct world w;

	start(&w);
	fx_cc(&w.a, CC("1", COND("Completed", "True", "old")), &w.cc);
	ASSERT_STR("0 " STATUS "  # new generation\n"
		   "0 REQUEUE after 0 ms  # sync the new generation\n",
		   plan(&w));
	take(&w, 0);
	ASSERT_STR("Running=True syncing towards (2) generation using "
		   "controller version v1\n"
		   "Completed=False syncing towards (2) generation using "
		   "controller version v1 due to change in Generation\n",
		   conditions_text(&w));
	ASSERT_STR("0 POST " API "machineconfigs  # differs from its template\n" METRIC(
			   "0", "00-worker") "0 POST " API
					     "machineconfigs  # differs from its template\n" METRIC(
						     "0", "01-worker-b") "1 " STATUS
									 "  # sync completed\n",
		   plan(&w));
	ASSERT(w.out.v[4].if_ok);
	take(&w, 0);
	take(&w, 2);
	take(&w, 4);
	ASSERT_STR("Completed=True sync completed towards (2) generation using "
		   "controller version v1\nRunning=False \nFailing=False \n",
		   conditions_text(&w));
	ASSERT_STR("{\"lastTransitionTime\":\"2023-11-14T22:13:20Z\","
		   "\"status\":\"False\",\"type\":"
		   "\"TemplateControllerRunning\"}",
		   json_format(&w.a, json_next(json_first(json_at(w.cc.tree, "status.conditions"))),
			       0));
	ASSERT_INT(2, json_i64(w.cc.tree, "status.observedGeneration", 0));
	ASSERT_STR("", plan(&w)); /* nothing more */
	ASSERT_STR(
		"{\"apiVersion\":\"machineconfiguration.openshift.io/v1\","
		"\"kind\":\"ControllerConfig\",\"name\":"
		"\"machine-config-controller\",\"uid\":\"cc-uid\","
		"\"controller\":true,\"blockOwnerDeletion\":true}",
		json_format(&w.a,
			    json_first(json_at(w.mcs.v[0]->doc.tree, "metadata.ownerReferences")),
			    0));
	arena_free(&w.a);
	PASS();
}

static void settle(struct world *w)
{
	start(w);
	(void)plan(w);
	take(w, 0);
	take(w, 2);
	take(w, 4);
}

TEST edits_are_overwritten(void)
{
	struct world w;

	settle(&w);
	json_set(json_at(w.mcs.v[1]->doc.tree, "spec"), S("config"), json_new(&w.a, JSON_OBJECT));
	ASSERT_STR("0 PUT " API "machineconfigs/01-worker-b  # differs from its template\n" METRIC(
			   "0", "01-worker-b"),
		   plan(&w));
	w.mcs.n = 1; /* deleted */
	ASSERT_STR("0 POST " API
		   "machineconfigs  # differs from its template\n" METRIC("0", "01-worker-b"),
		   plan(&w));
	arena_free(&w.a);
	/* an added label is kept, and is not a difference */
	settle(&w);
	json_set(json_at(w.mcs.v[0]->doc.tree, "metadata.labels"), S("mine"),
		 json_new_str(&w.a, S("x")));
	ASSERT_STR("", plan(&w));
	arena_free(&w.a);
	PASS();
}

struct fail_case {
	const char *name, *secret, *file, *failed, *want;
};

static const struct fail_case fails[] = {
	{ "another type of secret", "{'type':'Opaque'}", NULL, "",
	  "expected secret type kubernetes.io/dockerconfigjson found Opaque" },
	{ "no secret", NULL, NULL, "", "secrets \"p\" not found" },
	{ "a template that does not parse",
	  "{'type':'kubernetes.io/dockerconfigjson','data':{"
	  "'.dockerconfigjson':'e30='}}",
	  "{{", "",
	  "failed to create MachineConfig for role worker: failed to parse "
	  "template " },
	{ "a write that failed",
	  "{'type':'kubernetes.io/dockerconfigjson','data':{"
	  "'.dockerconfigjson':'e30='}}",
	  NULL, "no room", "no room" },
};

TEST failing(void)
{
	for (size_t i = 0; i < ARRAY_LEN(fails); i++) {
		const struct fail_case *f = &fails[i];
		struct world w;
		struct str got;

		settle(&w);
		w.v.pull_secret = f->secret ? fx_quote(&w.a, f->secret) : NULL;
		w.v.pull_secret_error = S("secrets \"p\" not found");
		w.v.failed = str_of(f->failed);
		if (f->file)
			w.files[0].text = str_of(f->file);
		got = plan(&w);
		ASSERT_INT_M(
			f->name, 1,
			str_starts(got, str_fmt(&w.a, "0 " STATUS "  # sync failed\nERROR -5 %s",
						f->want)));
		take(&w, 0);
		got = conditions_text(&w);
		ASSERT_INT_M(f->name, 1,
			     str_starts(got, str_fmt(&w.a,
						     "Running=False \nFailing=True failed "
						     "to syncing towards (2) generation "
						     "using controller version v1: %s",
						     f->want)));
		ASSERT_INT_M(f->name, 1, str_ends(got, S("\nCompleted=False \n")));
		arena_free(&w.a);
	}
	PASS();
}

TEST old_images(void)
{
	struct world w;

	settle(&w);
	VEC_PUSH(&w.a, &w.mcs,
		 fx_mc(&w.a, "{'apiVersion':'machineconfiguration.openshift.io/v1',"
			     "'kind':'MachineConfig','metadata':{'name':'97-x',"
			     "'annotations':{'machineconfiguration.openshift.io/"
			     "generated-by-controller-version':'h0'}},'spec':{"
			     "'osImageURL':'img'}}"));
	ASSERT_STR("0 PUT " API "machineconfigs/97-x  # remove the images from generated "
		   "configs\n",
		   plan(&w));
	ASSERT_STR(
		"\"\"",
		json_format(&w.a, json_at(fx_json(&w.a, w.out.v[0].body), "spec.osImageURL"), 0));
	arena_free(&w.a);
	PASS();
}

struct auth_case {
	const char *secret, *pull, *dns; /* the secret's password in base64; texts */
	const char *want; /* the rendered text, or the error */
};

#define DNS "{'spec':{'baseDomain':'example.com'}}"
#define AUTH "b3BlbnNoaWZ0OnB3" /* openshift:pw */
#define FAILS "could not merge IRI registry credentials into pull secret: "

static const struct auth_case auths[] = {
	{ "cHc=", "{'z':{'a':'<'},'auths':{'q.io':{'auth':'YTpi'}}}", DNS,
	  "{'auths':{'api-int.example.com:22625':{'auth':'" AUTH
	  "'},'localhost:22625':{'auth':'" AUTH "'},'q.io':{'auth':'YTpi'}},'z':{'a':'\\u003c'}}" },
	{ "cHc=",
	  "{'auths':{'localhost:22625':{'auth':'" AUTH
	  "','email':'x'},'api-int.example.com:22625':{'auth':'" AUTH "'}}}",
	  DNS,
	  "{'auths':{'localhost:22625':{'auth':'" AUTH
	  "','email':'x'},'api-int.example.com:22625':{'auth':'" AUTH "'}}}" },
	{ NULL, "{}", DNS,
	  FAILS "could not get IRI auth secret: secret "
		"'internal-release-image-registry-auth' not found" },
	{ "", "{}", DNS,
	  FAILS "IRI registry credentials secret missing or empty 'password' "
		"field" },
	{ "cHc=", "{}", "null", FAILS "ControllerConfig DNS spec must not be nil" },
	{ "cHc=", "{}", "{'spec':{'baseDomain':' '}}",
	  FAILS "ControllerConfig baseDomain must not be empty" },
	{ "cHc=", "{}", DNS, FAILS "pull secret missing 'auths' field" },
	{ "cHc=", "", DNS, FAILS "could not parse pull secret: unexpected end of JSON input" },
};

static struct str quoted(struct arena *a, const char *text)
{
	char *z = arena_dup(a, text, strlen(text));

	for (char *p = z; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	return str_of(z);
}

TEST release_registry(void)
{
	for (size_t i = 0; i < ARRAY_LEN(auths); i++) {
		const struct auth_case *c = &auths[i];
		struct str secret, got;
		struct world w;
		int rc;

		start(&w);
		secret = quoted(&w.a, c->pull);
		json_set(json_at(w.cc.tree, "spec"), S("dns"), fx_quote(&w.a, c->dns));
		ASSERT_INT(0, template_release_auth(&w.a, &w.v, &secret, &w.err));
		ASSERT_STR_M("left alone without the object", quoted(&w.a, c->pull), secret);
		w.v.release_image = true;
		if (c->secret)
			w.v.release_auth = fx_quote(
				&w.a, str_fmt(&w.a, "{'data':{'password':'%s'}}", c->secret).p);
		rc = template_release_auth(&w.a, &w.v, &secret, &w.err);
		got = rc < 0 ? w.err.msg : secret;
		/* 'auths' in the message has plain quotes */
		ASSERT_STR_M(c->pull, quoted(&w.a, c->want), quoted(&w.a, str_z(&w.a, got)));
		arena_free(&w.a);
	}
	PASS();
}

SUITE(template_sync)
{
	RUN_TEST(first_time);
	RUN_TEST(edits_are_overwritten);
	RUN_TEST(failing);
	RUN_TEST(old_images);
	RUN_TEST(release_registry);
}

TEST_MAIN(template_sync)
