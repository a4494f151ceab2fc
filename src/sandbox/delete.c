/*
 * DELETE of one object or of a collection, with DeleteOptions from the body or the query.
 */
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
			  "couldn't get version/kind; json parse error: unexpected end of JSON "
			  "input");
		return false;
	}
	if (policy.n)
		json_set(*out, S("propagationPolicy"), json_new_str(c->a, policy));
	if (str_to_i64(period, &seconds))
		json_set(*out, S("gracePeriodSeconds"), json_new_i64(c->a, seconds));
	if (request_has(c->r, "dryRun")) {
		struct json *list = json_new(c->a, JSON_ARRAY);

		for (size_t i = 0; i < c->r->n_params; i++)
			if (str_is(c->r->params[i].name, "dryRun"))
				json_push(list, json_new_str(c->a, c->r->params[i].value));
		json_set(*out, S("dryRun"), list);
	}
	return true;
}

/* Whether the options ask for a dry run. */
static bool dry(const struct json *options)
{
	return json_first(json_at(options, "dryRun"));
}

static bool precondition(struct sb_call *c, const struct json *options, const struct json *object,
			 const char *field, const char *name, const char *might)
{
	struct arena *a = c->a;
	struct str want = json_str(options, str_z(a, str_fmt(a, "preconditions.%s", field)));
	struct str have = json_str(object, str_z(a, str_fmt(a, "metadata.%s", field)));
	struct sb_kind named = *c->r->kind;

	if (!want.n || str_eq(want, have))
		return true;
	named.plural = named.kind;
	reply_conflict(a, c->out, (struct sb_subject){ &named, c->r->name },
		       str_fmt(a,
			       "the %s in the precondition (%.*s) does not "
			       "match the %s in record (%.*s). The object might "
			       "have been %s",
			       name, STRF(want), name, STRF(have), might));
	return false;
}

/* False, answered, when the options contradict each other. */
static bool options_valid(struct sb_call *c, const struct json *options)
{
	struct str policy = json_str(options, "propagationPolicy");
	struct sb_causes causes = { 0 };
	struct strs runs = { 0 };

	for (const struct json *v = json_first(json_at(options, "dryRun")); v; v = json_next(v))
		VEC_PUSH(c->a, &runs, json_text(v));
	if (policy.n && json_at(options, "orphanDependents"))
		cause_text(c->a, &causes, S("propagationPolicy"), policy,
			   "orphanDependents and deletionPropagation cannot be "
			   "both set");
	else if (policy.n && !str_is(policy, "Foreground") && !str_is(policy, "Background") &&
		 !str_is(policy, "Orphan"))
		cause_unsupported(c->a, &causes, S("propagationPolicy"), policy,
				  "\"Foreground\", \"Background\", "
				  "\"Orphan\", \"nil\"");
	options_dry_run(c->a, &runs, &causes);
	if (!causes.n)
		return true;
	options_refuse(c, "DeleteOptions", &causes);
	return false;
}

/* Kinds whose deletion is answered with the object itself. */
static bool tells_last(const struct sb_kind *k)
{
	return !k->group.n && (str_is(k->plural, "pods") || str_is(k->plural, "serviceaccounts") ||
			       str_is(k->plural, "services"));
}

void sb_delete(struct sb_call *c)
{
	struct json *object, *options;

	if (!delete_options(c, &options) || !options_valid(c, options))
		return;
	object = sb_stored(c);
	if (!object ||
	    !precondition(c, options, object, "uid", "UID", "deleted and then recreated") ||
	    !precondition(c, options, object, "resourceVersion", "ResourceVersion", "modified"))
		return;
	if ((dry(options) || sb_remove(c->sb, c->a, c->r->kind, request_key(c->a, c->r, c->r->name),
				       object, options, c->r->now)) &&
	    !tells_last(c->r->kind))
		reply_deleted(c->a, c->out, request_subject(c->r),
			      json_str(object, "metadata.uid"));
	else
		sb_answer(c, 200, object);
}

/* The keys of the listed objects, of one page perhaps. */
static struct strs listed(struct sb_call *c, const struct sb_filter *filter)
{
	const struct sb_list *all = &c->r->kind->objects;
	struct str prefix = str_fmt(c->a, "%.*s/", STRF(c->r->ns)), after;
	struct strs keys = { 0 };
	int64_t limit;
	uint64_t rv;

	(void)options_number(c, "limit", &limit);
	(void)page_begin(c, &after, &rv);
	for (size_t i = 0; i < all->n; i++) {
		struct str key = all->v[i]->key;

		if (limit > 0 && keys.n == (size_t)limit)
			break;
		if ((!c->r->ns.n || str_starts(key, prefix)) && str_cmp(key, after) > 0 &&
		    filter_matches(filter, sb_tree(c->a, all->v[i])))
			VEC_PUSH(c->a, &keys, str_dup(c->a, key));
	}
	return keys;
}

void sb_delete_all(struct sb_call *c)
{
	struct sb_kind *k = c->r->kind;
	struct sb_filter filter;
	struct json *options;
	struct strs keys;

	if (!request_filter(c->a, c->r, &filter, c->out) || !delete_options(c, &options) ||
	    !options_valid(c, options))
		return;
	c->r->verb = SB_LIST;
	sb_read(c);
	if (c->out->code != 200 || dry(options))
		return;
	keys = listed(c, &filter);
	for (size_t i = 0; i < keys.n; i++)
		(void)sb_remove(c->sb, c->a, k, keys.v[i],
				sb_tree(c->a, store_get(&k->objects, keys.v[i])), options,
				c->r->now);
}
