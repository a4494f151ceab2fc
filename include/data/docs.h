/*
 * docs: the documents of a manifest, YAML or JSON, one or many.
 *
 * Reads as the API machinery does: a text whose first character (within 1,024 bytes) is '{' is a
 * stream of JSON values; anything else is YAML, split at its "---" lines. Empty and null documents
 * are skipped.
 */
#ifndef DATA_DOCS_H
#define DATA_DOCS_H

#include "base/vec.h"
#include "data/json.h"

struct doc {
	struct json *tree;
	struct str text; /* what tree was parsed from */
	size_t line; /* of the first byte of text in the file, from 1 */
	size_t number; /* among all documents, from 1; empty ones count */
	bool json;
	/* YAML: a duplicate key, and line and column of its second value in the file; 0 for
	 * none. */
	struct str twice;
	size_t twice_line, twice_col;
};

struct docs {
	struct doc *v;
	size_t n, cap;
};

/* A fault and its position in the file, not in its document. */
struct docs_fault {
	size_t line, col, number;
	struct str problem;
	struct str upstream; /* upstream's text: "yaml: line 2: …" */
};

struct docs_faults {
	struct docs_fault *v;
	size_t n, cap;
};

/*
 * Parses text. JSON keeps duplicate keys; in YAML the last one wins. ERR_INVALID "line L, column C:
 * …" and *fault (which may be NULL); ERR_LIMIT.
 */
int docs_parse(struct arena *a, struct str text, struct docs *out, struct docs_fault *fault,
	       struct err *err);

/*
 * Adds one document in a format: "yaml" (after a "---" line unless b is empty), "json" (indented) or
 * "json-compact"; any other name means "yaml". flags: of json_encode. On failure b is
 * unchanged.
 */
int docs_write(struct buf *b, struct str format, unsigned flags, const struct json *tree,
	       struct err *err);

/*
 * The line of the first comment in a text that docs_parse accepts, or 0. Trees have no comments:
 * writing one back loses them.
 */
size_t docs_comment(struct arena *a, struct str text);

/*
 * The same, but skips a document that cannot be parsed, if the start of the next one can be found:
 * adds the fault to faults and returns 0. ERR_LIMIT.
 */
int docs_parse_all(struct arena *a, struct str text, struct docs *out, struct docs_faults *faults,
		   struct err *err);

#endif
