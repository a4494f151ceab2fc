/*
 * server_answers: the answers to requests, kept until their input changes.
 */
#ifndef ROLE_SERVER_SERVER_ANSWERS_H
#define ROLE_SERVER_SERVER_ANSWERS_H

#include "server_origin.h"

struct answer {
	unsigned refs;
	int status; /* 200, 404, 500 */
	struct str body; /* allocated with this struct */
	struct str why; /* likewise; the error to log */
};

void answer_ref(struct answer *a);
void answer_unref(struct answer *a);

struct answers;
struct answers *answers_new(struct origin *o);
void answers_free(struct answers *c);

/* The current answer for pool and version; the caller unrefs it. *made (may be NULL):
 * it was not found in memory. */
struct answer *answers_get(struct answers *c, struct str pool, struct semver version, bool *made);

#endif
