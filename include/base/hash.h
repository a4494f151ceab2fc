/*
 * hash: md5 (for the names of rendered configs, not for security) and sha2.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/str.h"

enum hash_kind { HASH_MD5, HASH_SHA256, HASH_SHA512 };

#define HASH_MAX 64 /* bytes of the longest sum */

struct hash {
	enum hash_kind kind;
	uint64_t state[32]; /* room for any of the library's contexts */
};

void hash_init(struct hash *h, enum hash_kind kind);
void hash_add(struct hash *h, struct str s);

/* Writes the sum of all added so far; returns its length. */
size_t hash_sum(const struct hash *h, unsigned char out[HASH_MAX]);

/* The sum in lower-case hex, in a. */
struct str hash_hex(struct arena *a, const struct hash *h);

/* The sum of one string. */
struct str hash_hex_of(struct arena *a, enum hash_kind kind, struct str s);

#endif
