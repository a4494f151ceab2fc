/*
 * yml: YAML 1.1 to and from JSON trees, as go-yaml v2 with ghodss/yaml (and sigs.k8s.io/yaml) does;
 * upstream reads manifests and writes rendered configs with those.
 */
#ifndef DATA_YML_H
#define DATA_YML_H

#include "data/json.h"

#define YML_DEPTH_MAX 1000

/* Where and why a text was refused. */
struct yml_fault {
	size_t line, col; /* from 1; 0 when unknown */
	struct str problem;
	/* The whole message of upstream's library, with its line numbers. */
	struct str upstream;
};

struct yml_opts {
	unsigned flags; /* JSON_DUP_ERROR, or the last of equal keys wins */
	size_t size_max; /* 0: no limit */
	struct yml_fault *fault; /* when set, filled in on ERR_INVALID */
	/* When set, filled in with the first duplicate key where the last one wins: the position
	 * of the value, and the key as the problem. */
	struct yml_fault *twice;
};

/*
 * Parses the first document of text to a JSON tree: expands aliases, applies merge keys, converts
 * keys to strings and numbers to JSON's form. A text without a document is null. opts may be NULL.
 * Spans are byte offsets into text. Strings may view text, which must outlive the tree.
 */
int yml_parse(struct arena *a, struct str text, const struct yml_opts *opts, struct json **out,
	      struct err *err);

/* A manifest split at "---" lines, as the API machinery splits it. */
struct yml_docs {
	struct str rest;
	size_t line; /* of rest's first line in the file, from 1 */
};

/* Copies text if it has CRLF line ends, which become LF. */
void yml_docs_init(struct arena *a, struct yml_docs *d, struct str text);

/*
 * The next document and its first line. Returns 1, 0 at the end, or
 * -ERR_INVALID: "invalid Yaml document separator: …".
 */
int yml_docs_next(struct yml_docs *d, struct str *doc, size_t *line, struct err *err);

/*
 * Appends j as ghodss/yaml marshals it: block style, sorted keys, final \n.
 * ERR_INVALID for strings upstream cannot write (control characters).
 */
int yml_emit(struct buf *b, const struct json *j, struct err *err);

/* The same in pieces, for output that is not stored, such as a hash. On an error no piece has been
 * passed on. */
typedef void yml_sink(void *arg, struct str piece);
int yml_emit_to(yml_sink *sink, void *arg, const struct json *j, struct err *err);

/* The order of keys in emitted mappings: letters last, numbers by value. */
int yml_key_cmp(struct str x, struct str y);

#endif
