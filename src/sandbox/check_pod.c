/*
 * Validation across the fields of a pod, or of a pod template.
 */
#include "base/codec.h"
#include "base/map.h"
#include "base/quantity.h"
#include "sandbox/sandbox.h"

struct check {
	struct arena *a;
	struct sb_causes *causes;
};

static void duplicate(struct check *k, struct str field, struct str value)
{
	struct buf b;

	buf_init(&b, k->a);
	buf_addz(&b, "Duplicate value: ");
	json_add_quoted(&b, value, JSON_NO_HTML);
	cause_add(k->a, k->causes, "FieldValueDuplicate", field, buf_str(&b));
}

static void note(struct map *names, const struct json *list)
{
	for (const struct json *e = json_first(list); e; e = json_next(e))
		(void)map_put(names, json_str(e, "name"), names);
}

static void init_names(struct check *k, struct str path, const struct json *spec)
{
	struct map names;
	size_t i = 0;

	map_init(&names, k->a);
	note(&names, json_at(spec, "containers"));
	for (const struct json *c = json_first(json_at(spec, "initContainers")); c;
	     c = json_next(c), i++) {
		struct str name = json_str(c, "name");

		if (!map_put(&names, name, k))
			duplicate(k, str_fmt(k->a, "%.*s.initContainers[%zu].name", STRF(path), i),
				  name);
	}
}

/* Mounts refer to volumes of the pod, each with a mount path of its own. */
static void mounts(struct check *k, struct str path, const struct map *volumes,
		   const struct json *list)
{
	struct map places;
	size_t i = 0;

	map_init(&places, k->a);
	for (const struct json *m = json_first(list); m; m = json_next(m), i++) {
		struct str name = json_str(m, "name");
		struct str place = json_str(m, "mountPath");
		struct str at = str_fmt(k->a, "%.*s.volumeMounts[%zu]", STRF(path), i);
		struct buf b;

		if (!map_put(&places, place, k))
			cause_text(k->a, k->causes, str_fmt(k->a, "%.*s.mountPath", STRF(at)),
				   place, "must be unique");
		if (map_get(volumes, name))
			continue;
		buf_init(&b, k->a);
		buf_addz(&b, "Not found: ");
		json_add_quoted(&b, name, JSON_NO_HTML);
		cause_add(k->a, k->causes, "FieldValueNotFound",
			  str_fmt(k->a, "%.*s.name", STRF(at)), buf_str(&b));
	}
}

/* Thousandths: what is finer was written with an m. */
static int64_t milli(struct arena *a, const struct json *v)
{
	struct err err = ERR_INIT(a);
	struct quantity q = { .text = S("") };
	int64_t n;

	(void)quantity_parse(a, json_text(v), &q, &err);
	if (str_ends(q.text, S("m")) && str_to_i64(str_sub(q.text, 0, q.text.n - 1), &n))
		return n;
	return q.value > INT64_MAX / 1000 ? INT64_MAX : q.value * 1000;
}

static void resources(struct check *k, struct str path, const struct json *container)
{
	const struct json *limits = json_at(container, "resources.limits");

	for (const struct json *r = json_first(json_at(container, "resources.requests")); r;
	     r = json_next(r)) {
		const struct json *limit = json_member(limits, json_key(r));

		if (limit && milli(k->a, r) > milli(k->a, limit))
			cause_text(k->a, k->causes,
				   str_fmt(k->a, "%.*s.resources.requests", STRF(path)),
				   json_text(r),
				   str_z(k->a, str_fmt(k->a,
						       "must be less than or equal "
						       "to %.*s limit of %.*s",
						       STRF(json_key(r)), STRF(json_text(limit)))));
	}
}

static void toleration(struct check *k, struct str path, const struct json *t)
{
	struct str key = json_str(t, "key");
	struct str op = json_str(t, "operator");
	struct str value = json_str(t, "value");
	struct str effect = json_str(t, "effect");
	struct str at = str_fmt(k->a, "%.*s.operator", STRF(path));
	bool exists = str_is(op, "Exists");

	if (!key.n && !exists)
		cause_text(k->a, k->causes, at, op,
			   "operator must be Exists when `key` is empty, which "
			   "means \"match all values and all keys\"");
	if (json_at(t, "tolerationSeconds") && !str_is(effect, "NoExecute"))
		cause_text(k->a, k->causes, str_fmt(k->a, "%.*s.effect", STRF(path)), effect,
			   "effect must be 'NoExecute' when "
			   "`tolerationSeconds` is set");
	if (!op.n || str_is(op, "Equal"))
		cause_each(k->a, k->causes, at, value, filter_bad_value(k->a, value));
}

void sb_check_pod(struct arena *a, const struct json *spec, struct str path,
		  struct sb_causes *causes)
{
	static const char *const lists[] = { "containers", "initContainers" };
	struct check k = { a, causes };
	struct map volumes;
	size_t n = 0;

	map_init(&volumes, a);
	note(&volumes, json_at(spec, "volumes"));
	init_names(&k, path, spec);
	for (size_t i = 0; i < 2; i++) {
		const struct json *c = json_first(json_member(spec, str_of(lists[i])));

		for (n = 0; c; c = json_next(c)) {
			struct str at = str_fmt(a, "%.*s.%s[%zu]", STRF(path), lists[i], n++);

			mounts(&k, at, &volumes, json_at(c, "volumeMounts"));
			resources(&k, at, c);
		}
	}
	n = 0;
	for (const struct json *t = json_first(json_at(spec, "tolerations")); t; t = json_next(t))
		toleration(&k, str_fmt(a, "%.*s.tolerations[%zu]", STRF(path), n++), t);
}
