/*
 * Undoing an update, in this order: currentconfig, the staged kernel arguments of the tuning file,
 * the OS, the other kernel arguments, passwords, then all files and links.
 *
 * Every part is idempotent. A part that fails is noted and the others go on; the journal is removed
 * only when all of them have succeeded, so the next start tries again.
 */
#include "undo.h"

#include "io/log.h"
#include "journal_log.h"
#include "node/deployment.h"
#include "node/kernel.h"
#include "node/users.h"
#include "os_change.h"
#include "os_local.h"

struct str undo_marker(struct arena *a, const struct journal *j, const char *name)
{
	return str_fmt(a, JOURNAL_DIR "/%.*s/%s", STRF(json_str(j->log, "pre")), name);
}

/* The contents of a marker; ERR_NOTFOUND when there is none. */
static int read_marker(struct node *n, struct arena *a, const struct journal *j, const char *name,
		       struct str *out, struct err *err)
{
	struct str sealed;
	int rc = tree_read(a, &n->tree, undo_marker(a, j, name).p, 2 * UNDO_TUNING_MAX, &sealed,
			   err);

	return rc < 0 ? rc : journal_unseal(sealed, out, err);
}

int undo_load(struct node *n, struct arena *a, struct journal *out, struct err *err)
{
	int rc = journal_load(a, &n->tree, out, err);

	if (rc < 0)
		return rc;
	if (out->damage.n)
		return err_set(err, ERR_INVALID, "%.*s", STRF(out->damage));
	if (out->state == JOURNAL_NONE)
		return err_set(err, ERR_NOTFOUND,
			       "no update to roll back: the node keeps only the state before "
			       "the last one");
	return 0;
}

int undo_check(struct node *n, struct arena *a, const struct journal *j, struct err *err)
{
	static const char *const markers[] = { "tuning", "tuned" };
	struct err local = ERR_INIT(a);
	struct str text;

	for (size_t i = 0; i < 2; i++)
		if (read_marker(n, a, j, markers[i], &text, &local) == -ERR_INVALID) {
			*err = local;
			return journal_damaged(err, undo_marker(a, j, markers[i]).p);
		}
	return journal_check(&n->tree, j, err);
}

/* Upstream's text for a rollback that fails too; equal texts appear once. */
static int set_both(struct err *err, const char *what, struct str undoing, struct str cause)
{
	if (!cause.n || str_eq(cause, undoing))
		return err_set(err, ERR_SYS, "error rolling back %s: %.*s", what, STRF(undoing));
	return err_set(err, ERR_SYS, "error rolling back %s: [%.*s, %.*s]", what, STRF(undoing),
		       STRF(cause));
}

struct undo {
	struct node *n;
	struct arena *a;
	struct journal *j;
	struct str cause; /* extended by each failure */
	bool failed;
	struct err *err;
};

static void note_failure(struct undo *u, const char *what, int rc, const struct err *e)
{
	if (rc == 0)
		return;
	(void)set_both(u->err, what, e->msg, u->cause);
	u->cause = u->err->msg;
	u->failed = true;
}

static int parse_fact(struct undo *u, const char *name, struct mc_current *out, struct err *err)
{
	return mc_current_parse(u->a, json_str(json_at(u->j->log, "facts"), name), out, err);
}

/*
 * Unstages the arguments of the tuning file, before anything else is staged. Those that the kernel
 * was started with since are reverted later, by tune_back. False: the next undo has to do it.
 */
static bool undo_tuning(struct undo *u)
{
	struct str done = undo_marker(u->a, u->j, "tuning");
	struct err err = ERR_INIT(u->a);
	int rc;

	if (!tree_lexists(&u->n->tree, done.p))
		return true;
	rc = deployment_clean_pending(u->n, u->a, &err);
	if (rc == 0)
		rc = tree_rename(&u->n->tree, done.p, undo_marker(u->a, u->j, "tuned").p, &err);
	if (rc == 0)
		rc = tree_sync(&u->n->tree, &err);
	note_failure(u, "changes to OS", rc, &err);
	return rc == 0;
}

static void undo_tuned_kernel(struct undo *u)
{
	struct str tuned = undo_marker(u->a, u->j, "tuned");
	struct str before = json_str(u->j->log, "facts.cmdline");
	struct err err = ERR_INIT(u->a);
	struct str text = S("");
	int rc = 0;

	if (!tree_lexists(&u->n->tree, tuned.p))
		return;
	rc = read_marker(u->n, u->a, u->j, "tuned", &text, &err);
	if (rc == 0 && before.n)
		rc = kernel_tune_back(u->n, u->a, text, before, &err);
	if (rc == 0)
		rc = tree_remove(&u->n->tree, tuned.p, &err);
	note_failure(u, "changes to OS", rc, &err);
}

/*
 * Whether the kernel already runs with the arguments to go back to. Then only the staged deployment
 * has others, and appending them again would duplicate them.
 */
static bool has_old_kargs(struct undo *u, const struct mc_merged *from, const struct mc_merged *to)
{
	struct strs gone = { 0 }, only = { 0 }, absent = { 0 };
	struct str cmdline = kernel_cmdline(u->n, u->a);
	struct buf b;

	buf_init(&b, u->a);
	for (size_t i = 0; i < from->kargs.n; i++)
		buf_addf(&b, "%s%.*s", i ? " " : "", STRF(from->kargs.v[i]));
	os_kargs_missing(u->a, &from->kargs, cmdline, &gone);
	os_kargs_missing(u->a, &to->kargs, buf_str(&b), &only);
	os_kargs_missing(u->a, &only, cmdline, &absent);
	return from->kargs.n && !gone.n && absent.n == only.n;
}

static bool undo_os(struct undo *u)
{
	const struct json *f = json_at(u->j->log, "facts");
	struct err err = ERR_INIT(u->a);
	struct mc_current from, to;
	struct update_changes c;
	int rc;

	if (!tree_lexists(&u->n->tree, undo_marker(u->a, u->j, "os").p))
		return true;
	rc = os_local_drop_policy(u->n, u->a, &err);
	if (rc == 0)
		rc = parse_fact(u, "from", &from, &err);
	if (rc == 0)
		rc = parse_fact(u, "to", &to, &err);
	if (rc == 0) {
		if (json_str(f, "fromImage").n)
			from.spec.os_image = json_str(f, "fromImage");
		if (json_str(f, "toImage").n)
			to.spec.os_image = json_str(f, "toImage");
		update_changes(u->a, &to.spec, &from.spec, false, &c);
		/* without an old image there is nothing to stage: unstaging is enough */
		c.os_image = c.os_image && from.spec.os_image.n;
		if (c.kargs && has_old_kargs(u, &from.spec, &to.spec)) {
			c.kargs = false;
			rc = deployment_clean_pending(u->n, u->a, &err);
		}
	}
	if (rc == 0)
		rc = os_change(u->n, u->a, c, &to, &from, json_bool(f, "ocl", false), &err);
	if (rc == 0) /* the next undo need not repeat it */
		rc = tree_remove(&u->n->tree, undo_marker(u->a, u->j, "os").p, &err);
	note_failure(u, "changes to OS", rc, &err);
	return rc == 0;
}

static void undo_passwords(struct undo *u)
{
	struct err err = ERR_INIT(u->a);
	int rc = 0;

	/* the keys step locks the passwords of removed users */
	if (!json_bool(u->j->log, "facts.gone", false) &&
	    !tree_lexists(&u->n->tree, undo_marker(u->a, u->j, "passwords").p))
		return;
	for (const struct json *m = json_first(json_at(u->j->log, "facts.passwords")); rc == 0 && m;
	     m = json_next(m))
		rc = users_set_password(u->n, u->a, json_key(m), json_text(m), &err);
	note_failure(u, "password hash updates", rc, &err);
}

int undo_update(struct node *n, struct arena *a, struct journal *j, struct str cause,
		struct err *err)
{
	struct undo u = { n, a, j, cause, false, err };
	struct err local = ERR_INIT(a);
	int rc = undo_check(n, a, j, &local);

	n->tree.allowed = NULL;
	if (rc == 0)
		rc = journal_undo(&n->tree, j, &local);
	if (rc == -ERR_INVALID && !cause.n)
		return err_set(err, ERR_INVALID, "%.*s", STRF(local.msg));
	if (rc < 0) {
		note_failure(&u, "files writes", rc, &local);
		return -ERR_SYS;
	}
	log_info("Undoing the update");
	rc = journal_restore(a, &n->tree, j, S(STEPS_CURRENT_CONFIG), &local);
	if (rc == 0)
		rc = journal_restore(a, &n->tree, j, S(STEPS_CURRENT_IMAGE), &local);
	note_failure(&u, "current config on disk", rc, &local);
	if (undo_tuning(&u) && undo_os(&u))
		undo_tuned_kernel(&u);
	undo_passwords(&u);
	rc = journal_restore_all(a, &n->tree, j, &local);
	note_failure(&u, "files writes", rc, &local);
	if (!u.failed) {
		rc = journal_end(a, &n->tree, j, &local);
		note_failure(&u, "files writes", rc, &local);
	}
	return u.failed ? -ERR_SYS : 0;
}
