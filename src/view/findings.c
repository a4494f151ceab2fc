/*
 * The findings of a validation as lines and as JSON. A message is one line of
 * bounded length, whatever it quotes.
 */
#include "view/findings.h"

/* Bounds a message, whatever it quotes. */
#define MESSAGE_MAX 2000

void findings_text(struct buf *b, struct arena *a, const struct mc_findings *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct mc_finding *f = &list->v[i];
		struct str text = f->message, line;

		(void)str_line(&text, &line);
		if (f->file.n && f->line)
			buf_addf(b, "%.*s:%zu:%zu: ", STRF(f->file), f->line, f->col);
		else if (f->file.n)
			buf_addf(b, "%.*s: ", STRF(f->file));
		buf_addf(b, "%s: %.*s%s%.*s%s%.*s\n", f->error ? "error" : "warning",
			 STRF(f->object), f->object.n ? ": " : "", STRF(f->path),
			 f->path.n ? ": " : "", STRF(str_clip(a, line, MESSAGE_MAX)));
	}
}

static struct json *finding_json(struct arena *a, const struct mc_finding *f)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add_str(a, j, "severity", f->error ? S("error") : S("warning"));
	json_add_str(a, j, "file", f->file);
	json_add(j, S("line"), json_new_i64(a, (int64_t)f->line));
	json_add(j, S("column"), json_new_i64(a, (int64_t)f->col));
	json_add_str(a, j, "object", f->object);
	json_add_str(a, j, "path", f->path);
	json_add_str(a, j, "message", str_clip(a, f->message, MESSAGE_MAX));
	return j;
}

static struct json *findings_json(struct arena *a, const struct mc_findings *list)
{
	struct json *all = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < list->n; i++)
		json_push(all, finding_json(a, &list->v[i]));
	return all;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

void findings_sum(struct buf *b, const struct mc_findings *list, const struct mc_set *set)
{
	size_t errors = mc_findings_errors(list), warnings = list->n - errors;

	if (errors)
		buf_addf(b, "%zu error%s%s", errors, plural(errors), warnings ? ", " : "\n");
	if (warnings)
		buf_addf(b, "%zu warning%s\n", warnings, plural(warnings));
	if (!list->n)
		buf_addf(b, "%zu object%s, %zu MachineConfig%s: valid\n", set->objects,
			 plural(set->objects), set->mcs.n, plural(set->mcs.n));
}

struct json *findings_report(struct arena *a, const struct mc_findings *list,
			     const struct mc_set *set, const struct strs *notes, struct str problem)
{
	struct json *out = json_new(a, JSON_OBJECT);
	size_t errors = mc_findings_errors(list);

	json_add(out, S("findings"), findings_json(a, list));
	json_add(out, S("errors"), json_new_i64(a, (int64_t)errors));
	json_add(out, S("warnings"), json_new_i64(a, (int64_t)(list->n - errors)));
	json_add(out, S("objects"), json_new_i64(a, (int64_t)set->objects));
	json_add(out, S("notes"), json_new_strs(a, notes));
	if (problem.n)
		json_add_str(a, out, "error", problem);
	return out;
}
