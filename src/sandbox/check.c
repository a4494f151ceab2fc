#include "base/codec.h"
#include "sandbox/sandbox.h"

/*
 * What the API server refuses in metadata and in the kinds the roles write.
 * Custom kinds are checked by their schema beside this.
 */

#define LABEL_RULE                                                            \
	"a lowercase RFC 1123 label must consist of lower case alphanumeric " \
	"characters or '-', and must start and end with an alphanumeric "     \
	"character (e.g. 'my-name',  or '123-abc', regex used for "           \
	"validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

struct check {
	struct arena *a;
	struct sb_causes *causes;
};

static struct str in(struct check *k, struct str path, struct str name)
{
	return str_fmt(k->a, "%.*s.%.*s", STRF(path), STRF(name));
}

static void name(struct check *k, const struct sb_kind *kind,
		 const struct json *meta)
{
	struct str s = json_str(meta, "name", S(""));
	struct str field = S("metadata.name");

	if (!s.n) {
		cause_required(k->a, k->causes, field,
			       "name or generateName is required");
		return;
	}
	if (kind->traits & SB_FREE_NAMES &&
	    !str_is(kind->plural, "namespaces")) {
		if (str_chr(s, '/') >= 0)
			cause_text(k->a, k->causes, field, s,
				   "may not contain '/'");
		else if (str_chr(s, '%') >= 0)
			cause_text(k->a, k->causes, field, s,
				   "may not contain '%'");
		else if (str_is(s, ".") || str_is(s, ".."))
			cause_text(k->a, k->causes, field, s,
				   s.n == 1 ? "may not be '.'"
					    : "may not be '..'");
		return;
	}
	if (str_is(kind->plural, "namespaces")) {
		if (s.n > 63)
			cause_text(k->a, k->causes, field, s,
				   "must be no more than 63 characters");
		if (!selector_is_subdomain(s) || str_chr(s, '.') >= 0)
			cause_text(k->a, k->causes, field, s, LABEL_RULE);
		return;
	}
	if (s.n > 253)
		cause_text(k->a, k->causes, field, s,
			   "must be no more than 253 characters");
	else if (!selector_is_subdomain(s))
		cause_text(k->a, k->causes, field, s, SELECTOR_SUBDOMAIN_RULE);
}

static void keys(struct check *k, const struct json *meta)
{
	struct str field = S("metadata.labels");
	size_t total = 0;

	for (const struct json *m = json_first(json_at(meta, "labels")); m;
	     m = json_next(m)) {
		struct str bad = selector_bad_key(k->a, json_key(m));

		if (bad.n)
			cause_text(k->a, k->causes, field, json_key(m),
				   str_z(k->a, bad));
		bad = selector_bad_value(k->a, json_text(m));
		if (bad.n)
			cause_text(k->a, k->causes, field, json_text(m),
				   str_z(k->a, bad));
	}
	field = S("metadata.annotations");
	for (const struct json *m = json_first(json_at(meta, "annotations")); m;
	     m = json_next(m)) {
		struct str bad = selector_bad_key(k->a, json_key(m));

		if (bad.n)
			cause_text(k->a, k->causes, field, json_key(m),
				   str_z(k->a, bad));
		total += json_key(m).n + json_text(m).n;
	}
	if (total > 256 * 1024)
		cause_add(k->a, k->causes, "FieldValueTooLong", field,
			  S("Too long: must have at most 262144 bytes"));
}

/* A reference as Go prints the struct. */
static struct str owner_text(struct arena *a, const struct json *m)
{
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, "v1.OwnerReference{APIVersion:");
	go_quote(&b, json_str(m, "apiVersion", S("")));
	buf_addz(&b, ", Kind:");
	go_quote(&b, json_str(m, "kind", S("")));
	buf_addz(&b, ", Name:");
	go_quote(&b, json_str(m, "name", S("")));
	buf_addz(&b, ", UID:");
	go_quote(&b, json_str(m, "uid", S("")));
	buf_addz(&b,
		 ", Controller:(*bool)(nil), BlockOwnerDeletion:(*bool)(nil)}");
	return buf_str(&b);
}

static void two_controllers(struct check *k, const struct json *meta,
			    struct str first, struct str second)
{
	struct buf b;

	buf_init(&b, k->a);
	buf_addz(&b, "Invalid value: []v1.OwnerReference{");
	for (const struct json *m =
		     json_first(json_at(meta, "ownerReferences"));
	     m; m = json_next(m)) {
		buf_add(&b, owner_text(k->a, m));
		buf_addz(&b, json_next(m) ? ", " : "");
	}
	buf_addf(&b,
		 "}: Only one reference can have Controller set to true. Found "
		 "\"true\" in references for %.*s and %.*s",
		 STRF(first), STRF(second));
	cause_add(k->a, k->causes, "FieldValueInvalid",
		  S("metadata.ownerReferences"), buf_str(&b));
}

static void owners(struct check *k, const struct json *meta)
{
	static const char *const needed[] = { "apiVersion", "kind", "name",
					      "uid" };
	struct str path = S("metadata.ownerReferences"), controller = S("");

	for (const struct json *m =
		     json_first(json_at(meta, "ownerReferences"));
	     m; m = json_next(m)) {
		for (size_t f = 0; f < 4; f++)
			if (!json_str(m, needed[f], S("")).n)
				cause_text(k->a, k->causes,
					   in(k, path, str_of(needed[f])),
					   S(""),
					   f == 0 ? "version must not be empty"
					   : f == 1 ? "kind must not be empty"
					   : f == 2 ? "name must not be empty"
						    : "uid must not be empty");
		if (str_is(json_str(m, "kind", S("")), "Event") &&
		    str_is(json_str(m, "apiVersion", S("")), "v1"))
			cause_add(k->a, k->causes, "FieldValueInvalid", path,
				  str_fmt(k->a,
					  "Invalid value: %.*s: /v1, "
					  "Kind=Event is disallowed from being "
					  "an owner",
					  STRF(owner_text(k->a, m))));
		if (!json_bool(m, "controller", false))
			continue;
		if (controller.n)
			two_controllers(k, meta, controller,
					json_str(m, "name", S("")));
		controller = json_str(m, "name", S(""));
	}
}

/* Those of custom resources need not be qualified. */
static void finalizers(struct check *k, const struct json *meta, bool custom)
{
	for (const struct json *m = json_first(json_at(meta, "finalizers")); m;
	     m = json_next(m)) {
		struct str bad = selector_bad_key(k->a, json_text(m));

		if (bad.n)
			cause_text(k->a, k->causes, S("metadata.finalizers"),
				   json_text(m), str_z(k->a, bad));
		else if (!custom && str_chr(json_text(m), '/') < 0 &&
			 !str_is(json_text(m), "orphan") &&
			 !str_is(json_text(m), "foregroundDeletion"))
			cause_text(k->a, k->causes, S("metadata.finalizers"),
				   json_text(m),
				   "name is neither a standard finalizer name "
				   "nor is it fully qualified");
	}
}

/* ---- nodes --------------------------------------------------------------------- */

static void taints(struct check *k, const struct json *object)
{
	const struct json *list = json_at(object, "spec.taints");
	size_t i = 0;

	for (const struct json *t = json_first(list); t;
	     t = json_next(t), i++) {
		struct str path = str_fmt(k->a, "metadata.taints[%zu]", i);
		struct str key = json_str(t, "key", S(""));
		struct str effect = json_str(t, "effect", S(""));
		struct str bad = selector_bad_key(k->a, key);
		size_t n = 0;

		if (bad.n)
			cause_text(k->a, k->causes, in(k, path, S("key")), key,
				   str_z(k->a, bad));
		if (!effect.n)
			cause_required(k->a, k->causes,
				       in(k, path, S("effect")), "");
		else if (!str_is(effect, "NoSchedule") &&
			 !str_is(effect, "PreferNoSchedule") &&
			 !str_is(effect, "NoExecute"))
			cause_add(k->a, k->causes, "FieldValueNotSupported",
				  in(k, path, S("effect")),
				  str_fmt(k->a,
					  "Unsupported value: \"%.*s\": "
					  "supported values: \"NoSchedule\", "
					  "\"PreferNoSchedule\", \"NoExecute\"",
					  STRF(effect)));
		for (const struct json *u = json_first(list); u != t;
		     u = json_next(u))
			n += str_eq(json_str(u, "key", S("")), key) &&
			     str_eq(json_str(u, "effect", S("")), effect);
		if (n) {
			struct buf b;

			buf_init(&b, k->a);
			buf_addz(&b, "Duplicate value: ");
			json_encode(&b, t, JSON_NO_HTML);
			cause_add(k->a, k->causes, "FieldValueDuplicate", path,
				  buf_str(&b));
		}
	}
}

static void node(struct check *k, struct json *object, const struct json *old)
{
	static const char *const fixed[] = { "podCIDR", "providerID" };
	static const char *const told[] = { "podCIDRs", "providerID" };
	bool moved = false;

	taints(k, object);
	for (size_t i = 0; old && i < 2; i++) {
		struct str was = json_text(
			json_member(json_at(old, "spec"), str_of(fixed[i])));
		struct str is = json_text(
			json_member(json_at(object, "spec"), str_of(fixed[i])));

		if (!was.n || str_eq(was, is))
			continue;
		moved = true;
		cause_add(k->a, k->causes, "FieldValueForbidden",
			  str_fmt(k->a, "spec.%s", told[i]),
			  str_fmt(k->a,
				  "Forbidden: node updates may not change %s "
				  "except from \"\" to valid",
				  fixed[i]));
	}
	if (moved)
		cause_add(k->a, k->causes, "FieldValueForbidden", S("[]"),
			  S("Forbidden: node updates may only change labels, "
			    "taints, or capacity (or configSource, if the "
			    "DynamicKubeletConfig feature gate is enabled)"));
}

/* A pod's spec without what may change. */
static struct json *changeable(struct arena *a, const struct json *pod)
{
	static const char *const lists[] = { "containers", "initContainers" };
	struct json *spec = json_clone(a, json_at(pod, "spec"));

	(void)json_remove(spec, S("activeDeadlineSeconds"));
	(void)json_remove(spec, S("tolerations"));
	for (size_t i = 0; i < 2; i++)
		for (struct json *c =
			     json_first(json_member(spec, str_of(lists[i])));
		     c; c = json_next(c))
			(void)json_remove(c, S("image"));
	return spec;
}

static void pod(struct check *k, struct json *object, const struct json *old)
{
	size_t i = 0;
	const struct json *list = json_at(object, "spec.containers");

	if (old && !json_eq(changeable(k->a, object), changeable(k->a, old)))
		cause_add(k->a, k->causes, "FieldValueForbidden", S("spec"),
			  S("Forbidden: pod updates may not change fields "
			    "other than `spec.containers[*].image`, "
			    "`spec.initContainers[*].image`, "
			    "`spec.activeDeadlineSeconds` or "
			    "`spec.tolerations` (only additions to existing "
			    "tolerations)\n"));
	if (!json_len(list))
		cause_required(k->a, k->causes, S("spec.containers"), "");
	for (const struct json *m = json_first(list); m;
	     m = json_next(m), i++) {
		if (!json_str(m, "name", S("")).n)
			cause_required(
				k->a, k->causes,
				str_fmt(k->a, "spec.containers[%zu].name", i),
				"");
		if (!json_str(m, "image", S("")).n && !old)
			cause_required(
				k->a, k->causes,
				str_fmt(k->a, "spec.containers[%zu].image", i),
				"");
	}
}

void sb_check(struct arena *a, const struct sb_kind *k, struct json *object,
	      const struct json *old, struct sb_causes *causes)
{
	struct check c = { a, causes };
	const struct json *meta = json_member(object, S("metadata"));

	name(&c, k, meta);
	keys(&c, meta);
	owners(&c, meta);
	finalizers(&c, meta, k->traits & SB_CUSTOM);
	sb_check_core(a, k, object, old, causes);
	if (k->group.n)
		return;
	if (str_is(k->plural, "nodes"))
		node(&c, object, old);
	else if (str_is(k->plural, "pods"))
		pod(&c, object, old);
}
