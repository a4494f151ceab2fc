/*
 * x509_chain: whether certificates a peer has shown lead to a trusted authority.
 *
 * Refuses what Go's crypto/x509 refuses. All candidates are tried, so an expired
 * certificate beside a renewed one with the same key does no harm, in whatever
 * order they come. Signatures are checked by the caller's function: this module
 * has no cryptography.
 */
#ifndef DATA_X509_CHAIN_H
#define DATA_X509_CHAIN_H

#include "data/x509.h"

#define X509_CHAIN_MAX 10 /* certificates shown */

struct x509_trust {
	const struct x509 *roots;
	size_t n_roots;
	unsigned eku; /* what the chain must be good for: X509_EKU_SERVER, … */
	int64_t now; /* seconds of 1970 */
	/* Whether key has made the signature of c. */
	bool (*is_signed)(const struct x509 *c, const struct x509_key *key);
};

/* Why a chain is refused: what the peer is told. */
enum x509_fault {
	X509_BAD,
	X509_EXPIRED,
	X509_UNKNOWN, /* no trusted authority has signed */
};

/*
 * Checks shown[0] with the help of the others, at most X509_CHAIN_MAX of them.
 * *fault is set on failure only.
 */
int x509_chain_check(const struct x509_trust *trust, const struct x509 *shown, size_t n,
		     enum x509_fault *fault, struct err *err);

#endif
