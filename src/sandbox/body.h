/*
 * body: faults of a request body, with the texts of the API server's decoders.
 */
#ifndef SANDBOX_BODY_H
#define SANDBOX_BODY_H

#include "sandbox/sandbox.h"

/* 415, with the accepted types. */
void body_unknown_format(struct sb_call *c, struct str types);

/* Why kind and version cannot be decoded from j, or from a text with that fault; "" when they
 * can. */
struct str body_no_kind(struct arena *a, const struct json *j, const struct json_fault *fault);

/* The built-in kind that j names, or NULL. */
struct sb_kind *body_kind(struct sb_call *c, const struct json *j);

/* The error for an object of another built-in kind than the request's. */
struct str body_other_kind(struct sb_call *c, struct str kind, struct str version);

/* 422: a custom object that names another kind. */
void body_wrong_kind(struct sb_call *c, const struct json *j, struct str kind);

/* The error for a custom object without a kind. */
struct str body_kindless(struct arena *a, struct str text);

#endif
