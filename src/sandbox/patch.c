/*
 * PATCH: parses the patch, applies it to the stored object, checks that the result still fits its
 * kind, and replaces the object. Errors have the texts of the API server.
 */
#include "sandbox/patch.h"

#include "data/patch.h"
#include "sandbox/body.h"
#include "sandbox/write.h"

#define DECODING "error decoding patch: "
#define OPERATIONS_MAX 10000 /* kube-apiserver's limit for a JSON patch */

/* ---- the body ------------------------------------------------------------ */

/* The body as a tree; NULL and *why when it is not JSON. */
static struct json *parse_patch(struct sb_call *c, struct str *why)
{
	struct err err = ERR_INIT(c->a);
	struct json_fault fault = { 0 };
	struct json *j = NULL;
	int rc = json_parse(
		c->a, c->r->body,
		&(struct json_opts){ .flags = JSON_DUP_LAST | JSON_FIX_UTF8, .fault = &fault }, &j,
		&err);

	if (rc < 0)
		*why = rc == -ERR_LIMIT ? err.msg : fault.problem;
	return rc < 0 ? NULL : j;
}

static void not_a(struct sb_call *c, const struct json *j, const char *where, const char *type)
{
	reply_bad(c->a, c->out, "%sjson: cannot unmarshal %s into Go value of type %s", where,
		  json_kind_name(j), type);
}

/* The error for a result that is not an object of the kind; it contains the whole text. */
static void no_object(struct sb_call *c, struct str text, struct str why)
{
	static const struct sb_kind none = { .n = 0 };
	struct sb_causes causes = { 0 };

	cause_text(c->a, &causes, S("patch"), text, str_z(c->a, why));
	reply_invalid(c->a, c->out, (struct sb_subject){ &none, S("") }, &causes);
}

static struct json *by_operations(struct sb_call *c, const struct json *old)
{
	struct err err = ERR_INIT(c->a);
	struct str why = S("");
	struct json *ops = parse_patch(c, &why), *now = NULL;

	if (!ops) {
		reply_bad(c->a, c->out, DECODING "%.*s", STRF(why));
		return NULL;
	}
	if (json_kind(ops) != JSON_ARRAY && json_kind(ops) != JSON_NULL) {
		not_a(c, ops, DECODING, "[]handlers.jsonPatchOp");
		return NULL;
	}
	for (const struct json *o = json_first(ops); o; o = json_next(o))
		if (json_kind(o) != JSON_OBJECT && json_kind(o) != JSON_NULL) {
			not_a(c, o, DECODING, "handlers.jsonPatchOp");
			return NULL;
		}
	if (json_len(ops) > OPERATIONS_MAX) {
		reply_status(c->a, c->out, 413, "RequestEntityTooLarge",
			     str_fmt(c->a,
				     "Request entity too large: The allowed "
				     "maximum operations in a JSON patch is "
				     "%d, got %zu",
				     OPERATIONS_MAX, json_len(ops)));
		return NULL;
	}
	if (patch_operations(c->a, old, ops, &now, &err) < 0)
		reply_routed(c->a, c->out, 422, "Invalid",
			     S("the server rejected our request due to an "
			       "error in our request"));
	return now;
}

static struct json *by_merging(struct sb_call *c, const struct json *old)
{
	struct str why = S("");
	struct json *patch = parse_patch(c, &why);

	if (json_kind(patch) == JSON_OBJECT)
		return patch_apply(c->a, old, patch);
	if (patch && json_kind(patch) == JSON_NULL)
		reply_bad(c->a, c->out, "Invalid JSON Patch");
	else if (patch)
		not_a(c, patch, DECODING, "map[string]interface {}");
	else
		reply_bad(c->a, c->out, DECODING "%.*s", STRF(why));
	return NULL;
}

static struct json *by_strategy(struct sb_call *c, const struct json *old)
{
	struct err err = ERR_INIT(c->a);
	struct str why = S("");
	struct json *patch = parse_patch(c, &why), *now = NULL;

	if (!patch) {
		reply_bad(c->a, c->out, "%.*s", STRF(why));
	} else if (json_kind(patch) != JSON_OBJECT && json_kind(patch) != JSON_NULL) {
		not_a(c, patch, "", "map[string]interface {}");
	} else if (patch_strategic(c->a, old, patch, &now, &err) < 0) {
		reply_status(c->a, c->out, 500, "", err.msg);
	}
	return now;
}

/* ---- the request --------------------------------------------------------- */

static struct str text_of(struct arena *a, const struct json *now)
{
	return json_format(a, now, JSON_SORTED);
}

/* False, answered, when a value has the wrong type. */
static bool fits_kind(struct sb_call *c, const struct json *now, bool strategic)
{
	const struct sb_types *t = &c->sb->kinds.types;
	/* a text is decoded as the kind that it names */
	struct sb_kind *as = strategic ? NULL : body_kind(c, now);
	struct err err = ERR_INIT(c->a);
	struct str shown = S(""), why = S("");
	uint16_t type = types_find(t, S("ObjectMeta"));

	as = as ? as : c->r->kind;
	if (!as->type || json_kind(now) != JSON_OBJECT)
		return true;
	if (shape_hold(c->a, &t->shapes, type, 0, json_member(now, S("metadata")), NULL, &err) == 0)
		type = as->type;
	if (type == as->type && shape_hold(c->a, &t->shapes, type, 0, now, NULL, &err) == 0)
		return true;
	if (strategic)
		shown = patch_text(c->a, parse_patch(c, &why));
	c->r->body = text_of(c->a, now);
	if (strategic)
		why = sb_misfit(c, type, type == as->type ? now : json_member(now, S("metadata")),
				now, err.msg);
	else
		why = type == as->type ? err.msg : sb_meta_misfit(c, err.msg);
	no_object(c, strategic ? shown : c->r->body, why);
	return false;
}

/* False, answered, when the patch has changed the kind. */
static bool still_its_kind(struct sb_call *c, const struct json *now)
{
	struct str why = body_no_kind(c->a, now, NULL);
	struct str kind = json_str(now, "kind");
	struct str version = json_str(now, "apiVersion");
	struct str want = kinds_api_version(c->a, c->r->kind, c->r->version);
	bool custom = c->r->kind->traits & SB_CUSTOM;

	if (!why.n && custom && !kind.n) {
		why = body_kindless(c->a, text_of(c->a, now));
	} else if (!why.n && !custom && kind.n &&
		   !(str_eq(kind, c->r->kind->kind) && (!version.n || str_eq(version, want)))) {
		why = body_other_kind(c, kind, version.n ? version : want);
	}
	if (why.n) {
		no_object(c, text_of(c->a, now), why);
		return false;
	}
	if (!custom || str_eq(kind, c->r->kind->kind))
		return true;
	body_wrong_kind(c, now, kind);
	return false;
}

void sb_patch(struct sb_call *c)
{
	static const char *const types[] = {
		"application/json-patch+json",
		"application/merge-patch+json",
		"application/strategic-merge-patch+json",
		"application/apply-patch+yaml",
	};
	struct str type = c->r->content_type, rest;
	bool custom = c->r->kind->traits & SB_CUSTOM;
	struct json *stored, *old, *now;
	size_t i = 0;

	(void)str_cut(type, ';', &type, &rest);
	while (i < 4 && !(str_is(type, types[i]) && !(custom && i == 2)))
		i++;
	/* the router checks the type for built-in kinds */
	if (i == 4 && custom)
		body_unknown_format(c, str_fmt(c->a, "%s, %s, %s", types[0], types[1], types[3]));
	else if (i == 4)
		reply_routed(c->a, c->out, 415, "UnsupportedMediaType",
			     S("415: Unsupported Media Type"));
	if (i == 4)
		return;
	if (!options_patch(c, i == 3))
		return;
	if (i == 3) {
		sb_apply(c);
		return;
	}
	old = stored = sb_stored(c);
	if (!old)
		return;
	if (str_is(c->r->sub, "scale"))
		old = scale_begin(c, stored);
	now = i == 0 ? by_operations(c, old) : i == 1 ? by_merging(c, old) : by_strategy(c, old);
	if (!now || !fits_kind(c, now, i == 2) || !still_its_kind(c, now) || !sb_same_name(c, now))
		return;
	if (old == stored)
		sb_replace(c, now, old);
	else
		scale_replace(c, now, stored);
}
