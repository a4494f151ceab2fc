/*
 * The work of controller manager and kubelets, as far as the roles rely on it: deletes objects
 * whose owners do not exist, empties terminating namespaces, and ends pods that are being deleted.
 */
#include "base/map.h"
#include "base/rfc3339.h"
#include "sandbox/write.h"

struct pass {
	struct sandbox *s;
	struct arena *a;
	struct map uids; /* the set of the uids of all objects */
	int64_t now; /* ms */
	bool changed;
	int64_t next; /* ms until there is more work, or -1 */
};

static struct str uid_of(const struct json *o)
{
	return json_str(o, "metadata.uid");
}

static void for_each_object(struct pass *p, const char *needle,
			    void (*fn)(struct pass *p, struct sb_kind *k, struct str key,
				       struct json *o))
{
	for (struct sb_kind *k = p->s->kinds.first; k; k = k->next)
		for (size_t i = k->objects.n; i-- > 0;) {
			struct sb_object *o = k->objects.v[i];

			if (str_find(o->text, str_of(needle)) >= 0)
				fn(p, k, str_dup(p->a, o->key), sb_tree(p->a, o));
			if (i > k->objects.n)
				i = k->objects.n;
		}
}

/* ---- owners -------------------------------------------------------------- */

static void note_uid(struct pass *p, const struct sb_object *o)
{
	static const struct str mark = S_INIT("\"uid\":\"");
	struct str text = o->text;
	ptrdiff_t at;

	/* the text may contain uids of other objects too; it is parsed, to find the object's own,
	 * only when it contains more than one */
	at = str_find(text, mark);
	if (at < 0)
		return;
	if (str_find(str_from(text, (size_t)at + 7), mark) < 0) {
		struct str uid = str_from(text, (size_t)at + 7);

		(void)map_put(&p->uids, str_dup(p->a, str_sub(uid, 0, 36)), p);
	} else {
		struct arena tmp = ARENA_INIT;

		(void)map_put(&p->uids, str_dup(p->a, uid_of(sb_tree(&tmp, o))), p);
		arena_free(&tmp);
	}
}

static void collect_one(struct pass *p, struct sb_kind *k, struct str key, struct json *o)
{
	const struct json *refs = json_at(o, "metadata.ownerReferences");

	if (!json_first(refs) || json_at(o, "metadata.deletionTimestamp"))
		return;
	for (const struct json *r = json_first(refs); r; r = json_next(r))
		if (map_get(&p->uids, json_str(r, "uid")))
			return;
	p->changed = true;
	(void)sb_remove(p->s, p->a, k, key, o, NULL, p->now / 1000);
}

/* Removes a finalizer; with the last one the object is deleted. */
static void drop_finalizer(struct pass *p, struct sb_kind *k, struct str key, struct json *o,
			   struct json *list, struct json *finalizer)
{
	json_detach(list, finalizer);
	p->changed = true;
	if (json_len(list)) {
		sb_store(p->s, p->a, k, key, o);
		return;
	}
	(void)json_remove(json_member(o, S("metadata")), S("finalizers"));
	if (json_i64(o, "metadata.deletionGracePeriodSeconds", 0) == 0)
		sb_drop(p->s, p->a, k, key, o);
	else
		sb_store(p->s, p->a, k, key, o);
}

/* Deletes or orphans the dependents of owner; returns how many are left. */
static size_t dependents(struct pass *p, struct str owner, bool orphan)
{
	size_t n = 0;

	for (struct sb_kind *k = p->s->kinds.first; k; k = k->next)
		for (size_t i = k->objects.n; i-- > 0;) {
			struct sb_object *at = k->objects.v[i];
			struct json *o, *list, *next;
			struct str key = str_dup(p->a, at->key);

			if (str_find(at->text, owner) < 0)
				continue;
			o = sb_tree(p->a, at);
			list = json_at(o, "metadata.ownerReferences");
			for (struct json *r = json_first(list); r; r = next) {
				next = json_next(r);
				if (!str_eq(json_str(r, "uid"), owner))
					continue;
				if (orphan) {
					json_detach(list, r);
					sb_store(p->s, p->a, k, key, o);
				} else if (!json_at(o, "metadata."
						       "deletionTimestamp")) {
					n += !sb_remove(p->s, p->a, k, key, o, NULL, p->now / 1000);
					break;
				} else {
					n++;
				}
			}
		}
	return n;
}

static void finalize_one(struct pass *p, struct sb_kind *k, struct str key, struct json *o)
{
	struct json *list = json_at(o, "metadata.finalizers");
	struct json *f = json_first(list);
	bool orphan;

	if (!json_at(o, "metadata.deletionTimestamp"))
		return;
	while (f && !str_is(json_text(f), "orphan") && !str_is(json_text(f), "foregroundDeletion"))
		f = json_next(f);
	if (!f)
		return;
	orphan = str_is(json_text(f), "orphan");
	if (dependents(p, uid_of(o), orphan) == 0)
		drop_finalizer(p, k, key, o, list, f);
}

/* ---- namespaces and pods ------------------------------------------------- */

static void empty_namespace(struct pass *p, struct sb_kind *ns, struct str name, struct json *o)
{
	struct str prefix = str_fmt(p->a, "%.*s/", STRF(name));
	size_t left = 0;

	if (!json_at(o, "metadata.deletionTimestamp"))
		return;
	for (struct sb_kind *k = p->s->kinds.first; k; k = k->next)
		for (size_t i = store_seek(&k->objects, prefix);
		     i < k->objects.n && str_starts(k->objects.v[i]->key, prefix);) {
			struct sb_object *at = k->objects.v[i];
			struct json *tree = sb_tree(p->a, at);
			bool going = json_at(tree, "metadata.deletionTimestamp");

			if (!going && sb_remove(p->s, p->a, k, str_dup(p->a, at->key), tree, NULL,
						p->now / 1000))
				continue;
			left++;
			i++;
		}
	if (left)
		return;
	(void)json_remove(json_at(o, "spec"), S("finalizers"));
	sb_drop(p->s, p->a, ns, name, o);
	p->changed = true;
}

static void reap_pod(struct pass *p, struct sb_kind *k, struct str key, struct json *o)
{
	struct instant t;
	int64_t due;

	if (p->s->pod_reap_ms < 0 || !str_is(k->plural, "pods") ||
	    !rfc3339_parse(json_str(o, "metadata.deletionTimestamp"), &t) ||
	    json_len(json_at(o, "metadata.finalizers")))
		return;
	due = (t.sec - json_i64(o, "metadata.deletionGracePeriodSeconds", 0)) * 1000 +
	      p->s->pod_reap_ms;
	if (due <= p->now) {
		sb_drop(p->s, p->a, k, key, o);
		p->changed = true;
	} else if (p->next < 0 || due - p->now < p->next) {
		p->next = due - p->now;
	}
}

static void finish_object(struct pass *p, struct sb_kind *k, struct str key, struct json *o)
{
	if (!json_at(o, "metadata.deletionTimestamp"))
		return;
	reap_pod(p, k, key, o);
	if (!p->s->collect || !store_get(&k->objects, key))
		return;
	if (str_is(k->plural, "namespaces") && !k->group.n)
		empty_namespace(p, k, key, o);
	else
		finalize_one(p, k, key, o);
}

int64_t sandbox_work(struct sandbox *s, int64_t now)
{
	struct arena a = ARENA_INIT;
	struct pass p = { .s = s, .a = &a, .now = now, .next = -1 };

	if (!s->dirty && (s->due == 0 || now < s->due))
		return s->due ? s->due - now : -1;
	do {
		s->dirty = false;
		p.changed = false;
		p.next = -1;
		for_each_object(&p, "\"deletionTimestamp\":", finish_object);
		if (s->collect) {
			map_init(&p.uids, &a);
			for (struct sb_kind *k = s->kinds.first; k; k = k->next)
				for (size_t i = 0; i < k->objects.n; i++)
					note_uid(&p, k->objects.v[i]);
			for_each_object(&p, "\"ownerReferences\":", collect_one);
		}
	} while (p.changed);
	s->dirty = false;
	s->due = p.next < 0 ? 0 : now + p.next;
	arena_free(&a);
	return p.next;
}
