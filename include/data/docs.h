/*
 * docs: the documents of a manifest, YAML or JSON, one or many.
 *
 * As the API machinery reads them: a text whose first character (within 1,024
 * bytes) is '{' is a stream of JSON values; anything else is YAML split at its
 * "---" lines. Empty and null documents are left out.
 */
#ifndef DATA_DOCS_H
#define DATA_DOCS_H

#include "base/vec.h"
#include "data/json.h"

struct doc {
	struct json *tree;
	struct str text; /* what tree was parsed from */
	size_t line; /* of text's first byte in the file, from 1 */
	size_t number; /* among all documents, from 1, empty ones counted */
	bool json;
	/* Of YAML: a key that stands twice, and the line and column of its
	 * second value in the file; 0 when there is none. */
	struct str twice;
	size_t twice_line, twice_col;
};

struct docs {
	struct doc *v;
	size_t n, cap;
};

/* Where the fault is: in the file, not in its document. */
struct docs_fault {
	size_t line, col, number;
	struct str problem;
	struct str upstream; /* as upstream words it: "yaml: line 2: …" */
};

struct docs_faults {
	struct docs_fault *v;
	size_t n, cap;
};

/*
 * Parses text; JSON keeps duplicate keys, of YAML the last wins. ERR_INVALID
 * "line L, column C: …" with *fault filled in (fault may be NULL); ERR_LIMIT.
 */
int docs_parse(struct arena *a, struct str text, struct docs *out, struct docs_fault *fault,
	       struct err *err);

/*
 * The line of the first comment in a text that docs_parse takes, 0 when there is
 * none. Trees have no comments: whoever writes one back loses them.
 */
size_t docs_comment(struct arena *a, struct str text);

/*
 * The same, but goes on after a document that cannot be parsed, as far as the
 * next one can be found: adds its fault to faults, and returns 0. ERR_LIMIT.
 */
int docs_parse_all(struct arena *a, struct str text, struct docs *out, struct docs_faults *faults,
		   struct err *err);

#endif
