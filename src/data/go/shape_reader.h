/* What the halves of shape share: reading values, and the containers of them. */
#ifndef SRC_DATA_SHAPE_READER_H
#define SRC_DATA_SHAPE_READER_H

#include "data/shape.h"

/*
 * Go goes on after a value of the wrong type and reports the first such at the
 * end; a type that reads itself (a duration, a quantity) stops it at once, and
 * its error is the one reported. Both are kept apart here for that reason.
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
	const struct shape_frame *at; /* the path to it */
	struct err *err;
	bool saved; /* err has a fault of the first sort */
	bool ended; /* err has one of the second */
	const struct json *blame; /* the value it is about */
};

static inline const char *shape_pool(const struct shapes *s, uint16_t at)
{
	return s->pool + at;
}

/* The field of that name, in any case with SHAPE_FOLD; or NULL. */
const struct shape_row *shape_row_of(const struct shapes *s, uint16_t type, unsigned mode,
				     struct str name);

void shape_path(struct buf *b, const struct shape_frame *f);

/* j is not what row, in containers as flags say, can hold. Returns 0. */
int shape_wrong_kind(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		     unsigned flags);

/*
 * Reads anything but a struct. Gives 0 and *out (NULL when it did not fit or is
 * only checked), or an error that ends everything.
 */
int shape_value(struct shape_reader *r, const struct json *j, const struct shape_row *row,
		struct json **out);

/* What an absent value of the type is when it is written. */
struct json *shape_zero(struct arena *a, const struct shape_row *row);

/* Members by key, of equal keys the last alone. */
struct shape_members {
	struct shape_member {
		struct json *j;
		size_t i;
	} * v;
	size_t n, cap;
};
struct shape_members shape_sorted(struct arena *a, const struct json *j);

#endif
