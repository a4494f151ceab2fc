/*
 * scan: searches bytes sixteen at a time, for the few loops that read every byte of the
 * input. The compiler generates vector code where the machine has it.
 */
#ifndef BASE_SCAN_H
#define BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SCAN 16

typedef unsigned char scan_v __attribute__((vector_size(SCAN)));

static inline scan_v scan_load(const char *p)
{
	scan_v v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Lanes of all ones where the byte is c, or lies in [low, high]. */
static inline scan_v scan_is(scan_v v, unsigned char c)
{
	return (scan_v)(v == c);
}

static inline scan_v scan_in(scan_v v, unsigned char low, unsigned char high)
{
	return (scan_v)(v - low <= (unsigned char)(high - low));
}

static inline bool scan_any(scan_v v)
{
	uint64_t w[2];

	memcpy(w, &v, sizeof(w));
	return w[0] | w[1];
}

/* The first lane that is not zero; SCAN when there is none. */
static inline size_t scan_first(scan_v v)
{
	uint64_t w[2];

	memcpy(w, &v, sizeof(w));
	if (!(w[0] | w[1]))
		return SCAN;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return w[0] ? (size_t)__builtin_ctzll(w[0]) / 8 : 8 + (size_t)__builtin_ctzll(w[1]) / 8;
#else
	return w[0] ? (size_t)__builtin_clzll(w[0]) / 8 : 8 + (size_t)__builtin_clzll(w[1]) / 8;
#endif
}

/* The offset of the first c (or of the first of three bytes) in p's n bytes; n when absent. */
size_t scan_byte(const char *p, size_t n, char c);
size_t scan_three(const char *p, size_t n, char c, char d, char e);

/* How many bytes from p on are printable ASCII, line feeds or tabs. */
size_t scan_text(const char *p, size_t n);

#endif
