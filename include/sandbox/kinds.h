/*
 * kinds: the kinds that the sandbox serves: built-in ones and those of CRDs.
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
	SB_CUSTOM = 8, /* no unconditional updates, no strategic patch */
	SB_CREATE_ON_PUT = 16,
	SB_FREE_NAMES = 32, /* any path segment may be a name */
	SB_FROM_CRD = 64, /* defined by an object, and removed with it */
	SB_STRICT = 128, /* updates must have a resourceVersion */
	SB_SCALE = 256, /* /scale is a subresource */
	SB_REVIEW = 512, /* answered, not stored */
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
	struct str columns; /* of the tables of a built-in kind */
	uint16_t type; /* the row of a built-in kind's struct, or 0 */
	unsigned traits; /* of enum sb_trait */
	struct sb_version *v;
	size_t n; /* versions, the preferred first */
	struct sb_list objects;
	struct sb_kind *next;
	uint64_t since; /* version at which a CRD defined it */
	uint64_t until; /* version at which the CRD was removed, or 0 */
	size_t watches; /* the number of watches of it */
	struct arena arena; /* of a kind from a CRD */
};

struct kinds {
	struct sb_kind *first; /* in order of arrival */
	struct sb_kind *retired; /* not served any more, not freed yet */
	struct sb_types types;
	struct arena arena;
};

void kinds_init(struct kinds *k);
void kinds_free(struct kinds *k);
/* Leaves only the kinds of Kubernetes itself. For a table without objects. */
void kinds_plain(struct kinds *k);

/* The kind served as group/version/plural and the index of the version, or NULL. */
struct sb_kind *kinds_find(const struct kinds *k, struct str group, struct str version,
			   struct str plural, const struct sb_version **v);

/* The kind of that plural name in any version. */
struct sb_kind *kinds_of(const struct kinds *k, struct str group, struct str plural);

/*
 * Adds or updates the kind that a CustomResourceDefinition describes. This invalidates pointers to
 * its versions. It replaces a built-in kind of the same name and keeps its objects.
 */
void kinds_define(struct kinds *k, const struct json *crd);
/*
 * Removes a kind whose objects have been deleted. It is freed when no watch and no event of s
 * refers to it.
 */
void kinds_retire(struct kinds *k, struct sb_kind *kind, const struct store *s);

/* "group/version", or "v1". */
struct str kinds_api_version(struct arena *a, const struct sb_kind *k, const struct sb_version *v);

/* "plural.group", the name of a kind in messages. */
struct str kinds_name(struct arena *a, const struct sb_kind *k);

/* s in lower case (ASCII). */
struct str kinds_lower(struct arena *a, struct str s);

#endif
