/*
 * pem: the blocks of a PEM file. Text between them is ignored.
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
 * Takes the next block from *rest: 1, 0 when there is none, or -ERR_INVALID for invalid base64 or a
 * missing end line.
 */
int pem_next(struct arena *a, struct str *rest, struct pem *out, struct err *err);

#endif
