/*
 * The table of kinds. Built-in kinds come from builtin/kinds, which is packed into the program;
 * kinds of CRDs are added and retired at run time. A retired kind is freed only when no watch and
 * no event refers to it.
 */
#include "sandbox/kinds.h"

#include <stdlib.h>

#include "data/packed.h"
#include "sandbox_builtin.h"

/* ---- built-in kinds ------------------------------------------------------ */

/*
 * builtin/kinds, a line per kind, "-" for none: "group version,version plural
 * Kind traits shorts categories columns". Traits: n namespaced, s status,
 * g generation, c custom (as a CRD would give it), p created by PUT, f any name,
 * u updates need a resourceVersion, l scale, r answered and not stored. table.c
 * parses the columns.
 */
enum { GROUP, VERSIONS, PLURAL, KIND, TRAITS, SHORTS, CATEGORIES, FIELDS };

static unsigned traits_of(struct str letters)
{
	static const char all[] = "nsgcpf-ulr";
	unsigned traits = 0;

	for (size_t i = 0; i < letters.n; i++)
		traits |= 1u << (strchr(all, letters.p[i]) - all);
	return traits;
}

struct str kinds_lower(struct arena *a, struct str s)
{
	char *p = str_z(a, s);

	for (size_t i = 0; i < s.n; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] - 'A' + 'a');
	return (struct str){ p, s.n };
}

static struct strs split_words(struct arena *a, struct str s, char c)
{
	struct strs out = { 0 };
	struct str part;

	while (str_cut(s, c, &part, &s))
		VEC_PUSH(a, &out, part);
	VEC_PUSH(a, &out, s);
	return out;
}

static void append_kind(struct kinds *k, struct sb_kind *kind)
{
	struct sb_kind **at = &k->first;

	while (*at)
		at = &(*at)->next;
	*at = kind;
}

static struct sb_kind *kind_new(void)
{
	struct sb_kind *kind = calloc(1, sizeof(*kind));

	if (!kind)
		abort();
	return kind;
}

static void add_builtin(struct kinds *k, struct str line)
{
	struct arena *a = &k->arena;
	struct str f[FIELDS];
	struct strs versions;
	struct sb_kind *kind = kind_new();

	for (int i = 0; i < FIELDS; i++) {
		f[i] = line;
		if (!str_cut(line, ' ', &f[i], &line))
			line = S("");
	}
	kind->columns = line;
	kind->group = f[GROUP];
	kind->plural = f[PLURAL];
	kind->kind = f[KIND];
	kind->singular = kinds_lower(a, f[KIND]);
	kind->list_kind = str_fmt(a, "%.*sList", STRF(f[KIND]));
	kind->traits = traits_of(f[TRAITS]);
	if (!(kind->traits & SB_CUSTOM))
		kind->type = types_find(&k->types, f[KIND]);
	if (!str_is(f[SHORTS], "-"))
		kind->shorts = split_words(a, f[SHORTS], ',');
	if (!str_is(f[CATEGORIES], "-"))
		kind->categories = split_words(a, f[CATEGORIES], ',');
	versions = split_words(a, f[VERSIONS], ',');
	kind->n = versions.n;
	kind->v = arena_array(a, kind->n, sizeof(*kind->v));
	for (size_t i = 0; i < kind->n; i++)
		kind->v[i] = (struct sb_version){ .name = versions.v[i],
						  .served = true,
						  .storage = i == 0 };
	append_kind(k, kind);
}

static struct str file_of(struct str packed, const char *name)
{
	struct str path, text;

	while (packed_next(&packed, &path, &text))
		if (str_is(path, name))
			return text;
	return S("");
}

void kinds_init(struct kinds *k)
{
	struct str all, rest, line;

	*k = (struct kinds){ 0 };
	all = PACKED(&k->arena, packed_builtin);
	types_init(&k->arena, file_of(all, "types"), &k->types);
	rest = file_of(all, "kinds");
	while (str_line(&rest, &line))
		add_builtin(k, line);
}

static void kind_free(struct sb_kind *kind)
{
	list_free(&kind->objects);
	arena_free(&kind->arena);
	free(kind);
}

void kinds_plain(struct kinds *k)
{
	for (struct sb_kind **at = &k->first; *at;) {
		struct sb_kind *kind = *at;

		if (!(kind->traits & SB_CUSTOM)) {
			at = &kind->next;
			continue;
		}
		*at = kind->next;
		kind_free(kind);
	}
}

static void free_all(struct sb_kind *kind)
{
	while (kind) {
		struct sb_kind *next = kind->next;

		kind_free(kind);
		kind = next;
	}
}

void kinds_free(struct kinds *k)
{
	free_all(k->first);
	free_all(k->retired);
	arena_free(&k->arena);
}

/* ---- lookup -------------------------------------------------------------- */

struct sb_kind *kinds_of(const struct kinds *k, struct str group, struct str plural)
{
	struct sb_kind *kind = k->first;

	while (kind && !(str_eq(kind->group, group) && str_eq(kind->plural, plural)))
		kind = kind->next;
	return kind;
}

struct sb_kind *kinds_find(const struct kinds *k, struct str group, struct str version,
			   struct str plural, const struct sb_version **v)
{
	struct sb_kind *kind = kinds_of(k, group, plural);

	for (size_t i = 0; kind && i < kind->n; i++)
		if (kind->v[i].served && str_eq(kind->v[i].name, version)) {
			*v = &kind->v[i];
			return kind;
		}
	return NULL;
}

struct str kinds_api_version(struct arena *a, const struct sb_kind *k, const struct sb_version *v)
{
	if (!k->group.n)
		return v->name;
	return str_fmt(a, "%.*s/%.*s", STRF(k->group), STRF(v->name));
}

struct str kinds_name(struct arena *a, const struct sb_kind *k)
{
	if (!k->group.n)
		return k->plural;
	return str_fmt(a, "%.*s.%.*s", STRF(k->plural), STRF(k->group));
}

/* ---- definitions --------------------------------------------------------- */

static struct strs copy_texts(struct arena *a, const struct json *list)
{
	struct strs out = { 0 };

	for (const struct json *v = json_first(list); v; v = json_next(v))
		VEC_PUSH(a, &out, json_text(v));
	return out;
}

static void describe_kind(struct sb_kind *kind, const struct json *crd)
{
	struct arena *a = &kind->arena;
	const struct json *versions = json_at(crd, "spec.versions");
	size_t n = 0;

	kind->group = json_str(crd, "spec.group");
	kind->plural = json_str(crd, "spec.names.plural");
	kind->kind = json_str(crd, "spec.names.kind");
	kind->singular = json_str_or(crd, "spec.names.singular", kinds_lower(a, kind->kind));
	kind->list_kind =
		json_str_or(crd, "spec.names.listKind", str_fmt(a, "%.*sList", STRF(kind->kind)));
	kind->shorts = copy_texts(a, json_at(crd, "spec.names.shortNames"));
	kind->categories = copy_texts(a, json_at(crd, "spec.names.categories"));
	kind->traits = SB_CUSTOM | SB_GENERATION | SB_FROM_CRD;
	if (str_is(json_str(crd, "spec.scope"), "Namespaced"))
		kind->traits |= SB_NAMESPACED;
	kind->v = arena_array(a, json_len(versions), sizeof(*kind->v));
	for (const struct json *v = json_first(versions); v; v = json_next(v)) {
		kind->v[n++] = (struct sb_version){
			.name = json_str(v, "name"),
			.served = json_bool(v, "served", false),
			.storage = json_bool(v, "storage", false),
			.schema = json_at(v, "schema.openAPIV3Schema"),
			.columns = json_at(v, "additionalPrinterColumns"),
		};
		if (json_at(v, "subresources.status"))
			kind->traits |= SB_STATUS;
	}
	kind->n = n;
}

void kinds_define(struct kinds *k, const struct json *crd)
{
	struct sb_kind *old =
		kinds_of(k, json_str(crd, "spec.group"), json_str(crd, "spec.names.plural"));
	struct sb_kind *kind;
	struct arena fresh = ARENA_INIT;
	struct err err = ERR_INIT(&fresh);
	struct json *own = NULL;

	/* a copy of the definition, owned by the kind */
	if (json_parse(&fresh, json_format(&fresh, crd, 0), NULL, &own, &err) < 0)
		return;
	kind = old ? old : kind_new();
	arena_free(&kind->arena);
	kind->arena = fresh;
	describe_kind(kind, own);
	if (!old)
		append_kind(k, kind);
}

/* Frees retired kinds that no watch and no event refers to. */
static void free_retired(struct kinds *k, const struct store *s)
{
	struct sb_kind **at = &k->retired;

	while (*at) {
		struct sb_kind *kind = *at;

		if (kind->watches || kind->until > s->compacted) {
			at = &kind->next;
			continue;
		}
		*at = kind->next;
		kind_free(kind);
	}
}

void kinds_retire(struct kinds *k, struct sb_kind *kind, const struct store *s)
{
	struct sb_kind **at = &k->first;

	free_retired(k, s);
	while (*at != kind)
		at = &(*at)->next;
	*at = kind->next;
	kind->until = s->rv;
	kind->next = k->retired;
	k->retired = kind;
}
