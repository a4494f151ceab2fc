/*
 * Parses the body of a write and checks that it names the kind of the request. Built-in kinds and
 * custom kinds have different decoders in an API server, so their errors differ.
 */
#include "data/yml.h"
#include "sandbox/body.h"

#define SUMMARY_MAX 30
#define NO_KIND "couldn't get version/kind; json parse error: "

static struct str media(struct str type)
{
	struct str before, rest;

	return str_trim(str_cut(type, ';', &before, &rest) ? before : type);
}

void body_unknown_format(struct sb_call *c, struct str types)
{
	reply_status(c->a, c->out, 415, "UnsupportedMediaType",
		     str_fmt(c->a,
			     "the body of the request was in an unknown format "
			     "- accepted media types include: %.*s",
			     STRF(types)));
}

/* The body, or the beginning of a long one, for messages. */
static struct str summary(struct arena *a, struct str body)
{
	size_t n = body.n > SUMMARY_MAX ? SUMMARY_MAX : body.n;
	struct buf b;

	if (!n)
		return S("<empty>");
	buf_init(&b, a);
	if (body.p[0] == '{')
		buf_add(&b, str_sub(body, 0, n));
	else
		for (size_t i = 0; i < n; i++)
			buf_addf(&b, "%02x", (unsigned char)body.p[i]);
	buf_addz(&b, n < body.n ? " ..." : "");
	return buf_str(&b);
}

static void unrecognized_kind(struct sb_call *c, struct str why)
{
	reply_bad(c->a, c->out,
		  "the object provided is unrecognized (must be of type %.*s): "
		  "%.*s (%.*s)",
		  STRF(c->r->kind->kind), STRF(why), STRF(summary(c->a, c->r->body)));
}

struct str body_no_kind(struct arena *a, const struct json *j, const struct json_fault *fault)
{
	static const char *const names[] = { "apiVersion", "kind" };
	struct str version;

	if (fault)
		return str_fmt(a, NO_KIND "%.*s", STRF(fault->problem));
	if (json_kind(j) != JSON_OBJECT)
		return str_fmt(a,
			       NO_KIND "json: cannot unmarshal %s into Go value of type "
				       "struct { APIVersion string "
				       "\"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
				       "\"json:\\\"kind,omitempty\\\"\" }",
			       json_kind_name(j));
	for (int i = 0; i < 2; i++) {
		const struct json *m = json_member(j, str_of(names[i]));

		if (json_kind(m) != JSON_NULL && json_kind(m) != JSON_STRING)
			return str_fmt(a,
				       NO_KIND "json: cannot unmarshal %s into Go "
					       "struct field .%s of type string",
				       json_kind_name(m), names[i]);
	}
	version = json_str(j, "apiVersion");
	if (str_chr(version, '/') != str_rchr(version, '/'))
		return str_fmt(a, "unexpected GroupVersion string: %.*s", STRF(version));
	return S("");
}

static struct json *parse_body(struct sb_call *c, bool yaml)
{
	struct err err = ERR_INIT(c->a);
	struct json *j = NULL;
	struct json_fault fault;
	struct yml_fault yml = { 0 };
	const struct json_opts opts = { .flags = JSON_DUP_LAST | JSON_FIX_UTF8, .fault = &fault };
	int rc = yaml ? yml_parse(c->a, c->r->body, &(struct yml_opts){ .fault = &yml }, &j, &err)
		      : json_parse(c->a, c->r->body, &opts, &j, &err);
	struct str why;

	if (rc == -ERR_LIMIT || (rc < 0 && yaml))
		why = rc == -ERR_LIMIT ? err.msg : yml.upstream;
	else
		why = json_kind(j) == JSON_NULL && rc == 0
			      ? S("")
			      : body_no_kind(c->a, j, rc < 0 ? &fault : NULL);
	if (why.n) {
		unrecognized_kind(c, why);
		return NULL;
	}
	return json_kind(j) == JSON_NULL ? json_new(c->a, JSON_OBJECT) : j;
}

/* ---- kinds of structs ---------------------------------------------------- */

/* The kind of that name in that group and version, if there is one. */
static struct sb_kind *known_kind(const struct kinds *all, struct str kind, struct str group,
				  struct str version)
{
	for (struct sb_kind *k = all->first; k; k = k->next)
		for (size_t i = 0; i < k->n; i++)
			if (str_eq(k->kind, kind) && str_eq(k->group, group) &&
			    str_eq(k->v[i].name, version) && !(k->traits & SB_FROM_CRD))
				return k;
	return NULL;
}

/* The package of a group's structs. */
static struct str package(struct str group)
{
	struct str first, rest;

	if (!group.n)
		return S("core");
	return str_cut(group, '.', &first, &rest) ? first : group;
}

struct sb_kind *body_kind(struct sb_call *c, const struct json *j)
{
	struct str version = json_str(j, "apiVersion"), group;

	if (!str_cut(version, '/', &group, &version))
		group = S("");
	return known_kind(&c->sb->kinds, json_str(j, "kind"), group, version);
}

struct str body_other_kind(struct sb_call *c, struct str kind, struct str version)
{
	const struct sb_kind *want = c->r->kind;
	struct str api = version, group = S("");

	if (!str_cut(api, '/', &group, &version))
		group = S("");
	if (known_kind(&c->sb->kinds, kind, group, version))
		return str_fmt(c->a,
			       "converting (%.*s.%.*s) to (%.*s.%.*s): unknown "
			       "conversion",
			       STRF(version), STRF(kind), STRF(package(want->group)),
			       STRF(want->kind));
	return str_fmt(c->a,
		       "no kind \"%.*s\" is registered for version \"%.*s\" in "
		       "scheme \"pkg/runtime/scheme.go:111\"",
		       STRF(kind), STRF(api));
}

/* kind and apiVersion may be absent, but not those of another kind. */
static bool struct_kind(struct sb_call *c, struct str kind, struct str version)
{
	const struct sb_kind *k = c->r->kind;
	struct str want = kinds_api_version(c->a, k, c->r->version);
	struct str given = version.n ? version : want, group;

	if (!kind.n)
		kind = k->kind;
	if (str_eq(kind, k->kind) && str_eq(given, want))
		return true;
	if (!str_cut(given, '/', &group, &version)) {
		group = S("");
		version = given;
	}
	if (str_eq(kind, k->kind) && str_eq(group, k->group) &&
	    known_kind(&c->sb->kinds, kind, group, version)) {
		reply_bad(c->a, c->out,
			  "the API version in the data (%.*s) does not match "
			  "the expected API version (%.*s)",
			  STRF(given), STRF(want));
		return false;
	}
	reply_bad(c->a, c->out, "%.*s in version \"%.*s\" cannot be handled as a %.*s: %.*s",
		  STRF(kind), STRF(version), STRF(k->kind), STRF(body_other_kind(c, kind, given)));
	return false;
}

/* ---- kinds of CRDs ------------------------------------------------------- */

/* The last n bytes at most. */
static struct str tail(struct str s, size_t n)
{
	return str_from(s, s.n > n ? s.n - n : 0);
}

struct str body_kindless(struct arena *a, struct str text)
{
	text = str_trim(text);
	return str_fmt(a,
		       "unmarshalerDecoder: Object 'Kind' is missing in "
		       "'%.*s', error found in #%zu byte of ...|%.*s|..., "
		       "bigger context ...|%.*s|...",
		       STRF(text), tail(text, 10).n, STRF(tail(text, 10)), STRF(tail(text, 50)));
}

void body_wrong_kind(struct sb_call *c, const struct json *j, struct str kind)
{
	struct sb_kind named = *c->r->kind;
	struct sb_causes causes = { 0 };

	cause_text(c->a, &causes, S("kind"), kind,
		   str_z(c->a, str_fmt(c->a, "must be %.*s", STRF(named.kind))));
	named.kind = kind;
	reply_invalid(c->a, c->out, (struct sb_subject){ &named, json_str(j, "metadata.name") },
		      &causes);
}

static bool custom_kind(struct sb_call *c, const struct json *j, struct str kind,
			struct str version)
{
	struct str own = c->r->kind->kind;
	struct str want = kinds_api_version(c->a, c->r->kind, c->r->version);

	if (!kind.n) {
		unrecognized_kind(
			c, str_fmt(c->a, "Object 'Kind' is missing in '%.*s'", STRF(c->r->body)));
	} else if (!str_eq(version, want)) {
		reply_bad(c->a, c->out,
			  "the API version in the data (%.*s) does not match "
			  "the expected API version (%.*s)",
			  STRF(version), STRF(want));
	} else if (!str_eq(kind, own)) {
		body_wrong_kind(c, j, kind);
	} else {
		return true;
	}
	return false;
}

struct json *sb_body(struct sb_call *c)
{
	struct str type = media(c->r->content_type), kind, version;
	bool yaml = str_is(type, "application/yaml");
	bool custom = c->r->kind->traits & SB_CUSTOM, fits;
	struct json *j;

	if (type.n && !yaml && !str_is(type, "application/json")) {
		/* a real API server accepts it for built-in kinds */
		bool proto = str_find(type, S("protobuf")) >= 0;

		body_unknown_format(c, custom || proto ? S("application/json, application/"
							   "yaml")
						       : S("application/json, application/"
							   "yaml, application/vnd.kubernetes."
							   "protobuf"));
		return NULL;
	}
	j = parse_body(c, yaml);
	if (!j)
		return NULL;
	kind = json_str(j, "kind");
	version = json_str(j, "apiVersion");
	fits = custom ? custom_kind(c, j, kind, version) : struct_kind(c, kind, version);
	return fits ? j : NULL;
}
