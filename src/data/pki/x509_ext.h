/* What the files of data/x509 share. */
#ifndef DATA_X509_EXT_H
#define DATA_X509_EXT_H

#include "data/x509.h"

/* Reads what follows the public key. False when it is malformed. */
bool x509_extensions(struct arena *a, struct str tbs, struct x509 *c);

/*
 * Reads name constraints into c. *handled is set to false when there is a kind
 * of name among them that is not checked.
 */
bool x509_parse_limits(struct arena *a, struct str v, struct x509 *c, bool *handled);

/* Letters, digits and signs of ASCII only: no space, no control character. */
bool x509_is_ascii(struct str s);

/* For messages: bytes of a stranger's certificate, and an address. */
void x509_add_printable(struct buf *b, struct str s);
void x509_add_ip(struct buf *b, struct str ip);

#endif
