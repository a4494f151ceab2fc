/* x509_ext: functions shared by the files of x509. */
#ifndef DATA_X509_EXT_H
#define DATA_X509_EXT_H

#include "data/x509.h"

/* Parses the part after the public key. False when it is malformed. */
bool x509_extensions(struct arena *a, struct str tbs, struct x509 *c);

/*
 * Parses name constraints into c. Sets *handled to false when they contain a kind of name that is
 * not checked.
 */
bool x509_parse_limits(struct arena *a, struct str v, struct x509 *c, bool *handled);

/* Printable ASCII only: no space, no control character. */
bool x509_is_ascii(struct str s);

/* For messages: untrusted bytes of a certificate, and an address. */
void x509_add_printable(struct buf *b, struct str s);
void x509_add_ip(struct buf *b, struct str ip);

#endif
