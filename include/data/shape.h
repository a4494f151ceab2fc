/*
 * shape: Go structs as tables, decoded and encoded as Go's JSON packages do.
 *
 * A document is validated against a struct, decoded, and encoded as Go marshals it: field order,
 * omitempty, zero values, and types with a text form of their own (times, durations, quantities,
 * …). Errors have Go's texts.
 *
 * A held object is a decoded struct as a JSON tree: known members under their exact names, without
 * nulls, values in the form that Go writes. An explicit zero or empty value stays, so it can be
 * distinguished from an absent one.
 */
#ifndef DATA_SHAPE_H
#define DATA_SHAPE_H

#include "base/vec.h"
#include "data/json.h"

enum shape_kind {
	SHAPE_STRUCT, /* the row opens a struct, or the field is one */
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

/* Six bytes and no pointer: there are a thousand rows. */
struct shape_row {
	uint16_t name; /* offset in the pool: of the field, or "v1.Type" */
	uint16_t type; /* the row of the struct, or the offset of the type's name */
	uint8_t kind, flags;
};

struct shapes {
	const struct shape_row *rows;
	const char *pool; /* begins with an empty string */
	uint16_t n;
};

enum shape_mode {
	SHAPE_FOLD = 1, /* case-insensitive names, as in encoding/json */
	/* The document was YAML: Go decodes it with sorted keys, which decides which of several
	 * faults is reported. */
	SHAPE_SORTED = 2,
	/* Numbers and bools become text where the field is a string, as Go's YAML package does
	 * when it knows the target. */
	SHAPE_TEXT = 4,
};

/*
 * Decodes j as the struct that row type opens. *out (NULL: only validate) is the held object;
 * unknown members are ignored. ERR_INVALID with Go's text.
 */
int shape_hold(struct arena *a, const struct shapes *s, uint16_t type, unsigned mode,
	       const struct json *j, struct json **out, struct err *err);

/* The value for which shape_hold refuses j, to locate the fault; or NULL. */
struct json *shape_blame(struct arena *a, const struct shapes *s, uint16_t type, unsigned mode,
			 const struct json *j);

/* What Go marshals for a held object (NULL: the zero value); shares only text with it. */
struct json *shape_marshal(struct arena *a, const struct shapes *s, uint16_t type,
			   const struct json *held);

/* The row of a field by its exact name, or 0. */
uint16_t shape_field(const struct shapes *s, uint16_t type, struct str name);

/* A member that its struct does not have. */
struct shape_unknown {
	const struct json *member;
	struct str path; /* "spec.files.0.pth" */
	struct str meant; /* the most similar field, or "" */
};

struct shape_unknowns {
	struct shape_unknown *v;
	size_t n, cap;
};

#define SHAPE_UNKNOWN_MAX 100

/* Adds the members of j that shape_hold ignores, at every depth: at most SHAPE_UNKNOWN_MAX in
 * total. path is that of j, or "". */
void shape_find_unknown(struct arena *a, const struct shapes *s, uint16_t type, unsigned mode,
			const struct json *j, struct str path, struct shape_unknowns *out);

/* The name of the struct that a row opens: "MachineConfig". */
struct str shape_name(const struct shapes *s, uint16_t type);

#endif
