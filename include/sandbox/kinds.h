/*
 * kinds: what the sandbox serves: the built-in kinds and those of CRDs.
 */
#ifndef SANDBOX_KINDS_H
#define SANDBOX_KINDS_H

#include "base/vec.h"
#include "data/json.h"
#include "sandbox/store.h"
#include "sandbox/types.h"

enum sb_trait {
	SB_NAMESPACED = 1,
	SB_STATUS = 2, /* /status is a subresource */
	SB_GENERATION = 4, /* metadata.generation counts changes of spec */
	SB_CUSTOM = 8, /* unconditional updates refused, no strategic patch */
	SB_CREATE_ON_PUT = 16,
	SB_FREE_NAMES = 32, /* any path segment may be a name */
	SB_FROM_CRD = 64, /* defined by an object, and gone with it */
	SB_STRICT = 128, /* updates name the version they are of */
	SB_SCALE = 256, /* /scale is a subresource */
	SB_REVIEW = 512, /* answered, not kept */
};

struct sb_version {
	struct str name;
	bool served, storage;
	const struct json *schema; /* openAPIV3Schema, or NULL */
	const struct json *columns; /* additionalPrinterColumns, or NULL */
};

struct sb_kind {
	struct str group, plural, singular, kind, list_kind;
	struct strs shorts, categories;
	struct str columns; /* of a built-in kind's tables */
	uint16_t type; /* of a built-in kind, or 0 */
	unsigned traits; /* of enum sb_trait */
	struct sb_version *v;
	size_t n; /* versions, the preferred first */
	struct sb_list objects;
	struct sb_kind *next;
	uint64_t since; /* version at which a CRD defined it */
	uint64_t until; /* and at which that went, or 0 */
	size_t watches; /* how many name it */
	struct arena arena; /* of a kind from a CRD */
};

struct kinds {
	struct sb_kind *first; /* in order of arrival */
	struct sb_kind *retired; /* not served, and not yet forgotten */
	struct sb_types types;
	struct arena arena;
};

void kinds_init(struct kinds *k);
void kinds_free(struct kinds *k);

/* The kind served as group/version/plural and the version's place, or NULL. */
struct sb_kind *kinds_find(const struct kinds *k, struct str group, struct str version,
			   struct str plural, const struct sb_version **v);

/* The kind of that plural name in any version. */
struct sb_kind *kinds_of(const struct kinds *k, struct str group, struct str plural);

/*
 * Takes the kind that a CustomResourceDefinition describes in, or its new
 * description: pointers to its versions are then good no more. A built-in
 * stand-in of the same name gives way, keeping its objects.
 */
void kinds_define(struct kinds *k, const struct json *crd);
/*
 * Takes it out again, its objects having been deleted up to now. It is freed when
 * no watch and none of the changes that s remembers names it.
 */
void kinds_retire(struct kinds *k, struct sb_kind *kind, const struct store *s);

/* "group/version", or "v1". */
struct str kinds_api_version(struct arena *a, const struct sb_kind *k, const struct sb_version *v);

/* "plural.group", as messages call a kind. */
struct str kinds_name(struct arena *a, const struct sb_kind *k);

/* s with the letters A to Z small. */
struct str kinds_lower(struct arena *a, struct str s);

#endif
