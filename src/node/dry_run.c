/*
 * Dry runs of updates and rollbacks.
 *
 * A rollback is simulated as undo_update and the command do it: the journal's files come back, then
 * files that were edited since the update are restored to the old config.
 */
#include "node/dry_run.h"

#include "dry_disk.h"
#include "journal_keep.h"
#include "journal_links.h"
#include "journal_log.h"
#include "node/files.h"
#include "node/node_update.h"
#include "undo.h"

static bool entry_was(const struct json *entry, const char *what)
{
	return str_is(json_str(entry, "was"), what);
}

static int restore_entry(struct dry_disk *s, const struct journal *j, const struct json *e,
			 struct err *err)
{
	struct str path = json_str(e, "path");
	struct str kept = journal_kept(s->a, j->log, e);
	struct disk_state *at, old;
	int rc;

	if (mc_is_state(path) || entry_was(e, WAS_DIR))
		return 0;
	rc = dry_disk_at(s, path, &at, err);
	if (rc < 0)
		return rc;
	if (entry_was(e, WAS_ABSENT)) {
		if (at->kind != DISK_OTHER)
			*at = (struct disk_state){ .kind = DISK_ABSENT };
		return 0;
	}
	if (kept.n && tree_lexists(&s->n->tree, kept.p)) {
		rc = dry_disk_read(s, kept.p, &old, err);
		if (rc < 0)
			return rc;
		*at = old;
	}
	if (at->kind != DISK_FILE)
		return 0;
	at->mode = json_i64(e, "mode", 0644);
	at->uid = at->uid < 0 ? -1 : json_i64(e, "uid", 0);
	at->gid = at->gid < 0 ? -1 : json_i64(e, "gid", 0);
	return 0;
}

static int set_link(struct dry_disk *s, const struct journal *j, struct str path,
		    struct disk_state to, struct err *err)
{
	struct disk_state *at;
	int rc = 0;

	/* restored with the paths */
	if (map_find(&j->allowed, path))
		return 0;
	rc = dry_disk_at(s, path, &at, err);
	if (rc == 0)
		*at = to;
	return rc;
}

static int restore_links(struct dry_disk *s, const struct journal *j, struct err *err)
{
	const struct json *old = json_at(j->log, "links");
	struct json *now, *dirs;
	int rc = journal_links(s->a, &s->n->tree, &now, &dirs, err);

	for (const struct json *e = json_first(now); rc == 0 && e; e = json_next(e))
		if (!json_member(old, json_key(e)))
			rc = set_link(s, j, json_key(e), (struct disk_state){ .kind = DISK_ABSENT },
				      err);
	for (const struct json *e = json_first(old); rc == 0 && e; e = json_next(e))
		rc = set_link(s, j, json_key(e),
			      (struct disk_state){ .kind = DISK_LINK, .data = json_text(e) }, err);
	return rc;
}

/* ---- files edited since the update --------------------------------------- */

struct edits {
	struct dry_disk *s;
	struct map only; /* paths and names of units, for steps_in.only */
	struct strs *paths;
};

static int compare_text(struct edits *d, struct str path, struct str unit, struct str want,
			int64_t mode, struct err *err)
{
	struct disk_state *at;
	int rc = dry_disk_at(d->s, path, &at, err);

	if (rc < 0 ||
	    (at->kind == DISK_FILE && str_eq(at->data, want) && (mode < 0 || at->mode == mode)))
		return rc;
	(void)map_put(&d->only, path, d);
	if (unit.n)
		(void)map_put(&d->only, unit, d);
	VEC_PUSH(d->s->a, d->paths, path);
	return 0;
}

static int compare_file(struct edits *d, const struct ign_obj *f, struct err *err)
{
	struct str want;
	int rc = dry_disk_contents(d->s, f, &want, err);

	return rc < 0 ? rc
		      : compare_text(d, ign_str(f, IGN_FILE_PATH), S(""), want,
				     ign_int(f, IGN_FILE_MODE, 0644) & 07777, err);
}

static int compare_unit(struct edits *d, const struct ign_obj *u, struct err *err)
{
	struct str name = ign_str(u, IGN_UNIT_NAME), text;
	const struct ign_objs *list = ign_list(u, IGN_UNIT_DROPINS);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->n; i++) {
		text = ign_str(list->v[i], IGN_DROPIN_CONTENTS);
		if (text.n)
			rc = compare_text(d,
					  steps_dropin_path(d->s->a, name,
							    ign_str(list->v[i], IGN_DROPIN_NAME)),
					  name, text, -1, err);
	}
	text = ign_str(u, IGN_UNIT_CONTENTS);
	if (rc == 0 && text.n && !ign_is_true(u, IGN_UNIT_MASK))
		rc = compare_text(d, steps_unit_path(d->s->a, name), name, text, -1, err);
	return rc;
}

static int restore_edited(struct dry_disk *s, const struct mc_current *c, struct strs *paths,
			  struct err *err)
{
	const struct ign_objs *files = ign_files(c->spec.config);
	const struct ign_objs *units = ign_units(c->spec.config);
	struct edits d = { .s = s, .paths = paths };
	struct steps_in in = { .from = &c->spec, .to = &c->spec, .bare = true, .only = &d.only };
	struct steps steps;
	int rc = 0;

	map_init(&d.only, s->a);
	for (size_t i = 0; rc == 0 && i < files->n; i++)
		rc = compare_file(&d, files->v[i], err);
	for (size_t i = 0; rc == 0 && i < units->n; i++)
		rc = compare_unit(&d, units->v[i], err);
	if (rc < 0 || !paths->n)
		return rc;
	rc = plan_steps(s->a, &in, &steps, err);
	return rc < 0 ? rc : dry_disk_steps(s, &steps, err);
}

/* ---- a rollback ---------------------------------------------------------- */

static int load_journal(struct node *n, struct arena *a, struct journal *j, struct dry_back *back,
			struct err *err)
{
	const struct json *facts;
	int rc = undo_load(n, a, j, err);

	if (rc == 0)
		rc = undo_check(n, a, j, err);
	if (rc < 0)
		return rc;
	facts = json_at(j->log, "facts");
	back->os = tree_lexists(&n->tree, undo_marker(a, j, "os").p);
	rc = mc_current_parse(a, json_str(facts, "from"), &back->from, err);
	return rc < 0 ? rc : mc_current_parse(a, json_str(facts, "to"), &back->to, err);
}

int dry_run_rollback(struct node *n, struct arena *a, struct dry_run *out, struct dry_back *back,
		     struct err *err)
{
	struct journal j = { 0 };
	struct dry_disk s;
	int rc;

	*back = (struct dry_back){ 0 };
	dry_disk_init(&s, n, a, out);
	rc = load_journal(n, a, &j, back, err);
	for (const struct json *e = json_first(json_at(j.log, "paths")); rc == 0 && e;
	     e = json_next(e))
		rc = restore_entry(&s, &j, e, err);
	if (rc == 0)
		rc = restore_links(&s, &j, err);
	/* a rollback of such a repair restores the edited files */
	if (rc == 0 && !str_eq(back->from.name, back->to.name) &&
	    !str_is(back->from.name, MC_EMPTY_NAME))
		rc = restore_edited(&s, &back->from, &back->put_right, err);
	return rc;
}

/* ---- an update ----------------------------------------------------------- */

int dry_run_update(struct node *n, struct arena *a, const struct node_update *u,
		   struct dry_run *out, struct err *err)
{
	struct steps_in in = { .from = &u->from->spec,
			       .to = &u->to->spec,
			       .force = u->force,
			       .core_os = n->os.core_os && !n->offline };
	struct steps steps;
	struct dry_disk s;
	int rc = plan_steps(a, &in, &steps, err);

	dry_disk_init(&s, n, a, out);
	if (rc == 0)
		rc = files_check_room(n, &steps, err);
	if (rc == 0 && u->force)
		rc = dry_disk_remove(&s, S(STEPS_FORCE), err);
	return rc < 0 ? rc : dry_disk_steps(&s, &steps, err);
}
