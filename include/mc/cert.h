/*
 * cert: the fields of a certificate, for display only: nothing is verified.
 */
#ifndef MC_CERT_H
#define MC_CERT_H

#include "base/err.h"
#include "base/rfc3339.h"
#include "base/vec.h"

struct cert {
	struct str subject, issuer; /* RFC 2253, as Go's pkix.Name prints */
	struct instant not_before, not_after;
};

struct certs {
	struct cert *v;
	size_t n, cap;
};

/* One certificate in DER. False when it is invalid. */
bool cert_parse(struct arena *a, struct str der, struct cert *out);

/* The certificates of a PEM bundle, up to the first invalid one. */
void cert_bundle(struct arena *a, struct str pem, struct certs *out);

#endif
