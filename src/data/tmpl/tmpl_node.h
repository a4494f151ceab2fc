/*
 * Private to data/tmpl: tokens and the parsed tree.
 */
#ifndef DATA_TMPL_NODE_H
#define DATA_TMPL_NODE_H

#include "base/map.h"
#include "base/num.h"
#include "data/tmpl.h"

enum tok {
	TOK_ERROR,
	TOK_EOF,
	TOK_TEXT,
	TOK_LEFT,
	TOK_RIGHT,
	TOK_SPACE,
	TOK_IDENT,
	TOK_KEYWORD,
	TOK_FIELD,
	TOK_VARIABLE,
	TOK_DOT,
	TOK_NIL,
	TOK_BOOL,
	TOK_NUMBER,
	TOK_CHAR_CONST,
	TOK_STRING,
	TOK_RAW,
	TOK_PIPE,
	TOK_DECLARE,
	TOK_ASSIGN,
	TOK_OPEN,
	TOK_CLOSE,
	TOK_CHAR,
};

struct token {
	enum tok kind;
	size_t pos; /* in the text */
	struct str val;
};

struct tokens {
	struct token *v;
	size_t n, cap;
};

/* Ends in an error or EOF token. */
void tmpl_lex(struct arena *a, struct str text, struct tokens *out);

enum node_kind {
	NODE_LIST,
	NODE_TEXT,
	NODE_ACTION,
	NODE_IF,
	NODE_RANGE,
	NODE_WITH,
	NODE_TEMPLATE,
	NODE_BREAK,
	NODE_CONTINUE,
	NODE_END,
	NODE_ELSE,
	NODE_PIPE,
	NODE_COMMAND,
	NODE_FIELD,
	NODE_CHAIN,
	NODE_IDENT,
	NODE_VARIABLE,
	NODE_DOT,
	NODE_NIL,
	NODE_BOOL,
	NODE_NUMBER,
	NODE_STRING,
};

struct node {
	enum node_kind kind;
	size_t pos;
	struct str text; /* contents of text and strings; a name; a number */
	struct str shown; /* for messages */
	struct strs fields; /* of fields, variables and chains */
	struct node *first, *last, *next; /* members of a list, pipe or command */
	struct node *pipe, *body, *other; /* other: the else part */
	struct strs decl; /* variables that a pipe sets */
	bool assign; /* assigned with =, not declared with := */
	bool is_int, is_float;
	int64_t i;
	double f;
	const struct tmpl_func *func;
};

struct tmpl {
	const char *name;
	struct str text;
	struct node *root;
	struct map *defined; /* bodies by name */
};

/* The builtins that are plain functions. */
extern const struct tmpl_func tmpl_builtins[];
/* toString, indent, join, skip, urlHost, urlPort. */
extern const struct tmpl_func tmpl_common_funcs[];

/* Sets the call's error; returns false. */
bool tmpl_refuse(struct tmpl_call *c, struct str text);

/* Limit of what one function may allocate: a few bytes of template can ask for gigabytes. */
#define TEXT_MAX ((size_t)32 << 20)
static inline bool tmpl_too_long(struct tmpl_call *c, size_t n)
{
	return n > TEXT_MAX && !tmpl_refuse(c, S("produces too long a text"));
}

static inline bool tmpl_is_nil(const struct tmpl_value *v)
{
	return v->kind == TMPL_NONE || v->kind == TMPL_NIL;
}

/* One element of a []byte. */
static inline struct tmpl_value tmpl_byte(char c)
{
	struct tmpl_value v = tmpl_int((unsigned char)c);

	v.go = "uint8";
	return v;
}

/* Builtins of tmpl_printf.c. */
bool tmpl_f_print(struct tmpl_call *c, struct tmpl_value *out);
bool tmpl_f_println(struct tmpl_call *c, struct tmpl_value *out);
bool tmpl_f_printf(struct tmpl_call *c, struct tmpl_value *out);
bool tmpl_f_html(struct tmpl_call *c, struct tmpl_value *out);
bool tmpl_f_js(struct tmpl_call *c, struct tmpl_value *out);
bool tmpl_f_urlquery(struct tmpl_call *c, struct tmpl_value *out);

/* A node as Go's String() writes it. */
void tmpl_show_node(struct buf *b, const struct node *n);

#endif
