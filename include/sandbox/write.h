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

/* False, answered, when object breaks a rule; old is NULL for a new one. */
bool sb_valid(struct sb_call *c, struct json *object, const struct json *old);

/* What the path names, as a tree; or NULL, answered. */
struct json *sb_stored(struct sb_call *c);

/* A server-side apply. */
void sb_apply(struct sb_call *c);

/* Takes out members that the kind does not have, and empty ones. */
void sb_typed(struct sb_call *c, struct json *object);

/* What the API server fills in for kinds it knows. */
void kind_defaults(struct sb_call *c, struct json *object);

#endif
