/*
 * The structs of the built-in kinds, parsed from builtin/types at start, and their defaults.
 */
#include "sandbox/types.h"

#include <stdlib.h>

/*
 * builtin/types has a line per struct: its name and its fields, each
 *
 *	name, @number, ~ (omitted when empty), ^ (omitted when zero) or :,
 *	* (pointer), [ (list), { (map), type, =default, !rules
 *
 * with types s string, b bool, 3 and 6 int32 and int64, y bytes, t time, q quantity, i number or
 * string, m time with microseconds, r any value, or the name of a struct. The default of a struct
 * is an empty one. types_check.c has the rules.
 *
 * The number is that of the field in protobuf, which proto.c needs; @2.1 is field 1 of the struct
 * that is embedded as field 2, and @2.2.1 of one embedded in that. It is absent when it is the number before it plus one.
 */
static const char codes[] = "sb36ytqimr";
static const uint8_t kinds[] = {
	SHAPE_STRING, SHAPE_BOOL,     SHAPE_INT32,  SHAPE_INT64, SHAPE_BYTES,
	SHAPE_TIME,   SHAPE_QUANTITY, SHAPE_INTSTR, SHAPE_RAW,	 SHAPE_RAW,
};

#define PACKAGE "v1." /* of the structs, in the texts of errors */

struct maker {
	struct arena *a;
	VEC(struct shape_row) rows;
	VEC(struct sb_rule) rules;
	VEC(struct str) of; /* the name of the struct of a field */
	struct buf pool;
	uint16_t outer, num; /* of the field before */
};

static void add_row(struct maker *m, struct str name, struct shape_row row, struct sb_rule rule,
		    struct str of)
{
	row.name = (uint16_t)m->pool.n;
	buf_add(&m->pool, name);
	buf_addc(&m->pool, '\0');
	VEC_PUSH(m->a, &m->rows, row);
	VEC_PUSH(m->a, &m->rules, rule);
	VEC_PUSH(m->a, &m->of, of);
}

/* Cuts the number in protobuf off the name. */
static void take_number(struct maker *m, struct str *name, struct sb_rule *rule)
{
	struct str number, outer = S("");
	int64_t n;

	m->num++;
	if (str_cut(*name, '@', name, &number)) {
		m->outer = 0;
		while (str_cut(number, '.', &outer, &number))
			m->outer = SB_EMBEDDED(m->outer, str_to_i64(outer, &n) ? n : 0);
		m->num = str_to_i64(number, &n) ? (uint16_t)n : 0;
	}
	rule->outer = m->outer;
	rule->num = m->num;
}

static void add_field(struct maker *m, struct str field)
{
	struct shape_row row = { 0 };
	struct sb_rule rule = { 0 };
	struct str name, of = S("");
	const char *code;
	size_t i = 0;

	(void)str_cut(field, '!', &field, &rule.must);
	(void)str_cut(field, '=', &field, &rule.dflt);
	i = strcspn(field.p, "~^:");
	name = str_sub(field, 0, i);
	take_number(m, &name, &rule);
	row.flags = field.p[i] == '~' ? SHAPE_OMIT : field.p[i] == '^' ? SHAPE_ZERO : 0;
	i++;
	for (; strchr("*[{", field.p[i]); i++)
		row.flags |= field.p[i] == '*'	 ? SHAPE_PTR
			     : field.p[i] == '[' ? SHAPE_LIST
						 : SHAPE_MAP;
	field = str_from(field, i);
	code = field.n == 1 ? strchr(codes, field.p[0]) : NULL;
	rule.micro = code && *code == 'm';
	if (code)
		row.kind = kinds[code - codes];
	else
		of = field;
	add_row(m, name, row, rule, of);
}

static void add_struct(struct maker *m, struct str line)
{
	const struct shape_row open = { .flags = SHAPE_OPEN };
	struct str one, rest;

	(void)str_cut(line, ' ', &one, &rest);
	add_row(m, str_fmt(m->a, PACKAGE "%.*s", STRF(one)), open, (struct sb_rule){ 0 }, S(""));
	m->outer = m->num = 0;
	while (str_cut(rest, ' ', &one, &rest))
		add_field(m, one);
	add_field(m, rest);
}

uint16_t types_find(const struct sb_types *t, struct str name)
{
	for (uint16_t i = 1; i < t->shapes.n; i++)
		if (t->shapes.rows[i].flags & SHAPE_OPEN &&
		    str_is(name, t->shapes.pool + t->shapes.rows[i].name + strlen(PACKAGE)))
			return i;
	return 0;
}

void types_init(struct arena *a, struct str text, struct sb_types *out)
{
	struct maker m = { .a = a };
	struct str line;

	buf_init(&m.pool, a);
	add_row(&m, S(""), (struct shape_row){ .flags = SHAPE_OPEN }, (struct sb_rule){ 0 }, S(""));
	while (str_line(&text, &line))
		add_struct(&m, line);
	*out = (struct sb_types){
		.shapes = { m.rows.v, m.pool.p, (uint16_t)m.rows.n },
		.rules = m.rules.v,
	};
	for (size_t i = 0; i < m.of.n; i++)
		if (m.of.v[i].n)
			m.rows.v[i].type = types_find(out, m.of.v[i]);
}

/* ---- defaults ------------------------------------------------------------ */

static bool zero(const struct json *v)
{
	switch (json_kind(v)) {
	case JSON_STRING:
		return !json_text(v).n;
	case JSON_NUMBER:
		return str_is(json_text(v), "0");
	case JSON_BOOL:
		return !json_is_true(v);
	case JSON_NULL:
		return true;
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	return false;
}

static struct json *make(struct arena *a, const struct shape_row *row, struct str text)
{
	int64_t n;

	if (row->kind == SHAPE_STRUCT)
		return json_new(a, JSON_OBJECT);
	if (row->kind == SHAPE_BOOL)
		return json_new_bool(a, str_is(text, "true"));
	if (row->kind != SHAPE_STRING && str_to_i64(text, &n))
		return json_new_num(a, text);
	return json_new_str(a, text);
}

/* Settings of rolling updates exist only for that strategy. */
static bool fits(const struct json *in, struct str name)
{
	return !str_is(name, "rollingUpdate") || str_is(json_str(in, "type"), "RollingUpdate");
}

static void fill_field(struct arena *a, const struct sb_types *t, uint16_t i, struct json *held)
{
	const struct shape_row *row = &t->shapes.rows[i];
	struct str name = str_of(t->shapes.pool + row->name);
	struct json *v = json_member(held, name);
	bool plain = !(row->flags & (SHAPE_PTR | SHAPE_LIST | SHAPE_MAP));

	if (t->rules[i].dflt.p && (!v || (plain && zero(v))) && fits(held, name)) {
		v = make(a, row, t->rules[i].dflt);
		json_set(held, name, v);
	}
	if (row->kind != SHAPE_STRUCT)
		return;
	if (!v && plain) {
		v = json_new(a, JSON_OBJECT);
		json_add(held, name, v);
	}
	if (!(row->flags & SHAPE_LIST)) {
		types_fill(a, t, row->type, v);
		return;
	}
	for (struct json *e = json_first(v); e; e = json_next(e))
		types_fill(a, t, row->type, e);
}

void types_fill(struct arena *a, const struct sb_types *t, uint16_t type, struct json *held)
{
	if (json_kind(held) != JSON_OBJECT)
		return;
	for (uint16_t i = type + 1; i < t->shapes.n && !(t->shapes.rows[i].flags & SHAPE_OPEN); i++)
		fill_field(a, t, i, held);
}
