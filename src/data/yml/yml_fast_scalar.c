/*
 * Scalars of the fast reader. A scalar is a view of the input; only one that has to be folded or
 * unescaped is copied.
 */
#include "base/scan.h"
#include "base/utf8.h"
#include "yml_fast.h"

static struct str view(const struct yml_fast *f, size_t from, size_t to)
{
	return (struct str){ f->p + from, to - from };
}

/* ---- plain --------------------------------------------------------------- */

size_t yml_fast_plain_stop(const struct yml_fast *f, size_t i)
{
	size_t start = i;

	for (;; i++) {
		i += scan_three(f->p + i, f->n - i, '\n', ':', '#');
		if (i == f->n || f->p[i] == '\n')
			return i;
		if (f->p[i] == ':' ? yml_fast_gap(f, i + 1)
				   : i > start && yml_is_blank(f->p[i - 1]))
			return i;
	}
}

/* One line break becomes a space; of several the first is dropped. */
static void fold_breaks(struct buf *b, size_t breaks)
{
	if (breaks == 1)
		buf_addc(b, ' ');
	else
		buf_fill(b, '\n', breaks - 1);
}

/*
 * Whether the scalar continues after the line breaks at f->at; moves there. Declines at a tab.
 */
static bool goes_on(struct yml_fast *f, ptrdiff_t indent, size_t *breaks, bool *odd)
{
	size_t i = f->at, line = f->line, n = 0;

	while (i < f->n && (f->p[i] == '\n' || f->p[i] == ' ')) {
		if (f->p[i++] != '\n')
			continue;
		line = i;
		n++;
	}
	*odd = i < f->n && f->p[i] == '\t';
	if (i == f->n || *odd || f->p[i] == '#' || (ptrdiff_t)(i - line) <= indent)
		return false;
	f->at = i;
	f->line = line;
	*breaks = n;
	return true;
}

static size_t trim_end(const struct yml_fast *f, size_t start, size_t end)
{
	while (end > start && yml_is_blank(f->p[end - 1]))
		end--;
	return end;
}

bool yml_fast_plain(struct yml_fast *f, ptrdiff_t indent, struct yml_token *out)
{
	size_t start = f->at, stop = yml_fast_plain_stop(f, start), breaks;
	struct buf b;
	bool odd = false;

	*out = (struct yml_token){ .plain = true, .start = start };
	out->end = trim_end(f, start, stop);
	out->text = view(f, start, out->end);
	f->at = stop;
	buf_init(&b, f->a);
	while (f->at < f->n && f->p[f->at] == '\n' && goes_on(f, indent, &breaks, &odd)) {
		if (!b.n)
			buf_add(&b, out->text);
		fold_breaks(&b, breaks);
		stop = yml_fast_plain_stop(f, f->at);
		out->end = trim_end(f, f->at, stop);
		buf_add(&b, view(f, f->at, out->end));
		out->text = buf_str(&b);
		f->at = stop;
	}
	return !odd;
}

bool yml_fast_flow_plain(struct yml_fast *f, struct yml_token *out)
{
	size_t i = f->at;

	if (f->p[i] == '-' && i + 1 < f->n &&
	    (yml_is_blank(f->p[i + 1]) || yml_is_flow(f->p[i + 1])))
		return false;
	if (strchr("\t?:&*!|>'\"%@`#", f->p[i]))
		return false;
	for (; i < f->n && !yml_is_flow(f->p[i]); i++) {
		char c = f->p[i];

		if (c == '\n' || c == '?' || (c == '#' && yml_is_blank(f->p[i - 1])))
			return false;
		if (c != ':')
			continue;
		if (yml_fast_gap(f, i + 1))
			break;
		if (yml_is_flow(f->p[i + 1]) || f->p[i + 1] == '?')
			return false;
	}
	*out = (struct yml_token){
		.plain = true, .one_line = true, .start = f->at, .end = trim_end(f, f->at, i)
	};
	out->text = view(f, f->at, out->end);
	f->at = i;
	return i < f->n && out->text.n;
}

/* ---- quoted -------------------------------------------------------------- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \xHH and the longer forms: n digits at f->at. */
static bool code(struct yml_fast *f, struct buf *b, size_t n)
{
	uint32_t r = 0;

	if (f->n - f->at < n)
		return false;
	for (; n; n--) {
		int d = hex_digit(f->p[f->at++]);

		if (d < 0 || r > 0x10FFFF)
			return false;
		r = r << 4 | (uint32_t)d;
	}
	if (r > 0x10FFFF || (r >= 0xD800 && r <= 0xDFFF))
		return false;
	utf8_add(b, r);
	return true;
}

/* Without \/, which upstream refuses, and \', which libyaml refuses. */
static bool escape(struct yml_fast *f, struct buf *b)
{
	static const char from[] = "0abtnvfre \"\\N_LP";
	static const uint16_t to[] = { 0,    '\a', '\b', '\t', '\n', '\v', '\f',   '\r',
				       0x1B, ' ',  '"',	 '\\', 0x85, 0xA0, 0x2028, 0x2029 };
	const char *k;
	char c;

	if (f->n - f->at < 2)
		return false;
	c = f->p[f->at + 1];
	f->at += 2;
	if (c == 'x' || c == 'u' || c == 'U')
		return code(f, b, c == 'x' ? 2 : c == 'u' ? 4 : 8);
	k = strchr(from, c);
	if (!k)
		return false;
	utf8_add(b, to[k - from]);
	return true;
}

/*
 * White space inside quotes: kept within a line, folded around line breaks. An escaped line break
 * (escaped: already consumed) adds nothing.
 */
static bool quoted_space(struct yml_fast *f, struct buf *b, bool escaped)
{
	size_t start = f->at, breaks = escaped;

	while (f->at < f->n && (yml_is_blank(f->p[f->at]) || f->p[f->at] == '\n')) {
		if (f->p[f->at++] == '\n') {
			f->line = f->at;
			breaks++;
		}
	}
	if (!breaks)
		buf_add(b, view(f, start, f->at));
	else if (escaped)
		buf_fill(b, '\n', breaks - 1);
	else
		fold_breaks(b, breaks);
	/* a document marker inside a scalar is a fault */
	return f->at != f->line || !breaks || f->n - f->at < 3 ||
	       (memcmp(f->p + f->at, "---", 3) != 0 && memcmp(f->p + f->at, "...", 3) != 0);
}

static bool build_quoted(struct yml_fast *f, char quote, struct buf *b)
{
	while (f->at < f->n) {
		char c = f->p[f->at];
		size_t start = f->at;
		bool ok = true;

		if (c == quote && quote == '\'' && f->at + 1 < f->n && f->p[f->at + 1] == quote) {
			buf_addc(b, quote);
			f->at += 2;
		} else if (c == quote) {
			f->at++;
			return true;
		} else if (yml_is_blank(c) || c == '\n') {
			ok = quoted_space(f, b, false);
		} else if (c != '\\' || quote == '\'') {
			while (f->at < f->n && f->p[f->at] != quote &&
			       !strchr(" \t\n\\", f->p[f->at]))
				f->at++;
			/* a backslash is plain text in single quotes */
			f->at += f->at == start;
			buf_add(b, view(f, start, f->at));
		} else if (f->n - f->at > 1 && f->p[f->at + 1] == '\n') {
			f->at += 2;
			f->line = f->at;
			ok = quoted_space(f, b, true);
		} else {
			ok = escape(f, b);
		}
		if (!ok)
			return false;
	}
	return false;
}

bool yml_fast_quoted(struct yml_fast *f, struct yml_token *out)
{
	char quote = f->p[f->at];
	size_t start = f->at++, line = f->line, stop;
	struct buf b;

	*out = (struct yml_token){ .start = start };
	stop = f->at +
	       scan_three(f->p + f->at, f->n - f->at, quote, '\n', quote == '"' ? '\\' : quote);
	if (stop < f->n && f->p[stop] == quote &&
	    (quote == '"' || stop + 1 == f->n || f->p[stop + 1] != quote)) {
		out->text = view(f, f->at, stop);
		f->at = stop + 1;
	} else {
		buf_init(&b, f->a);
		if (!build_quoted(f, quote, &b))
			return false;
		out->text = buf_str(&b);
	}
	out->end = f->at;
	out->one_line = f->line == line;
	return true;
}

/* ---- literal ------------------------------------------------------------- */

struct header {
	char chomp; /* '+', '-' or 0 */
	size_t indent; /* 0: to be detected */
};

/* "|", its indicators, the rest of the line. */
static bool literal_header(struct yml_fast *f, struct header *h)
{
	*h = (struct header){ 0 };
	f->at++;
	for (int i = 0; i < 2 && f->at < f->n; i++) {
		char c = f->p[f->at];

		if ((c == '+' || c == '-') && !h->chomp)
			h->chomp = c;
		else if (c >= '1' && c <= '9' && !h->indent)
			h->indent = (size_t)(c - '0');
		else
			break;
		f->at++;
	}
	while (f->at < f->n && f->p[f->at] == ' ')
		f->at++;
	if (f->at < f->n && f->p[f->at] == '#')
		f->at += scan_byte(f->p + f->at, f->n - f->at, '\n');
	if (f->at == f->n || f->p[f->at] != '\n')
		return false;
	f->line = ++f->at;
	return true;
}

/* The column of the text: that of its first line, or of a longer empty line; 0 at a tab. */
static size_t find_indent(const struct yml_fast *f, size_t least)
{
	size_t line = f->at, i = line;

	for (;; i++) {
		while (i < f->n && f->p[i] == ' ')
			i++;
		if (i - line > least)
			least = i - line;
		if (i == f->n || f->p[i] != '\n')
			return i < f->n && f->p[i] == '\t' ? 0 : least;
		line = i + 1;
	}
}

/* Skips empty lines and the indentation of the next line; false at a tab in the indentation. */
static bool empty_lines(struct yml_fast *f, size_t indent, size_t *breaks)
{
	for (*breaks = 0;; ++*breaks) {
		size_t i = f->line;

		while (i < f->n && i - f->line < indent && f->p[i] == ' ')
			i++;
		f->at = i;
		if (i == f->n || f->p[i] != '\n')
			return i == f->n || f->p[i] != '\t' || i - f->line == indent;
		f->line = i + 1;
	}
}

/* Copies lines while they are indented enough; *b has enough room. */
static bool literal_lines(struct yml_fast *f, size_t indent, struct buf *b, bool *broken,
			  size_t *breaks)
{
	*broken = false;
	if (!empty_lines(f, indent, breaks))
		return false;
	while (f->at < f->n && f->at - f->line == indent) {
		size_t len = scan_byte(f->p + f->at, f->n - f->at, '\n');

		buf_fill(b, '\n', *breaks + *broken);
		buf_add(b, view(f, f->at, f->at + len));
		f->at += len;
		*broken = f->at < f->n;
		*breaks = 0;
		f->line = f->at + *broken;
		if (*broken && !empty_lines(f, indent, breaks))
			return false;
	}
	return true;
}

bool yml_fast_literal(struct yml_fast *f, ptrdiff_t indent, struct yml_token *out)
{
	size_t start = f->at, base = indent < 0 ? 0 : (size_t)indent, breaks;
	struct header h;
	struct buf b;
	bool broken;

	if (!literal_header(f, &h))
		return false;
	if (h.indent)
		h.indent += base;
	else
		h.indent = find_indent(f, base + 1);
	buf_init(&b, f->a);
	if (!h.indent || !literal_lines(f, h.indent, &b, &broken, &breaks))
		return false;
	if (broken && h.chomp != '-')
		buf_addc(&b, '\n');
	if (h.chomp == '+')
		buf_fill(&b, '\n', breaks);
	*out = (struct yml_token){ .text = buf_str(&b),
				   .start = start,
				   .end = f->line < f->n ? f->line : f->n };
	return true;
}
