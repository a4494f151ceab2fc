/*
 * x509_chain: builds and validates a chain from a peer's certificates to a trusted authority.
 *
 * Refuses what Go's crypto/x509 refuses. All candidates are tried, so an expired certificate beside
 * a renewed one with the same key is harmless, in any order. The caller supplies the function that
 * verifies signatures: this module has no cryptography.
 */
#ifndef DATA_X509_CHAIN_H
#define DATA_X509_CHAIN_H

#include "data/x509.h"

#define X509_CHAIN_MAX 10 /* certificates of a peer */

struct x509_trust {
	const struct x509 *roots;
	size_t n_roots;
	unsigned eku; /* the required usage: X509_EKU_SERVER, … */
	int64_t now; /* seconds since 1970 */
	/* Whether the signature of c is by key. */
	bool (*is_signed)(const struct x509 *c, const struct x509_key *key);
};

/* Why a chain is refused; selects the TLS alert. */
enum x509_fault {
	X509_BAD,
	X509_EXPIRED,
	X509_UNKNOWN, /* no trusted authority has signed */
};

/*
 * Validates shown[0], with the others as possible intermediates; at most X509_CHAIN_MAX in total.
 * *fault is set only on failure.
 */
int x509_chain_check(const struct x509_trust *trust, const struct x509 *shown, size_t n,
		     enum x509_fault *fault, struct err *err);

#endif
