/*
 * The pattern is compiled to a program for a machine that follows all alternatives at once
 * (Thompson's construction, Pike's machine). A repetition {m,n} repeats the code, so the length of
 * programs is bounded by CODE_MAX. An instruction is entered at most once per character: that
 * bounds the time.
 */
#include "data/regex.h"

#include "base/utf8.h"
#include "base/vec.h"

#define CODE_MAX 20000u
#define DEPTH_MAX 100
#define REPEAT_MAX 1000

enum op { CLASS, SPLIT, JUMP, BEGIN, END, MATCH };

struct inst {
	enum op op;
	uint32_t x, y; /* CLASS: ranges [x, y); SPLIT: the two targets; JUMP: x */
	bool negated;
};

struct range {
	uint32_t lo, hi;
};

struct regex {
	VEC(struct inst) code;
	VEC(struct range) ranges;
};

struct parse {
	struct arena *a;
	struct regex *r;
	struct str text;
	size_t at;
	int depth;
	struct err *err;
};

static int alternatives(struct parse *p);

static int set_fault(struct parse *p, const char *what)
{
	return err_set(p->err, ERR_INVALID, "%s at %zu of `%.*s`", what, p->at, STRF(p->text));
}

static bool has_input(const struct parse *p)
{
	return p->at < p->text.n;
}

static char peek_char(const struct parse *p)
{
	return has_input(p) ? p->text.p[p->at] : '\0';
}

static int emit_op(struct parse *p, enum op op, uint32_t x, uint32_t y)
{
	struct inst i = { op, x, y, false };

	if (p->r->code.n >= CODE_MAX)
		return err_set(p->err, ERR_LIMIT, "the pattern is too large");
	VEC_PUSH(p->a, &p->r->code, i);
	return 0;
}

static void range(struct parse *p, uint32_t lo, uint32_t hi)
{
	struct range r = { lo, hi };

	VEC_PUSH(p->a, &p->r->ranges, r);
}

static uint32_t rune(struct parse *p)
{
	size_t n;
	uint32_t c = utf8_at(p->text, p->at, &n);

	p->at += n;
	return c;
}

/* ---- classes ------------------------------------------------------------- */

/* The gaps between sorted ranges. */
static void add_gaps(struct parse *p, const struct range *v, size_t n)
{
	uint32_t from = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].lo > from)
			range(p, from, v[i].lo - 1);
		from = v[i].hi + 1;
	}
	range(p, from, 0x10FFFF);
}

/* \d and similar; false when c names none. */
static bool perl_class(struct parse *p, char c)
{
	static const struct range digits[] = { { '0', '9' } };
	static const struct range words[] = {
		{ '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' }
	};
	static const struct range spaces[] = { { '\t', '\n' }, { '\f', '\r' }, { ' ', ' ' } };
	const struct range *v = digits;
	size_t n = 1;

	switch (c | 0x20) {
	case 'd':
		break;
	case 'w':
		v = words;
		n = 4;
		break;
	case 's':
		v = spaces;
		n = 3;
		break;
	default:
		return false;
	}
	if (c & 0x20)
		for (size_t i = 0; i < n; i++)
			range(p, v[i].lo, v[i].hi);
	else
		add_gaps(p, v, n);
	return true;
}

/* The character that an escape stands for; ASCII punctuation stands for itself. */
static int escape(struct parse *p, uint32_t *out)
{
	static const char from[] = "nrtfvaz", to[] = "\n\r\t\f\v\a";
	char c = peek_char(p);
	const char *known = c ? strchr(from, c) : NULL;

	if (!has_input(p))
		return set_fault(p, "trailing backslash");
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
		if (!known || *known == 'z')
			return set_fault(p, "invalid escape sequence");
		c = to[known - from];
		p->at++;
		*out = (unsigned char)c;
		return 0;
	}
	*out = rune(p);
	return 0;
}

static int class_item(struct parse *p)
{
	uint32_t lo = 0, hi;
	int rc = 0;

	if (peek_char(p) == '[' && p->at + 1 < p->text.n && p->text.p[p->at + 1] == ':')
		return set_fault(p, "named classes are not supported");
	if (peek_char(p) == '\\') {
		p->at++;
		if (has_input(p) && perl_class(p, peek_char(p))) {
			p->at++;
			return 0;
		}
		rc = escape(p, &lo);
	} else {
		lo = rune(p);
	}
	hi = lo;
	if (rc == 0 && peek_char(p) == '-' && p->at + 1 < p->text.n &&
	    p->text.p[p->at + 1] != ']') {
		p->at++;
		if (peek_char(p) == '\\') {
			p->at++;
			rc = escape(p, &hi);
		} else {
			hi = rune(p);
		}
		if (rc == 0 && hi < lo)
			return set_fault(p, "invalid character class range");
	}
	if (rc == 0)
		range(p, lo, hi);
	return rc;
}

static int class(struct parse *p)
{
	uint32_t from = (uint32_t)p->r->ranges.n;
	bool negated = peek_char(p) == '^';
	int rc = 0;

	p->at += negated;
	for (bool first = true; rc == 0 && (first || peek_char(p) != ']'); first = false) {
		if (!has_input(p))
			return set_fault(p, "missing closing ]");
		rc = class_item(p);
	}
	p->at++;
	if (rc == 0)
		rc = emit_op(p, CLASS, from, (uint32_t)p->r->ranges.n);
	if (rc == 0)
		p->r->code.v[p->r->code.n - 1].negated = negated;
	return rc;
}

/* ---- atoms and repetitions ----------------------------------------------- */

static int emit_range(struct parse *p, uint32_t lo, uint32_t hi)
{
	range(p, lo, hi);
	return emit_op(p, CLASS, (uint32_t)p->r->ranges.n - 1, (uint32_t)p->r->ranges.n);
}

static int group(struct parse *p)
{
	int rc;

	if (peek_char(p) == '?') {
		if (!str_starts(str_from(p->text, p->at), S("?:")))
			return set_fault(p, "such groups are not supported");
		p->at += 2;
	}
	if (++p->depth > DEPTH_MAX)
		return err_set(p->err, ERR_LIMIT, "the pattern is too deep");
	rc = alternatives(p);
	p->depth--;
	if (rc < 0)
		return rc;
	if (peek_char(p) != ')')
		return set_fault(p, "missing closing )");
	p->at++;
	return 0;
}

static int escaped_atom(struct parse *p)
{
	uint32_t from = (uint32_t)p->r->ranges.n, c = 0;
	int rc;

	if (has_input(p) && perl_class(p, peek_char(p))) {
		p->at++;
		return emit_op(p, CLASS, from, (uint32_t)p->r->ranges.n);
	}
	rc = escape(p, &c);
	return rc < 0 ? rc : emit_range(p, c, c);
}

static int atom(struct parse *p)
{
	uint32_t c;

	switch (peek_char(p)) {
	case '(':
		p->at++;
		return group(p);
	case '[':
		p->at++;
		return class(p);
	case '\\':
		p->at++;
		return escaped_atom(p);
	case '^':
		p->at++;
		return emit_op(p, BEGIN, 0, 0);
	case '$':
		p->at++;
		return emit_op(p, END, 0, 0);
	case '.':
		p->at++;
		range(p, 0, '\n' - 1);
		range(p, '\n' + 1, 0x10FFFF);
		return emit_op(p, CLASS, (uint32_t)p->r->ranges.n - 2, (uint32_t)p->r->ranges.n);
	case '*':
	case '+':
	case '?':
		return set_fault(p, "missing argument to repetition operator");
	default:
		c = rune(p);
		return emit_range(p, c, c);
	}
}

static bool number(struct parse *p, int *out)
{
	size_t from = p->at;

	*out = 0;
	while (peek_char(p) >= '0' && peek_char(p) <= '9' && *out <= REPEAT_MAX)
		*out = *out * 10 + (p->text.p[p->at++] - '0');
	return p->at > from;
}

/* {m}, {m,} or {m,n}; max -1: no limit. Anything else is plain text. */
static bool braces(struct parse *p, int *min, int *max)
{
	size_t from = p->at++;
	bool ok = number(p, min);

	*max = *min;
	if (ok && peek_char(p) == ',') {
		p->at++;
		if (peek_char(p) == '}')
			*max = -1;
		else
			ok = number(p, max);
	}
	if (ok && peek_char(p) == '}') {
		p->at++;
		return true;
	}
	p->at = from;
	return false;
}

/* Appends a copy of the code of [from, to) with relocated jumps. */
static int copy_code(struct parse *p, uint32_t from, uint32_t to)
{
	uint32_t by = (uint32_t)p->r->code.n - from;
	int rc = 0;

	for (uint32_t i = from; rc == 0 && i < to; i++) {
		struct inst c = p->r->code.v[i];
		uint32_t d = c.op == SPLIT || c.op == JUMP ? by : 0;

		rc = emit_op(p, c.op, c.x + d, c.y + d);
		if (rc == 0)
			p->r->code.v[p->r->code.n - 1].negated = c.negated;
	}
	return rc;
}

/* Repeats the atom whose code starts at from; the slot before it is reserved for a SPLIT. */
static int repeat_atom(struct parse *p, uint32_t from, int min, int max)
{
	uint32_t to = (uint32_t)p->r->code.n, at;
	struct inst *skip;
	int rc = 0;

	/* SPLIT, body: the split falls through unless the atom is optional. */
	if (min > REPEAT_MAX || max > REPEAT_MAX || (max >= 0 && max < min))
		return set_fault(p, "invalid repeat count");
	for (int i = 1; rc == 0 && i < min; i++)
		rc = copy_code(p, from + 1, to);
	for (int i = min > 0 ? min : 1; rc == 0 && i < max; i++) {
		at = (uint32_t)p->r->code.n;
		rc = emit_op(p, SPLIT, at + 1, 0);
		if (rc == 0)
			rc = copy_code(p, from + 1, to);
		if (rc == 0)
			p->r->code.v[at].y = (uint32_t)p->r->code.n;
	}
	if (rc == 0 && max < 0) {
		at = (uint32_t)p->r->code.n - (to - from - 1);
		rc = emit_op(p, SPLIT, at, (uint32_t)p->r->code.n + 1);
	}
	skip = &p->r->code.v[from];
	skip->y = min == 0 ? (uint32_t)p->r->code.n : from + 1;
	if (rc == 0 && max == 0)
		skip->x = skip->y;
	return rc;
}

static int piece(struct parse *p)
{
	uint32_t from = (uint32_t)p->r->code.n;
	int min = 1, max = 1, rc = emit_op(p, SPLIT, from + 1, from + 1);

	if (rc == 0)
		rc = atom(p);
	if (rc < 0)
		return rc;
	switch (peek_char(p)) {
	case '*':
		min = 0;
		max = -1;
		p->at++;
		break;
	case '+':
		max = -1;
		p->at++;
		break;
	case '?':
		min = 0;
		p->at++;
		break;
	case '{':
		if (!braces(p, &min, &max))
			return 0;
		break;
	default:
		return 0;
	}
	/* Greedy or not: it does not change whether there is a match. */
	p->at += peek_char(p) == '?';
	if (peek_char(p) == '*' || peek_char(p) == '+' || peek_char(p) == '?')
		return set_fault(p, "invalid nested repetition operator");
	return repeat_atom(p, from, min, max);
}

static int sequence(struct parse *p)
{
	int rc = 0;

	while (rc == 0 && has_input(p) && peek_char(p) != '|' && peek_char(p) != ')')
		rc = piece(p);
	return rc;
}

/* SPLIT a, next; a; JUMP end; next: … */
static int alternatives(struct parse *p)
{
	VEC(uint32_t) jumps = { 0 };
	int rc;

	for (;;) {
		uint32_t at = (uint32_t)p->r->code.n;

		rc = emit_op(p, SPLIT, at + 1, at + 1);
		if (rc == 0)
			rc = sequence(p);
		if (rc < 0 || peek_char(p) != '|' || !has_input(p))
			break;
		p->at++;
		VEC_PUSH(p->a, &jumps, (uint32_t)p->r->code.n);
		rc = emit_op(p, JUMP, 0, 0);
		if (rc < 0)
			break;
		p->r->code.v[at].y = (uint32_t)p->r->code.n;
	}
	for (size_t i = 0; i < jumps.n && rc == 0; i++)
		p->r->code.v[jumps.v[i]].x = (uint32_t)p->r->code.n;
	return rc;
}

int regex_compile(struct arena *a, struct str pattern, struct regex **out, struct err *err)
{
	struct parse p = { .a = a, .text = pattern, .err = err };
	int rc;

	p.r = arena_array(a, 1, sizeof(*p.r));
	*p.r = (struct regex){ 0 };
	rc = alternatives(&p);
	if (rc == 0 && has_input(&p))
		rc = set_fault(&p, "unexpected )");
	if (rc == 0)
		rc = emit_op(&p, MATCH, 0, 0);
	if (rc == 0)
		*out = p.r;
	return rc;
}

/* ---- matching ------------------------------------------------------------ */

struct places {
	uint32_t *v; /* instructions that wait for a character */
	size_t n;
};

struct search {
	const struct regex *r;
	uint32_t *stack;
	size_t *seen; /* the turn in which an instruction was last reached */
	size_t turn;
	bool begin, end, matched;
};

/* Follows the instructions from pc on that take no character. */
static void follow_jumps(struct search *s, struct places *to, uint32_t pc)
{
	size_t n = 0;

	s->stack[n++] = pc;
	while (n) {
		const struct inst *i = &s->r->code.v[pc = s->stack[--n]];

		if (s->seen[pc] == s->turn)
			continue;
		s->seen[pc] = s->turn;
		switch (i->op) {
		case CLASS:
			to->v[to->n++] = pc;
			break;
		case SPLIT:
			s->stack[n++] = i->y;
			s->stack[n++] = i->x;
			break;
		case JUMP:
			s->stack[n++] = i->x;
			break;
		case BEGIN:
			if (s->begin)
				s->stack[n++] = pc + 1;
			break;
		case END:
			if (s->end)
				s->stack[n++] = pc + 1;
			break;
		case MATCH:
			s->matched = true;
			break;
		}
	}
}

static bool in_class(const struct regex *r, const struct inst *i, uint32_t c)
{
	for (uint32_t k = i->x; k < i->y; k++)
		if (c >= r->ranges.v[k].lo && c <= r->ranges.v[k].hi)
			return !i->negated;
	return i->negated;
}

bool regex_matches(struct arena *a, const struct regex *r, struct str s)
{
	size_t n = r->code.n, len;
	struct places now = { arena_array(a, n, sizeof(uint32_t)), 0 };
	struct places next = { arena_array(a, n, sizeof(uint32_t)), 0 };
	struct search x = { .r = r,
			    .stack = arena_array(a, 2 * n + 2, sizeof(uint32_t)),
			    .seen = arena_array(a, n, sizeof(size_t)) };

	memset(x.seen, 0, n * sizeof(size_t));
	for (size_t at = 0; !x.matched; at += len) {
		uint32_t c;

		/* A match may begin anywhere. */
		x.begin = at == 0;
		x.end = at == s.n;
		if (at == 0)
			x.turn++;
		follow_jumps(&x, &now, 0);
		if (x.matched || at == s.n)
			break;
		c = utf8_at(s, at, &len);
		x.turn++;
		x.begin = false;
		x.end = at + len == s.n;
		for (size_t i = 0; i < now.n; i++)
			if (in_class(r, &r->code.v[now.v[i]], c))
				follow_jumps(&x, &next, now.v[i] + 1);
		now.n = 0;
		struct places swap = now;
		now = next;
		next = swap;
	}
	return x.matched;
}
