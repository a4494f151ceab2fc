/*
 * Checks shared by the verbs that write: dry run, namespace, name.
 */
#include "sandbox/write.h"

bool sb_dry_run(const struct sb_call *c)
{
	return request_param(c->r, "dryRun").n > 0;
}

/* Objects may repeat the namespace of the path but not contradict it. */
bool sb_fit_namespace(struct sb_call *c, struct json *object)
{
	struct json *meta = sb_meta(c->a, object);
	struct str ns = json_str(meta, "namespace");

	if (!(c->r->kind->traits & SB_NAMESPACED)) {
		(void)json_remove(meta, S("namespace"));
		return true;
	}
	if (ns.n && !str_eq(ns, c->r->ns)) {
		reply_bad(c->a, c->out,
			  "the namespace of the provided object does not match the namespace sent "
			  "on the request");
		return false;
	}
	json_set(meta, S("namespace"), json_new_str(c->a, c->r->ns));
	return true;
}

bool sb_same_name(struct sb_call *c, const struct json *object)
{
	struct str name = json_str(object, "metadata.name");

	if (str_eq(name, c->r->name))
		return true;
	if (name.n)
		reply_bad(c->a, c->out,
			  "the name of the object (%.*s) does not match the "
			  "name on the URL (%.*s)",
			  STRF(name), STRF(c->r->name));
	else
		reply_bad(c->a, c->out,
			  "the name of the object (%.*s based on URL) was "
			  "undeterminable: name must be provided",
			  STRF(c->r->name));
	return false;
}

bool sb_valid(struct sb_call *c, struct json *object, const struct json *old)
{
	struct sb_causes causes = { 0 };
	struct sb_subject s = request_subject(c->r);
	size_t from;

	s.name = json_str(object, "metadata.name");
	if (c->r->version->schema)
		schema_apply(c->a, c->r->version->schema, object, &causes);
	for (size_t i = 0; i < causes.n; i++)
		if (!*causes.v[i].reason) {
			reply_bad(c->a, c->out,
				  "%.*s in version \"%.*s\" cannot be handled "
				  "as a %.*s: %.*s: %.*s",
				  STRF(s.kind->kind), STRF(c->r->version->name), STRF(s.kind->kind),
				  STRF(causes.v[i].field), STRF(causes.v[i].message));
			return false;
		}
	sb_check(c->a, c->r->kind, object, old, str_is(c->r->sub, "status"), &causes);
	from = causes.n;
	if (c->r->kind->type)
		types_check(c->a, &c->sb->kinds.types, c->r->kind->type, object, S(""), &causes);
	workload_check(c->a, c->r->kind, object, old, from, &causes);
	if (!causes.n)
		return true;
	reply_invalid(c->a, c->out, s, &causes);
	return false;
}
