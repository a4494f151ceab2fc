/*
 * sandbox/fields: sets of fields, in the form of fieldsV1, and objects by them.
 *
 * Lists are one field each, but for conditions, whose elements are told apart by
 * their type.
 */
#ifndef SANDBOX_FIELDS_H
#define SANDBOX_FIELDS_H

#include "data/json.h"

/* The fields of an applied object; apiVersion, kind and the identity in metadata
 * are nobody's. */
struct json *fields_of(struct arena *a, const struct json *applied);

/* "k:{\"type\":\"Ready\"}" for elements of keyed lists, or an empty str. */
struct str fields_key(struct arena *a, struct str list, const struct json *v);

/* Puts what from has into an object. */
void fields_merge(struct arena *a, struct json *into, const struct json *from);

/* Takes out of object what was in the old set and is in now no more. */
void fields_prune(struct arena *a, struct json *object, const struct json *old,
		  const struct json *now);

/* Puts the fields of from into the other set. */
void fields_unite(struct arena *a, struct json *into, const struct json *from);

#endif
