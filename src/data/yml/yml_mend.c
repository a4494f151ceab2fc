/*
 * Replaces bytes that libyaml refuses by stand-ins, and restores them in the values. Each
 * replacement is one byte for one byte, so offsets do not change.
 */
#include "yml_mend.h"

/*
 * The total of bytes that may be parsed again. A text is parsed again for each replacement;
 * manifests have none, and a hostile text with many must not take long.
 */
#define EFFORT ((size_t)32 << 20)
#define TRIES_MIN 4

static bool parse_again(struct yml_mend *m)
{
	m->tries++;
	if (m->tries > TRIES_MIN && m->tries * m->text.n > EFFORT)
		return false;
	if (!m->copy) {
		m->copy = arena_alloc(m->a, m->text.n + 1);
		memcpy(m->copy, m->text.p, m->text.n);
	}
	return true;
}

static void put_stand_in(struct yml_mend *m, size_t at, char stand_in, char real)
{
	const struct yml_mended one = { at, stand_in, real };
	size_t i = m->mended.n;

	VEC_PUSH(m->a, &m->mended, one);
	for (; i > 0 && m->mended.v[i - 1].at > at; i--)
		m->mended.v[i] = m->mended.v[i - 1];
	m->mended.v[i] = one;
	m->copy[at] = stand_in;
}

/* ---- \' ------------------------------------------------------------------ */

/* The end of a double-quoted scalar: after its last quote, or the end of the text. */
static size_t quoted_end(struct str text, size_t start)
{
	size_t i = start + 1;

	while (i < text.n && text.p[i] != '"')
		i += text.p[i] == '\\' ? 2 : 1;
	return i < text.n ? i + 1 : text.n;
}

/* A character that the scalar does not contain, and its escape letter. */
static bool free_escape(struct str scalar, char *letter, char *stands_for)
{
	static const struct {
		const char *escape, *hex;
		char c;
	} all[] = {
		{ "\\a", "07", '\a' }, { "\\v", "0b", '\v' }, { "\\f", "0c", '\f' },
		{ "\\e", "1b", 0x1B }, { "\\b", "08", '\b' },
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		char upper[] = { all[i].hex[0], (char)(all[i].hex[1] & ~0x20), '\0' };

		if (str_find(scalar, str_of(all[i].escape)) >= 0 ||
		    str_find(scalar, str_of(all[i].hex)) >= 0 ||
		    (all[i].hex[1] > '9' && str_find(scalar, str_of(upper)) >= 0))
			continue;
		*letter = all[i].escape[1];
		*stands_for = all[i].c;
		return true;
	}
	return false;
}

static bool mend_quotes(struct yml_mend *m, size_t start)
{
	size_t end = quoted_end(m->text, start);
	char letter, stands_for;
	bool found = false;

	if (!free_escape(str_sub(m->text, start, end), &letter, &stands_for) || !parse_again(m))
		return false;
	for (size_t i = start + 1; i + 1 < end; i++) {
		if (m->text.p[i] != '\\')
			continue;
		i++;
		if (m->text.p[i] != '\'')
			continue;
		found = true;
		put_stand_in(m, i, stands_for, '\'');
		m->copy[i] = letter;
	}
	return found;
}

/* ---- tags ---------------------------------------------------------------- */

static bool in_tag(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c && strchr("_-;/?:@&=+$.%!~*'()", c));
}

/* The end of the tag before a node, as libyaml sees it. */
static size_t tag_end(struct str text, size_t at)
{
	while (at < text.n && text.p[at] == '&') {
		while (at < text.n && !strchr(" \t\r\n", text.p[at]))
			at++;
		while (at < text.n && strchr(" \t\r\n", text.p[at]))
			at++;
	}
	if (at >= text.n || text.p[at] != '!' || (at + 1 < text.n && text.p[at + 1] == '<'))
		return text.n;
	while (at < text.n && in_tag(text.p[at]))
		at++;
	return at;
}

bool yml_mend_tag(struct yml_mend *m, const struct yml_node *n)
{
	struct str text = { m->copy ? m->copy : m->text.p, m->text.n };
	size_t at = tag_end(text, n->start);

	if (at >= text.n || text.p[at] != ',' || !parse_again(m))
		return false;
	/* no known tag contains this character */
	m->copy[at] = '@';
	return true;
}

/* ---- interface ----------------------------------------------------------- */

bool yml_mend_fault(struct yml_mend *m, struct str problem, size_t scalar, size_t at)
{
	char c = at < m->text.n ? m->text.p[at] : '\0';

	if (str_is(problem, "found unknown escape character"))
		return at + 1 < m->text.n && m->text.p[at + 1] == '\'' &&
		       m->text.p[scalar] == '"' && mend_quotes(m, scalar);
	if (str_is(problem, "found unexpected ':'") && c == ':' && parse_again(m)) {
		put_stand_in(m, at, '=', ':');
		return true;
	}
	if ((str_is(problem, "did not find expected whitespace or line break") ||
	     str_is(problem, "did not find expected tag URI")) &&
	    (c == ',' || c == '[' || c == ']') && parse_again(m)) {
		m->copy[at] = '@';
		return true;
	}
	return false;
}

/* The stand-in for an escape occurs nowhere else in the value. */
static void restore_quotes(struct str value, char stand_in, char *to)
{
	for (size_t i = 0; i < value.n; i++)
		if (to[i] == stand_in)
			to[i] = '\'';
}

/* In plain scalars only white space is folded: copy and value have the same other characters,
 * counted from the end. */
static void restore_colons(const struct yml_mend *m, const struct yml_node *n, size_t low,
			   size_t high, char *to)
{
	size_t i = n->value.n;

	for (size_t at = n->end; at > n->start && high > low; at--) {
		const struct yml_mended *one = &m->mended.v[high - 1];

		if (m->copy[at - 1] != one->stand_in)
			continue;
		while (i > 0 && to[i - 1] != one->stand_in)
			i--;
		if (!i)
			return;
		i--;
		if (one->at == at - 1) {
			to[i] = one->real;
			high--;
		}
	}
}

void yml_mend_restore(const struct yml_mend *m, const struct yml_node *n, char *value)
{
	size_t low = 0, high = m->mended.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->mended.v[mid].at < n->start)
			low = mid + 1;
		else
			high = mid;
	}
	while (high < m->mended.n && m->mended.v[high].at < n->end)
		high++;
	if (low == high)
		return;
	if (m->mended.v[low].real == '\'')
		restore_quotes(n->value, m->mended.v[low].stand_in, value);
	else
		restore_colons(m, n, low, high, value);
}

size_t yml_mend_bad_escape(struct str text, size_t start, size_t end)
{
	for (size_t i = start; i + 1 < end; i++)
		if (text.p[i] == '\\' && text.p[++i] == '/')
			return i - 1;
	return end;
}

/* "1.2" and at most a comment, and not "1.1". */
static bool other_version(struct str s)
{
	struct str major, minor, rest;
	int64_t x, y;
	size_t n = 0;

	while (n < s.n && !strchr(" \t\r", s.p[n]))
		n++;
	rest = str_trim(str_from(s, n));
	return (!rest.n || rest.p[0] == '#') && str_cut(str_sub(s, 0, n), '.', &major, &minor) &&
	       str_to_i64(major, &x) && str_to_i64(minor, &y) && (x != 1 || y != 1);
}

size_t yml_mend_bad_version(struct str text)
{
	struct str rest = text, line;

	if (str_starts(rest, S("\xEF\xBB\xBF")))
		rest = str_from(rest, 3);
	while (rest.n) {
		size_t at = text.n - rest.n;

		if (!str_cut(rest, '\n', &line, &rest)) {
			line = rest;
			rest = S("");
		}
		if (str_starts(line, S("%YAML ")) && other_version(str_trim(str_from(line, 6))))
			return at;
		if (!str_starts(line, S("%")) && !str_starts(line, S("#")) && str_trim(line).n)
			break;
	}
	return text.n;
}
