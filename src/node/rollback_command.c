/*
 * `mco-daemon rollback` and `recover`: back from the last update, or through one
 * that was interrupted. Files edited after the update are restored and listed.
 */
#include "node/rollback_command.h"

#include "base/map.h"
#include "node/journal_act.h"
#include "node/node_update.h"
#include "node/node_verify.h"

/* "u.service" when path is that unit or below its directory; else "". */
static struct str unit_of(struct str path)
{
	struct str unit, rest;

	if (!str_starts(path, S(TREE_UNITS "/")))
		return S("");
	unit = str_from(path, sizeof(TREE_UNITS));
	(void)str_cut(unit, '/', &unit, &rest);
	if (str_ends(unit, S(".d")))
		unit.n -= 2;
	return unit;
}

/*
 * Restores files that were edited after the update and that the update had not
 * changed: the journal has no copy of those, but the config has their contents.
 */
static int restore_edited(struct node *n, struct arena *a, struct buf *out, struct err *err)
{
	const struct verify_opts files = { .files_only = true };
	struct mismatches list = { 0 };
	struct mc_current c = { 0 };
	struct str image;
	struct map only;
	struct node_update u = { .from = &c, .to = &c, .bare = true, .only = &only };
	int rc = node_current(n, a, &c, &image, err);

	if (rc == -ERR_NOTFOUND)
		return 0;
	if (rc == 0)
		rc = node_verify(n, a, &c, image, &files, &list, err);
	if (rc < 0 || !list.n)
		return rc;
	map_init(&only, a);
	for (size_t i = 0; i < list.n; i++) {
		(void)map_put(&only, list.v[i].path, n);
		(void)map_put(&only, unit_of(list.v[i].path), n);
		buf_addf(out, "restored: %.*s\n", STRF(list.v[i].text));
	}
	rc = node_update_apply(n, a, &u, err);
	if (rc == 0)
		node_update_finished(n, a);
	return rc;
}

int rollback_command(struct node *n, struct arena *a, struct buf *out, struct err *err)
{
	struct node_journal_view v = { 0 };
	struct err local = ERR_INIT(a);
	int rc = node_update_journal(n, a, &v, err);

	if (rc == 0)
		rc = node_update_rollback(n, a, S(""), err);
	if (rc < 0)
		return rc;
	buf_addf(out, "back to %.*s\n", STRF(v.from));
	/* a rollback of a restore goes back to the edited files */
	if (!str_eq(v.from, v.to))
		rc = restore_edited(n, a, out, err);
	if (rc < 0) {
		(void)err_wrap(err, "rolled back, but edited files were not restored");
		err = &local;
	}
	/* the old config is in place, whatever happened to the edited files */
	if (journal_act(n, a, &v, v.from, err) < 0)
		rc = -ERR_SYS;
	return rc;
}

int recover_command(struct node *n, struct arena *a, struct buf *out, struct err *err)
{
	struct node_journal_view v = { 0 };
	bool undone = false;
	int rc = node_update_recover(n, a, &undone, &v, err);

	if (rc < 0)
		return rc;
	if (undone) {
		buf_addf(out, "the update from %.*s to %.*s was interrupted: undone\n",
			 STRF(v.from), STRF(v.to));
	} else if (v.state == JOURNAL_LAST && !v.finished) {
		buf_addf(out, "the update to %.*s is complete; its remaining steps are done now\n",
			 STRF(v.to));
		rc = journal_act(n, a, &v, v.to, err);
		if (rc == 0)
			node_update_finished(n, a);
	} else {
		buf_addz(out, "nothing to recover\n");
	}
	return rc;
}
