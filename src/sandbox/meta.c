/*
 * Stores and deletes objects: resourceVersions, finalizers, grace periods.
 */
#include "base/hash.h"
#include "base/rfc3339.h"
#include "sandbox/sandbox.h"

struct json *sb_tree(struct arena *a, const struct sb_object *o)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;

	/* cannot fail: the text is our own; the tree views a copy, as the object may be freed
	 * before it */
	(void)json_parse(a, str_dup(a, o->text), NULL, &j, &err);
	return j;
}

struct json *sb_meta(struct arena *a, struct json *object)
{
	struct json *meta = json_member(object, S("metadata"));

	if (json_kind(meta) != JSON_OBJECT) {
		meta = json_new(a, JSON_OBJECT);
		json_set(object, S("metadata"), meta);
	}
	return meta;
}

void sb_set_time(struct arena *a, struct json *meta, struct str key, int64_t sec)
{
	struct buf b;

	buf_init(&b, a);
	rfc3339_add(&b, (struct instant){ .sec = sec });
	json_set(meta, key, json_new_str(a, buf_str(&b)));
}

struct str sb_uid(struct sandbox *s, struct arena *a)
{
	struct hash h;
	unsigned char sum[HASH_MAX];

	s->seed++;
	hash_init(&h, HASH_SHA256);
	hash_add(&h, (struct str){ (const char *)&s->seed, sizeof(s->seed) });
	(void)hash_sum(&h, sum);
	return str_fmt(a,
		       "%02x%02x%02x%02x-%02x%02x-4%01x%02x-%02x%02x-"
		       "%02x%02x%02x%02x%02x%02x",
		       sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6] & 15, sum[7],
		       0x80 | (sum[8] & 0x3F), sum[9], sum[10], sum[11], sum[12], sum[13], sum[14],
		       sum[15]);
}

static struct str with_version(struct sandbox *s, struct arena *a, struct json *object)
{
	struct str rv = str_fmt(a, "%llu", (unsigned long long)s->store.rv + 1);

	json_set(sb_meta(a, object), S("resourceVersion"), json_new_str(a, rv));
	return json_format(a, object, JSON_SORTED);
}

void sb_store(struct sandbox *s, struct arena *a, struct sb_kind *k, struct str key,
	      struct json *object)
{
	(void)store_put(&s->store, &k->objects, key, with_version(s, a, object));
	if (str_is(k->plural, "customresourcedefinitions"))
		crd_changed(s, object);
}

void sb_drop(struct sandbox *s, struct arena *a, struct sb_kind *k, struct str key,
	     struct json *object)
{
	s->dirty = true;
	store_delete(&s->store, &k->objects, key, with_version(s, a, object));
	if (str_is(k->plural, "customresourcedefinitions"))
		crd_removed(s, object);
}

/* ---- deleting ------------------------------------------------------------ */

static bool has_text(const struct json *list, struct str text)
{
	for (const struct json *v = json_first(list); v; v = json_next(v))
		if (str_eq(json_text(v), text))
			return true;
	return false;
}

/* Adds or removes the finalizers of a propagation policy. */
static void policy_finalizers(struct arena *a, struct json *meta, struct str policy)
{
	static const char *const names[] = { "orphan", "foregroundDeletion" };
	const char *want = str_is(policy, "Orphan")	  ? names[0]
			   : str_is(policy, "Foreground") ? names[1]
							  : "";
	struct json *list = json_member(meta, S("finalizers"));

	if (!policy.n)
		return;
	if (!list && *want) {
		list = json_new(a, JSON_ARRAY);
		json_set(meta, S("finalizers"), list);
	}
	for (size_t i = 0; list && i < 2; i++) {
		struct json *v = json_first(list);

		while (v && !str_is(json_text(v), names[i]))
			v = json_next(v);
		if (v && strcmp(want, names[i]) != 0)
			json_detach(list, v);
	}
	if (*want && !has_text(list, str_of(want)))
		json_push(list, json_new_str(a, str_of(want)));
	if (list && !json_len(list))
		(void)json_remove(meta, S("finalizers"));
}

static bool is_core(const struct sb_kind *k, const char *plural)
{
	return str_is(k->plural, plural) && !k->group.n;
}

/* The grace period of a pod in seconds; 0 for other kinds. */
static int64_t grace(const struct sb_kind *k, const struct json *object, const struct json *options)
{
	struct str phase = json_str(object, "status.phase");
	int64_t asked = json_i64(options, "gracePeriodSeconds", -1);
	int64_t had = json_i64(object, "metadata.deletionGracePeriodSeconds", -1);

	if (!is_core(k, "pods"))
		return 0;
	if (had >= 0) /* can only be shortened */
		return asked >= 0 && asked < had ? asked : had;
	if (!json_str(object, "spec.nodeName").n || str_is(phase, "Succeeded") ||
	    str_is(phase, "Failed"))
		return 0;
	return asked >= 0 ? asked : json_i64(object, "spec.terminationGracePeriodSeconds", 30);
}

/* A later deletion can only shorten the grace period. */
static bool mark(struct arena *a, struct json *meta, bool namespace, int64_t seconds, int64_t now)
{
	int64_t had = json_i64(meta, "deletionGracePeriodSeconds", 0);
	struct instant began;

	if (rfc3339_parse(json_str(meta, "deletionTimestamp"), &began)) {
		if (had <= seconds)
			return false;
		now = began.sec - had;
	}
	sb_set_time(a, meta, S("deletionTimestamp"), now + seconds);
	if (!namespace)
		json_set(meta, S("deletionGracePeriodSeconds"), json_new_i64(a, seconds));
	return true;
}

bool sb_remove(struct sandbox *s, struct arena *a, struct sb_kind *k, struct str key,
	       struct json *object, const struct json *options, int64_t now)
{
	struct json *meta = sb_meta(a, object);
	int64_t seconds = grace(k, object, options);
	bool namespace = is_core(k, "namespaces");
	bool kept, marked;

	/* jobs are older than garbage collection */
	policy_finalizers(a, meta,
			  json_str_or(options, "propagationPolicy",
				      options && !(k->traits & SB_CUSTOM) && str_is(k->kind, "Job")
					      ? S("Orphan")
					      : S("")));
	kept = json_len(json_member(meta, S("finalizers"))) ||
	       (namespace && json_len(json_at(object, "spec.finalizers"))) || seconds > 0;
	if (!kept && !is_core(k, "pods")) {
		sb_drop(s, a, k, key, object);
		return true;
	}
	marked = mark(a, meta, namespace, seconds, now);
	if (marked && !kept) /* watches see the deletion of a pod in two steps */
		sb_store(s, a, k, key, object);
	if (!kept)
		sb_drop(s, a, k, key, object);
	if (!marked || !kept)
		return !kept;
	if (k->traits & SB_GENERATION)
		json_set(meta, S("generation"),
			 json_new_i64(a, json_i64(meta, "generation", 0) + 1));
	if (namespace) {
		struct json *status = json_new(a, JSON_OBJECT);

		json_add(status, S("phase"), json_new_str(a, S("Terminating")));
		json_set(object, S("status"), status);
	}
	s->dirty = true;
	sb_store(s, a, k, key, object);
	return false;
}
