/*
 * The positions of findings in a manifest, and their order. mc_linter_add adds nothing at a
 * position where the review of spec.config has an error.
 */
#include <stdlib.h>

#include "mc/lint.h"

struct mc_linter mc_linter_of_mc(struct arena *a, const struct mc *mc, struct mc_findings *out)
{
	struct mc_linter l = mc_linter_of(
		a, &mc->doc, mc->file, str_fmt(a, "MachineConfig %.*s", STRF(mc->meta.name)), out);

	l.review = mc->review;
	return l;
}

struct mc_linter mc_linter_of(struct arena *a, const struct doc *doc, struct str file,
			      struct str object, struct mc_findings *out)
{
	return (struct mc_linter){
		.a = a,
		.doc = doc,
		.file = file,
		.object = object,
		.out = out,
		.where = IGN_LOCATOR(doc->tree, doc->text),
	};
}

static void push(struct mc_linter *l, bool error, struct str path, struct str message, size_t line,
		 size_t col)
{
	struct mc_finding f = {
		.error = error,
		.file = l->file,
		.object = l->object,
		.path = path,
		.message = message,
	};

	if (line) {
		f.line = l->doc->line + line - 1;
		f.col = col;
	}
	l->failed = l->failed || error;
	VEC_PUSH(l->a, l->out, f);
}

bool mc_linter_reported(const struct mc_linter *l, struct str path)
{
	static const struct str config = S("spec.config.");

	return l->review && str_starts(path, config) &&
	       ign_is_reported(l->review, str_from(path, config.n));
}

void mc_linter_add(struct mc_linter *l, bool error, struct str path, bool at_key,
		   struct str message)
{
	size_t line = 0, col = 0;

	if (mc_linter_reported(l, path))
		return;
	if (l->where.root)
		ign_locate(&l->where, path, at_key, &line, &col);
	push(l, error, path, message, line, col);
}

void mc_linter_add_at(struct mc_linter *l, bool error, struct str path, const struct json *at,
		      bool at_key, struct str message)
{
	size_t start, end, line, col;

	json_span(at, &start, &end);
	json_line_col(l->doc->text, at_key ? json_key_pos(at) : start, &line, &col);
	push(l, error, path, message, line, col);
}

static int by_place(const void *x, const void *y)
{
	const struct mc_finding *p = x, *q = y;
	int c;

	/* findings without a file come last */
	if (!p->file.n != !q->file.n)
		return p->file.n ? -1 : 1;
	c = str_cmp(p->file, q->file);
	if (c)
		return c;
	if (p->line != q->line)
		return p->line < q->line ? -1 : 1;
	if (p->col != q->col)
		return p->col < q->col ? -1 : 1;
	return (p->order > q->order) - (p->order < q->order);
}

void mc_findings_sort(struct mc_findings *list)
{
	for (size_t i = 0; i < list->n; i++)
		list->v[i].order = i;
	if (list->n)
		qsort(list->v, list->n, sizeof(list->v[0]), by_place);
}

size_t mc_findings_errors(const struct mc_findings *list)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += list->v[i].error;
	return n;
}
