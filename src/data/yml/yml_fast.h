/*
 * yml_fast: a fast reader for the YAML of manifests.
 *
 * It supports block mappings and sequences, scalars of every style except folded, flow collections
 * on one line, and comments. It builds exactly the tree that the library's events build, positions
 * included. For anything else, errors included, it declines and the library parses the text.
 */
#ifndef DATA_YML_FAST_H
#define DATA_YML_FAST_H

#include "yml_node.h"

struct yml_fast {
	struct arena *a;
	const char *p;
	size_t n, at;
	size_t line; /* where the line of at begins */
	ptrdiff_t col; /* of the token at at; -1 at the end of the text */
	unsigned depth;
};

/* A scalar; text views the input unless something had to be changed. */
struct yml_token {
	struct str text;
	size_t start, end;
	bool plain, one_line;
};

/* True and the tree, or false: declines. Strings view text. */
bool yml_fast(struct arena *a, struct str text, struct json **out);

/* Each parses what begins at f->at and moves f->at behind it; false declines. */
bool yml_fast_plain(struct yml_fast *f, ptrdiff_t indent, struct yml_token *out);
bool yml_fast_flow_plain(struct yml_fast *f, struct yml_token *out);
bool yml_fast_quoted(struct yml_fast *f, struct yml_token *out);
bool yml_fast_literal(struct yml_fast *f, ptrdiff_t indent, struct yml_token *out);

/* The end of the part of a plain scalar on this line. */
size_t yml_fast_plain_stop(const struct yml_fast *f, size_t i);

static inline bool yml_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool yml_is_flow(char c)
{
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

/* A space, a line break or the end. */
static inline bool yml_fast_gap(const struct yml_fast *f, size_t i)
{
	return i >= f->n || yml_is_blank(f->p[i]) || f->p[i] == '\n';
}

#endif
