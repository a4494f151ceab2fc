/*
 * Line wrapping. Columns are counted in bytes, which is exact for ASCII; a word longer
 * than a line is not broken.
 */
#include "base/wrap.h"

static bool is_gap(char c)
{
	return c == ' ' || c == '\n';
}

/* The bytes of the word that text begins with, [ ] as a whole. */
static size_t word_length(struct str text)
{
	size_t depth = 0, i;

	for (i = 0; i < text.n; i++) {
		if (text.p[i] == '[')
			depth++;
		else if (text.p[i] == ']' && depth)
			depth--;
		else if (is_gap(text.p[i]) && !depth)
			break;
	}
	return i;
}

void wrap_add(struct buf *b, struct str text, size_t at, size_t indent, size_t width)
{
	size_t column = at;
	bool fresh = true; /* no word in this line yet */

	for (;;) {
		struct str word;

		while (text.n && is_gap(text.p[0]))
			text = str_from(text, 1);
		if (!text.n)
			break;
		word = str_sub(text, 0, word_length(text));
		text = str_from(text, word.n);
		if (!fresh && column + 1 + word.n > width) {
			buf_addc(b, '\n');
			buf_fill(b, ' ', indent);
			column = indent;
			fresh = true;
		}
		if (!fresh)
			buf_addc(b, ' ');
		column += word.n + !fresh;
		buf_add(b, word);
		fresh = false;
	}
	buf_addc(b, '\n');
}

void wrap_paragraphs(struct buf *b, struct str text, size_t width)
{
	while (text.n) {
		ptrdiff_t end = str_find(text, S("\n\n"));
		struct str one = end < 0 ? text : str_sub(text, 0, (size_t)end);

		if (str_starts(one, S(" ")))
			buf_addf(b, "%.*s\n", STRF(one));
		else
			wrap_add(b, one, 0, 0, width);
		if (end < 0)
			return;
		buf_addc(b, '\n');
		text = str_from(text, (size_t)end + 2);
	}
}
