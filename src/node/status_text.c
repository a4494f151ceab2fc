/*
 * What a node has, and how its last update ended, for people. Read-only.
 */
#include "node/status_text.h"

#include "node/node_update.h"

static void add_line(struct buf *b, const char *what, struct str value)
{
	buf_addf(b, "%-16s%.*s\n", what, STRF(value));
}

static void add_journal(struct buf *b, struct arena *a, const struct node_journal_view *v)
{
	struct str actions = S("");

	if (v->damage.n) {
		add_line(b, "last update", v->damage);
		return;
	}
	for (size_t i = 0; i < v->actions.n; i++)
		actions = str_fmt(a, "%.*s%s%.*s", STRF(actions), i ? ", " : "",
				  STRF(v->actions.v[i]));
	switch (v->state) {
	case JOURNAL_NONE:
		add_line(b, "last update", S("no update to roll back"));
		return;
	case JOURNAL_ACTIVE:
	case JOURNAL_UNDO:
		add_line(b, "last update",
			 str_fmt(a, "%.*s -> %.*s, interrupted: `recover` undoes it", STRF(v->from),
				 STRF(v->to)));
		return;
	case JOURNAL_LAST:
		break;
	}
	add_line(b, "last update",
		 str_fmt(a, "%.*s -> %.*s, complete; `rollback` undoes it", STRF(v->from),
			 STRF(v->to)));
	if (!v->finished && actions.n)
		add_line(b, "still to do", actions);
}

int node_status_text(struct node *n, struct arena *a, struct buf *b, struct err *err)
{
	struct node_journal_view v = { 0 };
	struct mc_current c = { 0 };
	struct str image = S("");
	int rc = node_current(n, a, &c, &image, err);

	if (rc == 0)
		add_line(b, "current config", c.name);
	else if (rc == -ERR_NOTFOUND)
		add_line(b, "current config", S("none yet"));
	if (rc == 0 && image.n)
		add_line(b, "current image", image);
	if (rc == 0)
		add_line(b, "contents",
			 str_fmt(a, "%zu files, %zu units", ign_files(c.spec.config)->n,
				 ign_units(c.spec.config)->n));
	if (rc == 0 || rc == -ERR_NOTFOUND) {
		rc = node_update_journal(n, a, &v, err);
		if (rc == 0)
			add_journal(b, a, &v);
	}
	if (tree_exists(&n->tree, STEPS_FORCE))
		add_line(b, "force file", S("present: the next update is forced"));
	return rc;
}
