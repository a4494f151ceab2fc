#include "base/codec.h"
#include "sandbox/write.h"

/* Sets member of parent (an object made when absent) unless it is there. */
static struct json *object_in(struct arena *a, struct json *parent,
			      const char *key)
{
	struct json *v = json_member(parent, str_of(key));

	if (json_kind(v) == JSON_OBJECT)
		return v;
	v = json_new(a, JSON_OBJECT);
	json_set(parent, str_of(key), v);
	return v;
}

static void text(struct arena *a, struct json *parent, const char *key,
		 const char *value)
{
	if (!json_member(parent, str_of(key)))
		json_add(parent, str_of(key), json_new_str(a, str_of(value)));
}

static void number(struct arena *a, struct json *parent, const char *key,
		   int64_t value)
{
	if (!json_member(parent, str_of(key)))
		json_add(parent, str_of(key), json_new_i64(a, value));
}

static void toleration(struct arena *a, struct json *list, const char *key)
{
	struct json *t = json_new(a, JSON_OBJECT);

	text(a, t, "key", key);
	text(a, t, "operator", "Exists");
	text(a, t, "effect", "NoExecute");
	number(a, t, "tolerationSeconds", 300);
	json_push(list, t);
}

static void container(struct arena *a, struct json *c)
{
	struct str image = json_str(c, "image", S(""));
	ptrdiff_t colon = str_rchr(image, ':'), slash = str_rchr(image, '/');
	bool latest = colon <= slash || str_ends(image, S(":latest"));

	text(a, c, "terminationMessagePath", "/dev/termination-log");
	text(a, c, "terminationMessagePolicy", "File");
	text(a, c, "imagePullPolicy",
	     latest && str_chr(image, '@') < 0 ? "Always" : "IfNotPresent");
	(void)object_in(a, c, "resources");
}

/* Conditions tell their times, null when there are none. */
static void times(struct arena *a, struct json *status, const char *first)
{
	for (struct json *c = json_first(json_member(status, S("conditions")));
	     c; c = json_next(c)) {
		if (!json_member(c, str_of(first)))
			json_add(c, str_of(first), json_new(a, JSON_NULL));
		if (!json_member(c, S("lastTransitionTime")))
			json_add(c, S("lastTransitionTime"),
				 json_new(a, JSON_NULL));
	}
}

static void pod(struct arena *a, struct json *object, bool is_new)
{
	struct json *spec = object_in(a, object, "spec");
	struct json *status = object_in(a, object, "status");

	times(a, status, "lastProbeTime");
	text(a, spec, "restartPolicy", "Always");
	number(a, spec, "terminationGracePeriodSeconds", 30);
	text(a, spec, "dnsPolicy", "ClusterFirst");
	text(a, spec, "schedulerName", "default-scheduler");
	(void)object_in(a, spec, "securityContext");
	if (!json_member(spec, S("enableServiceLinks")))
		json_add(spec, S("enableServiceLinks"), json_new_bool(a, true));
	for (struct json *c = json_first(json_at(spec, "containers")); c;
	     c = json_next(c))
		container(a, c);
	if (!is_new)
		return;
	if (!json_member(spec, S("tolerations"))) {
		struct json *list = json_new(a, JSON_ARRAY);

		toleration(a, list, "node.kubernetes.io/not-ready");
		toleration(a, list, "node.kubernetes.io/unreachable");
		json_add(spec, S("tolerations"), list);
	}
	number(a, spec, "priority", 0);
	text(a, spec, "preemptionPolicy", "PreemptLowerPriority");
	text(a, status, "phase", "Pending");
	text(a, status, "qosClass", "BestEffort");
}

static void namespace_defaults(struct arena *a, struct json *object,
			       bool is_new)
{
	struct json *spec = object_in(a, object, "spec");
	struct json *list;

	if (!is_new)
		return;
	list = json_new(a, JSON_ARRAY);
	json_push(list, json_new_str(a, S("kubernetes")));
	json_set(spec, S("finalizers"), list);
	json_set(object, S("status"), json_new(a, JSON_OBJECT));
	text(a, object_in(a, object, "status"), "phase", "Active");
}

/* The members of a node's status that are no pointers to an API server. */
static void node(struct arena *a, struct json *object)
{
	static const char *const info[] = {
		"machineID",	  "systemUUID",	      "bootID",
		"kernelVersion",  "osImage",	      "containerRuntimeVersion",
		"kubeletVersion", "kubeProxyVersion", "operatingSystem",
		"architecture",
	};
	struct json *spec = object_in(a, object, "spec");
	struct json *status = object_in(a, object, "status"), *list;
	struct json *of = object_in(a, status, "nodeInfo");

	times(a, status, "lastHeartbeatTime");
	if (json_member(status, S("capacity")) &&
	    !json_member(status, S("allocatable")))
		json_add(status, S("allocatable"),
			 json_clone(a, json_member(status, S("capacity"))));
	for (size_t i = 0; i < sizeof(info) / sizeof(info[0]); i++)
		text(a, of, info[i], "");
	of = object_in(a, object_in(a, status, "daemonEndpoints"),
		       "kubeletEndpoint");
	number(a, of, "Port", 0);
	if (json_member(spec, S("podCIDR")) &&
	    !json_member(spec, S("podCIDRs"))) {
		list = json_new(a, JSON_ARRAY);
		json_push(list,
			  json_new_str(a, json_str(spec, "podCIDR", S(""))));
		json_add(spec, S("podCIDRs"), list);
	}
}

/* An event's times and reporter are always told. */
static void event(struct arena *a, struct json *object)
{
	static const char *const times[] = { "firstTimestamp", "lastTimestamp",
					     "eventTime" };

	for (size_t i = 0; i < 3; i++)
		if (!json_member(object, str_of(times[i])))
			json_add(object, str_of(times[i]),
				 json_new(a, JSON_NULL));
	(void)object_in(a, object, "source");
	text(a, object, "reportingComponent", "");
	text(a, object, "reportingInstance", "");
}

/* stringData is written into data, base64 */
static void secret(struct arena *a, struct json *object)
{
	struct json *plain = json_member(object, S("stringData"));
	struct json *data;

	text(a, object, "type", "Opaque");
	if (!plain)
		return;
	data = object_in(a, object, "data");
	for (struct json *m = json_first(plain); m; m = json_next(m)) {
		struct buf b;

		buf_init(&b, a);
		base64_add(&b, json_text(m));
		json_set(data, json_key(m), json_new_str(a, buf_str(&b)));
	}
	(void)json_remove(object, S("stringData"));
}

static void budget(struct arena *a, struct json *object)
{
	static const char *const counts[] = { "disruptionsAllowed",
					      "currentHealthy",
					      "desiredHealthy",
					      "expectedPods" };
	struct json *status = object_in(a, object, "status");

	for (size_t i = 0; i < 4; i++)
		number(a, status, counts[i], 0);
}

void kind_defaults(struct sb_call *c, struct json *object)
{
	const struct sb_kind *k = c->r->kind;
	bool is_new = c->r->verb == SB_CREATE;

	sb_typed(c, object);
	if (str_is(k->plural, "customresourcedefinitions"))
		crd_prepare(c->a, object, c->r->now);
	if (str_is(k->plural, "poddisruptionbudgets"))
		budget(c->a, object);
	if (k->group.n)
		return;
	if (str_is(k->plural, "pods"))
		pod(c->a, object, is_new);
	if (str_is(k->plural, "namespaces"))
		namespace_defaults(c->a, object, is_new);
	if (str_is(k->plural, "secrets"))
		secret(c->a, object);
	if (str_is(k->plural, "nodes"))
		node(c->a, object);
	if (str_is(k->plural, "events"))
		event(c->a, object);
}
