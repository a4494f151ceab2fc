/*
 * secret: decides what must not be displayed or logged.
 *
 * A file is secret as a whole (mc_is_secret), or some values in its text are (mc_mask).
 * Both follow rules that anyone can predict: a mode, a path, a few well-known texts,
 * the name of a key. They prevent accidental disclosure; they do not prove that the
 * rest is not secret.
 */
#ifndef MC_SECRET_H
#define MC_SECRET_H

#include "base/buf.h"

/* The replacement for a secret. */
#define MC_MASK "***"

/*
 * True for a file that only its owner may read (no bit of 077 in its mode), and
 * for private keys, pull secrets, password files and the like, by where they
 * are or by what they look like. mode: of the file, 0644 where it has none.
 */
bool mc_is_secret(struct str path, int64_t mode, struct str bytes);

/*
 * The text with the values of keys named password, token, secret, key, credential or
 * auth masked (also as a word of a name: HTTP_PASSWORD, secretAccessKey; not tokenFile
 * or keyType), and passwords in URLs. It knows "key: value", "key = value", "--key
 * value" and the JSON, YAML, TOML and shell forms of multi-line values. Values such as
 * true and "" are not masked. Returns text itself when nothing is masked.
 */
struct str mc_mask(struct arena *a, struct str text);

/* Masks both sides of a comparison: a value that the other side does not have reads
 * "*** (before)" or "*** (after)". */
void mc_mask_both(struct arena *a, struct str *before, struct str *after);

#endif
