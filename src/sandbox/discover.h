/*
 * discover: what both forms of discovery say of a kind.
 */
#ifndef SANDBOX_DISCOVER_H
#define SANDBOX_DISCOVER_H

#include "sandbox/sandbox.h"

/* Adds "verbs":[…] of a list by spaces. */
void discover_verbs(struct buf *b, const char *verbs);
const char *discover_verbs_of(const struct sb_kind *k);
/* Adds ,"key":[…] unless there are none. */
void discover_names(struct buf *b, const char *key, const struct strs *names);
/* The served version of that name, or NULL. */
const struct sb_version *discover_version(const struct sb_kind *k, struct str version);
/* The versions of a group, in order of arrival. */
struct strs discover_versions(struct sb_call *c, struct str group);

/* The client accepts aggregated discovery. */
bool aggregate_wanted(struct str accept);
/* Answers with these groups; "" is the core group. */
void aggregate_answer(struct sb_call *c, const struct strs *groups);

#endif
