/*
 * Metadata is a struct in an API server: unknown members, and empty values of optional members, are
 * dropped.
 */
#include "sandbox/write.h"

/* Whether word is in list, which begins and ends with a space. */
static bool listed(const char *list, struct str word)
{
	struct str rest = str_of(list);
	ptrdiff_t at;

	while ((at = str_find(rest, word)) > 0) {
		if (rest.p[at - 1] == ' ' && rest.p[at + (ptrdiff_t)word.n] == ' ')
			return word.n > 0;
		rest = str_from(rest, (size_t)at + word.n);
	}
	return false;
}

static bool empty(const struct json *v)
{
	switch (json_kind(v)) {
	case JSON_NULL:
		return true;
	case JSON_OBJECT:
	case JSON_ARRAY:
		return !json_first(v);
	case JSON_STRING:
		return !json_text(v).n;
	case JSON_BOOL:
	case JSON_NUMBER:
		break;
	}
	return false;
}

/* Removes members that are not listed or empty. */
static void keep_listed(struct json *object, const char *list, bool drop_empty)
{
	struct json *next;

	for (struct json *m = json_first(object); m; m = next) {
		next = json_next(m);
		if (!listed(list, json_key(m)) || json_kind(m) == JSON_NULL ||
		    (drop_empty && empty(m)))
			json_detach(object, m);
	}
}

void sb_typed(struct sb_call *c, struct json *object)
{
	keep_listed(json_member(object, S("metadata")),
		    " name generateName namespace selfLink uid resourceVersion "
		    "generation creationTimestamp deletionTimestamp "
		    "deletionGracePeriodSeconds labels annotations "
		    "ownerReferences finalizers clusterName managedFields ",
		    true);
	/* the other built-in kinds have a struct in builtin/types */
	if (!(c->r->kind->traits & SB_CUSTOM) && !c->r->kind->type)
		keep_listed(object, " apiVersion kind metadata spec status ", false);
}
