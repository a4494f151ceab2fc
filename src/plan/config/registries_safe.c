/*
 * May registries.conf change under running pods? Only if no image that could be pulled
 * before is now pulled from another location or blocked.
 */
#include "base/map.h"
#include "data/toml.h"
#include "mc/contents.h"
#include "plan/update.h"

#define REGISTRIES "/etc/containers/registries.conf"

static int load(struct arena *a, const struct ign_obj *config, struct json **out, struct err *err)
{
	const struct ign_obj *file = mc_find_file(config, S(REGISTRIES));
	struct str text = S("");
	int rc = 0;

	if (file)
		rc = mc_contents(a, file, &text, err);
	if (rc < 0)
		return rc;
	rc = toml_parse(a, text, out, err);
	if (rc < 0)
		return err_wrap(err, "failed decoding TOML content from file " REGISTRIES);
	return 0;
}

static struct str key_of(const struct json *registry)
{
	struct str prefix = json_str(registry, "prefix");

	return prefix.n ? prefix : json_str(registry, "location");
}

/* True when the old search list is a prefix of the new one. */
static bool search_grows(const struct json *from, const struct json *to)
{
	const struct json *p = json_first(json_at(from, "unqualified-search-registries"));
	const struct json *q = json_first(json_at(to, "unqualified-search-registries"));

	for (; p && q; p = json_next(p), q = json_next(q))
		if (!str_eq(json_text(p), json_text(q)))
			return false;
	return !p;
}

static const struct json *mirror(const struct json *registry, struct str where)
{
	for (const struct json *m = json_first(json_at(registry, "mirror")); m; m = json_next(m))
		if (str_eq(json_str(m, "location"), where))
			return m;
	return NULL;
}

static bool digest_only(const struct json *m)
{
	return str_is(json_str(m, "pull-from-mirror"), "digest-only");
}

static bool same_str(const struct json *x, const struct json *y, const char *field)
{
	return str_eq(json_str(x, field), json_str(y, field));
}

/* NULL, or why the change of one registry is unsafe. */
static const char *changed(const struct json *from, const struct json *to)
{
	bool by_digest = json_bool(to, "mirror-by-digest-only", false);

	if (!same_str(from, to, "prefix") || !same_str(from, to, "location"))
		return "its prefix or location changed";
	if (json_bool(from, "blocked", false) != json_bool(to, "blocked", false) ||
	    json_bool(from, "insecure", false) != json_bool(to, "insecure", false))
		return "blocked or insecure changed";
	for (const struct json *m = json_first(json_at(from, "mirror")); m; m = json_next(m)) {
		const struct json *kept = mirror(to, json_str(m, "location"));

		if (!kept)
			return "a mirror was removed";
		if (!same_str(m, kept, "pull-from-mirror") && !digest_only(kept))
			return "a mirror is no longer used for digests only";
	}
	for (const struct json *m = json_first(json_at(to, "mirror")); m; m = json_next(m))
		if (!mirror(from, json_str(m, "location")) && !digest_only(m) && !by_digest)
			return "a mirror was added that serves tags too";
	return NULL;
}

static const char *added(const struct json *registry)
{
	const struct json *mirrors = json_at(registry, "mirror");

	if (!json_first(mirrors))
		return json_bool(registry, "mirror-by-digest-only", false)
			       ? NULL
			       : "it was added without digest-only mirrors";
	for (const struct json *m = json_first(mirrors); m; m = json_next(m))
		if (!digest_only(m))
			return "it was added with a mirror that serves tags too";
	return NULL;
}

static void index_of(struct arena *a, struct map *m, const struct json *conf)
{
	map_init(m, a);
	for (struct json *r = json_first(json_at(conf, "registry")); r; r = json_next(r))
		(void)map_put(m, key_of(r), r);
}

static struct str unsafe(struct arena *a, const struct json *from, const struct json *to)
{
	struct map old, new;

	if (!search_grows(from, to))
		return S("unqualified-search-registries shrank or changed");
	index_of(a, &old, from);
	index_of(a, &new, to);
	for (size_t i = 0; i < old.n; i++)
		if (!map_find(&new, old.v[i].key))
			return str_fmt(a, "registry %.*s was removed", STRF(old.v[i].key));
	for (size_t i = 0; i < new.n; i++) {
		const struct json *was = map_get(&old, new.v[i].key);
		const char *why = NULL;

		if (!was)
			why = added(new.v[i].value);
		else if (!json_eq(was, new.v[i].value))
			why = changed(was, new.v[i].value);
		if (why)
			return str_fmt(a, "registry %.*s: %s", STRF(new.v[i].key), why);
	}
	return S("");
}

int update_registries_safe(struct arena *a, const struct ign_obj *from, const struct ign_obj *to,
			   bool *safe, struct str *why, struct err *err)
{
	struct json *old = NULL, *new = NULL;
	int rc = load(a, from, &old, err);

	if (rc == 0)
		rc = load(a, to, &new, err);
	if (rc < 0)
		return rc;
	*why = unsafe(a, old, new);
	*safe = !why->n;
	return 0;
}
