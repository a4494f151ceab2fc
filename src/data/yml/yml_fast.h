/*
 * Inside data/yml: a reader of the YAML that manifests are made of.
 *
 * Block mappings and sequences, scalars of every style but folded, flow
 * collections on one line, comments. It makes the very tree, positions included,
 * that the library's events make; where it meets anything else, an error among
 * it, it declines and the library reads the text.
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

/* A scalar; text views the input where nothing had to be changed. */
struct yml_token {
	struct str text;
	size_t start, end;
	bool plain, one_line;
};

/* True with the tree, or false: read it another way. Strings view text. */
bool yml_fast(struct arena *a, struct str text, struct json **out);

/* Each reads what begins at f->at and leaves that behind it; false declines. */
bool yml_fast_plain(struct yml_fast *f, ptrdiff_t indent, struct yml_token *out);
bool yml_fast_flow_plain(struct yml_fast *f, struct yml_token *out);
bool yml_fast_quoted(struct yml_fast *f, struct yml_token *out);
bool yml_fast_literal(struct yml_fast *f, ptrdiff_t indent, struct yml_token *out);

/* The end of the part of a plain scalar that stands on this line. */
size_t yml_fast_plain_stop(const struct yml_fast *f, size_t i);

static inline bool yml_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool yml_is_flow(char c)
{
	return c == ',' || c == '[' || c == ']' || c == '{' || c == '}';
}

/* A blank, a line break or the end. */
static inline bool yml_fast_gap(const struct yml_fast *f, size_t i)
{
	return i >= f->n || yml_is_blank(f->p[i]) || f->p[i] == '\n';
}

#endif
