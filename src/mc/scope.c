/*
 * Scopes of image rules. A set is a map from scope to value; a lookup tries every
 * prefix of the name and every wildcard of its host, so its cost does not depend on the
 * number of scopes.
 */
#include "mc/scope.h"

#include "base/imageref.h"

static bool is_wildcard(struct str s)
{
	return str_starts(s, S("*."));
}

/* The host, without a port, that wildcards are compared with; "" when none can
 * match: a colon after a slash separates a tag. */
static struct str host_of(struct str scope)
{
	struct str host = scope, rest;

	if (str_cut(scope, ':', &host, &rest))
		return str_chr(host, '/') < 0 ? host : S("");
	(void)str_cut(scope, '/', &host, &rest);
	return host;
}

bool scope_inside(struct str sub, struct str super)
{
	if (str_eq(sub, super))
		return true;
	if (sub.n > super.n && str_starts(sub, super) && sub.p[super.n] == '/')
		return true;
	return is_wildcard(super) && str_ends(host_of(sub), str_from(super, 1));
}

void scope_set_init(struct scope_set *set, struct arena *a)
{
	map_init(&set->map, a);
}

void scope_set_add(struct scope_set *set, struct str scope, void *value)
{
	if (!map_find(&set->map, scope))
		(void)map_put(&set->map, scope, value);
}

void scope_set_above(const struct scope_set *set, struct str sub,
		     void (*see)(void *ctx, const struct map_entry *scope), void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct map_entry *e;
	struct str host = host_of(sub);
	char *wild;

	for (size_t i = 0; i <= sub.n; i++) {
		if (i < sub.n && sub.p[i] != '/')
			continue;
		e = map_find(&set->map, str_sub(sub, 0, i));
		if (e)
			see(ctx, e);
	}
	/* "*" is put before each dot in turn */
	wild = arena_alloc(&a, host.n + 2);
	memcpy(wild + 1, host.p, host.n);
	for (size_t i = 0; i < host.n; i++) {
		if (host.p[i] != '.')
			continue;
		wild[i] = '*';
		e = map_find(&set->map, (struct str){ wild + i, host.n + 1 - i });
		if (e)
			see(ctx, e);
	}
}

static void note(void *ctx, const struct map_entry *scope)
{
	(void)scope;
	*(bool *)ctx = true;
}

bool scope_set_has(const struct scope_set *set, struct str sub)
{
	bool found = false;

	scope_set_above(set, sub, note, &found);
	return found;
}

bool scope_is_valid(struct str scope)
{
	if (!is_wildcard(scope))
		return scope.n && str_chr(scope, '*') < 0;
	for (size_t i = 2; i < scope.n; i++)
		if (strchr("/@:*", scope.p[i]))
			return false;
	return true;
}

bool scope_is_source(struct str s)
{
	if (is_wildcard(s))
		return str_chr(s, ':') < 0 && imageref_is_host(str_from(s, 2));
	return imageref_is_place(s);
}
