/*
 * Validation of the kinds that the roles write, with the API server's texts. Custom kinds are also
 * validated by their schema.
 */
#include "base/codec.h"
#include "sandbox/sandbox.h"

struct check {
	struct arena *a;
	struct sb_causes *causes;
};

static struct str in(struct check *k, struct str path, struct str name)
{
	return str_fmt(k->a, "%.*s.%.*s", STRF(path), STRF(name));
}

/* ---- nodes --------------------------------------------------------------- */

/* The struct as JSON, without its JSON names. */
static struct str duplicate_taint(struct arena *a, const struct json *t)
{
	static const char *const names[] = { "key", "value", "effect" };
	static const char *const labels[] = { "\"Key\":", ",\"Value\":", ",\"Effect\":" };
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, "Duplicate value: {");
	for (int i = 0; i < 3; i++) {
		buf_addz(&b, labels[i]);
		go_quote(&b, json_str(t, names[i]));
	}
	buf_addz(&b, ",\"TimeAdded\":null}: taints must be unique by key and "
		     "effect pair");
	return buf_str(&b);
}

static void taints(struct check *k, const struct json *object)
{
	const struct json *list = json_at(object, "spec.taints");
	size_t i = 0;

	for (const struct json *t = json_first(list); t; t = json_next(t), i++) {
		struct str path = str_fmt(k->a, "metadata.taints[%zu]", i);
		struct str key = json_str(t, "key");
		struct str effect = json_str(t, "effect");
		struct str value = json_str(t, "value");
		size_t n = 0;

		cause_each(k->a, k->causes, in(k, path, S("key")), key, filter_bad_key(k->a, key));
		cause_each(k->a, k->causes, in(k, path, S("value")), value,
			   filter_bad_value(k->a, value));
		if (!effect.n)
			cause_required(k->a, k->causes, in(k, path, S("effect")), "");
		else if (!str_is(effect, "NoSchedule") && !str_is(effect, "PreferNoSchedule") &&
			 !str_is(effect, "NoExecute"))
			cause_unsupported(k->a, k->causes, in(k, path, S("effect")), effect,
					  "\"NoSchedule\", "
					  "\"PreferNoSchedule\", "
					  "\"NoExecute\"");
		for (const struct json *u = json_first(list); u != t; u = json_next(u))
			n += str_eq(json_str(u, "key"), key) &&
			     str_eq(json_str(u, "effect"), effect);
		if (n)
			cause_add(k->a, k->causes, "FieldValueDuplicate", path,
				  duplicate_taint(k->a, t));
	}
}

static void node(struct check *k, struct json *object, const struct json *old)
{
	static const char *const fixed[] = { "podCIDR", "providerID" };
	static const char *const fields[] = { "podCIDRs", "providerID" };

	taints(k, object);
	for (size_t i = 0; old && i < 2; i++) {
		struct str was = json_text(json_member(json_at(old, "spec"), str_of(fixed[i])));
		struct str is = json_text(json_member(json_at(object, "spec"), str_of(fixed[i])));

		if (!was.n || str_eq(was, is))
			continue;
		cause_add(k->a, k->causes, "FieldValueForbidden",
			  str_fmt(k->a, "spec.%s", fields[i]),
			  str_fmt(k->a,
				  "Forbidden: node updates may not change %s "
				  "except from \"\" to valid",
				  fixed[i]));
	}
}

/* A pod's spec without the fields that may change. */
static struct json *changeable(struct arena *a, const struct json *pod)
{
	static const char *const lists[] = { "containers", "initContainers" };
	struct json *spec = json_clone(a, json_at(pod, "spec"));

	(void)json_remove(spec, S("activeDeadlineSeconds"));
	(void)json_remove(spec, S("tolerations"));
	for (size_t i = 0; i < 2; i++)
		for (struct json *c = json_first(json_member(spec, str_of(lists[i]))); c;
		     c = json_next(c))
			(void)json_remove(c, S("image"));
	return spec;
}

static void pod(struct check *k, struct json *object, const struct json *old)
{
	if (!json_eq(changeable(k->a, object), changeable(k->a, old)))
		cause_add(k->a, k->causes, "FieldValueForbidden", S("spec"),
			  S("Forbidden: pod updates may not change fields other than "
			    "`spec.containers[*].image`,`spec.initContainers[*].image`,"
			    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
			    "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it "
			    "to be set to 1 if it was previously negative)\n"));
}

void sb_check(struct arena *a, const struct sb_kind *k, struct json *object, const struct json *old,
	      bool status, struct sb_causes *causes)
{
	struct check c = { a, causes };
	const struct json *meta = json_member(object, S("metadata"));

	check_meta(a, k, meta, json_member(old, S("metadata")), status, causes);
	sb_check_core(a, k, object, old, causes);
	if (str_is(k->plural, "customresourcedefinitions"))
		crd_check(a, object, causes);
	if (k->group.n)
		return;
	if (str_is(k->plural, "nodes"))
		node(&c, object, old);
	else if (str_is(k->plural, "pods") && old)
		pod(&c, object, old);
}
