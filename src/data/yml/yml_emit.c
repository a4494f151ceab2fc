/*
 * The emitter makes the layout decisions of go-yaml v2's emitter in block style, with an indent of
 * 2 and a width of 80, from the same flags: `white`: the last output was white space; `fresh`: the
 * line has only indentation and indicators so far.
 *
 * ghodss/yaml writes every value as JSON text and reads that back as YAML. This changes only a few
 * characters and very long keys; trees that have those take the same detour here, so the result is
 * the same, errors included.
 */
#include <stdlib.h>

#include "base/scan.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "yml_scalar.h"

struct entry {
	struct str key;
	const struct json *value;
};

struct emitter {
	struct yml_out o;
	struct arena scratch;
	VEC(struct entry) stack; /* sorted members, innermost mapping last */
};

static void node(struct emitter *e, const struct json *j, bool in_mapping);

/* A number is parsed as YAML and written as YAML writes it. */
static void number(struct emitter *e, struct str text)
{
	struct yml_value v = yml_resolve(S(""), text);
	struct buf b;

	buf_init(&b, &e->scratch);
	switch (v.type) {
	case YML_INT:
		num_add_int(&b, v.i);
		break;
	case YML_FLOAT:
		num_add_float_g(&b, v.f, 64);
		break;
	case YML_STR:
	case YML_NULL:
	case YML_BOOL:
	case YML_TIMESTAMP:
		yml_write_string(&e->o, text);
		return;
	}
	yml_write_word(&e->o, buf_str(&b));
}

static int by_key(const void *x, const void *y)
{
	const struct entry *p = x, *q = y;

	return yml_key_cmp(p->key, q->key);
}

/* A key on one line, or "? key" and ": value" on two. */
static void entry(struct emitter *e, struct entry m)
{
	yml_write_indent(&e->o);
	if (yml_write_simple_key(&e->o, m.key)) {
		yml_write_indicator(&e->o, S(":"), false, false);
	} else {
		yml_write_indicator(&e->o, S("?"), true, true);
		yml_write_string(&e->o, m.key);
		yml_write_indent(&e->o);
		yml_write_indicator(&e->o, S(":"), true, true);
	}
	node(e, m.value, true);
}

static void mapping(struct emitter *e, const struct json *j)
{
	size_t base = e->stack.n, n;
	int outer = e->o.indent;
	bool sorted = true;

	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		struct entry it = { json_key(m), m };

		VEC_PUSH(&e->scratch, &e->stack, it);
		n = e->stack.n;
		if (n - base > 1 && by_key(&e->stack.v[n - 2], &it) > 0)
			sorted = false;
	}
	n = e->stack.n - base;
	if (!sorted)
		qsort(e->stack.v + base, n, sizeof(*e->stack.v), by_key);
	e->o.indent = outer < 0 ? 0 : outer + 2;
	for (size_t i = 0; i < n; i++)
		entry(e, e->stack.v[base + i]);
	e->stack.n = base;
	e->o.indent = outer;
}

/* Right after "key:" a sequence is in the column of the key. */
static void sequence(struct emitter *e, const struct json *j, bool in_mapping)
{
	int outer = e->o.indent;

	if (outer < 0)
		e->o.indent = 0;
	else if (!in_mapping || e->o.fresh)
		e->o.indent += 2;
	for (const struct json *m = json_first(j); m; m = json_next(m)) {
		yml_write_indent(&e->o);
		yml_write_indicator(&e->o, S("-"), true, true);
		node(e, m, false);
	}
	e->o.indent = outer;
}

static void node(struct emitter *e, const struct json *j, bool in_mapping)
{
	switch (json_kind(j)) {
	case JSON_NULL:
		yml_write_word(&e->o, S("null"));
		return;
	case JSON_BOOL:
		yml_write_word(&e->o, json_is_true(j) ? S("true") : S("false"));
		return;
	case JSON_NUMBER:
		number(e, json_text(j));
		return;
	case JSON_STRING:
		yml_write_string(&e->o, json_text(j));
		return;
	case JSON_ARRAY:
		if (json_first(j))
			sequence(e, j, in_mapping);
		else
			yml_write_word(&e->o, S("[]"));
		return;
	case JSON_OBJECT:
		if (json_first(j))
			mapping(e, j);
		else
			yml_write_word(&e->o, S("{}"));
		return;
	}
}

/* Whether a character is one that a YAML reader refuses, folds or cannot decode. */
static bool is_delicate(struct str s)
{
	for (size_t i = 0, len; i < s.n; i += len) {
		uint32_t r;

		if (s.n - i >= SCAN && !scan_any(scan_in(scan_load(s.p + i), 0x7F, 0xFF))) {
			len = SCAN;
			continue;
		}
		len = 1;
		if ((unsigned char)s.p[i] < 0x7F)
			continue;
		r = utf8_at(s, i, &len);
		if (r <= 0x9F || r == 0xFFFE || r == 0xFFFF || (r == UTF8_BAD && len == 1))
			return true;
	}
	return false;
}

/* Longer keys may be too long for one line for the reader. */
#define LONG_KEY 256

static bool needs_detour(const struct json *j)
{
	bool object = json_kind(j) == JSON_OBJECT;

	if (json_kind(j) == JSON_STRING)
		return is_delicate(json_text(j));
	for (const struct json *m = json_first(j); m; m = json_next(m))
		if ((object && (json_key(m).n >= LONG_KEY || is_delicate(json_key(m)))) ||
		    needs_detour(m))
			return true;
	return false;
}

static int detour(struct arena *a, const struct json *j, struct json **out, struct err *err)
{
	struct yml_fault fault = { 0 };
	struct yml_opts opts = { .fault = &fault };
	int rc;

	rc = yml_parse(a, json_format(a, j, 0), &opts, out, err);
	if (rc == -ERR_INVALID)
		return err_set(err, ERR_INVALID, "%.*s", STRF(fault.upstream));
	return rc;
}

static int emit_tree(struct yml_out out, const struct json *j, struct err *err)
{
	struct emitter e = { 0 };
	struct json *again;
	int rc;

	if (needs_detour(j)) {
		rc = detour(&e.scratch, j, &again, err);
		if (rc < 0) {
			arena_free(&e.scratch);
			return rc;
		}
		j = again;
	}
	e.o = out;
	e.o.indent = -1;
	e.o.white = e.o.fresh = true;
	node(&e, j, false);
	yml_write_indent(&e.o);
	arena_free(&e.scratch);
	return 0;
}

int yml_emit(struct buf *b, const struct json *j, struct err *err)
{
	return emit_tree((struct yml_out){ .b = b }, j, err);
}

int yml_emit_to(yml_sink *sink, void *arg, const struct json *j, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;
	int rc;

	buf_init(&b, &a);
	rc = emit_tree((struct yml_out){ .b = &b, .sink = sink, .arg = arg }, j, err);
	if (rc == 0)
		sink(arg, buf_str(&b));
	return rc;
}
