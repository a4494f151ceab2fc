/*
 * der: a strict reader of DER: definite lengths in their shortest form, tags of one byte. Values
 * are views of the input.
 */
#ifndef DATA_DER_H
#define DATA_DER_H

#include "base/str.h"

enum {
	DER_BOOL = 0x01,
	DER_INT = 0x02,
	DER_BITS = 0x03,
	DER_OCTETS = 0x04,
	DER_NULL = 0x05,
	DER_OID = 0x06,
	DER_UTC_TIME = 0x17,
	DER_TIME = 0x18,
	DER_SEQ = 0x30,
	DER_SET = 0x31,
};

/* Takes the next element from *in. False when there is none or it is malformed. */
bool der_next(struct str *in, unsigned *tag, struct str *value);

/* The same if it has that tag; otherwise *in is unchanged. */
bool der_take(struct str *in, unsigned tag, struct str *value);

/* The same, and the element with tag and length, for signed data. */
bool der_take_raw(struct str *in, unsigned tag, struct str *raw, struct str *value);

/* A non-negative integer, without its leading zero byte. */
bool der_take_uint(struct str *in, struct str *value);

/* A small one. */
bool der_take_small(struct str *in, uint32_t *value);

/* A bit string of whole bytes. */
bool der_take_bits(struct str *in, struct str *value);

/* UTCTime or GeneralizedTime in the forms of certificates, in seconds since 1970. */
bool der_take_time(struct str *in, int64_t *value);

#endif
