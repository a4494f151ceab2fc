#include "sandbox/write.h"

/*
 * The built-in kinds are structs to an API server: members it does not know
 * vanish, and so do empty values of members that may be left out. Only the
 * outer members are looked at here: what the roles and kubectl write in depth is
 * known to API servers.
 */

/* Whether word is one of those in list, which has a space at both ends. */
static bool listed(const char *list, struct str word)
{
	struct str rest = str_of(list);
	ptrdiff_t at;

	while ((at = str_find(rest, word)) > 0) {
		if (rest.p[at - 1] == ' ' &&
		    rest.p[at + (ptrdiff_t)word.n] == ' ')
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

/* Takes out what is not listed, and what is empty. */
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

static const struct {
	const char *plural, *members;
} outer[] = {
	{ "configmaps", " data binaryData immutable " },
	{ "secrets", " data stringData immutable type " },
	{ "serviceaccounts",
	  " secrets imagePullSecrets automountServiceAccountToken " },
	{ "clusterroles", " rules aggregationRule " },
	{ "roles", " rules " },
	{ "clusterrolebindings", " subjects roleRef " },
	{ "rolebindings", " subjects roleRef " },
	{ "events", " involvedObject reason message source firstTimestamp "
		    "lastTimestamp count type eventTime series action related "
		    "reportingComponent reportingInstance " },
};

void sb_typed(struct sb_call *c, struct json *object)
{
	const char *members = " spec status ";
	struct json *next;

	keep_listed(json_member(object, S("metadata")),
		    " name generateName namespace selfLink uid resourceVersion "
		    "generation creationTimestamp deletionTimestamp "
		    "deletionGracePeriodSeconds labels annotations "
		    "ownerReferences finalizers clusterName managedFields ",
		    true);
	if (c->r->kind->traits & SB_CUSTOM)
		return;
	for (size_t i = 0; i < sizeof(outer) / sizeof(outer[0]); i++)
		if (str_is(c->r->kind->plural, outer[i].plural))
			members = outer[i].members;
	for (struct json *m = json_first(object); m; m = next) {
		struct str key = json_key(m);

		next = json_next(m);
		if (str_is(key, "apiVersion") || str_is(key, "kind") ||
		    str_is(key, "metadata"))
			continue;
		if (!listed(members, key) || json_kind(m) == JSON_NULL ||
		    (members[1] != 's' && empty(m)))
			json_detach(object, m);
	}
}
