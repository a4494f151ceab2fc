/*
 * server_answers: the answers to requests, kept as long as what they were made of stays the same.
 */
#ifndef ROLE_SERVER_SERVER_ANSWERS_H
#define ROLE_SERVER_SERVER_ANSWERS_H

#include "server_origin.h"

struct answer {
	unsigned refs;
	int status; /* 200, 404, 500 */
	struct str body; /* behind this struct */
	struct str why; /* likewise; for the log */
};

void answer_ref(struct answer *a);
void answer_unref(struct answer *a);

struct answers;
struct answers *answers_new(struct origin *o);
void answers_free(struct answers *c);

/* The answer to a request for pool in version, now; unref it. made (may be
 * NULL) tells whether it had to be made. */
struct answer *answers_get(struct answers *c, struct str pool, struct semver version, bool *made);

#endif
