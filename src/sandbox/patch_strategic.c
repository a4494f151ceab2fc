/*
 * Strategic merge patches of built-in kinds: directives, lists merged by key, and the order of
 * merged lists as in the API server.
 */
#include "base/map.h"
#include "sandbox/patch.h"

/*
 * Lists whose elements are merged by a key; "" for lists of plain values. Every
 * other list is replaced.
 */
static const struct {
	const char *field, *key;
} merged[] = {
	{ "conditions", "type" },
	{ "addresses", "type" },
	{ "ownerReferences", "uid" },
	{ "finalizers", "" },
	{ "podCIDRs", "" },
	{ "containers", "name" },
	{ "initContainers", "name" },
	{ "ephemeralContainers", "name" },
	{ "env", "name" },
	{ "volumes", "name" },
	{ "volumeMounts", "mountPath" },
	{ "volumeDevices", "devicePath" },
	{ "imagePullSecrets", "name" },
	{ "hostAliases", "ip" },
	{ "podIPs", "ip" },
	{ "topologySpreadConstraints", "topologyKey" },
	{ "secrets", "name" },
};

/* NULL: the list is replaced as a whole. The key of ports depends on their members. */
static const char *merge_key(struct str field, const struct json *patch)
{
	if (str_is(field, "ports"))
		return json_at(json_first(patch), "containerPort") ? "containerPort" : "port";
	for (size_t i = 0; i < ARRAY_LEN(merged); i++)
		if (str_is(field, merged[i].field))
			return merged[i].key;
	return NULL;
}

static struct json *merge_patch(struct arena *a, struct json *target, const struct json *patch,
				struct err *err);

static void print_value(struct buf *b, const struct json *v)
{
	bool map = json_kind(v) == JSON_OBJECT;

	if (!map && json_kind(v) != JSON_ARRAY) {
		buf_add(b, json_kind(v) == JSON_NULL   ? S("<nil>")
			   : json_kind(v) != JSON_BOOL ? json_text(v)
			   : json_is_true(v)	       ? S("true")
						       : S("false"));
		return;
	}
	buf_addz(b, map ? "map[" : "[");
	for (const struct json *m = json_first(v); m; m = json_next(m)) {
		buf_addz(b, m == json_first(v) ? "" : " ");
		if (map)
			buf_addf(b, "%.*s:", STRF(json_key(m)));
		print_value(b, m);
	}
	buf_addc(b, ']');
}

struct str patch_text(struct arena *a, const struct json *patch)
{
	struct err err = ERR_INIT(a);
	struct json *sorted = NULL;
	struct buf b;

	(void)json_parse(a, json_format(a, patch, JSON_SORTED), NULL, &sorted, &err);
	buf_init(&b, a);
	print_value(&b, sorted);
	return buf_str(&b);
}

static bool is_directive(struct str key)
{
	return key.n && key.p[0] == '$';
}

/* A copy without directives and nulls: the result of a patch of an absent value. */
static struct json *fresh_copy(struct arena *a, const struct json *patch, struct err *err)
{
	if (json_kind(patch) != JSON_OBJECT)
		return json_clone(a, patch);
	return merge_patch(a, json_new(a, JSON_OBJECT), patch, err);
}

static struct json *find_element(const struct json *list, const char *key, const struct json *like)
{
	const struct json *want = *key ? json_member(like, str_of(key)) : like;
	struct json *v = json_first(list);

	while (v && !json_eq(*key ? json_member(v, str_of(key)) : v, want))
		v = json_next(v);
	return v;
}

static struct json *merge_list(struct arena *a, struct json *target, const struct json *patch,
			       const char *key, struct err *err)
{
	for (const struct json *v = json_first(patch); v; v = json_next(v)) {
		struct json *old = find_element(target, key, v);
		struct str directive = json_str(v, "$patch");
		struct json *now;

		if (str_is(directive, "replace"))
			continue;
		if (*key && !json_member(v, str_of(key)) && !directive.n) {
			(void)err_set(err, ERR_INVALID,
				      "map: %.*s does not contain declared "
				      "merge key: %s",
				      STRF(patch_text(a, v)), key);
			return NULL;
		}
		if (str_is(directive, "delete")) {
			if (old)
				json_detach(target, old);
			continue;
		}
		now = old && *key ? merge_patch(a, json_clone(a, old), v, err)
				  : fresh_copy(a, v, err);
		if (!now)
			return NULL;
		if (old)
			json_replace(target, old, now);
		else
			json_push(target, now);
	}
	return target;
}

/* The index of v in list, by key; -1 when absent. */
static long element_index(const struct json *list, const char *key, const struct json *v)
{
	const struct json *want = *key ? json_member(v, str_of(key)) : v;
	long i = 0;

	for (const struct json *m = json_first(list); m; m = json_next(m), i++)
		if (json_eq(*key ? json_member(m, str_of(key)) : m, want))
			return i;
	return -1;
}

/*
 * Elements that the patch names are in its order, the others in their old order, and one of the
 * others stays before a named one if it was before it.
 */
static struct json *order_list(struct arena *a, struct json *all, const struct json *before,
			       const struct json *order, const char *key)
{
	struct json *out = json_new(a, JSON_ARRAY);
	const struct json *left = json_first(all), *right = json_first(order);

	for (;;) {
		const struct json *named = right;
		long l, r;

		while (left && element_index(order, key, left) >= 0)
			left = json_next(left);
		while (named && element_index(all, key, named) < 0)
			named = json_next(named);
		right = named;
		if (!left && !right)
			return out;
		l = left ? element_index(before, key, left) : -1;
		r = right ? element_index(before, key, right) : -1;
		if (left && (!right || (l >= 0 && r >= 0 && l < r))) {
			json_push(out, json_clone(a, left));
			left = json_next(left);
		} else {
			json_push(out, json_clone(a, find_element(all, key, right)));
			right = json_next(right);
		}
	}
}

/* Whether an element has the directive to replace the list. */
static bool replaces_list(const struct json *patch)
{
	for (const struct json *v = json_first(patch); v; v = json_next(v))
		if (str_is(json_str(v, "$patch"), "replace"))
			return true;
	return false;
}

static struct json *list(struct arena *a, const struct json *old, const struct json *patch,
			 const struct json *order, struct err *err)
{
	const char *key = merge_key(json_key(patch), patch);
	struct json *all;

	if (!key)
		return json_clone(a, patch);
	if (json_kind(old) == JSON_ARRAY && !replaces_list(patch)) {
		all = merge_list(a, json_clone(a, old), patch, key, err);
		return all ? order_list(a, all, old, order ? order : patch, key) : NULL;
	}
	return merge_list(a, json_new(a, JSON_ARRAY), patch, key, err);
}

/* $deleteFromPrimitiveList/field: [values] */
static void delete_values(struct json *target, const struct json *m)
{
	struct str field = str_from(json_key(m), sizeof("$deleteFromPrimitiveList/") - 1);
	struct json *values = json_member(target, field);

	for (const struct json *v = json_first(m); values && v; v = json_next(v)) {
		struct json *old = find_element(values, "", v);

		if (old)
			json_detach(values, old);
	}
}

static bool member(struct arena *a, struct json *target, const struct json *patch,
		   const struct json *m, struct err *err)
{
	struct str key = json_key(m);
	struct json *old = json_member(target, key), *now;

	if (str_starts(key, S("$deleteFromPrimitiveList/"))) {
		delete_values(target, m);
		return true;
	}
	if (is_directive(key))
		return true;
	switch (json_kind(m)) {
	case JSON_NULL:
		(void)json_remove(target, key);
		return true;
	case JSON_ARRAY:
		now = list(a, old, m,
			   json_member(patch, str_fmt(a, "$setElementOrder/%.*s", STRF(key))), err);
		break;
	case JSON_OBJECT:
		now = json_kind(old) == JSON_OBJECT ? merge_patch(a, json_clone(a, old), m, err)
						    : fresh_copy(a, m, err);
		break;
	default:
		now = json_clone(a, m);
		break;
	}
	if (now)
		json_set(target, key, now);
	return now != NULL;
}

/* Removes members that $retainKeys does not name. */
static void retain_keys(struct json *target, const struct json *keys)
{
	struct json *next;

	for (struct json *m = keys ? json_first(target) : NULL; m; m = next) {
		const struct json *k = json_first(keys);

		next = json_next(m);
		while (k && !str_eq(json_text(k), json_key(m)))
			k = json_next(k);
		if (!k)
			json_detach(target, m);
	}
}

/* Changes target, which is a copy. NULL and err when the patch is malformed. */
static struct json *merge_patch(struct arena *a, struct json *target, const struct json *patch,
				struct err *err)
{
	struct str directive = json_str(patch, "$patch");

	if (str_is(directive, "replace")) {
		struct json *all = json_clone(a, patch);

		(void)json_remove(all, S("$patch"));
		return all;
	}
	if (str_is(directive, "delete"))
		return json_new(a, JSON_OBJECT);
	if (directive.n && !str_is(directive, "merge")) {
		(void)err_set(err, ERR_INVALID, "unknown patch type: %.*s in map: %.*s",
			      STRF(directive), STRF(patch_text(a, patch)));
		return NULL;
	}
	retain_keys(target, json_member(patch, S("$retainKeys")));
	for (const struct json *m = json_first(patch); m; m = json_next(m))
		if (!member(a, target, patch, m, err))
			return NULL;
	return target;
}

int patch_strategic(struct arena *a, const struct json *target, const struct json *patch,
		    struct json **out, struct err *err)
{
	struct json *now = merge_patch(a, json_clone(a, target), patch, err);

	if (!now)
		return -ERR_INVALID;
	*out = now;
	return 0;
}
