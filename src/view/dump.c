/*
 * The dump of a cluster. dump_list decides which rendered MachineConfigs to keep, when
 * all pools and nodes that may refer to them are known.
 */
#include "view/dump.h"

#include "base/map.h"
#include "mc/knode.h"

void dump_init(struct dump *d, struct arena *a)
{
	d->a = a;
	d->items = json_new(a, JSON_ARRAY);
}

/* Puts apiVersion and kind first; built-in kinds have them only in the list. */
static struct json *whole(struct dump *d, const struct json *list, const struct json *item)
{
	struct json *o = json_new(d->a, JSON_OBJECT);
	struct str kind = json_str(list, "kind");

	if (str_ends(kind, S("List")))
		kind.n -= 4;
	json_add(o, S("apiVersion"),
		 json_new_str(d->a, json_str_or(item, "apiVersion", json_str(list, "apiVersion"))));
	json_add(o, S("kind"), json_new_str(d->a, json_str_or(item, "kind", kind)));
	for (const struct json *m = json_first(item); m; m = json_next(m))
		if (!str_is(json_key(m), "apiVersion") && !str_is(json_key(m), "kind"))
			json_add(o, json_key(m), json_clone(d->a, m));
	return o;
}

static bool is_kind(const struct json *o, const char *api, const char *kind)
{
	return str_is(json_str(o, "apiVersion"), api) && str_is(json_str(o, "kind"), kind);
}

void dump_add(struct dump *d, struct json *list)
{
	for (const struct json *m = json_first(json_at(list, "items")); m; m = json_next(m)) {
		struct json *o = whole(d, list, m);

		(void)json_remove(json_at(o, "metadata"), S("managedFields"));
		if (is_kind(o, "v1", "Node"))
			(void)json_remove(json_at(o, "status"), S("images"));
		json_push(d->items, o);
	}
}

static void refer(struct map *used, const struct json *name)
{
	if (json_text(name).n)
		(void)map_put(used, json_text(name), used);
}

static void find_used(const struct dump *d, struct map *used)
{
	for (const struct json *o = json_first(d->items); o; o = json_next(o)) {
		const struct json *notes = json_at(o, "metadata.annotations");

		if (is_kind(o, API_MC, "MachineConfigPool")) {
			refer(used, json_at(o, "spec.configuration.name"));
			refer(used, json_at(o, "status.configuration.name"));
		} else if (is_kind(o, "v1", "Node")) {
			refer(used, json_member(notes, S(ANNO_CURRENT_CONFIG)));
			refer(used, json_member(notes, S(ANNO_DESIRED_CONFIG)));
		}
	}
}

static bool is_rendered(const struct json *o)
{
	return is_kind(o, API_MC, "MachineConfig") &&
	       str_is(json_str(json_first(json_at(o, "metadata.ownerReferences")), "kind"),
		      "MachineConfigPool");
}

struct json *dump_list(struct dump *d)
{
	struct json *out = json_new(d->a, JSON_OBJECT);
	struct json *kept = json_new(d->a, JSON_ARRAY);
	struct json *next;
	struct map used;

	map_init(&used, d->a);
	find_used(d, &used);
	for (struct json *o = json_first(d->items); o; o = next) {
		next = json_next(o);
		if (is_rendered(o) && !map_find(&used, json_str(o, "metadata.name")))
			continue;
		json_detach(d->items, o);
		json_push(kept, o);
	}
	json_add(out, S("apiVersion"), json_new_str(d->a, S("v1")));
	json_add(out, S("items"), kept);
	json_add(out, S("kind"), json_new_str(d->a, S("List")));
	return out;
}
