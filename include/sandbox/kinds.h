/*
 * kinds: what the sandbox serves: the built-in kinds and those of CRDs.
 */
#ifndef SANDBOX_KINDS_H
#define SANDBOX_KINDS_H

#include "base/vec.h"
#include "data/json.h"
#include "sandbox/store.h"

enum sb_trait {
	SB_NAMESPACED = 1,
	SB_STATUS = 2, /* /status is a subresource */
	SB_GENERATION = 4, /* metadata.generation counts changes of spec */
	SB_CUSTOM = 8, /* unconditional updates refused, no strategic patch */
	SB_CREATE_ON_PUT = 16,
	SB_FREE_NAMES = 32, /* any path segment may be a name */
	SB_FROM_CRD = 64, /* defined by an object, and gone with it */
	SB_STRICT = 128, /* updates name the version they are of */
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
	unsigned traits; /* of enum sb_trait */
	struct sb_version *v;
	size_t n; /* versions, the preferred first */
	struct sb_list objects;
	struct sb_kind *next;
	uint64_t since; /* version at which a CRD defined it */
	struct arena arena; /* of a kind from a CRD */
};

struct kinds {
	struct sb_kind *first; /* in order of arrival */
	struct arena arena;
};

void kinds_init(struct kinds *k);
void kinds_free(struct kinds *k);

/* The kind served as group/version/plural and the version's place, or NULL. */
struct sb_kind *kinds_find(const struct kinds *k, struct str group,
			   struct str version, struct str plural,
			   const struct sb_version **v);

/* The kind of that plural name in any version. */
struct sb_kind *kinds_of(const struct kinds *k, struct str group,
			 struct str plural);

/*
 * Takes the kind that a CustomResourceDefinition describes in, or its new
 * description; a built-in stand-in of the same name gives way, keeping its
 * objects.
 */
void kinds_define(struct kinds *k, const struct json *crd);
/* Takes it out again; its objects are freed. */
void kinds_undefine(struct kinds *k, struct str group, struct str plural);

/* "group/version", or "v1". */
struct str kinds_api_version(struct arena *a, const struct sb_kind *k,
			     const struct sb_version *v);

/* "plural.group", as messages call a kind. */
struct str kinds_name(struct arena *a, const struct sb_kind *k);

#endif
