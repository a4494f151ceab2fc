/*
 * Label and field selectors of lists and watches. filter_may_match searches the text of an object,
 * so that most objects that do not match are never parsed.
 */
#include "sandbox/request.h"

/* The supported field selectors, besides metadata.name and .namespace. */
static const struct {
	const char *plural, *fields;
} selectable[] = {
	{ "pods", " spec.nodeName spec.restartPolicy spec.schedulerName "
		  "spec.serviceAccountName status.phase status.podIP "
		  "status.podIPs status.nominatedNodeName " },
	{ "nodes", " spec.unschedulable " },
	{ "secrets", " type " },
	{ "namespaces", " status.phase " },
	{ "events", " involvedObject.kind involvedObject.namespace "
		    "involvedObject.name involvedObject.uid "
		    "involvedObject.apiVersion involvedObject.resourceVersion "
		    "involvedObject.fieldPath reason source type " },
};

/* The additional fields of a kind, or NULL. */
static const char *known_fields(const struct sb_kind *k)
{
	for (size_t i = 0; i < ARRAY_LEN(selectable); i++)
		if (!k->group.n && str_is(k->plural, selectable[i].plural))
			return selectable[i].fields;
	return NULL;
}

static bool can_select(struct arena *a, const struct sb_kind *k, struct str path)
{
	struct str word = str_fmt(a, " %.*s ", STRF(path));

	if (str_is(path, "metadata.name") || str_is(path, "metadata.namespace"))
		return true;
	return known_fields(k) && str_find(str_of(known_fields(k)), word) >= 0;
}

static bool parse_field(struct str one, struct sb_field *f)
{
	ptrdiff_t at = str_find(one, S("!="));
	size_t skip = 2;

	f->differs = at >= 0;
	if (at < 0)
		at = str_find(one, S("=="));
	if (at < 0) {
		at = str_chr(one, '=');
		skip = 1;
	}
	if (at < 0)
		return false;
	f->path = str_sub(one, 0, (size_t)at);
	f->value = str_from(one, (size_t)at + skip);
	return true;
}

static bool parse_fields(struct arena *a, const struct sb_request *r, struct str text,
			 struct sb_filter *f, struct sb_reply *out)
{
	struct str one, rest = text;
	bool more = rest.n > 0;
	VEC(struct sb_field) fields = { 0 };

	while (more) {
		struct sb_field field;

		more = str_cut(rest, ',', &one, &rest);
		if (!more)
			one = rest;
		if (!one.n)
			continue;
		if (!parse_field(one, &field)) {
			reply_bad(a, out,
				  "invalid selector: '%.*s'; can't understand "
				  "'%.*s'",
				  STRF(text), STRF(one));
			return false;
		}
		if (!can_select(a, r->kind, field.path)) {
			bool typed = known_fields(r->kind) != NULL;

			if (typed)
				reply_bad(a, out, "field label not supported: %.*s",
					  STRF(field.path));
			else
				reply_bad(a, out, "%s%.*s%s",
					  r->kind->traits & SB_CUSTOM ? "field label not "
									"supported: "
								      : "\"",
					  STRF(field.path),
					  r->kind->traits & SB_CUSTOM ? ""
								      : "\" is not a known field "
									"selector: only "
									"\"metadata.name\", "
									"\"metadata.namespace\"");
			return false;
		}
		VEC_PUSH(a, &fields, field);
	}
	f->fields = fields.v;
	f->n_fields = fields.n;
	return true;
}

bool request_filter(struct arena *a, const struct sb_request *r, struct sb_filter *f,
		    struct sb_reply *out)
{
	struct str labels = request_param(r, "labelSelector");
	struct err err = ERR_INIT(a);

	*f = (struct sb_filter){ .labels_set = labels.n > 0 };
	if (labels.n && filter_labels(a, labels, &f->labels, &err) < 0) {
		reply_bad(a, out, "%.*s", STRF(err.msg));
		return false;
	}
	if (!parse_fields(a, r, request_param(r, "fieldSelector"), f, out))
		return false;
	if (r->name.n && r->verb == SB_WATCH) {
		VEC(struct sb_field) one = { 0 };
		struct sb_field name = { S("metadata.name"), r->name, false };

		for (size_t i = 0; i < f->n_fields; i++)
			VEC_PUSH(a, &one, f->fields[i]);
		VEC_PUSH(a, &one, name);
		f->fields = one.v;
		f->n_fields = one.n;
	}
	return true;
}

bool filter_any(const struct sb_filter *f)
{
	return f->labels_set || f->n_fields;
}

/* The text of a field for comparison; booleans and absent fields have one too. */
static struct str field_text(const struct json *object, struct str path)
{
	char name[64];
	const struct json *v;

	if (path.n >= sizeof(name))
		return S("");
	memcpy(name, path.p, path.n);
	name[path.n] = '\0';
	v = json_at(object, str_is(path, "source") ? "source.component" : name);
	if (json_kind(v) == JSON_BOOL)
		return json_is_true(v) ? S("true") : S("false");
	if (!v && str_is(path, "spec.unschedulable"))
		return S("false");
	return json_text(v);
}

bool filter_matches(const struct sb_filter *f, const struct json *object)
{
	if (f->labels_set && !selector_matches(&f->labels, json_at(object, "metadata.labels")))
		return false;
	for (size_t i = 0; i < f->n_fields; i++) {
		const struct sb_field *one = &f->fields[i];

		if (str_eq(field_text(object, one->path), one->value) == one->differs)
			return false;
	}
	return true;
}

/* Whether s is the same in JSON, without escapes. */
static bool plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '-' || strchr("<>\\\x7f", s.p[i]))
			return false;
	return s.n > 0;
}

bool filter_may_match(const struct sb_filter *f, struct str text)
{
	for (size_t i = 0; i < f->n_fields; i++) {
		const struct sb_field *one = &f->fields[i];

		/* what is absent has a value only there */
		if (!one->differs && plain(one->value) &&
		    !str_is(one->path, "spec.unschedulable") && str_find(text, one->value) < 0)
			return false;
	}
	return true;
}
