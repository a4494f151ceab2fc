/*
 * write: what the sandbox's writing verbs share.
 */
#ifndef SANDBOX_WRITE_H
#define SANDBOX_WRITE_H

#include "sandbox/sandbox.h"

/* Makes object, whose body was read, a new one and answers. */
void sb_insert(struct sb_call *c, struct json *object);

/* Makes now the new version of old and answers. */
void sb_replace(struct sb_call *c, struct json *now, const struct json *old);

/* The request only asks what would happen. */
bool sb_dry_run(const struct sb_call *c);

/* The path's namespace goes in; false, answered, when object has another. */
bool sb_fit_namespace(struct sb_call *c, struct json *object);

/* False, answered, when object is not named as the path says. */
bool sb_same_name(struct sb_call *c, const struct json *object);

/* False, answered, when object breaks a rule; old is NULL for a new one. */
bool sb_valid(struct sb_call *c, struct json *object, const struct json *old);

/* What the path names, as a tree; or NULL, answered. */
struct json *sb_stored(struct sb_call *c);

/* From here on the request is about the object's Scale, which it returns. */
struct json *scale_begin(struct sb_call *c, const struct json *stored);
/* And from here on about the object again, which becomes what now says. */
void scale_replace(struct sb_call *c, struct json *now, const struct json *stored);

/* A server-side apply. */
void sb_apply(struct sb_call *c);

/* Takes out members that the kind does not have, and empty ones. */
void sb_typed(struct sb_call *c, struct json *object);

/* What the API server fills in for kinds it knows. False, answered, when object
 * is none of its kind. */
bool kind_defaults(struct sb_call *c, struct json *object, bool is_new);

/* Where and why object, a part of whole as the body has it, does not fit that
 * struct; why is what the struct's reader said. restored: a strategic patch made
 * the body. */
struct str sb_misfit(struct sb_call *c, uint16_t type, const struct json *object,
		     const struct json *whole, struct str why, bool restored);

/* The object that is parent's member, made when absent. */
struct json *sb_object_in(struct arena *a, struct json *parent, const char *key);

/* The same for kinds with a template of pods, held, whose metadata is meta. */
void workload_fill(struct sb_call *c, struct json *meta, struct json *held, bool is_new);
/* Counts changes of templates; true when generation counts more than the spec. */
bool workload_update(struct sb_call *c, struct json *now, const struct json *old);

#endif
