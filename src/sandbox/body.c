#include "data/yml.h"
#include "sandbox/sandbox.h"

static struct str media(struct str type)
{
	struct str before, rest;

	return str_trim(str_cut(type, ';', &before, &rest) ? before : type);
}

static void unknown_format(struct sb_call *c, struct str types)
{
	reply_status(c->a, c->out, 415, "UnsupportedMediaType",
		     str_fmt(c->a,
			     "the body of the request was in an unknown format "
			     "- accepted media types include: %.*s",
			     STRF(types)));
}

static struct json *parse(struct sb_call *c, bool yaml)
{
	struct err err = ERR_INIT(c->a);
	struct json *j = NULL;
	const struct json_opts opts = { .flags =
						JSON_DUP_LAST | JSON_FIX_UTF8 };
	int rc = yaml ? yml_parse(c->a, c->r->body, NULL, &j, &err)
		      : json_parse(c->a, c->r->body, &opts, &j, &err);

	if (rc < 0) {
		reply_bad(c->a, c->out,
			  "the object provided is unrecognized (must be of "
			  "type %.*s): couldn't get version/kind; json parse "
			  "error: %.*s",
			  STRF(c->r->kind->kind), STRF(err.msg));
		return NULL;
	}
	if (json_kind(j) != JSON_OBJECT) {
		reply_bad(
			c->a, c->out,
			"couldn't get version/kind; json parse error: json: "
			"cannot unmarshal %s into Go value of type struct { "
			"APIVersion string \"json:\\\"apiVersion,omitempty\\\""
			"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }",
			json_kind_name(j));
		return NULL;
	}
	return j;
}

/* kind and apiVersion say what the path says; built-in kinds may leave them. */
static bool same_kind(struct sb_call *c, struct json *j)
{
	const struct sb_kind *k = c->r->kind;
	struct str kind = json_str(j, "kind", S(""));
	struct str version = json_str(j, "apiVersion", S(""));
	struct str want = kinds_api_version(c->a, k, c->r->version);

	if (k->traits & SB_CUSTOM && (!kind.n || !version.n)) {
		struct buf b;

		buf_init(&b, c->a);
		json_encode(&b, j, JSON_SORTED);
		reply_bad(c->a, c->out, "Object '%s' is missing in '%.*s'",
			  kind.n ? "apiVersion" : "Kind", STRF(buf_str(&b)));
		return false;
	}
	if (version.n && !str_eq(version, want)) {
		reply_bad(c->a, c->out,
			  "the API version in the data (%.*s) does not match "
			  "the expected API version (%.*s)",
			  STRF(version), STRF(want));
		return false;
	}
	if (kind.n && !str_eq(kind, k->kind)) {
		reply_bad(c->a, c->out,
			  "%.*s in version \"%.*s\" cannot be handled as a "
			  "%.*s: no kind \"%.*s\" is registered for version "
			  "\"%.*s\"",
			  STRF(kind), STRF(c->r->version->name), STRF(k->kind),
			  STRF(kind), STRF(want));
		return false;
	}
	return true;
}

struct json *sb_body(struct sb_call *c)
{
	struct str type = media(c->r->content_type);
	bool yaml = str_is(type, "application/yaml");
	struct json *j;

	if (type.n && !yaml && !str_is(type, "application/json")) {
		unknown_format(c,
			       c->r->kind->traits & SB_CUSTOM
				       ? S("application/json, application/"
					   "yaml")
				       : S("application/json, application/"
					   "yaml, application/vnd.kubernetes."
					   "protobuf"));
		return NULL;
	}
	j = parse(c, yaml);
	return j && same_kind(c, j) ? j : NULL;
}
