/*
 * scope: the images that a rule of registries.conf or policy.json applies to: a host, a repository
 * or a prefix between them, or "*.example.net" for every host below it.
 */
#ifndef MC_SCOPE_H
#define MC_SCOPE_H

#include "base/map.h"
#include "base/vec.h"

/* Whether everything in sub is in super too. */
bool scope_inside(struct str sub, struct str super);

/* A set of scopes for many lookups. */
struct scope_set {
	struct map map; /* value: what scope_set_add was given */
};

void scope_set_init(struct scope_set *set, struct arena *a);

/* The first of equal scopes is kept. */
void scope_set_add(struct scope_set *set, struct str scope, void *value);

/* Calls see for each scope of the set that contains sub, itself included, possibly
 * twice. The cost depends on the length of sub, not on the number of scopes. */
void scope_set_above(const struct scope_set *set, struct str sub,
		     void (*see)(void *ctx, const struct map_entry *scope), void *ctx);

bool scope_set_has(const struct scope_set *set, struct str sub);

/* What registries.conf accepts: "*" only in front of a plain domain. */
bool scope_is_valid(struct str scope);

/* What mirror sets accept as a source; a mirror is an imageref_is_place. */
bool scope_is_source(struct str s);

#endif
