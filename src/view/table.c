/*
 * Tables. The width of a column counts characters, not bytes.
 */
#include "view/table.h"

void table_init(struct table *t, struct arena *a, const char *const *headings)
{
	*t = (struct table){ .a = a };
	for (; *headings; headings++, t->columns++)
		VEC_PUSH(a, &t->cells, str_of(*headings));
}

void table_cell(struct table *t, struct str text)
{
	VEC_PUSH(t->a, &t->cells, text);
}

/* The width in characters, not bytes. */
static size_t width(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
	return n;
}

void table_print(struct buf *b, const struct table *t)
{
	size_t *wide = arena_array(t->a, t->columns, sizeof(*wide));
	size_t first = t->no_headings ? t->columns : 0;

	if (t->cells.n <= t->columns)
		return;
	for (size_t i = first; i < t->cells.n; i++)
		if (width(t->cells.v[i]) > wide[i % t->columns])
			wide[i % t->columns] = width(t->cells.v[i]);
	for (size_t i = first; i < t->cells.n; i++) {
		bool last = (i + 1) % t->columns == 0;

		buf_add(b, t->cells.v[i]);
		if (last) {
			while (b->n && b->p[b->n - 1] == ' ')
				b->n--;
			buf_addc(b, '\n');
		} else {
			buf_fill(b, ' ', wide[i % t->columns] + 3 - width(t->cells.v[i]));
		}
	}
}
