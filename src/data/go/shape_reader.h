/* shape_reader: the state shared by decoding values and decoding their containers. */
#ifndef SRC_DATA_SHAPE_READER_H
#define SRC_DATA_SHAPE_READER_H

#include "data/shape.h"

/*
 * There are two kinds of faults. Go continues after a value of the wrong type and reports the first
 * one at the end (saved); the error of a type with its own decoder (a duration, a quantity) ends
 * decoding at once and is the one reported (ended).
 */
struct shape_frame {
	const struct shape_frame *up;
	const char *name;
};

struct shape_reader {
	struct arena *a;
	const struct shapes *s;
	unsigned mode;
	bool build; /* else check only */
	const char *in; /* the struct that declares the last field */
	const struct shape_frame *at; /* the path to the field */
	struct err *err;
	bool saved; /* err has a fault of the first kind */
	bool ended; /* err has a fault of the second kind */
	const struct json *blame; /* the value at fault */
};

static inline const char *shape_pool(const struct shapes *s, uint16_t at)
{
	return s->pool + at;
}

/* The field of that name, case-insensitive with SHAPE_FOLD; or NULL. */
const struct shape_row *shape_row_of(const struct shapes *s, uint16_t type, unsigned mode,
				     struct str name);

void shape_path(struct buf *b, const struct shape_frame *f);

/* Reports that j does not fit row, in the containers of flags. Returns 0. */
int shape_wrong_kind(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		     unsigned flags);

/*
 * Decodes anything but a struct. Returns 0 and *out (NULL when it does not fit or in a check only),
 * or an error that ends decoding.
 */
int shape_value(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		struct json **out);

/* What an absent value of the type is marshalled as. */
struct json *shape_zero(struct arena *a, const struct shape_row *row);

/* Members by key; of duplicates only the last. */
struct shape_members {
	struct shape_member {
		struct json *j;
		size_t i;
	} * v;
	size_t n, cap;
};
struct shape_members shape_sorted(struct arena *a, const struct json *j);

#endif
