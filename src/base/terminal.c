/*
 * Escapes what a terminal would obey. Invariant: the result of terminal_safe has no
 * control character except line feed and tab.
 */
#include "base/terminal.h"

#include "base/utf8.h"

static size_t colour_at(struct str rest)
{
	static const char *const colours[] = { TERMINAL_BOLD, TERMINAL_RED, TERMINAL_GREEN,
					       TERMINAL_CYAN, TERMINAL_OFF };

	for (size_t i = 0; i < ARRAY_LEN(colours); i++)
		if (str_starts(rest, str_of(colours[i])))
			return strlen(colours[i]);
	return 0;
}

/* Marks, embeddings, overrides and isolates of direction; line and paragraph
 * separators. */
static bool turns(uint32_t r)
{
	return r == 0x061C || (r >= 0x200E && r <= 0x200F) || (r >= 0x2028 && r <= 0x202E) ||
	       (r >= 0x2066 && r <= 0x2069);
}

static bool is_plain(unsigned char c)
{
	return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t';
}

/* Adds one character that is not plain. */
static void add(struct buf *b, struct str text, size_t i, size_t len, uint32_t rune)
{
	if (text.p[i] == '\r')
		buf_addz(b, "\\r");
	else if (len == 1)
		buf_addf(b, "\\x%02x", (unsigned char)text.p[i]);
	else if (rune < 0xA0 || turns(rune))
		buf_addf(b, "\\u%04x", (unsigned)rune);
	else
		buf_add(b, str_sub(text, i, i + len));
}

static struct str safe(struct arena *a, struct str text, bool colours)
{
	size_t i = 0, len;
	struct buf b;

	while (i < text.n && is_plain((unsigned char)text.p[i]))
		i++;
	if (i == text.n)
		return text;
	buf_init(&b, a);
	buf_add(&b, str_sub(text, 0, i));
	for (; i < text.n; i += len) {
		uint32_t rune;

		len = colours ? colour_at(str_from(text, i)) : 0;
		if (len) {
			buf_add(&b, str_sub(text, i, i + len));
			continue;
		}
		rune = utf8_at(text, i, &len);
		if (is_plain((unsigned char)text.p[i]))
			buf_addc(&b, text.p[i]);
		else
			add(&b, text, i, len, rune);
	}
	return str_eq(buf_str(&b), text) ? text : buf_str(&b);
}

struct str terminal_safe(struct arena *a, struct str text)
{
	return safe(a, text, false);
}

struct str terminal_safe_but_colours(struct arena *a, struct str text)
{
	return safe(a, text, true);
}
