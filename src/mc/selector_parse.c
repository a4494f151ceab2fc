#include "mc/selector.h"

/*
 * The grammar of labels.Parse: words are separated by white space and by the
 * characters = ! ( ) , < >; a requirement is a key with or without an operator.
 */

enum token { T_END, T_WORD, T_SYMBOL };

struct lexer {
	struct str rest;
	enum token token;
	struct str text;
};

static bool is_symbol(char c)
{
	return c && strchr("=!(),<>", c);
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void advance(struct lexer *x)
{
	size_t i = 0;

	while (x->rest.n && is_space(x->rest.p[0]))
		x->rest = str_from(x->rest, 1);
	if (!x->rest.n) {
		x->token = T_END;
		x->text = S("");
		return;
	}
	if (is_symbol(x->rest.p[0])) {
		x->token = T_SYMBOL;
		i = str_starts(x->rest, S("==")) || str_starts(x->rest, S("!="))
			    ? 2
			    : 1;
	} else {
		x->token = T_WORD;
		while (i < x->rest.n && !is_symbol(x->rest.p[i]) &&
		       !is_space(x->rest.p[i]))
			i++;
	}
	x->text = str_sub(x->rest, 0, i);
	x->rest = str_from(x->rest, i);
}

static bool at(const struct lexer *x, const char *symbol)
{
	return x->token == T_SYMBOL && str_is(x->text, symbol);
}

static int unexpected(const struct lexer *x, const char *expected,
		      struct err *err)
{
	return err_set(err, ERR_INVALID, "found '%.*s', expected: %s",
		       STRF(x->text), expected);
}

/* "(a, b)" */
static int values(struct arena *a, struct lexer *x, struct strs *out,
		  struct err *err)
{
	if (!at(x, "("))
		return unexpected(x, "'('", err);
	do {
		advance(x);
		if (x->token == T_WORD) {
			VEC_PUSH(a, out, x->text);
			advance(x);
		} else if (at(x, ",") || at(x, ")")) {
			VEC_PUSH(a, out, S(""));
		} else {
			return unexpected(x, "',', or identifier", err);
		}
	} while (at(x, ","));
	if (!at(x, ")"))
		return unexpected(x, "',' or ')'", err);
	advance(x);
	return 0;
}

static int single(struct arena *a, struct lexer *x, struct strs *out,
		  struct err *err)
{
	struct str value = S("");

	advance(x);
	if (x->token == T_WORD) {
		value = x->text;
		advance(x);
	} else if (x->token == T_SYMBOL && !at(x, ",")) {
		return unexpected(x, "identifier", err);
	}
	VEC_PUSH(a, out, value);
	return 0;
}

static int operation(struct arena *a, struct lexer *x, struct requirement *r,
		     struct err *err)
{
	if (x->token == T_END || at(x, ",")) {
		r->op = SELECT_EXISTS;
		return 0;
	}
	if (x->token == T_WORD &&
	    (str_is(x->text, "in") || str_is(x->text, "notin"))) {
		r->op = x->text.n == 2 ? SELECT_IN : SELECT_NOT_IN;
		advance(x);
		return values(a, x, &r->values, err);
	}
	if (at(x, "=") || at(x, "=="))
		r->op = SELECT_IN;
	else if (at(x, "!="))
		r->op = SELECT_NOT_IN;
	else if (at(x, ">"))
		r->op = SELECT_GT;
	else if (at(x, "<"))
		r->op = SELECT_LT;
	else
		return unexpected(x, "in, notin, =, ==, !=, gt, lt, or end",
				  err);
	return single(a, x, &r->values, err);
}

static int requirement(struct arena *a, struct lexer *x, struct requirement *r,
		       struct err *err)
{
	bool negated = at(x, "!");

	if (negated)
		advance(x);
	if (x->token != T_WORD)
		return unexpected(x, "identifier", err);
	r->key = x->text;
	advance(x);
	if (!negated)
		return operation(a, x, r, err);
	r->op = SELECT_NOT_EXISTS;
	return 0;
}

int selector_parse(struct arena *a, struct str text, struct selector *out,
		   struct err *err)
{
	struct lexer x = { .rest = text };
	struct selector s = { 0 };

	advance(&x);
	while (x.token != T_END) {
		struct requirement r = { 0 };
		int rc = requirement(a, &x, &r, err);

		if (rc < 0)
			return err_wrap(err, "unable to parse requirement");
		rc = selector_add(a, &s, r, err);
		if (rc < 0)
			return err_wrap(err, "unable to parse requirement");
		if (x.token == T_END)
			break;
		if (!at(&x, ","))
			return unexpected(&x, "',' or 'end of string'", err);
		advance(&x);
		if (x.token == T_END)
			return unexpected(&x, "identifier after ','", err);
	}
	*out = s;
	return 0;
}
