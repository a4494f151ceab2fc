#include "sandbox/write.h"

/* DeleteOptions from the body, or from the query; NULL when there are none. */
static bool delete_options(struct sb_call *c, struct json **out)
{
	struct err err = ERR_INIT(c->a);
	struct str policy = request_param(c->r, "propagationPolicy");
	struct str period = request_param(c->r, "gracePeriodSeconds");
	int64_t seconds;

	*out = json_new(c->a, JSON_OBJECT);
	if (c->r->body.n && json_parse(c->a, c->r->body, NULL, out, &err) < 0) {
		reply_bad(c->a, c->out,
			  "couldn't get version/kind; json parse "
			  "error: %.*s",
			  STRF(err.msg));
		return false;
	}
	if (policy.n)
		json_set(*out, S("propagationPolicy"),
			 json_new_str(c->a, policy));
	if (str_to_i64(period, &seconds))
		json_set(*out, S("gracePeriodSeconds"),
			 json_new_i64(c->a, seconds));
	return true;
}

static bool precondition(struct sb_call *c, const struct json *options,
			 const struct json *object, const char *field,
			 const char *name)
{
	struct arena *a = c->a;
	struct str want = json_str(
		options, str_z(a, str_fmt(a, "preconditions.%s", field)),
		S(""));
	struct str have = json_str(
		object, str_z(a, str_fmt(a, "metadata.%s", field)), S(""));

	if (!want.n || str_eq(want, have))
		return true;
	reply_conflict(a, c->out, request_subject(c->r),
		       str_fmt(a,
			       "Precondition failed: %s in precondition: %.*s, "
			       "%s in object meta: %.*s",
			       name, STRF(want), name, STRF(have)));
	return false;
}

void sb_delete(struct sb_call *c)
{
	struct json *object = sb_stored(c), *options;

	if (!object || !delete_options(c, &options) ||
	    !precondition(c, options, object, "uid", "UID") ||
	    !precondition(c, options, object, "resourceVersion",
			  "ResourceVersion"))
		return;
	if (sb_dry_run(c) || sb_remove(c->sb, c->a, c->r->kind,
				       request_key(c->a, c->r, c->r->name),
				       object, options, c->r->now))
		reply_deleted(c->a, c->out, request_subject(c->r),
			      json_str(object, "metadata.uid", S("")));
	else
		sb_answer(c, 200, object);
}

void sb_delete_all(struct sb_call *c)
{
	struct sb_kind *k = c->r->kind;
	struct sb_filter filter;
	struct json *options;
	struct strs keys = { 0 };
	struct str prefix = str_fmt(c->a, "%.*s/", STRF(c->r->ns));

	if (!request_filter(c->a, c->r, &filter, c->out) ||
	    !delete_options(c, &options))
		return;
	c->r->verb = SB_LIST;
	sb_read(c);
	if (c->out->code != 200)
		return;
	for (size_t i = 0; i < k->objects.n; i++)
		if ((!c->r->ns.n || str_starts(k->objects.v[i]->key, prefix)) &&
		    filter_matches(&filter, sb_tree(c->a, k->objects.v[i])))
			VEC_PUSH(c->a, &keys,
				 str_dup(c->a, k->objects.v[i]->key));
	for (size_t i = 0; i < keys.n; i++)
		(void)sb_remove(
			c->sb, c->a, k, keys.v[i],
			sb_tree(c->a, store_get(&k->objects, keys.v[i])),
			options, c->r->now);
}
