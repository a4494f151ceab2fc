/*
 * shape: Go's structs as tables, and what Go's JSON packages make of them.
 *
 * A document is checked against a struct and read as Go would hold it, then
 * written again as Go marshals it: field order, omitempty, zero values, and the
 * types with a text form of their own (times, durations, quantities, …). What
 * does not fit is refused in Go's words.
 *
 * A held object is a JSON tree: known members under their own names, null left
 * out, values in the form Go writes; a zero or empty value that was given stays,
 * so that "given" and "absent" can be told apart.
 */
#ifndef DATA_SHAPE_H
#define DATA_SHAPE_H

#include "base/vec.h"
#include "data/json.h"

enum shape_kind {
	SHAPE_STRUCT, /* the row opens a struct; or a field is of one */
	SHAPE_STRING,
	SHAPE_BOOL,
	SHAPE_INT32,
	SHAPE_INT64,
	SHAPE_UINT32,
	SHAPE_FLOAT64,
	SHAPE_BYTES, /* []byte: base64 */
	SHAPE_TIME, /* metav1.Time */
	SHAPE_DURATION, /* metav1.Duration */
	SHAPE_TIMEDUR, /* a duration as string or as nanoseconds */
	SHAPE_QUANTITY,
	SHAPE_INTSTR, /* intstr.IntOrString */
	SHAPE_RAW, /* any JSON, kept as it is */
};

enum shape_flag {
	SHAPE_OMIT = 1, /* omitempty */
	SHAPE_PTR = 2,
	SHAPE_LIST = 4,
	SHAPE_MAP = 8, /* with SHAPE_LIST: a map of lists */
	SHAPE_ZERO = 16, /* omitzero */
	SHAPE_OPEN = 32, /* the row is not a field: a struct begins here */
};

/* Six bytes a row, and no pointer among them: there are a thousand. */
struct shape_row {
	uint16_t name; /* where in the pool: of the field, or "v1.Type" */
	uint16_t type; /* the struct's row; or the type's name in the pool */
	uint8_t kind, flags;
};

struct shapes {
	const struct shape_row *rows;
	const char *pool; /* begins with an empty string */
	uint16_t n;
};

enum shape_mode {
	SHAPE_FOLD = 1, /* names in any case, as encoding/json takes them */
	/* The document was YAML: by the time Go reads it its keys are sorted,
	 * which tells which of several faults is the first. */
	SHAPE_SORTED = 2,
	/* Numbers and bools become text where a string is wanted: what Go's YAML
	 * package does when it knows the target. */
	SHAPE_TEXT = 4,
};

/*
 * Reads j as the struct that row type opens. *out (may be NULL: check only) is
 * the held object; members the struct does not have are passed over.
 * ERR_INVALID with Go's text.
 */
int shape_hold(struct arena *a, const struct shapes *s, uint16_t type, unsigned mode,
	       const struct json *j, struct json **out, struct err *err);

/* The value that shape_hold refuses j for, to tell where it stands; or NULL. */
struct json *shape_blame(struct arena *a, const struct shapes *s, uint16_t type, unsigned mode,
			 const struct json *j);

/* What Go marshals for a held object (NULL: the zero value); shares nothing
 * with it, text aside. */
struct json *shape_marshal(struct arena *a, const struct shapes *s, uint16_t type,
			   const struct json *held);

/* The row of a field by its exact name, or 0. */
uint16_t shape_field(const struct shapes *s, uint16_t type, struct str name);

/* A member that its struct does not have. */
struct shape_unknown {
	const struct json *member;
	struct str path; /* "spec.files.0.pth" */
	struct str meant; /* the field it most likely means, or "" */
};

struct shape_unknowns {
	struct shape_unknown *v;
	size_t n, cap;
};

#define SHAPE_UNKNOWN_MAX 100

/* Adds the members of j that shape_hold passes over, at every depth: at most
 * SHAPE_UNKNOWN_MAX in all. path is that of j, or "". */
void shape_find_unknown(struct arena *a, const struct shapes *s, uint16_t type, unsigned mode,
			const struct json *j, struct str path, struct shape_unknowns *out);

/* "MachineConfig", of the row that opens a struct. */
struct str shape_name(const struct shapes *s, uint16_t type);

#endif
