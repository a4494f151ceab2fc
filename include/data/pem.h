/*
 * pem: the blocks of a PEM file. What stands between them is read over.
 */
#ifndef DATA_PEM_H
#define DATA_PEM_H

#include "base/err.h"

struct pem {
	struct str label; /* "CERTIFICATE" */
	struct str headers; /* "Proc-Type: …" lines of old key files, or "" */
	struct str der;
};

/*
 * Takes the next block off *rest: 1, 0 when there is none, or -ERR_INVALID for
 * one whose base64 is broken or whose end is missing.
 */
int pem_next(struct arena *a, struct str *rest, struct pem *out, struct err *err);

#endif
