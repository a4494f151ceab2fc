/*
 * Validation of CustomResourceDefinitions: names, versions and schemas, with the API server's
 * texts.
 */
#include "base/codec.h"
#include "base/map.h"
#include "sandbox/sandbox.h"

#define DNS_1035                                                          \
	"a DNS-1035 label must consist of lower case alphanumeric "       \
	"characters or '-', start with an alphabetic character, and end " \
	"with an alphanumeric character (e.g. 'my-name',  or 'abc-123', " \
	"regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

struct check {
	struct arena *a;
	struct sb_causes *causes;
};

static bool is_1035(struct str s)
{
	return s.n && s.n <= 63 && s.p[0] >= 'a' && s.p[0] <= 'z' && selector_is_subdomain(s) &&
	       str_chr(s, '.') < 0;
}

static void check_label(struct check *k, struct str field, struct str s)
{
	if (!is_1035(s))
		cause_text(k->a, k->causes, field, s,
			   s.n > 63 ? "must be no more than 63 bytes" : DNS_1035);
}

/* ---- names --------------------------------------------------------------- */

static void check_names(struct check *k, const struct json *spec)
{
	static const char *const needed[] = { "plural", "singular", "kind", "listKind" };
	const struct json *all = json_at(spec, "names");
	struct str kind = json_str(all, "kind"), field;
	size_t i = 0;

	for (i = 0; i < 4; i++) {
		struct str s = json_str(all, needed[i]);

		field = str_fmt(k->a, "spec.names.%s", needed[i]);
		if (!s.n)
			cause_required(k->a, k->causes, field, "");
		else if (i < 2)
			check_label(k, field, s);
		else if (!is_1035(kinds_lower(k->a, s)))
			cause_text(k->a, k->causes, field, s,
				   "may have mixed case, but should otherwise "
				   "match: " DNS_1035);
	}
	if (kind.n && str_eq(kind, json_str(all, "listKind")))
		cause_text(k->a, k->causes, S("spec.names.listKind"), kind,
			   "kind and listKind may not be the same");
	i = 0;
	for (const struct json *m = json_first(json_at(all, "shortNames")); m;
	     m = json_next(m), i++)
		check_label(k, str_fmt(k->a, "spec.names.shortNames[%zu]", i), json_text(m));
}

static void check_place(struct check *k, const struct json *crd)
{
	struct str name = json_str(crd, "metadata.name");
	struct str group = json_str(crd, "spec.group");
	struct str scope = json_str(crd, "spec.scope");
	struct str plural = json_str(crd, "spec.names.plural");

	if (!str_eq(name, str_fmt(k->a, "%.*s.%.*s", STRF(plural), STRF(group))))
		cause_text(k->a, k->causes, S("metadata.name"), name,
			   "must be spec.names.plural+\".\"+spec.group");
	if (!group.n)
		cause_required(k->a, k->causes, S("spec.group"), "");
	else if (!selector_is_subdomain(group))
		cause_text(k->a, k->causes, S("spec.group"), group, SELECTOR_SUBDOMAIN_RULE);
	else if (str_chr(group, '.') < 0)
		cause_text(k->a, k->causes, S("spec.group"), group,
			   "should be a domain with at least one dot");
	if (!scope.n)
		cause_required(k->a, k->causes, S("spec.scope"), "");
	else if (!str_is(scope, "Cluster") && !str_is(scope, "Namespaced"))
		cause_unsupported(k->a, k->causes, S("spec.scope"), scope,
				  "\"Cluster\", \"Namespaced\"");
}

/* ---- schemas ------------------------------------------------------------- */

/* Every level of a structural schema has a type, or x-kubernetes-preserve-unknown-fields or
 * x-kubernetes-int-or-string. */
static void check_structural(struct check *k, const struct json *s, struct str path,
			     const char *rule)
{
	const struct json *items = json_member(s, S("items"));
	const struct json *rest = json_member(s, S("additionalProperties"));

	if (!json_str(s, "type").n && !json_bool(s, "x-kubernetes-int-or-string", false) &&
	    !json_bool(s, "x-kubernetes-preserve-unknown-fields", false))
		cause_required(k->a, k->causes, str_fmt(k->a, "%.*s.type", STRF(path)), rule);
	for (const struct json *m = json_first(json_at(s, "properties")); m; m = json_next(m))
		check_structural(
			k, m, str_fmt(k->a, "%.*s.properties[%.*s]", STRF(path), STRF(json_key(m))),
			"must not be empty for specified object fields");
	if (json_kind(items) == JSON_OBJECT)
		check_structural(k, items, str_fmt(k->a, "%.*s.items", STRF(path)),
				 "must not be empty for specified array items");
	if (json_kind(rest) == JSON_OBJECT)
		check_structural(k, rest, str_fmt(k->a, "%.*s.additionalProperties", STRF(path)),
				 "must not be empty for specified object fields");
}

static void check_schema(struct check *k, const struct json *version, size_t i, bool shared)
{
	const struct json *s = json_at(version, "schema.openAPIV3Schema");
	struct str at = str_fmt(k->a, "spec.versions[%zu].schema.%s", i, "openAPIV3Schema");
	struct str type = json_str(s, "type");

	if (!s) {
		cause_required(k->a, k->causes, at, "");
		return;
	}
	/* report faults that all versions share once */
	if (shared && i)
		return;
	if (shared)
		at = S("spec.validation.openAPIV3Schema");
	if (type.n && !str_is(type, "object"))
		cause_text(k->a, k->causes, str_fmt(k->a, "%.*s.type", STRF(at)), type,
			   "must be object at the root");
	check_structural(k, s, at, "must not be empty at the root");
}

/* ---- versions ------------------------------------------------------------ */

/* Versions as JSON, under the names of the Go struct; schemas are at the top when they are shared. */
static struct str dump_versions(struct arena *a, const struct json *versions)
{
	struct buf b;

	if (!json_len(versions))
		return S("null");
	buf_init(&b, a);
	for (const struct json *v = json_first(versions); v; v = json_next(v)) {
		buf_addz(&b, b.n ? "," : "[");
		buf_addz(&b, "{\"Name\":");
		go_quote(&b, json_str(v, "name"));
		buf_addf(&b,
			 ",\"Served\":%s,\"Storage\":%s,\"Deprecated\":%s,"
			 "\"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":null,"
			 "\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}",
			 json_bool(v, "served", false) ? "true" : "false",
			 json_bool(v, "storage", false) ? "true" : "false",
			 json_bool(v, "deprecated", false) ? "true" : "false");
	}
	buf_addc(&b, ']');
	return buf_str(&b);
}

static void add_wrong(struct check *k, const char *field, struct str value, const char *why)
{
	cause_add(k->a, k->causes, "FieldValueInvalid", str_of(field),
		  str_fmt(k->a, "Invalid value: %.*s: %s", STRF(value), why));
}

static void check_versions(struct check *k, const struct json *crd)
{
	const struct json *list = json_at(crd, "spec.versions");
	const struct json *first = json_first(list);
	size_t stored = 0, i = 0;
	bool twice = false, shared = true;
	struct map seen;

	map_init(&seen, k->a);
	for (const struct json *v = first; v; v = json_next(v)) {
		shared = shared &&
			 json_eq(json_member(v, S("schema")), json_member(first, S("schema")));
		stored += json_bool(v, "storage", false);
	}
	for (const struct json *v = first; v; v = json_next(v), i++) {
		struct str name = json_str(v, "name");

		/* the name of the first version is also that of the definition */
		if (i == 0)
			check_label(k, S("spec.version"), name);
		check_label(k, str_fmt(k->a, "spec.versions[%zu].name", i), name);
		check_schema(k, v, i, shared);
		if (map_get(&seen, name)) {
			twice = true;
			if (json_bool(v, "storage", false))
				add_wrong(k, "status.storedVersions",
					  str_fmt(k->a, "[\"%.*s\"]", STRF(name)),
					  str_fmt(k->a,
						  "must have the storage version "
						  "%.*s",
						  STRF(name))
						  .p);
		}
		(void)map_put(&seen, name, &seen);
	}
	if (twice)
		add_wrong(k, "spec.versions", dump_versions(k->a, list),
			  "must contain unique version names");
	if (stored != 1)
		add_wrong(k, "spec.versions", dump_versions(k->a, list),
			  "must have exactly one version marked as storage "
			  "version");
	if (!stored)
		add_wrong(k, "status.storedVersions", S("null"),
			  "must have at least one stored version");
}

void crd_check(struct arena *a, const struct json *crd, struct sb_causes *causes)
{
	struct check k = { a, causes };

	check_place(&k, crd);
	check_versions(&k, crd);
	check_names(&k, json_at(crd, "spec"));
}
