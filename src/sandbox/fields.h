/*
 * fields: sets of fields in the form of fieldsV1, and operations on objects by them.
 *
 * A list is one field, except conditions, whose elements are identified by their type.
 */
#ifndef SANDBOX_FIELDS_H
#define SANDBOX_FIELDS_H

#include "data/json.h"

/* The fields of an applied object; apiVersion, kind and the identity in metadata have no owner. */
struct json *fields_of(struct arena *a, const struct json *applied);

/* "k:{\"type\":\"Ready\"}" for elements of keyed lists, or an empty str. */
struct str fields_key(struct arena *a, struct str list, const struct json *v);

/* Merges the values of from into an object. */
void fields_merge(struct arena *a, struct json *into, const struct json *from);

/* Removes from object the fields that are in the old set and not in the new one. */
void fields_prune(struct arena *a, struct json *object, const struct json *old,
		  const struct json *now);

/* Adds the fields of from to the other set. */
void fields_unite(struct arena *a, struct json *into, const struct json *from);

#endif
