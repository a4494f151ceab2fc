/*
 * sandbox/body: what is wrong with a body, in the words of the API server's
 * decoders.
 */
#ifndef SANDBOX_BODY_H
#define SANDBOX_BODY_H

#include "sandbox/sandbox.h"

/* 415: the types that would do. */
void body_unknown_format(struct sb_call *c, struct str types);

/* Why kind and version cannot be read from j, or from a text that has that
 * fault; "" when they can. */
struct str body_no_kind(struct arena *a, const struct json *j, const struct json_fault *fault);

/* The built-in kind that j calls itself, or NULL. */
struct sb_kind *body_kind(struct sb_call *c, const struct json *j);

/* Why an object of another built-in kind is not the request's. */
struct str body_other_kind(struct sb_call *c, struct str kind, struct str version);

/* 422: a custom object that calls itself another kind. */
void body_wrong_kind(struct sb_call *c, const struct json *j, struct str kind);

/* A custom object's text has no kind. */
struct str body_kindless(struct arena *a, struct str text);

#endif
