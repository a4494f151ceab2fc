/*
 * num: numbers in text the way Go's strconv and encoding/json write and read
 * them, whatever the locale.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include "base/buf.h"

/* An integer that fits neither int64 nor uint64 is not an integer. */
struct num_int {
	bool neg;
	uint64_t abs;
};

/*
 * strconv.ParseInt/ParseUint(s, 0, 64): optional sign, then decimal, 0x, 0o, 0b
 * or leading-0 octal. Underscores are not accepted: remove them first.
 */
bool num_parse_int(struct str s, struct num_int *out);

/* strconv.ParseFloat of plain decimal text; false on overflow or other text. */
bool num_parse_float(struct str s, double *out);

/* strconv.FormatFloat(v, 'g', -1, bits): the shortest text that reads back as
 * v, or, with 32 bits, as v's float32. */
void num_add_float_g(struct buf *b, double v, int bits);

/* As encoding/json writes a float64; v is finite. */
void num_add_float_json(struct buf *b, double v);

void num_add_int(struct buf *b, struct num_int v);

#endif
