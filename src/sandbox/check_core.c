/*
 * Validation of the core kinds that the roles write, except their metadata.
 */
#include "base/codec.h"
#include "sandbox/sandbox.h"

#define KEY_RULE                                                              \
	"a valid config key must consist of alphanumeric characters, '-', "   \
	"'_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex " \
	"used for validation is '[-._a-zA-Z0-9]+')"
#define KEPT "Forbidden: field is immutable when `immutable` is set"

static bool is_key(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '-' && c != '_' && c != '.')
			return false;
	}
	return s.n > 0;
}

static void keys(struct arena *a, const struct json *object, const char *map, const char *other,
		 struct sb_causes *causes)
{
	const struct json *beside = json_member(object, str_of(other));

	for (const struct json *m = json_first(json_member(object, str_of(map))); m;
	     m = json_next(m)) {
		struct str key = json_key(m);
		struct str field = str_fmt(a, "%s[%.*s]", map, STRF(key));

		if (!is_key(key))
			cause_text(a, causes, field, key, KEY_RULE);
		if (json_member(beside, key))
			cause_text(a, causes, field, key, "duplicate of key present in binaryData");
	}
}

/* An object with immutable: true must not change. */
static void kept(struct arena *a, const struct json *object, const struct json *old,
		 struct sb_causes *causes)
{
	static const char *const maps[] = { "data", "binaryData" };

	if (!json_bool(old, "immutable", false))
		return;
	if (!json_bool(object, "immutable", false))
		cause_add(a, causes, "FieldValueForbidden", S("immutable"), S(KEPT));
	for (size_t i = 0; i < 2; i++)
		if (!json_eq(json_at(object, maps[i]), json_at(old, maps[i])))
			cause_add(a, causes, "FieldValueForbidden", str_of(maps[i]), S(KEPT));
}

static void needs(struct arena *a, const struct json *data, const char *key,
		  struct sb_causes *causes)
{
	if (!json_member(data, str_of(key)))
		cause_required(a, causes, str_fmt(a, "data[%s]", key), "");
}

static void dockercfg(struct arena *a, const struct json *data, const char *key,
		      struct sb_causes *causes)
{
	struct err err = ERR_INIT(a);
	struct str text;
	struct json *j = NULL;

	needs(a, data, key, causes);
	if (json_member(data, str_of(key)) &&
	    base64_decode(a, json_text(json_member(data, str_of(key))), &text, &err) == 0 &&
	    json_parse(a, text, NULL, &j, &err) < 0)
		cause_text(a, causes, str_fmt(a, "data[%s]", key), S("<secret contents redacted>"),
			   text.n ? str_z(a, str_fmt(a,
						     "invalid character '%c' "
						     "looking for beginning of "
						     "value",
						     text.p[0]))
				  : "unexpected end of JSON input");
}

static void secret(struct arena *a, const struct json *object, const struct json *old,
		   struct sb_causes *causes)
{
	struct str type = json_str(object, "type");
	const struct json *data = json_at(object, "data");

	if (old && !str_eq(type, json_str(old, "type")))
		cause_text(a, causes, S("type"), type, "field is immutable");
	kept(a, object, old, causes);
	keys(a, object, "data", "", causes);
	if (str_is(type, "kubernetes.io/dockerconfigjson"))
		dockercfg(a, data, ".dockerconfigjson", causes);
	else if (str_is(type, "kubernetes.io/dockercfg"))
		dockercfg(a, data, ".dockercfg", causes);
	if (str_is(type, "kubernetes.io/tls")) {
		needs(a, data, "tls.crt", causes);
		needs(a, data, "tls.key", causes);
	}
}

static void event(struct arena *a, const struct json *object, struct sb_causes *causes)
{
	struct str of = json_str(object, "involvedObject.namespace");
	struct str in = json_str(object, "metadata.namespace");

	if (!json_str(object, "eventTime").n && !str_eq(of, in) && (of.n || !str_is(in, "default")))
		cause_text(a, causes, S("involvedObject.namespace"), of,
			   "does not match event.namespace");
}

static void lease(struct arena *a, const struct json *object, struct sb_causes *causes)
{
	static const char *const fields[] = { "leaseDurationSeconds", "leaseTransitions" };
	static const char *const rules[] = { "must be greater than 0",
					     "must be greater than or equal to 0" };

	for (int i = 0; i < 2; i++) {
		struct str field = str_fmt(a, "spec.%s", fields[i]);
		const struct json *v = json_at(object, str_z(a, field));

		if (v && json_i64(object, str_z(a, field), 0) < 1 - i)
			cause_value(a, causes, field, v, rules[i]);
	}
}

/* Go prints the address of a pointer. */
static const char *pointer(const struct json *v)
{
	return v ? "0xc000000000" : "nil";
}

static void budget(struct arena *a, const struct json *spec, struct sb_causes *causes)
{
	const struct json *min = json_member(spec, S("minAvailable"));
	const struct json *max = json_member(spec, S("maxUnavailable"));

	if (min && max)
		cause_add(a, causes, "FieldValueInvalid", S("spec"),
			  str_fmt(a,
				  "Invalid value: policy."
				  "PodDisruptionBudgetSpec{MinAvailable:"
				  "(*intstr.IntOrString)(%s), Selector:"
				  "(*v1.LabelSelector)(%s), MaxUnavailable:"
				  "(*intstr.IntOrString)(%s)}: minAvailable "
				  "and maxUnavailable cannot be both set",
				  pointer(min), pointer(json_member(spec, S("selector"))),
				  pointer(max)));
}

void sb_check_core(struct arena *a, const struct sb_kind *k, const struct json *object,
		   const struct json *old, struct sb_causes *causes)
{
	if (str_is(k->plural, "leases") && str_is(k->group, "coordination.k8s.io"))
		lease(a, object, causes);
	if (str_is(k->plural, "poddisruptionbudgets"))
		budget(a, json_at(object, "spec"), causes);
	if (k->group.n)
		return;
	if (str_is(k->plural, "configmaps")) {
		kept(a, object, old, causes);
		keys(a, object, "data", "binaryData", causes);
		keys(a, object, "binaryData", "", causes);
	} else if (str_is(k->plural, "secrets")) {
		secret(a, object, old, causes);
	} else if (str_is(k->plural, "events")) {
		event(a, object, causes);
	}
}
