/*
 * Private to data/tmpl: shared by the parts of the parser.
 */
#ifndef DATA_TMPL_PARSER_H
#define DATA_TMPL_PARSER_H

#include "tmpl_node.h"

struct parser {
	struct arena *a;
	const char *name;
	struct str text;
	struct tokens t;
	size_t at; /* the next token */
	const struct token *action; /* the "{{" of the current action, or NULL */
	struct strs vars; /* in scope */
	int range_depth, depth;
	const struct tmpl_func *funcs;
	struct map *defined;
	struct err *err;
	bool failed;
};

/* The next token; the next one that is not a blank. */
struct token tmpl_peek(const struct parser *p);
struct token tmpl_next(struct parser *p);
struct token tmpl_peek_word(struct parser *p);
struct token tmpl_next_word(struct parser *p);
void tmpl_back(struct parser *p);

/* The first error wins, and parsing unwinds. Both return NULL. */
struct node *tmpl_fail(struct parser *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
struct node *tmpl_unexpected(struct parser *p, struct token t, const char *context);

/* Enters a level; false when the nesting is too deep. */
bool tmpl_deeper(struct parser *p);

struct node *tmpl_new_node(struct parser *p, enum node_kind kind, size_t pos);
void tmpl_append(struct node *parent, struct node *child);

struct node *tmpl_number(struct parser *p, struct token t);
struct node *tmpl_literal(struct parser *p, struct token t);

/* Parses up to the token end and consumes it. context is for messages. */
struct node *tmpl_pipeline(struct parser *p, const char *context, enum tok end);

#endif
