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
		reply_status(c->a, c->out, 500, "",
			     S("couldn't get version/kind; json parse error: "
			       "unexpected end of JSON input"));
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
			 const char *name, const char *might)
{
	struct arena *a = c->a;
	struct str want = json_str(
		options, str_z(a, str_fmt(a, "preconditions.%s", field)),
		S(""));
	struct str have = json_str(
		object, str_z(a, str_fmt(a, "metadata.%s", field)), S(""));
	struct sb_kind named = *c->r->kind;

	if (!want.n || str_eq(want, have))
		return true;
	named.plural = named.kind;
	reply_conflict(
		a, c->out, (struct sb_subject){ &named, c->r->name },
		str_fmt(a,
			"the %s in the precondition (%.*s) does not "
			"match the %s in record (%.*s). The object might "
			"have been %s",
			name, STRF(want), name, STRF(have), might));
	return false;
}

static const struct sb_kind options_kind = { .group = { "meta.k8s.io", 11 },
					     .kind = { "DeleteOptions", 13 } };

/* False, answered: the options contradict themselves. */
static bool options_valid(struct sb_call *c, const struct json *options)
{
	struct str policy = json_str(options, "propagationPolicy", S(""));
	struct sb_causes causes = { 0 };

	if (policy.n && json_at(options, "orphanDependents"))
		cause_text(c->a, &causes, S("propagationPolicy"), policy,
			   "orphanDependents and deletionPropagation cannot be "
			   "both set");
	else if (policy.n && !str_is(policy, "Foreground") &&
		 !str_is(policy, "Background") && !str_is(policy, "Orphan"))
		cause_add(c->a, &causes, "FieldValueNotSupported",
			  S("propagationPolicy"),
			  str_fmt(c->a,
				  "Unsupported value: \"%.*s\": supported "
				  "values: \"Foreground\", \"Background\", "
				  "\"Orphan\", \"nil\"",
				  STRF(policy)));
	if (!causes.n)
		return true;
	reply_invalid(c->a, c->out, (struct sb_subject){ &options_kind, S("") },
		      &causes);
	return false;
}

void sb_delete(struct sb_call *c)
{
	struct json *object, *options;

	if (!delete_options(c, &options) || !options_valid(c, options))
		return;
	object = sb_stored(c);
	if (!object ||
	    !precondition(c, options, object, "uid", "UID",
			  "deleted and then recreated") ||
	    !precondition(c, options, object, "resourceVersion",
			  "ResourceVersion", "modified"))
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
