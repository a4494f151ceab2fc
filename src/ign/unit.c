/*
 * Parses unit files like the lexer of the reference implementation. Its limit on line length
 * depends on the contents of a 4,096-byte read buffer, so the buffer is modelled: `pos` is the next
 * byte, `end` the end of the buffer. After a refill it has up to 4,096 bytes from pos on.
 */
#include "check.h"

#include "base/codec.h"
#include "base/scan.h"
#include "base/utf8.h"

#define LINE_MAX_ 2048
#define BUFFER 4096

struct lexer {
	struct arena *a;
	struct str in;
	size_t pos, end;
	size_t line_end; /* a line break at or after pos; if before pos: unknown */
	bool v2;
	const char *error;
	struct str section;
	bool install;
};

/* The next step; the limit is checked between steps. */
enum step {
	NEXT_SECTION,
	SECTION_NAME,
	SECTION_SUFFIX,
	SKIP_LINE,
	OPTIONS,
	OPTION_NAME,
	OPTION_VALUE,
	STOP
};

static void fill(struct lexer *l)
{
	l->end = l->in.n - l->pos < BUFFER ? l->in.n : l->pos + BUFFER;
}

/* Whether the buffered bytes at pos contain a complete rune. */
static bool full_rune(const struct lexer *l)
{
	size_t have = l->end - l->pos, len;
	unsigned char c;

	if (!have)
		return false;
	c = (unsigned char)l->in.p[l->pos];
	len = c < 0xC2 || c > 0xF4 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
	return have >= len;
}

/* The next rune, or -1 at the end. */
static int32_t read_rune(struct lexer *l)
{
	uint32_t r;
	size_t len;

	if (l->end - l->pos < 4 && !full_rune(l))
		fill(l);
	if (l->pos == l->in.n)
		return -1;
	r = utf8_at(l->in, l->pos, &len);
	l->pos += len;
	return (int32_t)r;
}

/* The text up to and including delim, or to the end; false when there is no delim. */
static bool read_to(struct lexer *l, char delim, struct str *out)
{
	size_t start = l->pos;

	for (;;) {
		struct str held = str_sub(l->in, l->pos, l->end);
		ptrdiff_t at = str_chr(held, delim);

		if (at >= 0) {
			l->pos += (size_t)at + 1;
			*out = str_sub(l->in, start, l->pos);
			return true;
		}
		if (l->end == l->in.n) {
			l->pos = l->end;
			*out = str_sub(l->in, start, l->pos);
			return false;
		}
		if (l->end - l->pos >= BUFFER)
			l->pos = l->end; /* a full buffer is consumed */
		fill(l);
	}
}

static struct str to_eol(struct lexer *l)
{
	struct str line;

	if (read_to(l, '\n', &line))
		line.n--;
	return line;
}

static bool is_space(int32_t r)
{
	switch (r) {
	case ' ':
	case '\t':
	case '\n':
	case '\v':
	case '\f':
	case '\r':
	case 0x85:
	case 0xA0:
	case 0x1680:
	case 0x2028:
	case 0x2029:
	case 0x202F:
	case 0x205F:
	case 0x3000:
		return true;
	default:
		return r >= 0x2000 && r <= 0x200A;
	}
}

/* Removes Unicode white space at both ends. */
static struct str trim(struct str s)
{
	size_t len;

	while (s.n && is_space((int32_t)utf8_at(s, 0, &len)))
		s = str_from(s, len);
	for (;;) {
		size_t i = s.n;

		while (i > 0 && ((unsigned char)s.p[--i] & 0xC0) == 0x80)
			;
		if (!s.n || !is_space((int32_t)utf8_at(s, i, &len)) || i + len != s.n)
			return s;
		s.n = i;
	}
}

static enum step fail(struct lexer *l, const char *why)
{
	l->error = why;
	return STOP;
}

static enum step section_suffix(struct lexer *l)
{
	struct str garbage = trim(to_eol(l));
	struct buf b;

	if (!garbage.n)
		return OPTIONS;
	buf_init(&b, l->a);
	buf_addz(&b, "found garbage after section name : ");
	if (!l->v2) {
		go_quote(&b, garbage);
		return fail(l, b.p);
	}
	for (size_t i = 0; i < garbage.n; i++)
		buf_addf(&b, "%c%d", i ? ' ' : '[', (unsigned char)garbage.p[i]);
	buf_addc(&b, ']');
	return fail(l, b.p);
}

/* A comment, continued while its lines end in a backslash. */
static void skip_comment(struct lexer *l)
{
	for (;;) {
		struct str line = to_eol(l);

		if (str_ends(line, S(" ")))
			line.n--;
		if (!str_ends(line, S("\\")))
			return;
	}
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static enum step option_name(struct lexer *l)
{
	for (;;) {
		int32_t r;

		/* skip buffered letters without decoding */
		while (l->pos < l->end && is_letter(l->in.p[l->pos]))
			l->pos++;
		r = read_rune(l);
		if (r < 0)
			return fail(l, "EOF");
		if (r == '\n' || r == '\r')
			return fail(l, "unexpected newline encountered while "
				       "parsing option name");
		if (r == '=')
			return OPTION_VALUE;
	}
}

static enum step option_value(struct lexer *l)
{
	struct str line = to_eol(l);

	if (trim(line).n && str_ends(line, S("\\")))
		return OPTION_VALUE;
	l->install = l->install || str_is(l->section, "Install");
	return OPTIONS;
}

/* Between sections and between options; text outside of sections is skipped. */
static enum step between(struct lexer *l, enum step here)
{
	size_t before = l->pos;
	int32_t r = read_rune(l);

	if (r < 0)
		return STOP;
	if (r == '[')
		return SECTION_NAME;
	if (r == '#' || r == ';') {
		return SKIP_LINE;
	}
	if (here == NEXT_SECTION || is_space(r))
		return here;
	l->pos = before;
	return OPTION_NAME;
}

static bool too_long(struct lexer *l)
{
	if (l->end - l->pos < LINE_MAX_)
		return false;
	if (l->line_end < l->pos || !l->pos)
		l->line_end = l->pos + scan_three(l->in.p + l->pos, LINE_MAX_, '\n', '\r', '\n');
	return l->line_end >= l->pos + LINE_MAX_;
}

const char *ign_lex_unit(struct arena *a, struct str text, bool v2, bool *install)
{
	struct lexer l = { .a = a, .in = text, .v2 = v2 };
	enum step step = NEXT_SECTION, back = NEXT_SECTION;

	while (step != STOP) {
		if (too_long(&l)) {
			l.error = "line too long (max 2048 bytes)";
			break;
		}
		switch (step) {
		case NEXT_SECTION:
		case OPTIONS:
			back = step;
			step = between(&l, step);
			break;
		case SECTION_NAME:
			if (read_to(&l, ']', &l.section)) {
				l.section.n--;
				step = SECTION_SUFFIX;
			} else {
				step = fail(&l, "unable to find end of section");
			}
			break;
		case SECTION_SUFFIX:
			step = section_suffix(&l);
			break;
		case SKIP_LINE:
			skip_comment(&l);
			step = back;
			break;
		case OPTION_NAME:
			step = option_name(&l);
			break;
		case OPTION_VALUE:
			step = option_value(&l);
			break;
		case STOP:
			break;
		}
	}
	*install = l.install;
	return l.error;
}
