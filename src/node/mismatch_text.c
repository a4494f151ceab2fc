/*
 * The mismatches of a verification, for people and for programs.
 */
#include "node/mismatch_text.h"

#include "view/contents_diff.h"
#include "view/table.h"

static void add_diff(struct buf *b, const struct mismatch *m, bool secrets)
{
	if (!m->contents || str_eq(m->want, m->have))
		return;
	buf_addf(b, "\n%.*s\n", STRF(m->text));
	contents_diff(b, m->path, &(struct contents_side){ true, m->want_mode, m->want, "want" },
		      &(struct contents_side){ true, m->have_mode, m->have, "have" },
		      &(struct contents_opts){ .secrets = secrets });
}

void mismatches_text(struct buf *b, struct arena *a, const struct mismatches *list, bool secrets,
		     bool no_headings)
{
	static const char *const headings[] = { "KIND", "WHERE", "PROBLEM", NULL };
	struct table t;

	table_init(&t, a, headings);
	t.no_headings = no_headings;
	for (size_t i = 0; i < list->n; i++) {
		table_cell(&t, str_of(list->v[i].kind));
		table_cell(&t, list->v[i].path);
		table_cell(&t, list->v[i].text);
	}
	table_print(b, &t);
	for (size_t i = 0; i < list->n; i++)
		add_diff(b, &list->v[i], secrets);
}

struct json *mismatches_json(struct arena *a, const struct mismatches *list, struct str config)
{
	struct json *j = json_new(a, JSON_OBJECT);
	struct json *all = json_new(a, JSON_ARRAY);

	json_add_str(a, j, "config", config);
	for (size_t i = 0; i < list->n; i++) {
		struct json *m = json_new(a, JSON_OBJECT);

		json_add_str(a, m, "kind", str_of(list->v[i].kind));
		json_add_str(a, m, "where", list->v[i].path);
		json_add_str(a, m, "problem", list->v[i].text);
		json_push(all, m);
	}
	json_add(j, S("mismatches"), all);
	return j;
}
