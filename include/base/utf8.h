/*
 * utf8: code points as Go's unicode/utf8 decodes them: surrogates, overlong forms and
 * values above U+10FFFF are invalid, and an invalid byte is one rune.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"

#define UTF8_BAD 0xFFFDu

/* The rune at s[i] (i < s.n) and its length; UTF8_BAD and 1 when invalid. */
uint32_t utf8_at(struct str s, size_t i, size_t *len);

/* True when all of s is valid. */
bool utf8_valid(struct str s);

/* Appends one rune; a value that is no code point becomes U+FFFD. */
void utf8_add(struct buf *b, uint32_t rune);

/* Letters and decimal digits of any script, as Go's unicode package has them. */
bool utf8_is_letter(uint32_t rune);
bool utf8_is_digit(uint32_t rune);

#endif
