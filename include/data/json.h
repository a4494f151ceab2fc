/*
 * json: trees of JSON values, read strictly and written as Go writes them.
 *
 * Numbers keep the text they were read with. Strings are views of the text that
 * was parsed wherever they need no unescaping, so the text must outlive the
 * tree; the rest of the tree lives in the arena. Strings may contain NUL.
 * Keys are case-sensitive.
 */
#ifndef DATA_JSON_H
#define DATA_JSON_H

#include "base/err.h"
#include "base/vec.h"

struct json;

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

/* ---- reading ------------------------------------------------------------- */

#define JSON_DEPTH_MAX 1000

enum json_flags {
	/* Of two equal keys both stay; json_member finds the last. */
	JSON_DUP_KEEP = 0,
	/* Only the last of equal keys stays. */
	JSON_DUP_LAST = 1,
	/* Equal keys are an error. */
	JSON_DUP_ERROR = 2,
	/* Invalid UTF-8 and lone surrogates become U+FFFD, as in Go. */
	JSON_FIX_UTF8 = 4,
};

/* Where and why a text is not JSON; the problem is worded as in Go. */
struct json_fault {
	size_t offset; /* bytes read when the fault was found, the bad one included */
	size_t line, col; /* of the bad byte, from 1; columns are bytes */
	struct str problem;
};

struct json_opts {
	unsigned flags;
	size_t size_max; /* 0: no limit */
	/* When set: parse one value, return here how many bytes it took, and ignore
	 * what follows. */
	size_t *used;
	struct json_fault *fault; /* when set, filled in on ERR_INVALID */
};

/*
 * Parses text; opts may be NULL. ERR_INVALID "line L, column C: problem",
 * ERR_LIMIT when it is too large or too deep.
 */
int json_parse(struct arena *a, struct str text, const struct json_opts *opts, struct json **out,
	       struct err *err);

/* Line and column, from 1, of a byte offset in text. */
void json_line_col(struct str text, size_t offset, size_t *line, size_t *col);

/* ---- looking ------------------------------------------------------------- */

/* All of these take NULL for an absent value, which has kind JSON_NULL. */
enum json_kind json_kind(const struct json *j);

/* "object", "array", "string", "number", "bool", "null": as Go calls them. */
const char *json_kind_name(const struct json *j);

/* Elements or members in order: for (m = json_first(j); m; m = json_next(m)) */
struct json *json_first(const struct json *j);
struct json *json_next(const struct json *j);
size_t json_len(const struct json *j);

struct str json_key(const struct json *j); /* of a member */
struct str json_text(const struct json *j); /* of a string or number, or "" */
bool json_is_true(const struct json *j);

/* The bytes j was parsed from: offsets [start, end); both 0 when built. */
void json_span(const struct json *j, size_t *start, size_t *end);
size_t json_key_pos(const struct json *j); /* of the key's opening quote */

/* The (last) member of that name, or NULL. */
struct json *json_member(const struct json *j, struct str key);

/* The value at "spec.paused": member names separated by dots; NULL when absent. */
struct json *json_at(const struct json *j, const char *path);

/* The path of value (by address) below j: "spec.files.0.mode"; or "". */
struct str json_path_of(struct arena *a, const struct json *j, const struct json *value);

/* The value at path when it is of that kind, else the default. */
bool json_bool(const struct json *j, const char *path, bool dflt);
struct str json_str_or(const struct json *j, const char *path, struct str dflt);
/* The string at path, or "". */
struct str json_str(const struct json *j, const char *path);
int64_t json_i64(const struct json *j, const char *path, int64_t dflt);

/* Same kind and contents; members in any order, numbers by their text. */
bool json_eq(const struct json *x, const struct json *y);

/* ---- building ------------------------------------------------------------ */

/* Text given to these is not copied. */
struct json *json_new(struct arena *a, enum json_kind kind);
struct json *json_new_bool(struct arena *a, bool value);
struct json *json_new_str(struct arena *a, struct str s);
struct json *json_new_num(struct arena *a, struct str text);
struct json *json_new_i64(struct arena *a, int64_t value);
struct json *json_new_strs(struct arena *a, const struct strs *list);

/* Appends; item must not be in a tree already. */
void json_push(struct json *array, struct json *item);
/* Appends a member without looking for another of that name. */
void json_add(struct json *object, struct str key, struct json *item);
void json_add_str(struct arena *a, struct json *object, const char *key, struct str value);
/* The same; null where value.p is NULL: what removes a member by a merge patch. */
void json_add_opt(struct arena *a, struct json *object, const char *key, struct str value);
/* An empty object as a member. */
struct json *json_add_object(struct arena *a, struct json *object, const char *key);
/* The object at a path such as "metadata.annotations"; made where it is absent or
 * of another kind, with the objects above it. path is not copied. */
struct json *json_make(struct arena *a, struct json *root, const char *path);
/* Replaces the member in its place, or appends. */
void json_set(struct json *object, struct str key, struct json *item);
/* Replaces old, a child of parent, by item, which takes over its key. */
void json_replace(struct json *parent, struct json *old, struct json *item);
/* Removes every member of that name; true when there was one. */
bool json_remove(struct json *object, struct str key);
/* Removes item, a child of parent. */
void json_detach(struct json *parent, struct json *item);

/* Sets j to null in place; its key and span stay. */
void json_set_null(struct json *j);

/* A deep copy; the text of strings is shared. */
struct json *json_clone(struct arena *a, const struct json *j);

/* For parsers: sets the position of a value in its text. */
void json_set_span(struct json *j, size_t key_pos, size_t start, size_t end);

/* ---- writing ------------------------------------------------------------- */

enum json_style {
	JSON_SORTED = 1, /* members in bytewise order of their keys */
	JSON_INDENT = 2, /* as json.MarshalIndent(v, "", "  "), with no final \n */
	JSON_NO_HTML = 4, /* < > & stay as they are */
	JSON_INDENT_4 = 8 | JSON_INDENT, /* the same, by four blanks */
};

void json_encode(struct buf *b, const struct json *j, unsigned style);
struct str json_format(struct arena *a, const struct json *j, unsigned style);

/* One string, quoted and escaped. */
void json_add_quoted(struct buf *b, struct str s, unsigned style);

#endif
