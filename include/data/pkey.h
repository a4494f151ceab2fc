/*
 * pkey: private keys from PEM: RSA (PKCS#1, PKCS#8) and EC (SEC 1, PKCS#8) on
 * P-256, P-384 and P-521. Error messages never contain key material.
 */
#ifndef DATA_PKEY_H
#define DATA_PKEY_H

#include "data/x509.h"

struct pkey {
	enum key_type type;
	struct str n, e, p, q, dp, dq, iq; /* RSA, without leading zeros */
	enum key_curve curve; /* EC */
	struct str x;
};

/* The first private key in a PEM text, as Go chooses it. */
int pkey_parse(struct arena *a, struct str pem, struct pkey *out, struct err *err);

#endif
