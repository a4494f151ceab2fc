/*
 * A Scale is a view of a part of another object: it is read from that object, validated and patched
 * as an object of its own kind, and written back to it.
 */
#include "sandbox/table.h"
#include "sandbox/write.h"

struct json *sb_scale(struct sb_call *c, const struct json *object)
{
	static const char *const kept[] = { "name", "namespace", "uid", "resourceVersion",
					    "creationTimestamp" };
	const struct json *from = json_member(object, S("metadata"));
	struct json *scale = json_new(c->a, JSON_OBJECT), *part;
	int64_t n = json_i64(object, "spec.replicas", 0);

	json_add_str(c->a, scale, "kind", S("Scale"));
	json_add_str(c->a, scale, "apiVersion", S("autoscaling/v1"));
	part = json_add_object(c->a, scale, "metadata");
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		json_add_str(c->a, part, kept[i], json_str(from, kept[i]));
	part = json_add_object(c->a, scale, "spec");
	if (n)
		json_add(part, S("replicas"), json_new_i64(c->a, n));
	part = json_add_object(c->a, scale, "status");
	json_add(part, S("replicas"), json_new_i64(c->a, json_i64(object, "status.replicas", 0)));
	json_add_str(c->a, part, "selector",
		     cell_text(c, object, c->r->kind->group.n ? S("L") : S("l.spec.selector")));
	return scale;
}

/* c->own keeps the version of the original kind. */
struct json *scale_begin(struct sb_call *c, const struct json *stored)
{
	struct sb_kind *k = arena_alloc(c->a, sizeof(*k));
	struct sb_version *v = arena_alloc(c->a, sizeof(*v));
	struct json *scale = sb_scale(c, stored);

	*v = (struct sb_version){ .name = S("v1"), .columns = NULL };
	*k = (struct sb_kind){ .group = S("autoscaling"),
			       .kind = S("Scale"),
			       .plural = S("scales"),
			       .type = types_find(&c->sb->kinds.types, S("Scale")),
			       .traits = SB_NAMESPACED,
			       .v = v,
			       .n = 1,
			       .next = c->r->kind };
	c->own = c->r->version;
	c->r->kind = k;
	c->r->version = v;
	return scale;
}

void scale_replace(struct sb_call *c, struct json *now, const struct json *stored)
{
	struct json *object = json_clone(c->a, stored), *rv;

	if (!kind_defaults(c, now, false) || !sb_valid(c, now, NULL))
		return;
	c->r->kind = c->r->kind->next;
	c->r->version = c->own;
	json_set(sb_object_in(c->a, object, "spec"), S("replicas"),
		 json_new_i64(c->a, json_i64(now, "spec.replicas", 0)));
	rv = json_at(now, "metadata.resourceVersion");
	(void)json_remove(sb_meta(c->a, object), S("resourceVersion"));
	if (rv)
		json_set(sb_meta(c->a, object), S("resourceVersion"), json_clone(c->a, rv));
	sb_replace(c, object, stored);
}
