/*
 * POST: creates an object. The server sets uid, creationTimestamp, generation and resourceVersion,
 * whatever the body has.
 */
#include "sandbox/write.h"

static void generate_name(struct sb_call *c, struct json *meta)
{
	static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
	struct str base = json_str(meta, "generateName");
	struct str uid = sb_uid(c->sb, c->a);
	char tail[6] = { 0 };

	if (json_str(meta, "name").n || !base.n)
		return;
	for (size_t i = 0; i < 5; i++)
		tail[i] = letters[((unsigned char)uid.p[i] * 7u +
				   (unsigned char)uid.p[i + 24] * 31u) %
				  (sizeof(letters) - 1)];
	json_set(meta, S("name"),
		 json_new_str(c->a, str_fmt(c->a, "%.*s%s", STRF(str_sub(base, 0, 58)), tail)));
}

/* Sets what only the server sets in a new object. */
static void birth(struct sb_call *c, struct json *object)
{
	const struct sb_kind *k = c->r->kind;
	struct json *meta = sb_meta(c->a, object);

	(void)json_remove(meta, S("deletionTimestamp"));
	(void)json_remove(meta, S("deletionGracePeriodSeconds"));
	(void)json_remove(meta, S("selfLink"));
	(void)json_remove(meta, S("managedFields"));
	if (c->fields)
		json_set(meta, S("managedFields"), c->fields);
	json_set(meta, S("uid"), json_new_str(c->a, sb_uid(c->sb, c->a)));
	sb_set_time(c->a, meta, S("creationTimestamp"), c->r->now);
	if (k->traits & SB_GENERATION)
		json_set(meta, S("generation"), json_new_i64(c->a, 1));
	if (k->traits & SB_CUSTOM && k->traits & SB_STATUS)
		(void)json_remove(object, S("status"));
	/* an existing member keeps its position */
	if (!json_member(object, S("kind")))
		json_add(object, S("kind"), json_new_str(c->a, k->kind));
	json_set(object, S("apiVersion"),
		 json_new_str(c->a, kinds_api_version(c->a, k, c->r->version)));
}

static bool namespace_exists(struct sb_call *c, struct str name)
{
	struct sb_kind *ns = kinds_of(&c->sb->kinds, S(""), S("namespaces"));
	struct sb_object *o;

	if (!c->r->ns.n)
		return true;
	o = store_get(&ns->objects, c->r->ns);
	if (!o) {
		reply_not_found(c->a, c->out, (struct sb_subject){ ns, c->r->ns });
		return false;
	}
	if (json_at(sb_tree(c->a, o), "metadata.deletionTimestamp")) {
		reply_terminating(c->a, c->out, (struct sb_subject){ c->r->kind, name }, c->r->ns);
		return false;
	}
	return true;
}

/* Its owners may not exist: schedules garbage collection a moment later, since many objects may
 * be created at once. */
static void look_for_owners(struct sb_call *c, const struct json *meta)
{
	if (json_member(meta, S("ownerReferences")) && !c->sb->due)
		c->sb->due = (c->r->now + 1) * 1000;
}

void sb_insert(struct sb_call *c, struct json *object)
{
	struct json *meta = sb_meta(c->a, object);
	struct str key;

	if (!sb_fit_namespace(c, object) || !namespace_exists(c, json_str(meta, "name")))
		return;
	generate_name(c, meta);
	c->r->name = json_str(meta, "name");
	birth(c, object);
	if (!kind_defaults(c, object, true) || !sb_valid(c, object, NULL))
		return;
	key = request_key(c->a, c->r, c->r->name);
	if (store_get(&c->r->kind->objects, key)) {
		reply_exists(c->a, c->out, request_subject(c->r));
		return;
	}
	if (!sb_dry_run(c)) {
		sb_store(c->sb, c->a, c->r->kind, key, object);
		look_for_owners(c, meta);
	}
	sb_answer(c, 201, object);
}

void sb_create(struct sb_call *c)
{
	struct json *object;

	if (str_is(c->r->sub, "eviction")) {
		sb_evict(c);
		return;
	}
	object = options_write(c, "CreateOptions") ? sb_body(c) : NULL;
	if (!object)
		return;
	if (c->r->kind->traits & SB_REVIEW) {
		/* an authenticated client may do everything */
		json_set(object, S("metadata"), json_new(c->a, JSON_OBJECT));
		(void)sb_meta(c->a, object);
		json_set(sb_object_in(c->a, object, "status"), S("allowed"),
			 json_new_bool(c->a, true));
		sb_answer(c, 201, object);
		return;
	}
	if (json_str(object, "metadata.resourceVersion").n) {
		reply_status(c->a, c->out, 500, "",
			     S("resourceVersion should not be set on objects "
			       "to be created"));
		return;
	}
	sb_insert(c, object);
}
