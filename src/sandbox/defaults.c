/*
 * Defaults of the API server that depend on other fields; plain defaults are in builtin/types.
 */
#include "base/codec.h"
#include "sandbox/write.h"

struct json *sb_object_in(struct arena *a, struct json *parent, const char *key)
{
	struct json *v = json_member(parent, str_of(key));

	if (json_kind(v) == JSON_OBJECT)
		return v;
	v = json_new(a, JSON_OBJECT);
	json_set(parent, str_of(key), v);
	return v;
}

/* Sets a member of parent unless it exists. */
static void set_text(struct arena *a, struct json *parent, const char *key, struct str value)
{
	if (!json_str(parent, key).n)
		json_set(parent, str_of(key), json_new_str(a, value));
}

static void set_number(struct arena *a, struct json *parent, const char *key, int64_t value)
{
	if (!json_member(parent, str_of(key)))
		json_add(parent, str_of(key), json_new_i64(a, value));
}

/* A member that is also the first of a list: each sets the other. */
static void mirror_member(struct arena *a, struct json *in, const char *one, const char *list,
			  const char *member)
{
	struct json *first = json_first(json_member(in, str_of(list)));
	struct str value = json_str(in, one);
	struct json *item;

	if (first) {
		value = member ? json_str(first, member) : json_text(first);
		json_set(in, str_of(one), json_new_str(a, value));
	} else if (value.n) {
		item = json_new_str(a, value);
		if (member) {
			first = json_new(a, JSON_OBJECT);
			json_add(first, str_of(member), item);
			item = first;
		}
		first = json_new(a, JSON_ARRAY);
		json_push(first, item);
		json_set(in, str_of(list), first);
	}
}

/* ---- pods ---------------------------------------------------------------- */

static bool has_toleration(const struct json *list, const char *key)
{
	for (const struct json *t = json_first(list); t; t = json_next(t)) {
		struct str of = json_str(t, "key");
		struct str effect = json_str_or(t, "effect", S("NoExecute"));

		if ((!of.n || str_is(of, key)) && str_is(effect, "NoExecute"))
			return true;
	}
	return false;
}

static void toleration(struct arena *a, struct json *spec, const char *key)
{
	struct json *list = json_member(spec, S("tolerations"));
	struct json *t;

	if (has_toleration(list, key))
		return;
	if (!list) {
		list = json_new(a, JSON_ARRAY);
		json_add(spec, S("tolerations"), list);
	}
	t = json_new(a, JSON_OBJECT);
	set_text(a, t, "key", str_of(key));
	set_text(a, t, "operator", S("Exists"));
	set_text(a, t, "effect", S("NoExecute"));
	set_number(a, t, "tolerationSeconds", 300);
	json_push(list, t);
}

static void container(struct arena *a, struct json *c, bool host, bool of_pod)
{
	struct str image = json_str(c, "image");
	ptrdiff_t colon = str_rchr(image, ':'), slash = str_rchr(image, '/');
	bool latest = (colon <= slash && str_chr(image, '@') < 0) || str_ends(image, S(":latest"));
	struct json *limits = json_at(c, "resources.limits"), *requests;

	set_text(a, c, "imagePullPolicy", latest ? S("Always") : S("IfNotPresent"));
	for (struct json *p = json_first(json_at(c, "ports")); p && host; p = json_next(p))
		if (!json_i64(p, "hostPort", 0) && json_at(p, "containerPort"))
			json_set(p, S("hostPort"), json_clone(a, json_at(p, "containerPort")));
	if (!of_pod || !json_first(limits))
		return;
	requests = sb_object_in(a, json_at(c, "resources"), "requests");
	for (struct json *l = json_first(limits); l; l = json_next(l))
		if (!json_member(requests, json_key(l)))
			json_add(requests, json_key(l), json_clone(a, l));
}

static void pod_spec(struct arena *a, struct json *spec, bool of_pod)
{
	static const char *const lists[] = { "containers", "initContainers" };
	bool host = json_bool(spec, "hostNetwork", false);

	for (size_t i = 0; i < 2; i++)
		for (struct json *c = json_first(json_member(spec, str_of(lists[i]))); c;
		     c = json_next(c))
			container(a, c, host, of_pod);
	for (struct json *v = json_first(json_at(spec, "volumes")); v; v = json_next(v))
		if (json_len(v) == 1 && json_member(v, S("name")))
			json_add(v, S("emptyDir"), json_new(a, JSON_OBJECT));
	/* its deprecated name */
	set_text(a, spec, "serviceAccountName", json_str(spec, "serviceAccount"));
	json_set(spec, S("serviceAccount"), json_clone(a, json_at(spec, "serviceAccountName")));
}

/* The cpu and memory requests and limits of a container. */
static void claims(const struct json *c, bool *any, bool *all)
{
	static const char *const of[] = { "cpu", "memory" };

	for (size_t i = 0; i < 2; i++) {
		struct str limit = json_str_or(json_at(c, "resources.limits"), of[i], S("0"));
		struct str request = json_str_or(json_at(c, "resources.requests"), of[i], S("0"));

		*any = *any || !str_is(limit, "0") || !str_is(request, "0");
		*all = *all && !str_is(limit, "0") && str_eq(limit, request);
	}
}

static struct str quality(const struct json *spec)
{
	bool any = false, all = true;

	for (const struct json *c = json_first(json_at(spec, "containers")); c; c = json_next(c))
		claims(c, &any, &all);
	for (const struct json *c = json_first(json_at(spec, "initContainers")); c;
	     c = json_next(c))
		claims(c, &any, &all);
	return !any ? S("BestEffort") : all ? S("Guaranteed") : S("Burstable");
}

static void pod(struct arena *a, struct json *object, bool is_new)
{
	struct json *spec = sb_object_in(a, object, "spec");
	struct json *status = sb_object_in(a, object, "status");

	mirror_member(a, status, "podIP", "podIPs", "ip");
	pod_spec(a, spec, true);
	if (!json_member(spec, S("enableServiceLinks")))
		json_add(spec, S("enableServiceLinks"), json_new_bool(a, true));
	if (!is_new)
		return;
	toleration(a, spec, "node.kubernetes.io/not-ready");
	toleration(a, spec, "node.kubernetes.io/unreachable");
	set_number(a, spec, "priority", 0);
	set_text(a, spec, "preemptionPolicy", S("PreemptLowerPriority"));
	set_text(a, status, "phase", S("Pending"));
	set_text(a, status, "qosClass", quality(spec));
}

/* ---- other kinds --------------------------------------------------------- */

static void namespace_defaults(struct arena *a, struct json *meta, struct json *object, bool is_new)
{
	struct json *list;

	json_set(sb_object_in(a, meta, "labels"), S("kubernetes.io/metadata.name"),
		 json_new_str(a, json_str(meta, "name")));
	if (!is_new)
		return;
	list = json_new(a, JSON_ARRAY);
	json_push(list, json_new_str(a, S("kubernetes")));
	json_set(sb_object_in(a, object, "spec"), S("finalizers"), list);
}

static void node(struct arena *a, struct json *object)
{
	struct json *spec = sb_object_in(a, object, "spec");
	struct json *status = sb_object_in(a, object, "status");

	if (json_member(status, S("capacity")) && !json_member(status, S("allocatable")))
		json_add(status, S("allocatable"),
			 json_clone(a, json_member(status, S("capacity"))));
	mirror_member(a, spec, "podCIDR", "podCIDRs", NULL);
}

/* stringData is moved to data, as base64 */
static void secret(struct arena *a, struct json *object)
{
	struct json *plain = json_member(object, S("stringData"));
	struct json *data;

	if (!plain)
		return;
	data = sb_object_in(a, object, "data");
	for (struct json *m = json_first(plain); m; m = json_next(m)) {
		struct buf b;

		buf_init(&b, a);
		base64_add(&b, json_text(m));
		json_set(data, json_key(m), json_new_str(a, buf_str(&b)));
	}
	(void)json_remove(object, S("stringData"));
}

/* A free cluster IP. */
static struct str address(struct sb_call *c)
{
	const struct sb_list *all = &c->r->kind->objects;
	unsigned n = (unsigned)c->sb->store.rv * 40503u;
	struct str ip = S("");

	for (size_t i = 0; i < all->n || !ip.n; i++) {
		if (ip.n && str_find(all->v[i]->text, str_fmt(c->a, "\"%.*s\"", STRF(ip))) < 0)
			continue;
		n++;
		ip = str_fmt(c->a, "10.96.%u.%u", n >> 8 & 255, n & 255);
		i = (size_t)-1; /* start over */
	}
	return ip;
}

/* The cluster has IPv4. A headless service without a selector may have addresses of both families. */
static void set_families(struct arena *a, struct json *spec)
{
	bool both = str_is(json_str(spec, "clusterIP"), "None") &&
		    !json_len(json_member(spec, S("selector")));
	struct json *list;

	set_text(a, spec, "internalTrafficPolicy", S("Cluster"));
	set_text(a, spec, "ipFamilyPolicy", both ? S("RequireDualStack") : S("SingleStack"));
	if (json_len(json_member(spec, S("ipFamilies"))))
		return;
	list = json_new(a, JSON_ARRAY);
	json_push(list, json_new_str(a, S("IPv4")));
	if (both)
		json_push(list, json_new_str(a, S("IPv6")));
	json_set(spec, S("ipFamilies"), list);
}

/* Services: the target port defaults to the port. */
static void service(struct sb_call *c, struct json *object, bool is_new)
{
	struct arena *a = c->a;
	struct json *spec = sb_object_in(a, object, "spec");

	if (is_new && !json_first(json_member(spec, S("clusterIPs"))) &&
	    !str_is(json_str(spec, "type"), "ExternalName"))
		set_text(a, spec, "clusterIP", address(c));
	mirror_member(a, spec, "clusterIP", "clusterIPs", NULL);
	if (!str_is(json_str(spec, "type"), "ExternalName"))
		set_families(a, spec);
	for (struct json *p = json_first(json_at(spec, "ports")); p; p = json_next(p))
		if (!json_text(json_at(p, "targetPort")).n && json_at(p, "port"))
			json_set(p, S("targetPort"), json_clone(a, json_at(p, "port")));
}

static void binding(struct arena *a, struct json *object)
{
	for (struct json *s = json_first(json_at(object, "subjects")); s; s = json_next(s))
		if (!str_is(json_str(s, "kind"), "ServiceAccount"))
			set_text(a, s, "apiGroup", S("rbac.authorization.k8s.io"));
}

static void fill_special(struct sb_call *c, struct json *meta, struct json *held, bool is_new)
{
	struct str kind = c->r->kind->kind;
	struct json *template = json_at(held, "spec.template");

	if (template)
		pod_spec(c->a, sb_object_in(c->a, template, "spec"), false);
	if (str_is(kind, "Pod"))
		pod(c->a, held, is_new);
	else if (str_is(kind, "Namespace"))
		namespace_defaults(c->a, meta, held, is_new);
	else if (str_is(kind, "Secret"))
		secret(c->a, held);
	else if (str_is(kind, "Node"))
		node(c->a, held);
	else if (str_is(kind, "Service"))
		service(c, held, is_new);
	else if (str_is(kind, "ClusterRoleBinding") || str_is(kind, "RoleBinding"))
		binding(c->a, held);
	else
		workload_fill(c, meta, held, is_new);
}

/* Decodes a part of object as its struct; false, answered, when it does not fit. */
static bool hold_part(struct sb_call *c, uint16_t type, const struct json *part, struct json **held)
{
	const struct sb_kind *k = c->r->kind;
	struct err err = ERR_INIT(c->a);

	if (shape_hold(c->a, &c->sb->kinds.types.shapes, type, 0, part, held, &err) == 0)
		return true;
	reply_bad(c->a, c->out, "%.*s in version \"%.*s\" cannot be handled as a %.*s: %.*s",
		  STRF(k->kind), STRF(c->r->version->name), STRF(k->kind),
		  STRF(type == k->type ? err.msg : sb_meta_misfit(c, err.msg)));
	return false;
}

/* Decodes the object as its struct: drops unknown members, sets defaults. */
static bool hold_typed(struct sb_call *c, struct json *object, bool is_new)
{
	const struct sb_kind *k = c->r->kind;
	const struct sb_types *t = &c->sb->kinds.types;
	struct json *held = NULL, *meta = NULL, *next;

	if (!hold_part(c, types_find(t, S("ObjectMeta")), sb_meta(c->a, object), &meta) ||
	    !hold_part(c, k->type, object, &held))
		return false;
	/* a new object has no status, except nodes */
	if (is_new && k->traits & SB_STATUS && !str_is(k->kind, "Node"))
		(void)json_remove(held, S("status"));
	fill_special(c, sb_meta(c->a, object), held, is_new);
	types_fill(c->a, t, k->type, held);
	held = shape_marshal(c->a, &t->shapes, k->type, held);
	for (struct json *m = json_first(object); m; m = next) {
		next = json_next(m);
		if (!str_is(json_key(m), "apiVersion") && !str_is(json_key(m), "kind") &&
		    !str_is(json_key(m), "metadata"))
			json_detach(object, m);
	}
	for (struct json *m = json_first(held); m; m = next) {
		next = json_next(m);
		json_detach(held, m);
		json_add(object, json_key(m), m);
	}
	return true;
}

bool kind_defaults(struct sb_call *c, struct json *object, bool is_new)
{
	sb_typed(c, object);
	if (str_is(c->r->kind->plural, "customresourcedefinitions"))
		crd_prepare(c->a, object, c->r->now);
	return !c->r->kind->type || hold_typed(c, object, is_new);
}
