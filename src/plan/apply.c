/*
 * Upstream's ApplyMachineConfig: merges the required object into the existing one and
 * writes only when the result differs.
 */
#include "plan/apply.h"

#include "mc/object.h"

static struct json *member_object(struct arena *a, struct json *parent, struct str key)
{
	struct json *j = json_member(parent, key);

	if (json_kind(j) == JSON_OBJECT)
		return j;
	j = json_new(a, JSON_OBJECT);
	json_set(parent, key, j);
	return j;
}

/* Sets each key of required; other keys stay. */
static bool merge_map(struct arena *a, struct json *meta, const struct json *required,
		      struct str key)
{
	bool changed = false;

	for (const struct json *m = json_first(json_member(required, key)); m; m = json_next(m)) {
		struct json *map = member_object(a, meta, key);

		if (json_eq(json_member(map, json_key(m)), m))
			continue;
		json_set(map, json_key(m), json_clone(a, m));
		changed = true;
	}
	return changed;
}

static struct str group(const struct json *owner)
{
	struct str api = json_str(owner, "apiVersion");
	struct str g = S(""), v;

	(void)str_cut(api, '/', &g, &v);
	return g;
}

static bool same_owner(const struct json *x, const struct json *y)
{
	return str_eq(group(x), group(y)) && str_eq(json_str(x, "kind"), json_str(y, "kind")) &&
	       str_eq(json_str(x, "name"), json_str(y, "name"));
}

static bool merge_owners(struct arena *a, struct json *meta, const struct json *required)
{
	struct str key = S("ownerReferences");
	struct json *list = json_member(meta, key);
	bool changed = false;

	for (const struct json *r = json_first(json_member(required, key)); r; r = json_next(r)) {
		struct json *old = NULL;

		if (json_kind(list) != JSON_ARRAY) {
			list = json_new(a, JSON_ARRAY);
			json_set(meta, key, list);
		}
		for (struct json *o = json_first(list); o; o = json_next(o))
			if (same_owner(o, r))
				old = o;
		if (old && json_eq(old, r))
			continue;
		if (old)
			json_replace(list, old, json_clone(a, r));
		else
			json_push(list, json_clone(a, r));
		changed = true;
	}
	return changed;
}

bool apply_meta(struct arena *a, struct json *meta, const struct json *required)
{
	bool changed = merge_map(a, meta, required, S("labels"));

	changed |= merge_map(a, meta, required, S("annotations"));
	changed |= merge_owners(a, meta, required);
	return changed;
}

/* An absent list, null and [] are equal; so are absent and false. */
static bool same_value(const struct json *x, const struct json *y)
{
	bool x_empty = !json_len(x) && json_kind(x) != JSON_STRING && json_kind(x) != JSON_NUMBER &&
		       !json_is_true(x);
	bool y_empty = !json_len(y) && json_kind(y) != JSON_STRING && json_kind(y) != JSON_NUMBER &&
		       !json_is_true(y);

	return (x_empty && y_empty) || json_eq(x, y);
}

static bool merge_spec(struct arena *a, struct json *spec, const struct json *required)
{
	static const struct {
		const char *name;
		bool if_set;
	} members[] = {
		{ "osImageURL", true },
		{ "kernelType", true },
		{ "baseOSExtensionsContainerImage", true },
		{ "kernelArguments", false },
		{ "config", false },
		{ "fips", false },
		{ "extensions", false },
	};
	bool changed = false;

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		struct str key = str_of(members[i].name);
		const struct json *r = json_member(required, key);

		if (members[i].if_set && !json_text(r).n)
			continue;
		if (same_value(json_member(spec, key), r))
			continue;
		if (r)
			json_set(spec, key, json_clone(a, r));
		else
			json_remove(spec, key);
		changed = true;
	}
	return changed;
}

static struct action *add_write(struct arena *a, struct actions *out, enum action_kind kind,
				struct str path, const struct json *object, struct str reason)
{
	struct action *act = action_add(a, out, kind, path,
					out->objects ? S("") : json_format(a, object, 0), reason);

	act->object = object;
	return act;
}

struct action *apply_replace(struct arena *a, const char *plural, const struct json *object,
			     const char *part, struct str reason, struct actions *out)
{
	struct str name = json_str(object, "metadata.name");

	return add_write(a, out, ACTION_REPLACE,
			 str_fmt(a, PATH_MC "%s/%.*s%s", plural, STRF(name), part), object, reason);
}

bool apply_mc(struct arena *a, const struct json *existing, const struct json *required,
	      struct str reason, struct actions *out)
{
	struct json *j;
	bool changed;

	if (!existing) {
		(void)add_write(a, out, ACTION_CREATE, S(PATH_MC "machineconfigs"), required,
				reason);
		return true;
	}
	j = json_clone(a, existing);
	changed = apply_meta(a, member_object(a, j, S("metadata")), json_at(required, "metadata"));
	changed |= merge_spec(a, member_object(a, j, S("spec")), json_at(required, "spec"));
	if (changed)
		apply_replace(a, "machineconfigs", j, "", reason, out);
	return changed;
}
