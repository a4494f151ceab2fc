/*
 * PUT: replaces an object. resourceVersion guards against lost updates; /status and the object
 * itself each write only their own part.
 */
#include "base/codec.h"
#include "sandbox/write.h"

/* Members of metadata that only the server sets. */
static void keep_meta(struct arena *a, struct json *now, const struct json *old)
{
	static const char *const kept[] = {
		"uid",
		"creationTimestamp",
		"deletionTimestamp",
		"deletionGracePeriodSeconds",
		"generation",
		"selfLink",
		"managedFields",
	};

	for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
		struct str key = str_of(kept[i]);
		const struct json *v = json_member(old, key);

		/* keep another uid, so that validation reports it */
		if (i == 0 && json_str(now, "uid").n)
			continue;
		if (v)
			json_set(now, key, json_clone(a, v));
		else
			(void)json_remove(now, key);
	}
}

static void keep_member(struct arena *a, struct json *now, const struct json *old,
			struct str member)
{
	const struct json *v = json_member(old, member);

	if (v)
		json_set(now, member, json_clone(a, v));
	else
		(void)json_remove(now, member);
}

/* Each endpoint writes its own part: /status the status, the other one the rest. */
static struct json *own_part(struct sb_call *c, struct json *now, const struct json *old)
{
	struct json *merged;

	if (str_is(c->r->sub, "status")) {
		merged = json_clone(c->a, old);
		keep_member(c->a, merged, now, S("status"));
		if (!(c->r->kind->traits & SB_CUSTOM))
			keep_member(c->a, merged, now, S("metadata"));
		return merged;
	}
	if (c->r->kind->traits & SB_STATUS)
		keep_member(c->a, now, old, S("status"));
	/* a changed clusterIP replaces clusterIPs */
	if (str_is(c->r->kind->kind, "Service") &&
	    !str_eq(json_str(now, "spec.clusterIP"), json_str(old, "spec.clusterIP")))
		(void)json_remove(sb_object_in(c->a, now, "spec"), S("clusterIPs"));
	return now;
}

/* Whether anything besides metadata and status differs. */
static bool spec_differs(const struct json *x, const struct json *y)
{
	for (const struct json *m = json_first(x); m; m = json_next(m)) {
		struct str key = json_key(m);

		if (!str_is(key, "metadata") && !str_is(key, "status") &&
		    !str_is(key, "apiVersion") && !str_is(key, "kind") &&
		    !json_eq(m, json_member(y, key)))
			return true;
	}
	return false;
}

/* False, answered with a conflict, when the object has changed since. */
static bool same_version(struct sb_call *c, const struct json *now, const struct json *old)
{
	struct str have = json_str(old, "metadata.resourceVersion");
	struct str want = json_str(now, "metadata.resourceVersion");
	struct sb_causes causes = { 0 };
	struct sb_kind named = *c->r->kind;
	int64_t n;

	if (want.n && !str_to_i64(want, &n)) {
		struct buf b;

		buf_init(&b, c->a);
		buf_addz(&b, "strconv.ParseUint: parsing ");
		go_quote(&b, want);
		buf_addz(&b, ": invalid syntax");
		reply_status(c->a, c->out, 500, "", buf_str(&b));
		return false;
	}
	if (want.n && !str_eq(want, have)) {
		reply_conflict(c->a, c->out, request_subject(c->r),
			       S("the object has been modified; please apply "
				 "your changes to the latest version and try "
				 "again"));
		return false;
	}
	if (want.n || !(c->r->kind->traits & (SB_CUSTOM | SB_STRICT)) || c->r->verb == SB_PATCH)
		return true;
	cause_add(c->a, &causes, "FieldValueInvalid", S("metadata.resourceVersion"),
		  S("Invalid value: 0: must be specified for an update"));
	named.kind = named.plural;
	reply_invalid(c->a, c->out, (struct sb_subject){ &named, c->r->name }, &causes);
	return false;
}

/* Whether a deleted object has lost its last finalizer. */
static bool is_finished(const struct json *object)
{
	return json_at(object, "metadata.deletionTimestamp") &&
	       !json_len(json_at(object, "metadata.finalizers")) &&
	       !json_len(json_at(object, "spec.finalizers")) &&
	       json_i64(object, "metadata.deletionGracePeriodSeconds", 0) == 0;
}

/* Without the times at which managers have changed their fields. */
static struct json *timeless(struct arena *a, const struct json *object)
{
	struct json *copy = json_clone(a, object);

	for (struct json *e = json_first(json_at(copy, "metadata.managedFields")); e;
	     e = json_next(e))
		(void)json_remove(e, S("time"));
	return copy;
}

void sb_replace(struct sb_call *c, struct json *now, const struct json *old)
{
	struct str key = request_key(c->a, c->r, c->r->name);
	struct json *meta;
	bool told;

	if (!sb_fit_namespace(c, now) || !same_version(c, now, old))
		return;
	now = own_part(c, now, old);
	meta = sb_meta(c->a, now);
	keep_meta(c->a, meta, json_member(old, S("metadata")));
	if (c->fields)
		json_set(meta, S("managedFields"), c->fields);
	json_set(now, S("kind"), json_new_str(c->a, c->r->kind->kind));
	json_set(now, S("apiVersion"), json_clone(c->a, json_member(old, S("apiVersion"))));
	keep_member(c->a, meta, json_member(old, S("metadata")), S("name"));
	keep_member(c->a, meta, json_member(old, S("metadata")), S("resourceVersion"));
	if (!kind_defaults(c, now, false))
		return;
	told = workload_update(c, now, old);
	if (!sb_valid(c, now, old))
		return;
	meta = sb_meta(c->a, now); /* applying a schema replaces it */
	if (c->r->kind->traits & SB_GENERATION &&
	    (told || spec_differs(now, old) || spec_differs(old, now)))
		json_set(meta, S("generation"),
			 json_new_i64(c->a, json_i64(meta, "generation", 0) + 1));
	/* an apply that changes nothing keeps the time, too */
	if (c->fields && json_eq(timeless(c->a, now), timeless(c->a, old)))
		now = json_clone(c->a, old);
	if (!json_eq(now, old) && !sb_dry_run(c)) {
		/* it is deleted in its last stored version */
		if (is_finished(now))
			sb_drop(c->sb, c->a, c->r->kind, key, json_clone(c->a, old));
		else
			sb_store(c->sb, c->a, c->r->kind, key, now);
	}
	sb_answer(c, 200, now);
}

/* The stored object, or NULL, answered. */
struct json *sb_stored(struct sb_call *c)
{
	struct sb_object *o = store_get(&c->r->kind->objects, request_key(c->a, c->r, c->r->name));
	struct json *old;

	if (!o) {
		reply_not_found(c->a, c->out, request_subject(c->r));
		return NULL;
	}
	old = sb_tree(c->a, o);
	json_set(old, S("apiVersion"),
		 json_new_str(c->a, kinds_api_version(c->a, c->r->kind, c->r->version)));
	return old;
}

static bool uid_fits(struct sb_call *c, const struct json *now, const struct json *old)
{
	struct str want = json_str(now, "metadata.uid");
	struct str have = json_str(old, "metadata.uid");

	if (!want.n || str_eq(want, have))
		return true;
	reply_conflict(c->a, c->out, request_subject(c->r),
		       str_fmt(c->a,
			       "StorageError: invalid object, Code: 4, Key: "
			       "/registry/%.*s%s%.*s/%.*s, ResourceVersion: 0, "
			       "AdditionalErrorMsg: Precondition failed: UID "
			       "in precondition: %.*s, UID in object meta: "
			       "%.*s",
			       STRF(c->r->kind->plural), c->r->ns.n ? "/" : "", STRF(c->r->ns),
			       STRF(c->r->name), STRF(want), STRF(have)));
	return false;
}

void sb_update(struct sb_call *c)
{
	struct json *now, *old;

	if (str_is(c->r->sub, "scale")) {
		old = sb_stored(c);
		if (!old)
			return;
		(void)scale_begin(c, old);
		now = sb_body(c);
		if (now && sb_same_name(c, now))
			scale_replace(c, now, old);
		return;
	}
	now = options_write(c, "UpdateOptions") ? sb_body(c) : NULL;
	if (!now || !sb_same_name(c, now))
		return;
	if (c->r->kind->traits & SB_CREATE_ON_PUT && !c->r->sub.n &&
	    !store_get(&c->r->kind->objects, request_key(c->a, c->r, c->r->name))) {
		(void)json_remove(sb_meta(c->a, now), S("resourceVersion"));
		sb_insert(c, now);
		return;
	}
	old = sb_stored(c);
	if (!old || !uid_fits(c, now, old))
		return;
	if (str_is(c->r->sub, "finalize")) {
		struct json *merged = json_clone(c->a, old);

		keep_member(c->a, merged, now, S("spec"));
		now = merged;
	}
	sb_replace(c, now, old);
}
