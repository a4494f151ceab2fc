/*
 * CustomResourceDefinitions: a stored one defines its kind at once, a deleted one deletes the
 * objects of its kind.
 */
#include "sandbox/watch.h"

static void condition(struct arena *a, struct json *list, const char *type, const char *reason,
		      const char *message, int64_t now)
{
	struct json *c = json_new(a, JSON_OBJECT);

	json_add(c, S("type"), json_new_str(a, str_of(type)));
	json_add(c, S("status"), json_new_str(a, S("True")));
	sb_set_time(a, c, S("lastTransitionTime"), now);
	json_add(c, S("reason"), json_new_str(a, str_of(reason)));
	json_add(c, S("message"), json_new_str(a, str_of(message)));
	json_push(list, c);
}

static void name_default(struct arena *a, struct json *names, const char *key, struct str value)
{
	if (!json_member(names, str_of(key)))
		json_add(names, str_of(key), json_new_str(a, value));
}

void crd_prepare(struct arena *a, struct json *crd, int64_t now)
{
	struct json *spec = json_at(crd, "spec"), *names, *status, *list;
	struct str kind;
	char *singular;

	names = json_member(spec, S("names"));
	if (json_kind(names) != JSON_OBJECT)
		return;
	kind = json_str(names, "kind");
	singular = str_z(a, kind);
	for (char *p = singular; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	if (!json_member(spec, S("conversion"))) {
		struct json *none = json_new(a, JSON_OBJECT);

		json_add(none, S("strategy"), json_new_str(a, S("None")));
		json_add(spec, S("conversion"), none);
	}
	name_default(a, names, "singular", str_of(singular));
	name_default(a, names, "listKind", str_fmt(a, "%.*sList", STRF(kind)));
	if (json_at(crd, "status.conditions"))
		return;
	status = json_new(a, JSON_OBJECT);
	list = json_new(a, JSON_ARRAY);
	condition(a, list, "NamesAccepted", "NoConflicts", "no conflicts found", now);
	condition(a, list, "Established", "InitialNamesAccepted",
		  "the initial names have been accepted", now);
	json_add(status, S("conditions"), list);
	json_add(status, S("acceptedNames"), json_clone(a, names));
	list = json_new(a, JSON_ARRAY);
	for (struct json *v = json_first(json_at(spec, "versions")); v; v = json_next(v))
		if (json_bool(v, "storage", false))
			json_push(list, json_new_str(a, json_str(v, "name")));
	json_add(status, S("storedVersions"), list);
	json_set(crd, S("status"), status);
}

void crd_changed(struct sandbox *s, struct json *crd)
{
	struct str group = json_str(crd, "spec.group");
	struct str plural = json_str(crd, "spec.names.plural");
	bool is_new = !kinds_of(&s->kinds, group, plural);
	struct sb_kind *k;

	kinds_define(&s->kinds, crd);
	k = kinds_of(&s->kinds, group, plural);
	if (k && is_new)
		k->since = s->store.rv;
	if (k)
		watch_redefine(s, k);
}

void crd_removed(struct sandbox *s, const struct json *crd)
{
	struct arena a = ARENA_INIT;
	struct str group = json_str(crd, "spec.group");
	struct str plural = json_str(crd, "spec.names.plural");
	struct sb_kind *k = kinds_of(&s->kinds, group, plural);

	/* Watches get an event for each object before they end. */
	while (k && k->objects.n) {
		struct sb_object *o = k->objects.v[k->objects.n - 1];

		sb_drop(s, &a, k, str_dup(&a, o->key), sb_tree(&a, o));
	}
	if (k && k->traits & SB_FROM_CRD)
		kinds_retire(&s->kinds, k, &s->store);
	arena_free(&a);
}
