/*
 * Writes scalars in the style that go-yaml v2 chooses: plain, single-quoted, double-quoted or
 * literal. Lines are folded at 80 columns as its emitter does; fast paths cover text without
 * special characters.
 */
#include "yml_scalar.h"

#include "base/scan.h"
#include "base/utf8.h"

#define WIDTH 80
#define SIMPLE_KEY_MAX 128

/* ---- characters ---------------------------------------------------------- */

static bool is_break(uint32_t r)
{
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029;
}

static bool is_blank(uint32_t r)
{
	return r == ' ' || r == '\t';
}

static bool is_printable(uint32_t r)
{
	return r == '\n' || (r >= 0x20 && r <= 0x7E) || (r >= 0xA0 && r <= 0xD7FF) ||
	       (r >= 0xE000 && r <= 0xFFFD && r != 0xFEFF);
}

/* ---- the line ------------------------------------------------------------ */

static void put_char(struct yml_out *o, char c)
{
	buf_addc(o->b, c);
	o->col++;
}

static void put_break(struct yml_out *o)
{
	buf_addc(o->b, '\n');
	o->col = 0;
}

/* The size of a piece for the sink. */
#define PIECE 8192

static void drain_output(struct yml_out *o)
{
	o->sink(o->arg, buf_str(o->b));
	o->b->n = 0;
}

/* Writes text unchanged; a long text is not copied. */
static void put_text(struct yml_out *o, struct str s)
{
	if (o->sink && s.n >= PIECE / 2) {
		drain_output(o);
		o->sink(o->arg, s);
	} else {
		buf_add(o->b, s);
	}
	o->col += s.n;
}

void yml_write_indent(struct yml_out *o)
{
	size_t indent = o->indent < 0 ? 0 : (size_t)o->indent;

	if (o->sink && o->b->n >= PIECE)
		drain_output(o);
	if (!o->fresh || o->col > indent || (o->col == indent && !o->white))
		put_break(o);
	if (o->col < indent) {
		buf_fill(o->b, ' ', indent - o->col);
		o->col = indent;
	}
	o->white = true;
	o->fresh = true;
}

void yml_write_indicator(struct yml_out *o, struct str s, bool needs_space, bool keeps_fresh)
{
	if (needs_space && !o->white)
		put_char(o, ' ');
	buf_add(o->b, s);
	o->col += s.n;
	o->white = false;
	o->fresh = o->fresh && keeps_fresh;
}

void yml_write_word(struct yml_out *o, struct str s)
{
	yml_write_indicator(o, s, true, false);
}

/* ---- choosing a style ---------------------------------------------------- */

struct facts {
	bool multiline, special, indicator;
	bool edge; /* a space or break at either end */
	bool trailing_space;
	bool space_break, break_space;
	bool line_feed;
	bool flat; /* printable ASCII without blanks: one column each, nothing folds */
};

static bool leading_indicator(uint32_t r, bool before_blank)
{
	if (r < 0x80 && r && strchr("#,[]{}&*!|>'\"%@`", (int)r))
		return true;
	return (r == '?' || r == ':' || r == '-') && before_blank;
}

/*
 * Bytes without special meaning except at the start of a text: printable ASCII other than space,
 * colon, hash, quotes and backslash.
 */
static bool is_plain(unsigned char c)
{
	return c > 0x20 && c < 0x7F && c != ':' && c != '#' && c != '\'' && c != '"' && c != '\\';
}

/* The length of the run of such bytes at i; false when there is none. */
static bool plain_run(struct str s, size_t i, size_t *len)
{
	size_t start = i;

	for (; s.n - i >= SCAN; i += SCAN) {
		scan_v v = scan_load(s.p + i);

		*len = scan_first(~scan_in(v, 0x21, 0x7E) | scan_is(v, ':') | scan_in(v, '"', '#') |
				  scan_is(v, '\'') | scan_is(v, '\\'));
		if (*len < SCAN) {
			*len += i - start;
			return *len > 0;
		}
	}
	while (i < s.n && is_plain((unsigned char)s.p[i]))
		i++;
	*len = i - start;
	return *len > 0;
}

static struct facts analyze_text(struct str s)
{
	struct facts f = { .flat = true };
	bool after_blank = true, after_space = false, after_break = false;

	f.indicator = str_starts(s, S("---")) || str_starts(s, S("..."));
	for (size_t i = 0, len; i < s.n; i += len) {
		uint32_t r, ahead = ' ';
		size_t unused;
		bool last;

		if (i > 0 && plain_run(s, i, &len)) {
			after_space = after_break = after_blank = false;
			continue;
		}
		r = utf8_at(s, i, &len);
		f.flat &= r > 0x20 && r < 0x7F;
		last = i + len >= s.n;
		if (!last)
			ahead = utf8_at(s, i + len, &unused);
		if (i == 0)
			f.indicator |= leading_indicator(r, is_blank(ahead));
		else if (r == ':')
			f.indicator |= is_blank(ahead);
		else if (r == '#')
			f.indicator |= after_blank;
		f.special |= !is_printable(r);
		f.line_feed |= r == '\n';
		f.multiline |= is_break(r);
		if (r == ' ' || is_break(r))
			f.edge |= i == 0 || last;
		f.trailing_space |= r == ' ' && last;
		f.break_space |= r == ' ' && after_break;
		f.space_break |= is_break(r) && after_space;
		after_space = r == ' ';
		after_break = is_break(r);
		after_blank = is_blank(r) || is_break(r) || r == 0;
	}
	return f;
}

enum style { FLAT, PLAIN, SINGLE, DOUBLE, LITERAL };

/* Lines of printable ASCII without trailing spaces: always literal. */
static bool is_clean_text(struct str s)
{
	size_t first = scan_byte(s.p, s.n, '\n'), i = 0;

	if (first == s.n)
		return false;
	for (; s.n - i >= SCAN; i += SCAN) {
		scan_v v = scan_load(s.p + i);

		if (scan_any(~(scan_in(v, 0x20, 0x7E) | scan_is(v, '\n'))))
			return false;
	}
	for (; i < s.n; i++)
		if (s.p[i] != '\n' && (s.p[i] < 0x20 || s.p[i] > 0x7E))
			return false;
	if (s.p[s.n - 1] == ' ')
		return false;
	for (i = first; i < s.n; i += 1 + scan_byte(s.p + i + 1, s.n - i - 1, '\n'))
		if (i > 0 && s.p[i - 1] == ' ')
			return false;
	return true;
}

static enum style style_of(struct str s, const struct facts *f)
{
	bool single_ok = !f->special && !f->space_break && !f->break_space;

	if (f->line_feed)
		return f->special || f->space_break || f->trailing_space ? DOUBLE : LITERAL;
	if (!yml_plain_is_string(s))
		return DOUBLE;
	if (!f->special && !f->indicator && !f->edge && !f->multiline)
		return f->flat ? FLAT : PLAIN;
	return single_ok ? SINGLE : DOUBLE;
}

/* ---- writing ------------------------------------------------------------- */

static void put_rune(struct yml_out *o, struct str s, size_t i, size_t len)
{
	buf_add(o->b, str_sub(s, i, i + len));
	o->col++;
}

/* Writes a run of plain bytes, if there is one at i. */
static bool put_run(struct yml_out *o, struct str s, size_t i, size_t *len)
{
	if (!plain_run(s, i, len))
		return false;
	put_text(o, str_sub(s, i, i + *len));
	return true;
}

static bool space_at(struct str s, size_t i)
{
	return i < s.n && s.p[i] == ' ';
}

/* Plain and single-quoted text: folded at single spaces, never elsewhere. */
static void write_flow(struct yml_out *o, struct str s, bool quoted, bool fold)
{
	bool spaces = false, breaks = false;

	for (size_t i = 0, len; i < s.n; i += len) {
		uint32_t r;

		if (!breaks && put_run(o, s, i, &len)) {
			o->fresh = spaces = false;
			continue;
		}
		r = utf8_at(s, i, &len);
		if (r == ' ') {
			bool edge = quoted && (i == 0 || i == s.n - 1);

			if (fold && !spaces && o->col > WIDTH && !edge && !space_at(s, i + 1))
				yml_write_indent(o);
			else
				put_char(o, ' ');
			spaces = true;
		} else if (is_break(r)) {
			put_rune(o, s, i, len);
			o->col = 0;
			o->fresh = true;
			breaks = true;
		} else {
			if (breaks)
				yml_write_indent(o);
			if (quoted && r == '\'')
				put_char(o, '\'');
			put_rune(o, s, i, len);
			o->fresh = false;
			spaces = breaks = false;
		}
	}
	o->white = false;
	o->fresh = false;
}

static void put_escape(struct yml_out *o, uint32_t r)
{
	static const struct {
		uint32_t r;
		char c;
	} named[] = {
		{ 0x00, '0' },	{ 0x07, 'a' }, { 0x08, 'b' }, { 0x09, 't' },   { 0x0A, 'n' },
		{ 0x0B, 'v' },	{ 0x0C, 'f' }, { 0x0D, 'r' }, { 0x1B, 'e' },   { '"', '"' },
		{ '\\', '\\' }, { 0x85, 'N' }, { 0xA0, '_' }, { 0x2028, 'L' }, { 0x2029, 'P' },
	};
	size_t before = o->b->n;

	for (size_t k = 0; k < ARRAY_LEN(named); k++)
		if (named[k].r == r) {
			put_char(o, '\\');
			put_char(o, named[k].c);
			return;
		}
	buf_addf(o->b, r <= 0xFF ? "\\x%02X" : r <= 0xFFFF ? "\\u%04X" : "\\U%08X", r);
	o->col += o->b->n - before;
}

static void write_double(struct yml_out *o, struct str s, bool fold)
{
	/* upstream checks the first character instead of the current one */
	bool bom = str_starts(s, S("\xEF\xBB\xBF"));
	bool spaces = false;

	yml_write_indicator(o, S("\""), true, false);
	for (size_t i = 0, len; i < s.n; i += len) {
		uint32_t r;

		if (!bom && put_run(o, s, i, &len)) {
			spaces = false;
			continue;
		}
		r = utf8_at(s, i, &len);
		if (!is_printable(r) || bom || is_break(r) || r == '"' || r == '\\') {
			put_escape(o, r);
			spaces = false;
		} else if (r == ' ') {
			if (fold && !spaces && o->col > WIDTH && i > 0 && i < s.n - 1) {
				yml_write_indent(o);
				if (space_at(s, i + 1))
					put_char(o, '\\');
			} else {
				put_char(o, ' ');
			}
			spaces = true;
		} else {
			put_rune(o, s, i, len);
			spaces = false;
		}
	}
	yml_write_indicator(o, S("\""), false, false);
}

/* The length of the line break at the end of s; 0 when there is none. */
static size_t final_break(struct str s)
{
	if (s.n >= 1 && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r'))
		return 1;
	if (str_ends(s, S("\xC2\x85")))
		return 2;
	return str_ends(s, S("\xE2\x80\xA8")) || str_ends(s, S("\xE2\x80\xA9")) ? 3 : 0;
}

static size_t next_break(struct str s)
{
	size_t i = 0;

	for (; s.n - i >= SCAN; i += SCAN) {
		scan_v v = scan_load(s.p + i);

		size_t k = scan_first(scan_is(v, '\n') | scan_in(v, 0x80, 0xFF));

		if (k < SCAN)
			return i + k;
	}
	while (i < s.n && s.p[i] != '\n' && (unsigned char)s.p[i] < 0x80)
		i++;
	return i;
}

static void write_literal(struct yml_out *o, struct str s)
{
	size_t len, end = final_break(s);
	uint32_t first = utf8_at(s, 0, &len);
	bool breaks = true;

	yml_write_indicator(o, S("|"), true, false);
	if (first == ' ' || is_break(first))
		yml_write_indicator(o, S("2"), false, false);
	if (!end)
		yml_write_indicator(o, S("-"), false, false);
	else if (end == s.n || final_break(str_sub(s, 0, s.n - end)))
		yml_write_indicator(o, S("+"), false, false);
	put_break(o);
	o->fresh = true;
	o->white = true;
	for (size_t i = 0; i < s.n; i += len) {
		if (is_break(utf8_at(s, i, &len))) {
			put_rune(o, s, i, len);
			o->col = 0;
			o->fresh = true;
			breaks = true;
			continue;
		}
		if (breaks)
			yml_write_indent(o);
		/* up to a line feed or what may be another line break */
		len += next_break(str_from(s, i + len));
		put_text(o, str_sub(s, i, i + len));
		o->fresh = false;
		breaks = false;
	}
}

static void write_styled(struct yml_out *o, struct str s, enum style style, bool fold)
{
	int outer = o->indent;

	o->indent = outer < 0 ? 2 : outer + 2;
	switch (style) {
	case FLAT:
		if (!o->white)
			put_char(o, ' ');
		put_text(o, s);
		o->white = o->fresh = false;
		break;
	case PLAIN:
		if (!o->white)
			put_char(o, ' ');
		write_flow(o, s, false, fold);
		break;
	case SINGLE:
		yml_write_indicator(o, S("'"), true, false);
		write_flow(o, s, true, fold);
		yml_write_indicator(o, S("'"), false, false);
		break;
	case DOUBLE:
		write_double(o, s, fold);
		break;
	case LITERAL:
		write_literal(o, s);
		break;
	}
	o->indent = outer;
}

void yml_write_string(struct yml_out *o, struct str s)
{
	enum style style = LITERAL;

	if (!is_clean_text(s)) {
		struct facts f = analyze_text(s);

		style = style_of(s, &f);
	}
	write_styled(o, s, style, true);
}

bool yml_write_simple_key(struct yml_out *o, struct str key)
{
	struct facts f;

	if (key.n > SIMPLE_KEY_MAX)
		return false;
	f = analyze_text(key);
	if (f.multiline)
		return false;
	write_styled(o, key, style_of(key, &f), false);
	return true;
}
