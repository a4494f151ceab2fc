/*
 * write: shared by the verbs that write.
 */
#ifndef SANDBOX_WRITE_H
#define SANDBOX_WRITE_H

#include "sandbox/sandbox.h"

/* Creates object, which is the parsed body, and answers. */
void sb_insert(struct sb_call *c, struct json *object);

/* Stores now as the new version of old and answers. */
void sb_replace(struct sb_call *c, struct json *now, const struct json *old);

/* Whether the request is a dry run. */
bool sb_dry_run(const struct sb_call *c);

/* Sets the namespace of the path; false, answered, when object has another. */
bool sb_fit_namespace(struct sb_call *c, struct json *object);

/* False, answered, when the name of object differs from the path. */
bool sb_same_name(struct sb_call *c, const struct json *object);

/* False, answered, when object is invalid; old is NULL for a new object. */
bool sb_valid(struct sb_call *c, struct json *object, const struct json *old);

/* The stored object of the path, or NULL, answered. */
struct json *sb_stored(struct sb_call *c);

/* From here on the request is for the object's Scale, which is returned. */
struct json *scale_begin(struct sb_call *c, const struct json *stored);
/* From here on the request is for the object again, changed as the Scale now says. */
void scale_replace(struct sb_call *c, struct json *now, const struct json *stored);

/* A server-side apply. */
void sb_apply(struct sb_call *c);

/* Removes unknown and empty members. */
void sb_typed(struct sb_call *c, struct json *object);

/* Sets the API server's defaults of built-in kinds. False, answered, when object does not fit its
 * kind. */
bool kind_defaults(struct sb_call *c, struct json *object, bool is_new);

/* The error for object, a part of whole, the result of a strategic patch, that does not fit the
 * struct; why is the error of the struct's decoder. */
struct str sb_misfit(struct sb_call *c, uint16_t type, const struct json *object,
		     const struct json *whole, struct str why);
/* The error of the decoder of metadata alone, as that of the whole object's. */
struct str sb_meta_misfit(struct sb_call *c, struct str why);

/* The object that is a member of parent, created if absent. */
struct json *sb_object_in(struct arena *a, struct json *parent, const char *key);

/* Sets the defaults of a held object with a pod template; meta is its metadata. */
void workload_fill(struct sb_call *c, struct json *meta, struct json *held, bool is_new);
/* Counts changes of templates; true when generation counts more than changes of spec. */
bool workload_update(struct sb_call *c, struct json *now, const struct json *old);

#endif
