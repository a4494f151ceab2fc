/*
 * Replies: Status objects with the reasons, details and texts of the API server.
 */
#include "sandbox/reply.h"

#include "base/codec.h"
#include "base/map.h"

static struct json *text(struct arena *a, struct str s)
{
	return json_new_str(a, s);
}

static struct json *status(struct arena *a, const char *outcome)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add(j, S("kind"), text(a, S("Status")));
	json_add(j, S("apiVersion"), text(a, S("v1")));
	json_add(j, S("metadata"), json_new(a, JSON_OBJECT));
	json_add(j, S("status"), text(a, str_of(outcome)));
	return j;
}

void reply_json(struct arena *a, struct sb_reply *out, int code, const struct json *j)
{
	struct buf b;

	buf_init(&b, a);
	json_encode(&b, j, 0);
	buf_addc(&b, '\n');
	*out = (struct sb_reply){ .code = code, .type = "application/json", .body = buf_str(&b) };
}

static struct json *refusal(struct arena *a, int code, const char *reason, struct str message,
			    struct json *details)
{
	struct json *j = status(a, "Failure");

	json_add(j, S("message"), text(a, message));
	if (*reason)
		json_add(j, S("reason"), text(a, str_of(reason)));
	if (details)
		json_add(j, S("details"), details);
	json_add(j, S("code"), json_new_i64(a, code));
	return j;
}

static void refuse_request(struct arena *a, struct sb_reply *out, int code, const char *reason,
			   struct str message, struct json *details)
{
	reply_json(a, out, code, refusal(a, code, reason, message, details));
}

void reply_expired(struct arena *a, struct sb_reply *out, struct str message, struct str next)
{
	struct json *j = refusal(a, 410, "Expired", message, NULL);

	json_add(json_member(j, S("metadata")), S("continue"), text(a, next));
	reply_json(a, out, 410, j);
}

void reply_status(struct arena *a, struct sb_reply *out, int code, const char *reason,
		  struct str message)
{
	refuse_request(a, out, code, reason, message, NULL);
}

void reply_routed(struct arena *a, struct sb_reply *out, int code, const char *reason,
		  struct str message)
{
	refuse_request(a, out, code, reason, message, json_new(a, JSON_OBJECT));
}

void reply_bad(struct arena *a, struct sb_reply *out, const char *fmt, ...)
{
	struct buf b;
	va_list ap;

	buf_init(&b, a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	reply_status(a, out, 400, "BadRequest", buf_str(&b));
}

static struct json *details(struct arena *a, struct sb_subject s, struct str kind)
{
	struct json *j = json_new(a, JSON_OBJECT);

	if (s.name.n)
		json_add(j, S("name"), text(a, s.name));
	if (s.kind && s.kind->group.n)
		json_add(j, S("group"), text(a, s.kind->group));
	if (s.kind && kind.n)
		json_add(j, S("kind"), text(a, kind));
	return j;
}

static struct str plural(struct sb_subject s)
{
	return s.kind ? s.kind->plural : S("");
}

void reply_not_found(struct arena *a, struct sb_reply *out, struct sb_subject s)
{
	refuse_request(
		a, out, 404, "NotFound",
		str_fmt(a, "%.*s \"%.*s\" not found", STRF(kinds_name(a, s.kind)), STRF(s.name)),
		details(a, s, plural(s)));
}

void reply_exists(struct arena *a, struct sb_reply *out, struct sb_subject s)
{
	refuse_request(a, out, 409, "AlreadyExists",
		       str_fmt(a, "%.*s \"%.*s\" already exists", STRF(kinds_name(a, s.kind)),
			       STRF(s.name)),
		       details(a, s, plural(s)));
}

void reply_conflict(struct arena *a, struct sb_reply *out, struct sb_subject s, struct str why)
{
	refuse_request(a, out, 409, "Conflict",
		       str_fmt(a, "Operation cannot be fulfilled on %.*s \"%.*s\": %.*s",
			       STRF(kinds_name(a, s.kind)), STRF(s.name), STRF(why)),
		       details(a, s, plural(s)));
}

void reply_no_page(struct sb_reply *out)
{
	*out = (struct sb_reply){ .code = 404,
				  .type = "text/plain; charset=utf-8",
				  .body = S("404 page not found\n") };
}

void reply_deleted(struct arena *a, struct sb_reply *out, struct sb_subject s, struct str uid)
{
	struct json *j = status(a, "Success"), *d = details(a, s, plural(s));

	json_add(d, S("uid"), text(a, uid));
	json_add(j, S("details"), d);
	reply_json(a, out, 200, j);
}

/* ---- causes -------------------------------------------------------------- */

void cause_add(struct arena *a, struct sb_causes *c, const char *reason, struct str field,
	       struct str message)
{
	struct sb_cause one = { reason, field, message };

	VEC_PUSH(a, c, one);
}

void cause_value(struct arena *a, struct sb_causes *c, struct str field, const struct json *value,
		 const char *why)
{
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, "Invalid value: ");
	json_encode(&b, value, JSON_NO_HTML);
	buf_addf(&b, ": %s", why);
	cause_add(a, c, "FieldValueInvalid", field, buf_str(&b));
}

void cause_text(struct arena *a, struct sb_causes *c, struct str field, struct str value,
		const char *why)
{
	cause_value(a, c, field, json_new_str(a, value), why);
}

void cause_each(struct arena *a, struct sb_causes *c, struct str field, struct str value,
		struct str bad)
{
	while (bad.n) {
		ptrdiff_t at = str_find(bad, S("; "));
		size_t n = at < 0 ? bad.n : (size_t)at;

		cause_text(a, c, field, value, str_z(a, str_sub(bad, 0, n)));
		bad = str_from(bad, at < 0 ? n : n + 2);
	}
}

void cause_unsupported(struct arena *a, struct sb_causes *c, struct str field, struct str value,
		       const char *values)
{
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, "Unsupported value: ");
	go_quote(&b, value);
	buf_addf(&b, ": supported values: %s", values);
	cause_add(a, c, "FieldValueNotSupported", field, buf_str(&b));
}

void cause_required(struct arena *a, struct sb_causes *c, struct str field, const char *why)
{
	cause_add(a, c, "FieldValueRequired", field,
		  str_fmt(a, "Required value%s%s", *why ? ": " : "", why));
}

static void add_causes(struct arena *a, struct json *d, const struct sb_causes *causes)
{
	struct json *list = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < causes->n; i++) {
		const struct sb_cause *c = &causes->v[i];
		struct json *j = json_new(a, JSON_OBJECT);

		if (*c->reason)
			json_add(j, S("reason"), text(a, str_of(c->reason)));
		json_add(j, S("message"), text(a, c->message));
		if (c->field.n)
			json_add(j, S("field"), text(a, c->field));
		json_push(list, j);
	}
	json_add(d, S("causes"), list);
}

void reply_internal(struct arena *a, struct sb_reply *out, struct str why)
{
	struct json *d = json_new(a, JSON_OBJECT);
	struct sb_cause cause = { "", S(""), why };

	add_causes(a, d, &(struct sb_causes){ &cause, 1, 1 });
	refuse_request(a, out, 500, "InternalError",
		       str_fmt(a, "Internal error occurred: %.*s", STRF(why)), d);
}

void reply_terminating(struct arena *a, struct sb_reply *out, struct sb_subject s, struct str ns)
{
	struct json *d = details(a, s, plural(s));
	struct sb_cause cause = { "NamespaceTerminating", S("metadata.namespace"),
				  str_fmt(a, "namespace %.*s is being terminated", STRF(ns)) };

	add_causes(a, d, &(struct sb_causes){ &cause, 1, 1 });
	refuse_request(a, out, 403, "Forbidden",
		       str_fmt(a,
			       "%.*s \"%.*s\" is forbidden: unable to create new "
			       "content in namespace %.*s because it is being "
			       "terminated",
			       STRF(kinds_name(a, s.kind)), STRF(s.name), STRF(ns)),
		       d);
}

void reply_conflicts(struct arena *a, struct sb_reply *out, struct str message,
		     const struct sb_causes *causes)
{
	struct json *d = json_new(a, JSON_OBJECT);

	add_causes(a, d, causes);
	refuse_request(a, out, 409, "Conflict", message, d);
}

void reply_invalid(struct arena *a, struct sb_reply *out, struct sb_subject s,
		   const struct sb_causes *causes)
{
	struct json *d = details(a, s, s.kind->kind);
	struct map said; /* duplicates are reported once */
	struct buf b, head;

	buf_init(&b, a);
	map_init(&said, a);
	for (size_t i = 0; i < causes->n; i++) {
		struct str one = str_fmt(a, "%.*s: %.*s", STRF(causes->v[i].field),
					 STRF(causes->v[i].message));

		if (map_get(&said, one))
			continue;
		(void)map_put(&said, one, &said);
		buf_addf(&b, "%s%.*s", b.n ? ", " : "", STRF(one));
	}
	buf_init(&head, a);
	buf_addf(&head, "%.*s%s%.*s \"%.*s\" is invalid: ", STRF(s.kind->kind),
		 s.kind->group.n ? "." : "", STRF(s.kind->group), STRF(s.name));
	buf_addf(&head, said.n > 1 ? "[%.*s]" : "%.*s", STRF(buf_str(&b)));
	add_causes(a, d, causes);
	refuse_request(a, out, 422, "Invalid", buf_str(&head), d);
}
