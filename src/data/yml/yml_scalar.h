/*
 * yml_scalar: writes scalars and keeps the state of the output line.
 */
#ifndef DATA_YML_SCALAR_H
#define DATA_YML_SCALAR_H

#include "yml_node.h"

struct yml_out {
	struct buf *b;
	yml_sink *sink; /* receives the contents of b in pieces; or NULL */
	void *arg;
	size_t col; /* in characters */
	int indent; /* -1 at the top level */
	bool white; /* the last output was white space */
	bool fresh; /* the line has only indentation and indicators */
};

void yml_write_indent(struct yml_out *o);
void yml_write_indicator(struct yml_out *o, struct str s, bool needs_space, bool keeps_fresh);

/* null, true, 12, [] and similar: never quoted, never folded. */
void yml_write_word(struct yml_out *o, struct str s);

/* In the style that the contents require. */
void yml_write_string(struct yml_out *o, struct str s);

/* The same on one line; false, without output, when the key is too long for that or has line
 * breaks. */
bool yml_write_simple_key(struct yml_out *o, struct str key);

#endif
