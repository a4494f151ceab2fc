/*
 * Lists of conditions. Time stamps change only when the status does, as upstream does
 * it.
 */
#include "mc/condition.h"

struct conditions conditions_of(struct arena *a, const struct json *list)
{
	struct conditions out = { 0 };

	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		struct condition c = {
			.type = json_str(j, "type"),
			.status = json_str(j, "status"),
			.reason = json_str(j, "reason"),
			.message = json_str(j, "message"),
			.time = json_str(j, "lastTransitionTime"),
		};

		VEC_PUSH(a, &out, c);
	}
	return out;
}

const struct condition *conditions_find(const struct conditions *list, struct str type)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i].type, type))
			return &list->v[i];
	return NULL;
}

bool conditions_true(const struct conditions *list, const char *type)
{
	const struct condition *c = conditions_find(list, str_of(type));

	return c && str_is(c->status, "True");
}

struct str condition_time(struct arena *a, struct instant now)
{
	struct buf b;

	buf_init(&b, a);
	rfc3339_add(&b, now);
	return buf_str(&b);
}

bool conditions_set(struct arena *a, struct conditions *list, enum condition_rule rule,
		    struct condition c, struct instant now)
{
	const struct condition *old = conditions_find(list, c.type);
	size_t kept = 0;

	if (old && str_eq(old->status, c.status) && str_eq(old->reason, c.reason) &&
	    (rule == CONDITION_NOT_MESSAGE || str_eq(old->message, c.message)))
		return false;
	c.time = old && str_eq(old->status, c.status) ? old->time : condition_time(a, now);
	for (size_t i = 0; i < list->n; i++)
		if (!str_eq(list->v[i].type, c.type))
			list->v[kept++] = list->v[i];
	list->n = kept;
	VEC_PUSH(a, list, c);
	return true;
}

struct json *conditions_json(struct arena *a, const struct conditions *list, bool brief)
{
	struct json *out = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < list->n; i++) {
		const struct condition *c = &list->v[i];
		struct json *j = json_new(a, JSON_OBJECT);

		json_add(j, S("lastTransitionTime"),
			 c->time.n ? json_new_str(a, c->time) : json_new(a, JSON_NULL));
		if (c->message.n || !brief)
			json_add(j, S("message"), json_new_str(a, c->message));
		if (c->reason.n || !brief)
			json_add(j, S("reason"), json_new_str(a, c->reason));
		json_add(j, S("status"), json_new_str(a, c->status));
		json_add(j, S("type"), json_new_str(a, c->type));
		json_push(out, j);
	}
	return out;
}
