/*
 * registries.conf: reads the base file, edits it, writes it as upstream does, and finds
 * the entry for an image.
 */
#include "base/codec.h"
#include "base/imageref.h"
#include "data/toml.h"
#include "mc/scope.h"
#include "registries_parts.h"

struct str registry_scope(const struct registry *r)
{
	return r->prefix.n ? r->prefix : r->location;
}

static void add_mirror(struct arena *a, struct registry *r, struct mirror m)
{
	VEC_PUSH(a, r, m);
}

static void add_registry(struct arena *a, struct registries_conf *c, struct registry *r)
{
	VEC_PUSH(a, c, r);
	/* of equal scopes the first one is edited */
	if (!map_find(&c->by_scope, registry_scope(r)))
		(void)map_put(&c->by_scope, registry_scope(r), r);
}

int conf_parse(struct arena *a, struct str text, struct registries_conf *out, struct err *err)
{
	struct json *base = NULL;
	int rc = toml_parse(a, text, &base, err);

	if (rc < 0)
		return err_wrap(err, "error unmarshalling registries config");
	*out = (struct registries_conf){ .base = base };
	map_init(&out->by_scope, a);
	for (const struct json *j = json_first(json_at(base, "registry")); j; j = json_next(j)) {
		struct registry *r = ARENA_NEW(a, struct registry);

		r->prefix = json_str(j, "prefix");
		r->location = json_str(j, "location");
		r->insecure = json_bool(j, "insecure", false);
		r->blocked = json_bool(j, "blocked", false);
		r->by_digest = json_bool(j, "mirror-by-digest-only", false);
		for (const struct json *m = json_first(json_at(j, "mirror")); m; m = json_next(m))
			add_mirror(a, r,
				   (struct mirror){ json_str(m, "location"),
						    json_str(m, "pull-from-mirror"),
						    json_bool(m, "insecure", false) });
		add_registry(a, out, r);
	}
	return 0;
}

/* ---- editing ------------------------------------------------------------- */

static struct registry *entry(struct arena *a, struct registries_conf *c, struct str scope)
{
	struct registry *r = map_get(&c->by_scope, scope);

	if (r)
		return r;
	r = ARENA_NEW(a, struct registry);
	if (str_starts(scope, S("*.")))
		r->prefix = scope;
	else
		r->location = scope;
	add_registry(a, c, r);
	return r;
}

static void add_mirrors(struct arena *a, struct registries_conf *c, const struct mirror_sets *sets,
			struct str pull)
{
	for (size_t i = 0; i < sets->n; i++) {
		const struct mirror_set *s = &sets->v[i];
		struct registry *r = entry(a, c, s->source);

		r->blocked |= s->never;
		for (size_t k = 0; k < s->mirrors.n; k++)
			add_mirror(a, r, (struct mirror){ s->mirrors.v[k], pull, false });
	}
}

static void fill_set(struct arena *a, const struct strs *list, struct scope_set *out)
{
	scope_set_init(out, a);
	for (size_t i = 0; i < list->n; i++)
		scope_set_add(out, list->v[i], NULL);
}

/* Only the most specific entry applies to an image, so the settings of a scope are
 * repeated in the entries below it. */
static void mark(struct arena *a, struct registries_conf *c, const struct strs *insecure,
		 const struct strs *blocked)
{
	struct scope_set open, shut;

	for (size_t i = 0; i < blocked->n; i++)
		(void)entry(a, c, blocked->v[i]);
	for (size_t i = 0; i < insecure->n; i++)
		(void)entry(a, c, insecure->v[i]);
	fill_set(a, insecure, &open);
	fill_set(a, blocked, &shut);
	for (size_t i = 0; i < c->n; i++) {
		struct registry *r = c->v[i];

		r->insecure |= scope_set_has(&open, registry_scope(r));
		r->blocked |= scope_set_has(&shut, registry_scope(r));
		for (size_t k = 0; k < r->n; k++)
			r->v[k].insecure |= scope_set_has(&open, r->v[k].location);
	}
}

struct nearest {
	const struct mirror_set *set; /* the first entry above it, or NULL */
};

static void see_source(void *ctx, const struct map_entry *scope)
{
	struct nearest *n = ctx;
	const struct mirror_set *set = scope->value;

	if (!n->set || set < n->set)
		n->set = set;
}

/* Entries without mirrors below a mirrored source inherit its mirrors. */
static int inherit(struct arena *a, struct registries_conf *c, const struct mirror_sets *all,
		   struct err *err)
{
	const struct mirror_set *bad = NULL;
	struct scope_set sources;

	scope_set_init(&sources, a);
	for (size_t i = 0; i < all->n; i++)
		scope_set_add(&sources, all->v[i].source, &all->v[i]);
	for (size_t i = 0; i < c->n; i++) {
		struct registry *r = c->v[i];
		struct str scope = registry_scope(r);
		struct nearest near = { 0 };
		const struct registry *from;

		if (r->n)
			continue;
		scope_set_above(&sources, scope, see_source, &near);
		if (!near.set)
			continue;
		if (str_starts(near.set->source, S("*."))) {
			bad = bad && bad < near.set ? bad : near.set;
			continue;
		}
		from = map_get(&c->by_scope, near.set->source);
		for (size_t k = 0; k < from->n; k++) {
			struct mirror m = from->v[k];

			m.location = str_fmt(a, "%.*s%.*s", STRF(m.location),
					     STRF(str_from(scope, near.set->source.n)));
			add_mirror(a, r, m);
		}
	}
	if (!bad)
		return 0;
	return err_set(err, ERR_INVALID,
		       "internal error: mirrorsAdjustedForNestedScope for a "
		       "wildcard scope \"%.*s\"",
		       STRF(bad->source));
}

int conf_edit(struct arena *a, struct registries_conf *c, const struct registries *r,
	      const struct strs *blocked, struct err *err)
{
	struct mirror_sets digest = { 0 }, tag = { 0 };

	mirrors_merge(a, &r->digest, &digest);
	add_mirrors(a, c, &digest, S("digest-only"));
	mirrors_merge(a, &r->tag, &tag);
	add_mirrors(a, c, &tag, S("tag-only"));
	mark(a, c, &r->insecure, blocked);
	for (size_t i = 0; i < tag.n; i++)
		VEC_PUSH(a, &digest, tag.v[i]);
	return inherit(a, c, &digest, err);
}

/* ---- writing ------------------------------------------------------------- */

static void add_text(struct arena *a, struct json *j, struct str key, struct str value)
{
	if (value.n)
		json_add(j, key, json_new_str(a, value));
}

static void add_true(struct arena *a, struct json *j, struct str key, bool value)
{
	if (value)
		json_add(j, key, json_new_bool(a, true));
}

static struct json *registry_json(struct arena *a, const struct registry *r)
{
	struct json *j = json_new(a, JSON_OBJECT), *list;

	json_add(j, S("prefix"), json_new_str(a, r->prefix));
	add_text(a, j, S("location"), r->location);
	add_true(a, j, S("insecure"), r->insecure);
	add_true(a, j, S("blocked"), r->blocked);
	add_true(a, j, S("mirror-by-digest-only"), r->by_digest);
	list = json_new(a, JSON_ARRAY);
	for (size_t i = 0; i < r->n; i++) {
		struct json *m = json_new(a, JSON_OBJECT);

		add_text(a, m, S("location"), r->v[i].location);
		add_true(a, m, S("insecure"), r->v[i].insecure);
		add_text(a, m, S("pull-from-mirror"), r->v[i].pull);
		json_push(list, m);
	}
	if (r->n)
		json_add(j, S("mirror"), list);
	return j;
}

static struct str text_of(struct arena *a, const struct json *j)
{
	struct buf b;

	buf_init(&b, a);
	toml_emit(&b, j);
	return buf_str(&b);
}

struct str conf_text(struct arena *a, const struct registries_conf *c)
{
	static const char *const lists[] = { "unqualified-search-registries",
					     "credential-helpers" };
	static const char *const words[] = { "short-name-mode",
					     "additional-layer-store-auth-helper" };
	struct json *j = json_new(a, JSON_OBJECT);
	struct json *list = json_new(a, JSON_ARRAY);
	const struct json *aliases = json_at(c->base, "aliases");

	for (size_t i = 0; i < 2; i++)
		if (json_at(c->base, lists[i]))
			json_add(j, str_of(lists[i]), json_clone(a, json_at(c->base, lists[i])));
	for (size_t i = 0; i < 2; i++)
		json_add(j, str_of(words[i]), json_new_str(a, json_str(c->base, words[i])));
	for (size_t i = 0; i < c->n; i++)
		json_push(list, registry_json(a, c->v[i]));
	if (c->n)
		json_add(j, S("registry"), list);
	if (aliases)
		json_add(j, S("aliases"), json_clone(a, aliases));
	return text_of(a, j);
}

struct str conf_search_text(struct arena *a, const struct strs *search)
{
	struct json *base = json_new(a, JSON_OBJECT);
	struct json *list = json_new(a, JSON_ARRAY);
	struct registries_conf c = { .base = base };

	for (size_t i = 0; i < search->n; i++)
		json_push(list, json_new_str(a, search->v[i]));
	json_add(base, S("unqualified-search-registries"), list);
	return conf_text(a, &c);
}
