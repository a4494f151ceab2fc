/*
 * The sandbox by requests: each step has a request and the expected reply.
 */
#include "sandbox/watch.h"
#include "../test.h"

#define MERGE "application/merge-patch+json"
#define STRATEGIC "application/strategic-merge-patch+json"
#define OPS "application/json-patch+json"
#define APPLY "application/apply-patch+yaml"
#define NODES "/api/v1/nodes"
#define PODS "/api/v1/namespaces/default/pods"
#define POOLS "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"
#define POOL(name, rest)                                            \
	"{\"apiVersion\":\"machineconfiguration.openshift.io/v1\"," \
	"\"kind\":\"MachineConfigPool\",\"metadata\":{\"name\":\"" name "\"" rest "}"

struct step {
	const char *method, *path, *type, *body;
	int code;
	/* The value at a path of the reply, as JSON; or NULL. */
	const char *at, *want;
};

static void ask(struct sandbox *s, struct arena *a, const struct step *t, struct sb_reply *out)
{
	struct sb_request r = {
		.method = str_of(t->method),
		.path = str_of(t->path),
		.content_type = str_of(t->type ? t->type : ""),
		.body = str_of(t->body ? t->body : ""),
		.now = 1000000000,
	};

	(void)str_cut(r.path, '?', &r.path, &r.query);
	sandbox_handle(s, a, &r, out);
	(void)sandbox_work(s, 1000000000000);
}

static struct str value_at(struct arena *a, struct str body, const char *path)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;
	const struct json *v;
	struct buf b;

	if (json_parse(a, body, NULL, &j, &err) < 0)
		return body;
	v = json_at(j, path);
	buf_init(&b, a);
	if (v)
		json_encode(&b, v, JSON_SORTED);
	return buf_str(&b);
}

static enum greatest_test_res run(const struct step *steps, size_t n, bool collect)
{
	struct sandbox s;

	sandbox_init(&s, 7);
	s.collect = collect;
	for (size_t i = 0; i < n; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct step *t = &steps[i];
		char name[256];
		struct sb_reply out;

		(void)snprintf(name, sizeof(name), "step %zu: %s %s", i, t->method, t->path);
		ask(&s, &a, t, &out);
		if (out.code != t->code)
			test_show("answer", out.body);
		ASSERT_INT_M(name, t->code, out.code);
		if (t->at)
			ASSERT_STR_M(name, str_of(t->want), value_at(&a, out.body, t->at));
	}
	sandbox_free(&s);
	PASS();
}
#define RUN_STEPS(steps, collect) return run(steps, ARRAY_LEN(steps), collect)

TEST objects(void)
{
	static const struct step steps[] = {
		{ "GET", NODES "/a", NULL, NULL, 404, "message", "\"nodes \\\"a\\\" not found\"" },
		{ "POST", NODES, NULL, "{\"metadata\":{\"name\":\"a\"}}", 201, "kind", "\"Node\"" },
		{ "POST", NODES, NULL, "{\"metadata\":{\"name\":\"a\"}}", 409, "reason",
		  "\"AlreadyExists\"" },
		{ "POST", NODES, NULL, "{\"metadata\":{\"name\":\"A_\"}}", 422, "reason",
		  "\"Invalid\"" },
		{ "POST", NODES, NULL, "{\"metadata\":{}}", 422, "message",
		  "\"Node \\\"\\\" is invalid: metadata.name: Required value: "
		  "name or generateName is required\"" },
		{ "POST", NODES, NULL, "[1", 400, "reason", "\"BadRequest\"" },
		{ "POST", PODS, NULL,
		  "{\"metadata\":{\"generateName\":\"p-\"},\"spec\":{"
		  "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",
		  201, "status.phase", "\"Pending\"" },
		{ "POST", "/api/v1/namespaces/none/pods", NULL, "{}", 404, "message",
		  "\"namespaces \\\"none\\\" not found\"" },
		{ "PATCH", NODES "/a", MERGE, "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}", 200,
		  "metadata.labels", "{\"x\":\"1\"}" },
		{ "PATCH", NODES "/a", STRATEGIC,
		  "{\"status\":{\"conditions\":[{\"type\":\"Ready\"}]},"
		  "\"spec\":{\"unschedulable\":true}}",
		  200, "spec", "{\"unschedulable\":true}" },
		{ "GET", NODES "/a", NULL, NULL, 200, "status.daemonEndpoints",
		  "{\"kubeletEndpoint\":{\"Port\":0}}" },
		{ "PATCH", NODES "/a/status", STRATEGIC,
		  "{\"status\":{\"conditions\":[{\"type\":\"Ready\","
		  "\"status\":\"True\"}]}}",
		  200, "status.conditions",
		  "[{\"lastHeartbeatTime\":null,\"lastTransitionTime\":null,\"status\":\"True\",\"type\":\"Ready\"}]" },
		{ "PATCH", NODES "/a", OPS,
		  "[{\"op\":\"add\",\"path\":\"/metadata/labels/b~1c\","
		  "\"value\":\"2\"},{\"op\":\"remove\",\"path\":\"/metadata/"
		  "labels/x\"}]",
		  200, "metadata.labels", "{\"b/c\":\"2\"}" },
		{ "POST", PODS, NULL,
		  "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"hostNetwork\":"
		  "true,\"containers\":[{\"name\":\"c\",\"image\":\"i\","
		  "\"ports\":[{}]}]}}",
		  422, "reason", "\"Invalid\"" },
		{ "POST", "/api/v1/namespaces/default/services", NULL,
		  "{\"metadata\":{\"name\":\"h\"},\"spec\":{\"ports\":[{}]}}", 422, "reason",
		  "\"Invalid\"" },
		{ "GET", PODS "/x/log", NULL, NULL, 400, "message",
		  "\"pods/log: nothing runs in the sandbox, its pods are "
		  "objects only\"" },
		{ "POST", PODS "/x/exec", NULL, "{}", 400, "reason", "\"BadRequest\"" },
		{ "GET", PODS "/x/bogus", NULL, NULL, 404, "reason", "\"NotFound\"" },
		{ "PATCH", NODES "/a", "text/plain", "{}", 415, "reason",
		  "\"UnsupportedMediaType\"" },
		{ "POST", NODES, "application/vnd.kubernetes.protobuf", "k8s", 415, "message",
		  "\"the body of the request was in an unknown format - "
		  "accepted media types include: application/json, "
		  "application/yaml\"" },
		{ "PUT", NODES "/a", NULL,
		  "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}", 409, "reason",
		  "\"Conflict\"" },
		{ "PUT", NODES "/a", NULL, "{\"metadata\":{\"name\":\"b\"}}", 400, "message",
		  "\"the name of the object (b) does not match the name on the "
		  "URL (a)\"" },
		{ "GET", NODES "?labelSelector=b/c+in+(1,2)", NULL, NULL, 200, "kind",
		  "\"NodeList\"" },
		{ "GET", NODES "?labelSelector=x", NULL, NULL, 200, "items", "[]" },
		{ "GET", NODES "?fieldSelector=metadata.name%3Db", NULL, NULL, 200, "items", "[]" },
		{ "GET", NODES "?labelSelector=a+b", NULL, NULL, 400, "reason", "\"BadRequest\"" },
		{ "GET", "/api/v1/things", NULL, NULL, 404, NULL, NULL },
		{ "DELETE", NODES "/a", NULL, NULL, 200, "status", "\"Success\"" },
		{ "DELETE", NODES "/a", NULL, NULL, 404, NULL, NULL },
	};

	RUN_STEPS(steps, false);
}

TEST custom_kinds(void)
{
	static const struct step steps[] = {
		{ "POST", POOLS, NULL,
		  POOL("w", "},\"spec\":{\"paused\":true},\"status\":{"
			    "\"machineCount\":3}"),
		  201, "metadata.generation", "1" },
		{ "GET", POOLS "/w", NULL, NULL, 200, "status", "" },
		{ "PUT", POOLS "/w", NULL, POOL("w", "},\"spec\":{}"), 422, "message",
		  "\"machineconfigpools.machineconfiguration.openshift.io "
		  "\\\"w\\\" is invalid: metadata.resourceVersion: Invalid "
		  "value: 0: must be specified for an update\"" },
		{ "PATCH", POOLS "/w", MERGE, "{\"spec\":{\"paused\":false}}", 200,
		  "metadata.generation", "2" },
		{ "PATCH", POOLS "/w", MERGE, "{\"spec\":{\"paused\":false}}", 200,
		  "metadata.generation", "2" },
		{ "PATCH", POOLS "/w/status", MERGE,
		  "{\"status\":{\"machineCount\":4},\"spec\":{\"paused\":"
		  "true}}",
		  200, "spec.paused", "false" },
		{ "GET", POOLS "/w", NULL, NULL, 200, "status", "{\"machineCount\":4}" },
		{ "PATCH", POOLS "/w", STRATEGIC, "{}", 415, "reason", "\"UnsupportedMediaType\"" },
		{ "POST", POOLS, NULL, "{\"metadata\":{\"name\":\"x\"}}", 400, "message",
		  "\"the object provided is unrecognized (must be of type MachineConfigPool): "
		  "Object 'Kind' is missing in '{\\\"metadata\\\":{\\\"name\\\":\\\"x\\\"}}' "
		  "({\\\"metadata\\\":{\\\"name\\\":\\\"x\\\"}})\"" },
		{ "PATCH", POOLS "/next?fieldManager=m", APPLY,
		  "apiVersion: machineconfiguration.openshift.io/v1\nkind: "
		  "MachineConfigPool\nmetadata:\n  name: next\nspec:\n  paused: "
		  "true\n  maxUnavailable: 2\n",
		  201, "spec", "{\"maxUnavailable\":2,\"paused\":true}" },
		{ "PATCH", POOLS "/next?fieldManager=m", APPLY,
		  "apiVersion: machineconfiguration.openshift.io/v1\nkind: "
		  "MachineConfigPool\nspec:\n  paused: true\n",
		  200, "spec", "{\"paused\":true}" },
		{ "PATCH", POOLS "/next?fieldManager=other", APPLY,
		  "apiVersion: machineconfiguration.openshift.io/v1\nkind: "
		  "MachineConfigPool\nspec:\n  paused: false\n",
		  409, "message",
		  "\"Apply failed with 1 conflict: conflict with \\\"m\\\": "
		  ".spec.paused\"" },
		{ "PATCH", POOLS "/next?fieldManager=other&force=true", APPLY,
		  "apiVersion: machineconfiguration.openshift.io/v1\nkind: "
		  "MachineConfigPool\nspec:\n  paused: false\n",
		  200, "spec", "{\"paused\":false}" },
	};

	RUN_STEPS(steps, false);
}

#define CRD                                                                   \
	"{\"metadata\":{\"name\":\"rocks.geo.example\"},\"spec\":{\"group\":" \
	"\"geo.example\",\"names\":{\"kind\":\"Rock\",\"plural\":\"rocks\"}," \
	"\"scope\":\"Cluster\",\"versions\":[{\"name\":\"v1\",\"served\":"    \
	"true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"    \
	"\"object\",\"properties\":{\"spec\":{\"type\":\"object\","           \
	"\"required\":[\"size\"],\"properties\":{\"size\":{\"type\":"         \
	"\"integer\",\"minimum\":1},\"kind\":{\"type\":\"string\",\"enum\":"  \
	"[\"a\",\"b\"],\"default\":\"a\"}}}}}}}]}}"
#define ROCKS "/apis/geo.example/v1/rocks"
#define ROCK(name, spec)                                        \
	"{\"apiVersion\":\"geo.example/v1\",\"kind\":\"Rock\"," \
	"\"metadata\":{\"name\":\"" name "\"},\"spec\":" spec "}"

TEST definitions(void)
{
	static const struct step steps[] = {
		{ "GET", ROCKS, NULL, NULL, 404, NULL, NULL },
		{ "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", NULL, CRD, 201,
		  "status.acceptedNames.singular", "\"rock\"" },
		{ "GET", ROCKS, NULL, NULL, 200, "items", "[]" },
		{ "GET", "/apis/geo.example/v1", NULL, NULL, 200, "groupVersion",
		  "\"geo.example/v1\"" },
		{ "POST", ROCKS, NULL, ROCK("r", "{\"size\":2,\"unknown\":1}"), 201, "spec",
		  "{\"kind\":\"a\",\"size\":2}" },
		{ "POST", ROCKS, NULL, ROCK("s", "{\"size\":0}"), 422, "message",
		  "\"Rock.geo.example \\\"s\\\" is invalid: spec.size: "
		  "Invalid value: 0: spec.size in body should be greater than "
		  "or equal to 1\"" },
		{ "POST", ROCKS, NULL, ROCK("s", "{\"size\":\"x\"}"), 422, "message",
		  "\"Rock.geo.example \\\"s\\\" is invalid: spec.size: "
		  "Invalid value: \\\"string\\\": spec.size in body must be of "
		  "type integer: \\\"string\\\"\"" },
		{ "POST", ROCKS, NULL, ROCK("s", "{}"), 422, "message",
		  "\"Rock.geo.example \\\"s\\\" is invalid: spec.size: "
		  "Required value\"" },
		{ "DELETE",
		  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
		  "rocks.geo.example",
		  NULL, NULL, 200, NULL, NULL },
		{ "GET", ROCKS, NULL, NULL, 404, NULL, NULL },
	};

	RUN_STEPS(steps, false);
}

#define POD(name, node)                                                        \
	"{\"metadata\":{\"name\":\"" name "\",\"labels\":{\"app\":\"x\"}},"    \
	"\"spec\":{\"nodeName\":\"" node "\",\"containers\":[{\"name\":\"c\"," \
	"\"image\":\"i\"}]},\"status\":{\"phase\":\"Failed\"}}"
#define RUNNING                                           \
	"{\"status\":{\"phase\":\"Running\","             \
	"\"conditions\":[{\"type\":\"Ready\",\"status\":" \
	"\"True\"}]}}"

/* An apply that changes nothing writes nothing, however late it comes. */
TEST late_apply(void)
{
	struct arena a = ARENA_INIT;
	struct sb_reply first, second;
	struct sandbox s;

	sandbox_init(&s, 7);
	for (int i = 0; i < 2; i++) {
		struct sb_request r = {
			.method = S("PATCH"),
			.path = S("/api/v1/namespaces/default/configmaps/c"),
			.query = S("fieldManager=m"),
			.content_type = S(APPLY),
			.body = S("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
				  "\"metadata\":{\"name\":\"c\"},\"data\":{\"k\":\"v\"}}"),
			.now = 1000000000 + i * 5,
		};

		sandbox_handle(&s, &a, &r, i ? &second : &first);
	}
	ASSERT_EQ(201, first.code);
	ASSERT_EQ(200, second.code);
	ASSERT_STR_EQ(str_z(&a, value_at(&a, first.body, "metadata")),
		      str_z(&a, value_at(&a, second.body, "metadata")));
	arena_free(&a);
	sandbox_free(&s);
	PASS();
}

TEST evictions(void)
{
	static const struct step steps[] = {
		/* the creator of a pod cannot set its status */
		{ "POST", PODS, NULL, POD("p", "n"), 201, "status.phase", "\"Pending\"" },
		{ "POST", PODS, NULL, POD("q", "n"), 201, NULL, NULL },
		{ "PATCH", PODS "/p/status", MERGE, RUNNING, 200, NULL, NULL },
		{ "PATCH", PODS "/q/status", MERGE, RUNNING, 200, NULL, NULL },
		{ "POST",
		  "/apis/policy/v1beta1/namespaces/default/"
		  "poddisruptionbudgets",
		  NULL,
		  "{\"metadata\":{\"name\":\"b\"},\"spec\":{\"minAvailable\":"
		  "2,\"selector\":{\"matchLabels\":{\"app\":\"x\"}}}}",
		  201, NULL, NULL },
		{ "POST", PODS "/p/eviction", NULL, "{}", 429, "details.causes",
		  "[{\"message\":\"The disruption budget b needs 2 healthy "
		  "pods and has 2 currently\",\"reason\":"
		  "\"DisruptionBudget\"}]" },
		{ "PATCH",
		  "/apis/policy/v1beta1/namespaces/default/"
		  "poddisruptionbudgets/b",
		  MERGE, "{\"spec\":{\"minAvailable\":\"50%\"}}", 200, NULL, NULL },
		{ "POST", PODS "/p/eviction", NULL, "{}", 201, "status", "\"Success\"" },
		{ "GET", PODS "/p", NULL, NULL, 200, "metadata.deletionGracePeriodSeconds", "30" },
		{ "POST", PODS "/q/eviction", NULL, "{}", 429, "reason", "\"TooManyRequests\"" },
		{ "DELETE", PODS "/p", NULL, "{\"gracePeriodSeconds\":0}", 200, NULL, NULL },
		{ "GET", PODS "/p", NULL, NULL, 404, NULL, NULL },
		{ "POST", PODS "/p/eviction", NULL, "{}", 404, NULL, NULL },
	};

	RUN_STEPS(steps, true);
}

TEST garbage(void)
{
	static const struct step steps[] = {
		{ "POST", "/api/v1/namespaces", NULL, "{\"metadata\":{\"name\":\"t\"}}", 201, NULL,
		  NULL },
		{ "POST", "/api/v1/namespaces/t/configmaps", NULL,
		  "{\"metadata\":{\"name\":\"lost\",\"ownerReferences\":[{"
		  "\"apiVersion\":\"v1\",\"kind\":\"X\",\"name\":\"x\","
		  "\"uid\":\"none\"}]}}",
		  201, NULL, NULL },
		{ "POST", "/api/v1/namespaces/t/configmaps", NULL,
		  "{\"metadata\":{\"name\":\"kept\",\"finalizers\":[\"a/b\"]}}", 201, NULL, NULL },
		{ "POST", "/api/v1/namespaces/t/configmaps", NULL,
		  "{\"metadata\":{\"name\":\"bad\",\"finalizers\":[\"b\"]}}", 422, NULL, NULL },
		{ "POST", "/apis/machineconfiguration.openshift.io/v1/kubeletconfigs", NULL,
		  "{\"apiVersion\":\"machineconfiguration.openshift.io/v1\","
		  "\"kind\":\"KubeletConfig\",\"metadata\":{\"name\":\"k\","
		  "\"finalizers\":[\"b\"]}}",
		  201, NULL, NULL },
		{ "DELETE", "/api/v1/namespaces/t", NULL, NULL, 200, "status.phase",
		  "\"Terminating\"" },
		{ "GET", "/api/v1/namespaces/t/configmaps/lost", NULL, NULL, 404, NULL, NULL },
		{ "POST", "/api/v1/namespaces/t/configmaps", NULL,
		  "{\"metadata\":{\"name\":\"late\"}}", 403, "reason", "\"Forbidden\"" },
		{ "PATCH", "/api/v1/namespaces/t/configmaps/kept", MERGE,
		  "{\"metadata\":{\"finalizers\":null}}", 200, NULL, NULL },
		{ "GET", "/api/v1/namespaces/t", NULL, NULL, 404, NULL, NULL },
	};

	RUN_STEPS(steps, true);
}

/* Garbage is collected when it may exist, even if nothing was deleted. */
TEST owners_that_never_were(void)
{
#define LOST "/api/v1/namespaces/default/configmaps"
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sandbox s;
	struct sb_reply out;

	sandbox_init(&s, 7);
	s.collect = true;
	ask(&s, &a,
	    &(struct step){ "POST", LOST, NULL,
			    "{\"metadata\":{\"name\":\"lost\","
			    "\"ownerReferences\":[{\"apiVersion\":\"v1\","
			    "\"kind\":\"X\",\"name\":\"x\",\"uid\":\"none\"}]}}",
			    201, NULL, NULL },
	    &out);
	ASSERT_INT(201, out.code);
	(void)sandbox_work(&s, 1000000002000);
	ask(&s, &a, &(struct step){ "GET", LOST "/lost", NULL, NULL, 404, NULL, NULL }, &out);
	ASSERT_INT(404, out.code);
	sandbox_free(&s);
	PASS();
}

TEST pages(void)
{
	struct sandbox s;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sb_reply out;
	struct str token;
	struct step next = { "GET", NULL, NULL, NULL, 200, NULL, NULL };

	sandbox_init(&s, 7);
	for (int i = 0; i < 5; i++) {
		struct step t = { "POST", NODES,
				  NULL,	  str_fmt(&a, "{\"metadata\":{\"name\":\"n%d\"}}", i).p,
				  201,	  NULL,
				  NULL };

		ask(&s, &a, &t, &out);
		ASSERT_INT(201, out.code);
	}
	next.path = NODES "?limit=2";
	ask(&s, &a, &next, &out);
	ASSERT_STR("3", value_at(&a, out.body, "metadata.remainingItemCount"));
	token = value_at(&a, out.body, "metadata.continue");
	token = str_sub(token, 1, token.n - 1);
	next.path = str_fmt(&a, NODES "?limit=3&continue=%.*s", STRF(token)).p;
	ask(&s, &a, &next, &out);
	ASSERT_STR("", value_at(&a, out.body, "metadata.continue"));
	ASSERT(str_find(out.body, S("\"n4\"")) >= 0);
	ASSERT(str_find(out.body, S("\"n1\"")) < 0);
	store_compact(&s.store);
	ask(&s, &a,
	    &(struct step){ "POST", NODES, NULL, "{\"metadata\":{\"name\":\"z\"}}", 201, NULL,
			    NULL },
	    &out);
	store_compact(&s.store);
	ask(&s, &a, &next, &out);
	ASSERT_INT(410, out.code);
	sandbox_free(&s);
	PASS();
}

/* The types and names of the events of a watch, "ADDED a;" each. */
static struct str events(struct arena *a, struct sb_watch *w)
{
	struct buf b, out;
	struct str rest, line;

	buf_init(&b, a);
	buf_init(&out, a);
	while (watch_next(w, &b, 1000))
		;
	rest = buf_str(&b);
	while (str_line(&rest, &line)) {
		struct str name = value_at(a, line, "object.metadata.name");

		if (!name.n)
			name = value_at(a, line, "object.reason");
		buf_addf(&out, "%.*s %.*s;", STRF(value_at(a, line, "type")), STRF(name));
	}
	return buf_str(&out);
}

TEST watches(void)
{
	static const struct step changes[] = {
		{ "POST", NODES, NULL, "{\"metadata\":{\"name\":\"b\",\"labels\":{\"x\":\"1\"}}}",
		  201, NULL, NULL },
		{ "PATCH", NODES "/a", MERGE, "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}", 200,
		  NULL, NULL },
		{ "PATCH", NODES "/b", MERGE, "{\"metadata\":{\"labels\":{\"x\":\"2\"}}}", 200,
		  NULL, NULL },
		{ "DELETE", NODES "/a", NULL, NULL, 200, NULL, NULL },
	};
	struct sandbox s;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sb_reply all, some, old;
	struct buf marks;

	buf_init(&marks, &a);
	sandbox_init(&s, 7);
	ask(&s, &a,
	    &(struct step){ "POST", NODES, NULL, "{\"metadata\":{\"name\":\"a\"}}", 201, NULL,
			    NULL },
	    &all);
	ask(&s, &a, &(struct step){ "GET", NODES "?watch=1", NULL, NULL, 200, NULL, NULL }, &all);
	ask(&s, &a,
	    &(struct step){ "GET", NODES "?watch=1&labelSelector=x%3D1", NULL, NULL, 200, NULL,
			    NULL },
	    &some);
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		struct sb_reply out;

		ask(&s, &a, &changes[i], &out);
		ASSERT_INT(changes[i].code, out.code);
	}
	ASSERT(all.watch && some.watch);
	ASSERT_STR("\"ADDED\" \"a\";\"ADDED\" \"b\";\"MODIFIED\" \"a\";\"MODIFIED\" \"b\";"
		   "\"DELETED\" \"a\";",
		   events(&a, all.watch));
	ASSERT_STR("\"ADDED\" \"b\";\"ADDED\" \"a\";\"DELETED\" \"b\";"
		   "\"DELETED\" \"a\";",
		   events(&a, some.watch));
	store_compact(&s.store);
	ask(&s, &a,
	    &(struct step){ "GET", NODES "?watch=1&resourceVersion=2", NULL, NULL, 200, NULL,
			    NULL },
	    &old);
	ASSERT_STR("\"ERROR\" \"Expired\";", events(&a, old.watch));
	ASSERT(watch_over(old.watch));
	/* a watch from a future version gets only events after that version */
	ask(&s, &a,
	    &(struct step){ "GET",
			    str_fmt(&a,
				    NODES "?watch=1&allowWatchBookmarks=true&"
					  "resourceVersion=%llu",
				    (unsigned long long)s.store.rv + 1)
				    .p,
			    NULL, NULL, 200, NULL, NULL },
	    &old);
	ASSERT_STR("", events(&a, old.watch));
	watch_bookmark(old.watch, &marks);
	ASSERT_STR("", buf_str(&marks));
	for (const char *n = "xy"; *n; n++)
		ask(&s, &a,
		    &(struct step){ "POST", NODES, NULL,
				    str_fmt(&a, "{\"metadata\":{\"name\":\"%c\"}}", *n).p, 201,
				    NULL, NULL },
		    &all);
	ASSERT_STR("\"ADDED\" \"y\";", events(&a, old.watch));
	watch_bookmark(old.watch, &marks);
	ASSERT(str_find(buf_str(&marks), str_fmt(&a, "\"%llu\"", (unsigned long long)s.store.rv)) >
	       0);
	ASSERT(!watch_over(old.watch));
	sandbox_free(&s);
	PASS();
}

static struct sb_watch *watch(struct sandbox *s, struct arena *a, const char *path)
{
	struct sb_reply out;

	ask(s, a, &(struct step){ "GET", path, NULL, NULL, 200, NULL, NULL }, &out);
	return out.watch;
}

/* The watches of a kind survive a new definition; only they get events for its end. */
TEST watches_of_a_kind_that_changes_and_goes(void)
{
#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	static const struct step changes[] = {
		{ "POST", ROCKS, NULL, ROCK("r", "{\"size\":2}"), 201, NULL, NULL },
		{ "PATCH", CRDS "/rocks.geo.example", MERGE,
		  "{\"spec\":{\"names\":{\"shortNames\":[\"ro\"]}}}", 200, NULL, NULL },
		{ "POST", ROCKS, NULL, ROCK("s", "{\"size\":2}"), 201, NULL, NULL },
		{ "DELETE", CRDS "/rocks.geo.example", NULL, NULL, 200, NULL, NULL },
		{ "POST", CRDS, NULL, CRD, 201, NULL, NULL },
		{ "POST", ROCKS, NULL, ROCK("t", "{\"size\":2}"), 201, NULL, NULL },
		{ "POST", NODES, NULL, "{\"metadata\":{\"name\":\"n\"}}", 201, NULL, NULL },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sb_watch *rocks, *selected, *nodes;
	struct sandbox s;
	struct sb_reply out;

	sandbox_init(&s, 7);
	ask(&s, &a, &(struct step){ "POST", CRDS, NULL, CRD, 201, NULL, NULL }, &out);
	rocks = watch(&s, &a, ROCKS "?watch=1");
	selected = watch(&s, &a, ROCKS "?watch=1&labelSelector=!x");
	nodes = watch(&s, &a, NODES "?watch=1");
	for (size_t i = 0; i < ARRAY_LEN(changes); i++) {
		ask(&s, &a, &changes[i], &out);
		ASSERT_INT_M(changes[i].path, changes[i].code, out.code);
	}
	/* in the order of deletion: from the end */
	ASSERT_STR("\"ADDED\" \"r\";\"ADDED\" \"s\";\"DELETED\" \"s\";"
		   "\"DELETED\" \"r\";",
		   events(&a, rocks));
	ASSERT_STR("\"ADDED\" \"r\";\"ADDED\" \"s\";\"DELETED\" \"s\";"
		   "\"DELETED\" \"r\";",
		   events(&a, selected));
	ASSERT(watch_over(rocks) && watch_over(selected));
	ASSERT_STR("\"ADDED\" \"n\";", events(&a, nodes));
	ASSERT(!watch_over(nodes));
	sandbox_free(&s);
	PASS();
}

/* The watches of a version end when it is no longer served. */
TEST watches_of_a_version_that_goes(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sb_watch *rocks;
	struct sandbox s;
	struct sb_reply out;

	sandbox_init(&s, 7);
	ask(&s, &a, &(struct step){ "POST", CRDS, NULL, CRD, 201, NULL, NULL }, &out);
	rocks = watch(&s, &a, ROCKS "?watch=1");
	ask(&s, &a,
	    &(struct step){ "PATCH", CRDS "/rocks.geo.example", OPS,
			    "[{\"op\":\"replace\",\"path\":\"/spec/versions/0/"
			    "served\",\"value\":false}]",
			    200, NULL, NULL },
	    &out);
	ASSERT_INT(200, out.code);
	ASSERT_STR("", events(&a, rocks));
	ASSERT(watch_over(rocks));
	sandbox_free(&s);
	PASS();
}

/* The whole object, only the metadata, only objects that a field selects. */
TEST watches_in_other_forms(void)
{
	static const struct {
		const char *query, *accept, *want;
	} cases[] = {
		{ "watch=1&resourceVersion=0", "", "\"Pod\";\"Pod\";\"Pod\";" },
		{ "watch=1&resourceVersion=0",
		  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
		  "\"PartialObjectMetadata\";\"PartialObjectMetadata\";"
		  "\"PartialObjectMetadata\";" },
		{ "watch=1&fieldSelector=spec.nodeName%3Da", "", "\"Pod\";\"Pod\";" },
		{ "watch=1&fieldSelector=spec.nodeName!%3Da", "", "\"Pod\";" },
		{ "watch=1&fieldSelector=spec.nodeName%3D", "", "" },
	};
	static const char *const nodes[] = { "a", "b", "a" };
	struct sb_watch *w[ARRAY_LEN(cases)];
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sandbox s;
	struct sb_reply out;

	sandbox_init(&s, 7);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sb_request r = { .method = S("GET"),
					.path = S("/api/v1/namespaces/default/pods"),
					.query = str_of(cases[i].query),
					.accept = str_of(cases[i].accept),
					.now = 1000000000 };

		sandbox_handle(&s, &a, &r, &out);
		w[i] = out.watch;
	}
	for (size_t i = 0; i < 3; i++) {
		struct step t = { "POST",
				  "/api/v1/namespaces/default/pods",
				  NULL,
				  str_z(&a, str_fmt(&a,
						    "{\"metadata\":{\"name\":\"p%zu\"},"
						    "\"spec\":{\"nodeName\":\"%s\","
						    "\"containers\":[{\"name\":\"c\","
						    "\"image\":\"i\"}]}}",
						    i, nodes[i])),
				  201,
				  NULL,
				  NULL };

		ask(&s, &a, &t, &out);
		ASSERT_INT(201, out.code);
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b, kinds;
		struct str rest, line;

		ASSERT(w[i]);
		buf_init(&b, &a);
		buf_init(&kinds, &a);
		while (watch_next(w[i], &b, 1000))
			;
		rest = buf_str(&b);
		while (str_line(&rest, &line))
			buf_addf(&kinds, "%.*s;", STRF(value_at(&a, line, "object.kind")));
		ASSERT_STR(cases[i].want, buf_str(&kinds));
	}
	sandbox_free(&s);
	PASS();
}

TEST tables(void)
{
	struct sandbox s;
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sb_reply out;
	struct sb_request r = {
		.method = S("GET"),
		.path = S(NODES),
		.accept = S("application/json;as=Table;v=v1;g=meta.k8s.io"),
		.now = 1000000090,
	};

	sandbox_init(&s, 7);
	ask(&s, &a,
	    &(struct step){ "POST", NODES, NULL,
			    "{\"metadata\":{\"name\":\"a\",\"labels\":{"
			    "\"node-role.kubernetes.io/worker\":\"\"}},"
			    "\"spec\":{\"unschedulable\":true}}",
			    201, NULL, NULL },
	    &out);
	sandbox_handle(&s, &a, &r, &out);
	ASSERT_STR("\"Table\"", value_at(&a, out.body, "kind"));
	ASSERT(str_find(out.body, S("\"cells\":[\"a\",\"Unknown,SchedulingDisabled\","
				    "\"worker\",\"90s\",\"\"")) >= 0);
	sandbox_free(&s);
	PASS();
}

SUITE(sandbox)
{
	RUN_TEST(objects);
	RUN_TEST(custom_kinds);
	RUN_TEST(definitions);
	RUN_TEST(late_apply);
	RUN_TEST(evictions);
	RUN_TEST(garbage);
	RUN_TEST(owners_that_never_were);
	RUN_TEST(pages);
	RUN_TEST(watches);
	RUN_TEST(watches_of_a_kind_that_changes_and_goes);
	RUN_TEST(watches_of_a_version_that_goes);
	RUN_TEST(watches_in_other_forms);
	RUN_TEST(tables);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(sandbox);
	GREATEST_MAIN_END();
}
