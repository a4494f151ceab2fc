/*
 * table: columns as kubectl prints them: left-aligned, three blanks between.
 */
#ifndef VIEW_TABLE_H
#define VIEW_TABLE_H

#include "base/buf.h"
#include "base/vec.h"

struct table {
	struct arena *a;
	size_t columns;
	struct strs cells; /* row by row, the headings first */
	bool no_headings; /* omit them, also from the width of columns */
};

/* headings: NULL-ended. */
void table_init(struct table *t, struct arena *a, const char *const *headings);
void table_cell(struct table *t, struct str text);
/* Appends the table; nothing when there are no rows. */
void table_print(struct buf *b, const struct table *t);

#endif
