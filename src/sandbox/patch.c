#include "sandbox/patch.h"

#include "data/patch.h"
#include "sandbox/write.h"

static struct json *patch_body(struct sb_call *c, enum json_kind kind)
{
	struct err err = ERR_INIT(c->a);
	struct json *j = NULL;

	if (json_parse(c->a, c->r->body,
		       &(struct json_opts){ .flags = JSON_DUP_LAST |
						     JSON_FIX_UTF8 },
		       &j, &err) < 0) {
		reply_bad(c->a, c->out, "%s",
			  kind == JSON_ARRAY
				  ? "error decoding patch: unexpected end of "
				    "JSON input"
				  : "unexpected EOF");
		return NULL;
	}
	if (json_kind(j) == kind)
		return j;
	reply_bad(c->a, c->out,
		  "%sjson: cannot unmarshal %s into Go value of type %s",
		  kind == JSON_ARRAY ? "error decoding patch: " : "",
		  json_kind_name(j),
		  kind == JSON_ARRAY ? "jsonpatch.Patch"
				     : "map[string]interface {}");
	return NULL;
}

static struct json *patched(struct sb_call *c, struct str type,
			    const struct json *old)
{
	struct err err = ERR_INIT(c->a);
	bool ops = str_is(type, "application/json-patch+json");
	struct json *patch = patch_body(c, ops ? JSON_ARRAY : JSON_OBJECT);
	struct json *now = NULL;
	int rc;

	if (!patch)
		return NULL;
	if (str_is(type, "application/merge-patch+json"))
		return patch_apply(c->a, old, patch);
	rc = ops ? patch_operations(c->a, old, patch, &now, &err)
		 : patch_strategic(c->a, old, patch, &now, &err);
	if (rc < 0) {
		reply_status(
			c->a, c->out, ops ? 422 : 500, ops ? "Invalid" : "",
			ops ? str_fmt(c->a, "the server rejected our request "
					    "due to an error in our request")
			    : err.msg);
		return NULL;
	}
	return now;
}

void sb_patch(struct sb_call *c)
{
	struct str type = c->r->content_type, rest, name;
	bool custom = c->r->kind->traits & SB_CUSTOM;
	struct json *old, *now;

	(void)str_cut(type, ';', &type, &rest);
	if (str_is(type, "application/apply-patch+yaml")) {
		sb_apply(c);
		return;
	}
	if (!str_is(type, "application/json-patch+json") &&
	    !str_is(type, "application/merge-patch+json") &&
	    (custom ||
	     !str_is(type, "application/strategic-merge-patch+json"))) {
		reply_routed(c->a, c->out, 415, "UnsupportedMediaType",
			     S("415: Unsupported Media Type"));
		return;
	}
	old = sb_stored(c);
	now = old ? patched(c, type, old) : NULL;
	if (!now)
		return;
	name = json_str(now, "metadata.name", S(""));
	if (!str_eq(name, c->r->name)) {
		reply_bad(c->a, c->out,
			  "the name of the object (%.*s) does not match the "
			  "name on the URL (%.*s)",
			  STRF(name), STRF(c->r->name));
		return;
	}
	sb_replace(c, now, old);
}
