#include "sandbox/kinds.h"

#include <stdlib.h>

static const char builtin[] =
#include "kinds.def"
	;

/* ---- the built-in ones ------------------------------------------------------ */

static unsigned traits_of(struct str letters)
{
	static const char all[] = "nsgcpf-u";
	unsigned traits = 0;

	for (size_t i = 0; i < letters.n; i++)
		traits |= 1u << (strchr(all, letters.p[i]) - all);
	return traits;
}

static struct str lower(struct arena *a, struct str s)
{
	char *p = str_z(a, s);

	for (size_t i = 0; i < s.n; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] - 'A' + 'a');
	return (struct str){ p, s.n };
}

static struct strs split(struct arena *a, struct str s, char c)
{
	struct strs out = { 0 };
	struct str part;

	while (str_cut(s, c, &part, &s))
		VEC_PUSH(a, &out, part);
	VEC_PUSH(a, &out, s);
	return out;
}

static void append(struct kinds *k, struct sb_kind *kind)
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
	struct strs f = split(a, line, ' ');
	struct strs versions = split(a, f.v[1], ',');
	struct sb_kind *kind = kind_new();

	kind->group = f.v[0];
	kind->plural = f.v[2];
	kind->kind = f.v[3];
	kind->singular = lower(a, f.v[3]);
	kind->list_kind = str_fmt(a, "%.*sList", STRF(f.v[3]));
	kind->traits = traits_of(f.v[4]);
	if (!str_is(f.v[5], "-"))
		kind->shorts = split(a, f.v[5], ',');
	kind->n = versions.n;
	kind->v = arena_array(a, kind->n, sizeof(*kind->v));
	for (size_t i = 0; i < kind->n; i++)
		kind->v[i] = (struct sb_version){ .name = versions.v[i],
						  .served = true,
						  .storage = i == 0 };
	append(k, kind);
}

void kinds_init(struct kinds *k)
{
	struct str rest = { builtin, sizeof(builtin) - 1 }, line;

	*k = (struct kinds){ 0 };
	while (str_line(&rest, &line))
		add_builtin(k, line);
}

static void kind_free(struct sb_kind *kind)
{
	list_free(&kind->objects);
	arena_free(&kind->arena);
	free(kind);
}

void kinds_free(struct kinds *k)
{
	while (k->first) {
		struct sb_kind *kind = k->first;

		k->first = kind->next;
		kind_free(kind);
	}
	arena_free(&k->arena);
}

/* ---- looking ---------------------------------------------------------------- */

struct sb_kind *kinds_of(const struct kinds *k, struct str group,
			 struct str plural)
{
	struct sb_kind *kind = k->first;

	while (kind &&
	       !(str_eq(kind->group, group) && str_eq(kind->plural, plural)))
		kind = kind->next;
	return kind;
}

struct sb_kind *kinds_find(const struct kinds *k, struct str group,
			   struct str version, struct str plural,
			   const struct sb_version **v)
{
	struct sb_kind *kind = kinds_of(k, group, plural);

	for (size_t i = 0; kind && i < kind->n; i++)
		if (kind->v[i].served && str_eq(kind->v[i].name, version)) {
			*v = &kind->v[i];
			return kind;
		}
	return NULL;
}

struct str kinds_api_version(struct arena *a, const struct sb_kind *k,
			     const struct sb_version *v)
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

/* ---- definitions ------------------------------------------------------------- */

static struct strs texts(struct arena *a, const struct json *list)
{
	struct strs out = { 0 };

	for (const struct json *v = json_first(list); v; v = json_next(v))
		VEC_PUSH(a, &out, json_text(v));
	return out;
}

static void describe(struct sb_kind *kind, const struct json *crd)
{
	struct arena *a = &kind->arena;
	const struct json *versions = json_at(crd, "spec.versions");
	size_t n = 0;

	kind->group = json_str(crd, "spec.group", S(""));
	kind->plural = json_str(crd, "spec.names.plural", S(""));
	kind->kind = json_str(crd, "spec.names.kind", S(""));
	kind->singular =
		json_str(crd, "spec.names.singular", lower(a, kind->kind));
	kind->list_kind = json_str(crd, "spec.names.listKind",
				   str_fmt(a, "%.*sList", STRF(kind->kind)));
	kind->shorts = texts(a, json_at(crd, "spec.names.shortNames"));
	kind->categories = texts(a, json_at(crd, "spec.names.categories"));
	kind->traits = SB_CUSTOM | SB_GENERATION | SB_FROM_CRD;
	if (str_is(json_str(crd, "spec.scope", S("")), "Namespaced"))
		kind->traits |= SB_NAMESPACED;
	kind->v = arena_array(a, json_len(versions), sizeof(*kind->v));
	for (const struct json *v = json_first(versions); v; v = json_next(v)) {
		kind->v[n++] = (struct sb_version){
			.name = json_str(v, "name", S("")),
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
		kinds_of(k, json_str(crd, "spec.group", S("")),
			 json_str(crd, "spec.names.plural", S("")));
	struct sb_kind *kind;
	struct arena fresh = ARENA_INIT;
	struct buf b;
	struct err err = ERR_INIT(&fresh);
	struct json *own = NULL;

	/* A copy of the definition that lives as long as the kind. */
	buf_init(&b, &fresh);
	json_encode(&b, crd, 0);
	if (json_parse(&fresh, buf_str(&b), NULL, &own, &err) < 0)
		return;
	kind = old ? old : kind_new();
	arena_free(&kind->arena);
	kind->arena = fresh;
	describe(kind, own);
	if (!old)
		append(k, kind);
}

void kinds_undefine(struct kinds *k, struct str group, struct str plural)
{
	struct sb_kind **at = &k->first, *kind = kinds_of(k, group, plural);

	if (!kind)
		return;
	while (*at != kind)
		at = &(*at)->next;
	*at = kind->next;
	kind_free(kind);
}
