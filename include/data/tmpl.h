/*
 * tmpl: Go's text/template, as upstream's template trees use it.
 *
 * A template is parsed once and run over values. Errors are worded as in Go, with
 * the template's name, line and column. Depth, steps and output are bounded, so a
 * hostile template ends.
 */
#ifndef DATA_TMPL_H
#define DATA_TMPL_H

#include "base/vec.h"
#include "data/json.h"

enum tmpl_kind {
	TMPL_NONE, /* no value: prints <no value> */
	TMPL_NIL, /* a nil pointer: reading its fields is an error */
	TMPL_BOOL,
	TMPL_INT,
	TMPL_FLOAT,
	TMPL_STR,
	TMPL_BYTES, /* Go's []byte, in s */
	TMPL_LIST,
	TMPL_MAP,
	TMPL_STRUCT, /* a Go struct: its class knows its fields */
};

struct tmpl_value {
	enum tmpl_kind kind;
	bool boxed; /* read from a map or list of any: its Go type is interface {} */
	bool ptr; /* a pointer: true whatever it points at */
	bool b;
	int64_t i;
	double f;
	struct str s;
	struct tmpl_values *list;
	const struct json *map; /* of a struct: its JSON, NULL for all zero */
	const char *go; /* Go's name of its type, where the kind does not imply it */
	const struct tmpl_class *class; /* of a struct */
	const void *type; /* private to the class */
};

struct tmpl_values {
	struct tmpl_value *v;
	size_t n, cap;
	bool strings; /* Go's []string */
};

/* A family of structs: how to read their fields and print them. */
struct tmpl_class {
	/* A field's value; false when v's type has none of that name. */
	bool (*field)(struct arena *a, const struct tmpl_value *v, struct str name,
		      struct tmpl_value *out);
	/* What is between the braces when v is printed. */
	void (*print)(struct buf *b, const struct tmpl_value *v);
};

/* A JSON value as a template sees it. */
struct tmpl_value tmpl_from_json(struct arena *a, const struct json *j);

struct tmpl_value tmpl_str(struct str s);
struct tmpl_value tmpl_bytes(struct str s);
struct tmpl_value tmpl_strs(struct arena *a, const struct strs *list);
struct tmpl_value tmpl_int(int64_t i);
struct tmpl_value tmpl_bool(bool b);

/* Go's name of a value's type. */
const char *tmpl_type(const struct tmpl_value *v);

/* Not zero, not empty, not nil. */
bool tmpl_truth(const struct tmpl_value *v);

/* Appends v as Go's fmt prints it with %v. */
void tmpl_print(struct buf *b, const struct tmpl_value *v);

/* The arguments of a function call, and its error. */
struct tmpl_call {
	struct arena *a;
	const struct tmpl_value *args;
	size_t n;
	struct str error; /* set on failure: "error calling f: " goes before it */
	void *ctx;
};

/*
 * A function of templates. args has a letter for each argument: s string, i integer, l
 * list of strings, r upstream's template.RenderConfig, a any. A final '*' allows any
 * number of the last one.
 */
struct tmpl_func {
	const char *name, *args;
	bool (*call)(struct tmpl_call *c, struct tmpl_value *out);
};

struct tmpl;

/*
 * Parses text. funcs (ended by { 0 }, or NULL) are added to Go's own functions and to
 * those of the template controller that need only their arguments: toString, indent,
 * join, skip, urlHost, urlPort. ERR_INVALID "template: NAME:LINE: …". name and text must
 * outlive the template.
 */
int tmpl_parse(struct arena *a, const char *name, struct str text, const struct tmpl_func *funcs,
	       struct tmpl **out, struct err *err);

/* Runs it over data and appends to b; on failure b is unchanged. ERR_INVALID "template:
 * NAME:LINE:COL: executing …", ERR_LIMIT. */
int tmpl_run(struct arena *a, const struct tmpl *t, struct tmpl_value data, void *ctx,
	     struct buf *b, struct err *err);

#endif
