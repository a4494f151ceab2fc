/*
 * Header fields of HTTP/2 (RFC 7541) from a peer that was told to use no dynamic table: indexed in
 * the static table, which has nothing that a call depends on, or literal, with or without Huffman
 * coding.
 */
#include "data/grpc.h"

#define STATIC_LAST 61

/* The Huffman code is canonical: the bytes in the order of their codes, and the number of codes
 * of each length; without EOS. */
static const unsigned char symbols[] = {
	48,  49,  50,  97,  99,	 101, 105, 111, 115, 116, 32,  37,  45,	 46,  47,  51,	52,  53,
	54,  55,  56,  57,  61,	 65,  95,  98,	100, 102, 103, 104, 108, 109, 110, 112, 114, 117,
	58,  66,  67,  68,  69,	 70,  71,  72,	73,  74,  75,  76,  77,	 78,  79,  80,	81,  82,
	83,  84,  85,  86,  87,	 89,  106, 107, 113, 118, 119, 120, 121, 122, 38,  42,	44,  59,
	88,  90,  33,  34,  40,	 41,  63,  39,	43,  124, 35,  62,  0,	 36,  64,  91,	93,  126,
	94,  125, 60,  96,  123, 92,  195, 208, 128, 130, 131, 162, 184, 194, 224, 226, 153, 161,
	167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230, 129, 132, 133, 134, 136, 146, 154,
	156, 160, 163, 164, 169, 170, 173, 178, 181, 185, 186, 187, 189, 190, 196, 198, 228, 232,
	233, 1,	  135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157, 158, 165,
	166, 168, 174, 175, 180, 182, 183, 188, 191, 197, 231, 239, 9,	 142, 144, 145, 148, 159,
	171, 206, 215, 225, 236, 237, 199, 207, 234, 235, 192, 193, 200, 201, 202, 205, 210, 213,
	218, 219, 238, 240, 242, 243, 255, 203, 204, 211, 212, 214, 221, 222, 223, 241, 244, 245,
	246, 247, 248, 250, 251, 252, 253, 254, 2,   3,	  4,   5,   6,	 7,   8,   11,	12,  14,
	15,  16,  17,  18,  19,	 20,  21,  23,	24,  25,  26,  27,  28,	 29,  30,  31,	127, 220,
	249, 10,  13,  22,
};
static const unsigned char counts[] = {
	0, 0, 0, 0, 0, 10, 26, 32, 6,  0, 5,  3,  2,  6, 2, 3,
	0, 0, 0, 3, 8, 13, 26, 29, 12, 4, 15, 19, 29, 0, 3,
};

/* The next byte; -1 at the end of the text, -2 for an invalid code. */
static int huffman_next(struct str text, size_t *bit)
{
	unsigned code = 0, first = 0, index = 0, len = 1;

	for (; len < sizeof(counts) && *bit < 8 * text.n; len++) {
		unsigned char byte = (unsigned char)text.p[*bit / 8];

		code = code << 1 | (byte >> (7 - *bit % 8) & 1);
		first <<= 1;
		++*bit;
		if (code - first < counts[len])
			return symbols[index + code - first];
		first += counts[len];
		index += counts[len];
	}
	/* the padding is a prefix of EOS */
	return len <= 8 && code + 1 == 1U << (len - 1) ? -1 : -2;
}

static bool huffman(struct arena *a, struct str text, struct str *out)
{
	struct buf b;
	size_t bit = 0;
	int c;

	buf_init(&b, a);
	while ((c = huffman_next(text, &bit)) >= 0)
		buf_addc(&b, (char)c);
	*out = buf_str(&b);
	return c == -1;
}

/* An integer with a prefix in the low bits of a byte. */
static bool number(struct str *rest, unsigned bits, size_t *out)
{
	size_t most = ((size_t)1 << bits) - 1;
	unsigned shift = 0;
	unsigned char byte;

	*out = (unsigned char)rest->p[0] & most;
	*rest = str_from(*rest, 1);
	if (*out < most)
		return true;
	do {
		if (!rest->n || shift > 21)
			return false;
		byte = (unsigned char)rest->p[0];
		*out += (size_t)(byte & 0x7f) << shift;
		*rest = str_from(*rest, 1);
		shift += 7;
	} while (byte & 0x80);
	return true;
}

static bool text(struct arena *a, struct str *rest, struct str *out)
{
	bool coded = rest->n && (unsigned char)rest->p[0] & 0x80;
	size_t n;

	if (!rest->n || !number(rest, 7, &n) || n > rest->n)
		return false;
	*out = str_sub(*rest, 0, n);
	*rest = str_from(*rest, n);
	return !coded || huffman(a, *out, out);
}

int hpack_next(struct arena *a, struct str *block, struct hpack_field *out)
{
	unsigned char byte;
	size_t index;

	*out = (struct hpack_field){ .name = S(""), .value = S("") };
	do {
		if (!block->n)
			return 0;
		byte = (unsigned char)block->p[0];
		/* 1: indexed; 01, 0000, 0001: literal, perhaps with an indexed name; 001: the
		 * size of the dynamic table, which must be 0 */
		if (!number(block, byte & 0x80 ? 7 : byte & 0x40 ? 6 : byte & 0x20 ? 5 : 4, &index))
			return -1;
	} while (byte >> 5 == 1 && index == 0);
	if (byte >> 5 == 1 || index > STATIC_LAST || (byte & 0x80 && !index) ||
	    (!index && !text(a, block, &out->name)) ||
	    (!(byte & 0x80) && !text(a, block, &out->value)))
		return -1;
	return 1;
}
