/*
 * The grammar and the errors of labels.Parse: words are separated by white space
 * and by the characters = ! ( ) , < >; a requirement is a key with or without an
 * operator.
 */
#include "base/codec.h"
#include "mc/selector.h"

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
		i = str_starts(x->rest, S("==")) || str_starts(x->rest, S("!=")) ? 2 : 1;
	} else {
		x->token = T_WORD;
		while (i < x->rest.n && !is_symbol(x->rest.p[i]) && !is_space(x->rest.p[i]))
			i++;
	}
	x->text = str_sub(x->rest, 0, i);
	x->rest = str_from(x->rest, i);
}

static bool at(const struct lexer *x, const char *symbol)
{
	return x->token == T_SYMBOL && str_is(x->text, symbol);
}

static int unexpected(const struct lexer *x, const char *expected, struct err *err)
{
	return err_set(err, ERR_INVALID, "found '%.*s'%s", STRF(x->text), expected);
}

/* The words between the parentheses; a missing word between commas is "". */
static int listed(struct arena *a, struct lexer *x, struct strs *out, struct err *err)
{
	while (!at(x, ")")) {
		if (x->token == T_WORD) {
			VEC_PUSH(a, out, x->text);
			advance(x);
			if (!at(x, ",") && !at(x, ")"))
				return unexpected(x, ", expected: ',' or ')'", err);
			continue;
		}
		if (!at(x, ","))
			return unexpected(x, ", expected: ',', or identifier", err);
		if (!out->n)
			VEC_PUSH(a, out, S(""));
		advance(x);
		if (at(x, ",") || at(x, ")"))
			VEC_PUSH(a, out, S(""));
		if (at(x, ","))
			advance(x);
	}
	return 0;
}

/* "(a, b)" */
static int values(struct arena *a, struct lexer *x, struct strs *out, struct err *err)
{
	int rc;

	if (!at(x, "("))
		return unexpected(x, " expected: '('", err);
	advance(x);
	if (at(x, ")"))
		VEC_PUSH(a, out, S(""));
	else if (x->token != T_WORD && !at(x, ","))
		return unexpected(x, ", expected: ',', ')' or identifier", err);
	rc = listed(a, x, out, err);
	if (rc == 0)
		advance(x);
	return rc;
}

static int single(struct arena *a, struct lexer *x, struct strs *out, struct err *err)
{
	struct str value = S("");

	if (x->token == T_WORD) {
		value = x->text;
		advance(x);
	} else if (x->token == T_SYMBOL && !at(x, ",")) {
		return unexpected(x, ", expected: identifier", err);
	}
	VEC_PUSH(a, out, value);
	return 0;
}

static int operation(struct arena *a, struct lexer *x, struct requirement *r, struct err *err)
{
	static const char *const names[] = { "in", "notin", "=", "==", "!=", ">", "<" };
	static const enum selector_op ops[] = { SELECT_IN,     SELECT_NOT_IN, SELECT_IN, SELECT_IN,
						SELECT_NOT_IN, SELECT_GT,     SELECT_LT };
	size_t i = 0;

	while (i < 7 && !str_is(x->text, names[i]))
		i++;
	if (i == 7)
		return unexpected(x, ", expected: '=', '!=', '==', 'in', notin'", err);
	r->op = ops[i];
	advance(x);
	return i < 2 ? values(a, x, &r->values, err) : single(a, x, &r->values, err);
}

/* ---- keys and values ----------------------------------------------------- */

static int check_key(struct arena *a, struct str key, struct err *err)
{
	struct str bad = selector_bad_key(a, key);
	struct buf b;

	if (!bad.n)
		return 0;
	buf_init(&b, a);
	go_quote(&b, key);
	return err_set(err, ERR_INVALID, "invalid label key %.*s: %.*s", STRF(buf_str(&b)),
		       STRF(bad));
}

static int check_values(struct arena *a, const struct requirement *r, struct err *err)
{
	int64_t number;

	for (size_t i = 0; i < r->values.n; i++) {
		struct str bad = selector_bad_value(a, r->values.v[i]);
		struct buf b;

		if ((r->op == SELECT_GT || r->op == SELECT_LT) &&
		    !str_to_i64(r->values.v[i], &number))
			return err_set(err, ERR_INVALID,
				       "for 'Gt', 'Lt' operators, the value "
				       "must be an integer");
		if (!bad.n)
			continue;
		buf_init(&b, a);
		buf_addz(&b, "invalid label value: ");
		go_quote(&b, r->values.v[i]);
		buf_addz(&b, ": at key: ");
		go_quote(&b, r->key);
		return err_set(err, ERR_INVALID, "%.*s: %.*s", STRF(buf_str(&b)), STRF(bad));
	}
	return 0;
}

/* ---- requirements -------------------------------------------------------- */

static int requirement(struct arena *a, struct lexer *x, struct requirement *r, struct err *err)
{
	bool negated = at(x, "!");
	int rc;

	if (negated)
		advance(x);
	if (x->token != T_WORD)
		return unexpected(x, ", expected: identifier", err);
	r->key = x->text;
	rc = check_key(a, r->key, err);
	advance(x);
	r->op = negated ? SELECT_NOT_EXISTS : SELECT_EXISTS;
	if (rc == 0 && !negated && x->token != T_END && !at(x, ","))
		rc = operation(a, x, r, err);
	return rc < 0 ? rc : check_values(a, r, err);
}

int selector_parse(struct arena *a, struct str text, struct selector *out, struct err *err)
{
	struct lexer x = { .rest = text };

	*out = (struct selector){ 0 };
	for (advance(&x); x.token != T_END; advance(&x)) {
		struct requirement r = { 0 };

		if (out->n && x.token != T_WORD && !at(&x, "!"))
			break;
		if (x.token != T_WORD && !at(&x, "!"))
			return unexpected(&x,
					  ", expected: !, identifier, or 'end "
					  "of string'",
					  err);
		if (requirement(a, &x, &r, err) < 0)
			return err_wrap(err, "unable to parse requirement");
		VEC_PUSH(a, out, r);
		if (x.token == T_END)
			return 0;
		if (!at(&x, ","))
			return unexpected(&x, ", expected: ',' or 'end of string'", err);
	}
	return out->n ? unexpected(&x, ", expected: identifier after ','", err) : 0;
}
