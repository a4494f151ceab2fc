/*
 * A change of a cluster as text and as JSON. With colours, texts of objects have their control
 * characters escaped.
 */
#include "view/change_text.h"

#include "base/terminal.h"

static void add_lines(struct buf *b, const char *what, const struct strs *list)
{
	for (size_t i = 0; i < list->n; i++)
		buf_addf(b, "%s: %.*s\n", what, STRF(list->v[i]));
}

/* Objects that controllers refuse because of their contents. */
static void add_refusals(struct buf *b, struct arena *a, const struct preview_refusals *list,
			 bool colour)
{
	for (size_t i = 0; i < list->n; i++) {
		struct str text = preview_refusal_text(a, &list->v[i]);

		if (colour)
			text = terminal_safe(a, text);
		buf_addf(b, "%srefused: %.*s%s\n", colour ? TERMINAL_BOLD : "", STRF(text),
			 colour ? TERMINAL_OFF : "");
	}
}

void change_text(struct buf *b, struct arena *a, const struct change *c,
		 const struct forecasts *list, const struct config_diff_opts *o)
{
	struct buf pruned;

	buf_init(&pruned, a);
	add_lines(&pruned, "pruned", &c->pruned);
	if (pruned.n)
		buf_addc(&pruned, '\n');
	buf_add(b, o->colour ? terminal_safe(a, buf_str(&pruned)) : buf_str(&pruned));
	forecasts_text(b, list, o);
	add_refusals(b, a, &c->caused, o->colour);
	if (list->n)
		change_assumed_text(b, c);
}

void change_assumed_text(struct buf *b, const struct change *c)
{
	add_lines(b, "assumed", &c->assumed);
}

static struct json *refusals_json(struct arena *a, const struct preview_refusals *list)
{
	struct json *out = json_new(a, JSON_ARRAY);

	for (size_t i = 0; i < list->n; i++) {
		const struct preview_refusal *f = &list->v[i];
		struct json *j = json_new(a, JSON_OBJECT);

		json_add(j, S("object"), json_new_str(a, f->object));
		json_add(j, S("file"), json_new_str(a, f->file));
		json_add(j, S("message"), json_new_str(a, f->message));
		json_add(j, S("pools"), json_new_strs(a, &f->pools));
		json_push(out, j);
	}
	return out;
}

struct json *change_json(struct arena *a, const struct change *c, struct json *differences,
			 const struct strs *warnings)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add(j, S("differences"), differences);
	json_add(j, S("refusals"), refusals_json(a, &c->caused));
	json_add(j, S("pruned"), json_new_strs(a, &c->pruned));
	json_add(j, S("assumptions"), json_new_strs(a, &c->assumed));
	json_add(j, S("warnings"), json_new_strs(a, warnings));
	return j;
}
