/*
 * The help text of a flag table. Output depends only on the table, the defaults and the
 * width.
 */
#include "base/duration.h"
#include "base/flag.h"
#include "base/wrap.h"

/* Where the texts begin; names that are longer have a line of their own. */
#define COLUMN 30
#define NARROW 60 /* columns: below, texts begin further left */
#define NARROW_COLUMN 10

static void add_names(struct buf *b, const struct flag *f)
{
	if (f->letter)
		buf_addf(b, "  -%c, --%s", f->letter, flag_name(f));
	else
		buf_addf(b, "      --%s", flag_name(f));
	if (*flag_value(f))
		buf_addf(b, " %s", flag_value(f));
}

/* The default as it would be given; nothing when there is none. */
static void add_value(struct buf *b, const struct flag *f, const void *field)
{
	switch ((enum flag_kind)f->kind) {
	case FLAG_BOOL:
		buf_addz(b, *(const bool *)field ? "true" : "");
		return;
	case FLAG_STR:
	case FLAG_CHOICE:
		buf_add(b, *(const struct str *)field);
		return;
	case FLAG_DURATION:
		if (*(const int64_t *)field)
			duration_add(b, *(const int64_t *)field);
		return;
	case FLAG_INT:
	case FLAG_SIZE:
		if (*(const int64_t *)field)
			buf_addf(b, "%lld", (long long)*(const int64_t *)field);
		return;
	case FLAG_STRS:
	case FLAG_COUNT:
	case FLAG_GROUP:
		return;
	}
}

static void add_text(struct buf *b, const struct flag *f, const void *opts)
{
	struct str help = str_of(flag_purpose(f));
	ptrdiff_t given = str_find(help, S(" (default"));
	size_t start;

	buf_add(b, given < 0 ? help : str_sub(help, 0, (size_t)given));
	if (f->kind == FLAG_CHOICE) {
		buf_addz(b, ": ");
		flag_choices(b, f->choices);
	} else if (f->env) {
		buf_addf(b, " [$%s]", f->env);
	}
	if (given >= 0)
		buf_add(b, str_from(help, (size_t)given));
	if (!opts || given >= 0)
		return;
	buf_addz(b, " (default ");
	start = b->n;
	add_value(b, f, (const char *)opts + f->offset);
	if (b->n > start)
		buf_addc(b, ')');
	else
		b->n = start - strlen(" (default ");
}

void flag_help(struct buf *b, const struct flag *f, const void *opts, size_t width)
{
	size_t column = width < NARROW ? NARROW_COLUMN : COLUMN;

	for (; f->texts; f++) {
		AUTO(arena) struct arena scratch = ARENA_INIT;
		size_t start = b->n, used;
		struct buf text;

		if (f->hidden || f->kind == FLAG_GROUP)
			continue;
		add_names(b, f);
		used = b->n - start;
		if (used + 2 > column) {
			buf_addc(b, '\n');
			used = 0;
		}
		buf_fill(b, ' ', column - used);
		buf_init(&text, &scratch);
		add_text(&text, f, opts);
		wrap_add(b, buf_str(&text), column, column, width);
	}
}
