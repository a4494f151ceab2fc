/*
 * The states of the journal. Until "active" is durable nothing but the journal itself has changed;
 * the next start removes what a power cut before that left behind.
 */
#include "node/journal.h"

#include "io/log.h"
#include "journal_keep.h"
#include "journal_links.h"
#include "journal_log.h"

static const char *const state_names[] = { "", JOURNAL_DIR "/active", JOURNAL_DIR "/undo",
					   JOURNAL_DIR "/last" };

/* ---- tidying ------------------------------------------------------------- */

/*
 * The logs, by the directory of their second names. "last" may be damaged: the update is complete
 * and only the rollback is lost. It is then kept, with every file that may belong to it, until the
 * next update replaces it.
 */
struct logs {
	struct map pres;
	bool damaged;
};

static int read_logs(struct arena *a, struct tree *t, struct logs *out, struct err *err)
{
	static bool logged;
	int rc = 0;

	out->damaged = false;
	map_init(&out->pres, a);
	for (int s = JOURNAL_ACTIVE; rc == 0 && s <= JOURNAL_LAST; s++) {
		struct json *log = NULL;

		rc = journal_read(a, t, state_names[s], &log, err);
		if (rc == 0)
			(void)map_put(&out->pres, json_str(log, "pre"), log);
		if (rc == -ERR_INVALID && s == JOURNAL_LAST) {
			if (!logged)
				log_warn("%.*s. The last update cannot be rolled back",
					 STRF(err->msg));
			logged = out->damaged = true;
			rc = 0;
		}
		rc = rc == -ERR_NOTFOUND ? 0 : rc;
	}
	return rc;
}

/* Removes second names that no log lists. */
static int tidy_dir(struct arena *a, struct tree *t, struct err *err)
{
	struct strs names = { 0 };
	struct logs logs;
	int rc = read_logs(a, t, &logs, err);

	if (rc == 0)
		rc = tree_list(a, t, JOURNAL_DIR, &names, err);
	for (int s = JOURNAL_ACTIVE; rc == 0 && s <= JOURNAL_LAST; s++)
		rc = tree_clean(t, state_names[s], err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		const struct json *log = map_get(&logs.pres, names.v[i]);

		if (!str_starts(names.v[i], S("pre.")) || logs.damaged)
			continue;
		rc = log ? journal_sweep(a, t, log, err)
			 : tree_remove_all(t, str_fmt(a, JOURNAL_DIR "/%.*s", STRF(names.v[i])).p,
					   err);
	}
	return rc;
}

/* ---- beginning ----------------------------------------------------------- */

/* A name that no log uses. */
static struct str next_pre(struct arena *a, struct tree *t)
{
	for (int i = 0;; i++) {
		struct str pre = str_fmt(a, "pre.%d", i);

		if (!tree_lexists(t, str_fmt(a, JOURNAL_DIR "/%.*s", STRF(pre)).p))
			return pre;
	}
}

static void allow_paths(struct arena *a, struct journal *j)
{
	map_init(&j->allowed, a);
	for (struct json *e = json_first(json_at(j->log, "paths")); e; e = json_next(e))
		(void)map_put(&j->allowed, json_str(e, "path"), e);
	for (struct json *e = json_first(json_at(j->log, "dirs")); e; e = json_next(e))
		if (!map_find(&j->allowed, json_text(e)))
			(void)map_put(&j->allowed, json_text(e), e);
}

/* Removes a journal that failed to begin: nothing else has changed yet. */
static void abandon_journal(struct arena *a, struct tree *t)
{
	struct err ignored = ERR_INIT(a);

	(void)tree_remove(t, state_names[JOURNAL_ACTIVE], &ignored);
	(void)tidy_dir(a, t, &ignored);
	(void)tree_remove(t, JOURNAL_DIR, &ignored);
	(void)tree_remove(t, MC_STATE_DIR, &ignored);
	(void)tree_sync(t, &ignored);
}

int journal_begin(struct arena *a, struct tree *t, const struct strs *paths, struct json *facts,
		  struct journal *out, struct err *err)
{
	struct json *links, *link_dirs, *log = json_new(a, JSON_OBJECT);
	struct str pre = S("");
	int rc = journal_links(a, t, &links, &link_dirs, err);

	if (rc == 0)
		rc = tidy_dir(a, t, err);
	if (rc == 0)
		rc = tree_mkdirs(t, MC_STATE_DIR, 0755, -1, -1, err);
	if (rc == 0) {
		pre = next_pre(a, t);
		rc = tree_mkdirs(t, str_fmt(a, JOURNAL_DIR "/%.*s", STRF(pre)).p, 0700, -1, -1,
				 err);
	}
	json_add(log, S("pre"), json_new_str(a, pre));
	json_add(log, S("facts"), facts);
	if (rc == 0)
		rc = journal_keep(a, t, paths, log, err);
	json_add(log, S("links"), links);
	json_add(log, S("linkDirs"), link_dirs);
	if (rc == 0)
		rc = journal_write(a, t, state_names[JOURNAL_ACTIVE], log, err);
	if (rc < 0) {
		abandon_journal(a, t);
		return err_wrap(err, "could not begin the journal of the update");
	}
	*out = (struct journal){ .state = JOURNAL_ACTIVE, .log = log };
	allow_paths(a, out);
	return 0;
}

int journal_load(struct arena *a, struct tree *t, struct journal *out, struct err *err)
{
	static const enum journal_state order[] = { JOURNAL_UNDO, JOURNAL_ACTIVE, JOURNAL_LAST };
	int rc = -ERR_NOTFOUND;

	*out = (struct journal){ .state = JOURNAL_NONE };
	map_init(&out->allowed, a);
	for (size_t i = 0; rc == -ERR_NOTFOUND && i < 3; i++) {
		rc = journal_read(a, t, state_names[order[i]], &out->log, err);
		if (rc == -ERR_INVALID && order[i] == JOURNAL_LAST) {
			out->damage = err->msg;
			rc = 0;
		}
		if (rc == 0)
			out->state = order[i];
	}
	if (rc == 0)
		allow_paths(a, out);
	return rc == -ERR_NOTFOUND ? 0 : rc;
}

static int move_state(struct tree *t, struct journal *j, enum journal_state to, struct err *err)
{
	int rc = tree_sync(t, err);

	if (rc == 0)
		rc = tree_rename(t, state_names[j->state], state_names[to], err);
	if (rc < 0)
		return rc;
	j->state = to; /* the file has its new name, durable or not */
	return tree_sync(t, err);
}

int journal_commit(struct arena *a, struct tree *t, struct journal *j, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	int rc = tree_sync(t, err);

	if (rc < 0)
		return rc;
	journal_drop_same(a, t, j->log);
	/* on a full disk the old, longer log serves as well */
	(void)journal_write(a, t, state_names[JOURNAL_ACTIVE], j->log, &ignored);
	rc = move_state(t, j, JOURNAL_LAST, err);
	if (rc == 0) /* best effort: the next tidy removes what is left */
		(void)tidy_dir(a, t, &ignored);
	return rc;
}

int journal_undo(struct tree *t, struct journal *j, struct err *err)
{
	return j->state == JOURNAL_UNDO ? 0 : move_state(t, j, JOURNAL_UNDO, err);
}

/* ---- ending -------------------------------------------------------------- */

int journal_end(struct arena *a, struct tree *t, struct journal *j, struct err *err)
{
	int rc = tree_sync(t, err);

	if (rc == 0 && j->state != JOURNAL_NONE)
		rc = tree_remove(t, state_names[j->state], err);
	if (rc == 0)
		rc = tree_sync(t, err);
	if (rc == 0)
		rc = tidy_dir(a, t, err);
	if (rc == 0)
		rc = journal_remove_empty(t, JOURNAL_DIR, err);
	if (rc == 0)
		rc = journal_remove_empty(t, MC_STATE_DIR, err);
	if (rc == 0)
		j->state = JOURNAL_NONE;
	return rc < 0 ? rc : tree_sync(t, err);
}

int journal_tidy(struct arena *a, struct tree *t, struct err *err)
{
	int rc = tidy_dir(a, t, err);

	if (rc == 0)
		rc = journal_remove_empty(t, JOURNAL_DIR, err);
	if (rc == 0)
		rc = journal_remove_empty(t, MC_STATE_DIR, err);
	return rc < 0 ? rc : tree_sync(t, err);
}
