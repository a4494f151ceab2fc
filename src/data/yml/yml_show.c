/*
 * YAML values as Go's %#v formats them, for messages about invalid keys.
 */
#include <stdlib.h>

#include "yml_node.h"

struct pair {
	const struct yml_node *key, *value;
	struct str shown;
};

/* Go prints maps sorted: numbers before strings. */
static int by_shown(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;
	bool sp = p->shown.n && p->shown.p[0] == '"';
	bool sq = q->shown.n && q->shown.p[0] == '"';

	return sp != sq ? sp - sq : str_cmp(p->shown, q->shown);
}

static void show_map(struct yml_decode *d, struct buf *b, const struct yml_node *n)
{
	VEC(struct pair) pairs = { 0 };

	for (const struct yml_node *k = n->first; k; k = k->next->next) {
		struct pair p = { .key = k, .value = k->next };
		struct buf text;

		buf_init(&text, d->a);
		yml_show(d, &text, k);
		p.shown = buf_str(&text);
		VEC_PUSH(d->a, &pairs, p);
	}
	if (pairs.n)
		qsort(pairs.v, pairs.n, sizeof(*pairs.v), by_shown);
	buf_addz(b, "map[interface {}]interface {}{");
	for (size_t i = 0; i < pairs.n; i++) {
		buf_addz(b, i ? ", " : "");
		buf_add(b, pairs.v[i].shown);
		buf_addc(b, ':');
		yml_show(d, b, pairs.v[i].value);
	}
	buf_addc(b, '}');
}

static void show_scalar(struct yml_decode *d, struct buf *b, const struct yml_node *n)
{
	struct yml_value v;
	struct str text;

	if (yml_scalar_value(d, n, &v, &text) < 0)
		return;
	switch (v.type) {
	case YML_NULL:
		buf_addz(b, "interface {}(nil)");
		return;
	case YML_BOOL:
		buf_addz(b, v.truth ? "true" : "false");
		return;
	case YML_INT:
		if (!v.i.neg && v.i.abs > INT64_MAX)
			buf_addf(b, "0x%llx", (unsigned long long)v.i.abs);
		else
			num_add_int(b, v.i);
		return;
	case YML_FLOAT:
		num_add_float_g(b, v.f, 64);
		return;
	case YML_STR:
	case YML_TIMESTAMP:
		json_add_quoted(b, text, JSON_NO_HTML);
		return;
	}
}

/* An alias is resolved; one level is enough for a message. */
void yml_show(struct yml_decode *d, struct buf *b, const struct yml_node *n)
{
	if (n->kind == YML_ALIAS)
		n = n->target->kind == YML_SCALAR ? n->target : n;
	switch (n->kind) {
	case YML_SCALAR:
		show_scalar(d, b, n);
		return;
	case YML_ALIAS:
		buf_addf(b, "*%.*s", STRF(n->value));
		return;
	case YML_MAPPING:
		show_map(d, b, n);
		return;
	case YML_SEQUENCE:
		buf_addz(b, "[]interface {}{");
		for (n = n->first; n; n = n->next) {
			yml_show(d, b, n);
			if (n->next)
				buf_addz(b, ", ");
		}
		buf_addc(b, '}');
		return;
	}
}
