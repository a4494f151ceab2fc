/*
 * An update as a sequence of steps under the journal.
 *
 * The journal records every path before the first step, and tree.allowed refuses changes of any
 * other path, so no step can escape the journal. Steps that change more than files (OS, passwords,
 * tuning) write a marker first; undo reads the markers. currentconfig is written last, after
 * everything else is durable.
 */
#include "node/node_update.h"

#include "bootc.h"
#include "io/file.h"
#include "io/log.h"
#include "journal_log.h"
#include "links.h"
#include "node/extensions.h"
#include "node/files.h"
#include "node/kernel.h"
#include "node/users.h"
#include "os_change.h"
#include "undo.h"
#include "units.h"

#define BOOT_ID "/proc/sys/kernel/random/boot_id"

/* A scratch root of a test may have a boot id of its own. */
static struct str boot_id(struct node *n, struct arena *a)
{
	struct err ignored = ERR_INIT(a);
	struct str id = S("");

	if (tree_read(a, &n->tree, BOOT_ID, 128, &id, &ignored) < 0)
		(void)file_read(a, BOOT_ID, 128, &id, &ignored);
	return str_trim(id);
}

static int write_marker(struct node *n, struct arena *a, const struct journal *j, const char *name,
			struct str text, struct err *err)
{
	int rc = tree_put(&n->tree, undo_marker(a, j, name).p,
			  text.n ? journal_seal(a, text) : text, err);

	return rc < 0 ? rc : tree_sync(&n->tree, err);
}

/* ---- steps --------------------------------------------------------------- */

struct runner {
	struct node *n;
	struct arena *a;
	const struct node_update *u;
	struct steps *steps;
	struct journal *j;
	struct update_changes changes;
	bool ocl;
};

/* systemd knows an instance only if it has a file of its own. */
static bool unit_file(struct node *n, struct arena *a, struct str unit)
{
	return links_find(&n->tree, a, unit, n->offline).n > 0;
}

/* Runs after the files and before the units: the symlink of a mask does not count as a unit. */
static void know_units(struct runner *r)
{
	for (size_t i = 0; i < r->steps->n; i++) {
		struct step *s = &r->steps->v[i];

		if (s->kind == STEP_ENABLE || s->kind == STEP_DISABLE)
			s->keep = unit_file(r->n, r->a, s->name);
	}
}

/* Collects consecutive steps of one kind: one command enables or disables all units. */
static int enable_from(struct runner *r, size_t *at, struct err *err)
{
	enum step_kind kind = r->steps->v[*at].kind;
	bool enable = kind == STEP_ENABLE;
	struct strs units = { 0 };
	size_t i;

	for (i = *at; i < r->steps->n && r->steps->v[i].kind == kind; i++) {
		const struct step *s = &r->steps->v[i];

		if (ign_str(s->obj, IGN_UNIT_CONTENTS).n ||
		    (s->keep && unit_file(r->n, r->a, s->name)))
			VEC_PUSH(r->a, &units, s->name);
		else
			log_info("Could not %s unit \"%.*s\", because it has "
				 "no contents, skipping",
				 enable ? "enable" : "disable", STRF(s->name));
	}
	*at = i - 1;
	return units_enable(r->n, r->a, &units, enable, err);
}

/* The file itself where the path is a symlink, which is resolved in the node's root. */
static int find_kubeconfig(struct node *n, struct arena *a, struct str *out, struct stat *st,
			   struct err *err)
{
	int rc = tree_realpath(a, &n->tree, STEPS_KUBECONFIG, out, err);

	return rc < 0 ? rc : tree_lstat(&n->tree, out->p, st, err);
}

static int protect_kubeconfig(struct runner *r, struct err *err)
{
	struct err local = ERR_INIT(r->a);
	struct str path;
	struct stat st;
	int rc = find_kubeconfig(r->n, r->a, &path, &st, &local);

	/* a machine that is being installed has none yet */
	if (rc == -ERR_NOTFOUND && r->n->offline)
		return 0;
	if (rc < 0)
		return err_set(err, ERR_SYS,
			       "Cannot stat " STEPS_KUBECONFIG ": stat " STEPS_KUBECONFIG ": %s",
			       rc == -ERR_NOTFOUND ? "no such file or directory"
						   : "it cannot be read");
	if ((st.st_mode & 07777) == 0600)
		return 0;
	return tree_chmod(&r->n->tree, path.p, 0600, err);
}

static int change_os(struct runner *r, struct err *err)
{
	return os_change(r->n, r->a, r->changes, r->u->from, r->u->to, r->ocl, err);
}

static int change_passwords(struct runner *r, struct err *err)
{
	return users_write_passwords(r->n, r->a, &r->u->to->spec, &r->steps->users_gone, err);
}

/* rpm-ostree stages the arguments; undo unstages them. */
static int tune_kernel(struct runner *r, struct err *err)
{
	struct err ignored = ERR_INIT(r->a);
	struct str text;
	int rc;

	if (r->n->offline || bootc_manages(r->n) ||
	    tree_read(r->a, &r->n->tree, KERNEL_TUNING, UNDO_TUNING_MAX, &text, &ignored) < 0)
		return 0;
	rc = write_marker(r->n, r->a, r->j, "tuning", text, err);
	return rc < 0 ? rc : kernel_tune(r->n, r->a, text, err);
}

/* A step that undoes itself when it fails: its marker is then removed. */
static int run_marked(struct runner *r, const char *name,
		      int (*step)(struct runner *, struct err *), struct err *err)
{
	struct err ignored = ERR_INIT(r->a);
	int rc = write_marker(r->n, r->a, r->j, name, S(""), err);

	if (rc < 0)
		return rc;
	rc = step(r, err);
	if (rc < 0)
		(void)tree_remove(&r->n->tree, undo_marker(r->a, r->j, name).p, &ignored);
	return rc;
}

static int run_step(struct runner *r, size_t *at, struct err *err)
{
	const struct step *s = &r->steps->v[*at];
	struct node *n = r->n;
	struct arena *a = r->a;

	log_v(4, "%s %.*s: %s", step_name(s->kind), STRF(s->name), s->reason);
	switch (s->kind) {
	case STEP_FILE:
		return files_write(n, a, s, err);
	case STEP_DROPIN:
	case STEP_DROPIN_EMPTY:
		return units_write_dropin(n, a, s, err);
	case STEP_UNIT:
	case STEP_MASK:
	case STEP_UNMASK:
		return units_write(n, a, s, err);
	case STEP_PRESET:
		(void)units_preset(n, a, s->name);
		return 0;
	case STEP_ENABLE:
	case STEP_DISABLE:
		return enable_from(r, at, err);
	case STEP_STALE_FILE:
		return files_remove_stale(n, a, s, err);
	case STEP_STALE_DROPIN:
	case STEP_STALE_UNIT:
		return units_remove_stale(n, a, s, err);
	case STEP_STALE_LINK:
		return tree_remove(&n->tree, s->name.p, err);
	case STEP_KUBECONFIG:
		return protect_kubeconfig(r, err);
	case STEP_KEYS:
		return users_write_keys(n, a, &r->u->to->spec, &r->steps->users_gone, err);
	case STEP_PASSWORDS:
		return run_marked(r, "passwords", change_passwords, err);
	case STEP_OS:
		return run_marked(r, "os", change_os, err);
	case STEP_TUNING:
		return tune_kernel(r, err);
	case STEP_STATE:
		break;
	}
	return r->u->hosted ? tree_put(&n->tree, STEPS_HOSTED_CONFIG, r->u->to->text, err)
			    : node_store_current(n, r->u->to, r->u->to_image, err);
}

/* Whether upstream reports the step as one of files. */
static bool is_of_files(enum step_kind kind)
{
	switch (kind) {
	case STEP_FILE:
	case STEP_DROPIN:
	case STEP_DROPIN_EMPTY:
	case STEP_UNIT:
	case STEP_MASK:
	case STEP_UNMASK:
	case STEP_PRESET:
	case STEP_ENABLE:
	case STEP_DISABLE:
	case STEP_STALE_FILE:
	case STEP_STALE_DROPIN:
	case STEP_STALE_UNIT:
	case STEP_STALE_LINK:
	case STEP_KEYS:
		return true;
	case STEP_KUBECONFIG:
	case STEP_PASSWORDS:
	case STEP_OS:
	case STEP_TUNING:
	case STEP_STATE:
		break;
	}
	return false;
}

/* Upstream's conditions distinguish only files and OS. */
static void tell_failure(const struct runner *r, enum step_kind kind, const struct err *err)
{
	struct node_event e = { .kind = NODE_EVENT_PART_FAILED };

	if (kind == STEP_OS) {
		e.part = NODE_PART_OS;
		e.text = str_fmt(err->a, "applying new OS config to node: %.*s", STRF(err->msg));
	} else if (is_of_files(kind)) {
		e.part = NODE_PART_FILES;
		e.text = str_fmt(err->a, "applying files to node: %.*s", STRF(err->msg));
	} else {
		return;
	}
	node_emit(r->n, &e);
}

static int run_steps(struct runner *r, struct err *err)
{
	struct tree *t = &r->n->tree;
	bool known = false;
	int rc = 0;

	t->allowed = &r->j->allowed;
	t->links = true;
	for (size_t i = 0; rc == 0 && i < r->steps->n; i++) {
		if (!known && r->steps->v[i].kind != STEP_FILE) {
			know_units(r);
			known = true;
		}
		/* all files are durable before currentconfig names the new config */
		if (r->steps->v[i].kind == STEP_STATE)
			rc = tree_sync(t, err);
		if (rc == 0)
			rc = run_step(r, &i, err);
		if (rc < 0)
			tell_failure(r, r->steps->v[i].kind, err);
	}
	t->allowed = NULL;
	t->links = false;
	return rc;
}

/* ---- applying ------------------------------------------------------------ */

static struct json *action_list(struct arena *a, const struct update_plan *p)
{
	struct json *list = json_new(a, JSON_ARRAY);

	for (size_t i = 0; p && i < p->n; i++)
		json_push(list,
			  json_new_str(a, str_fmt(a, "%s%s%.*s", update_kind_name(p->v[i].kind),
						  p->v[i].service.n ? " " : "",
						  STRF(p->v[i].service))));
	return list;
}

/* The facts that undoing needs and that `status` shows, and the paths to record. */
static int gather_facts(struct runner *r, struct strs *paths, struct json **out, struct err *err)
{
	const struct node_update *u = r->u;
	struct json *f = json_new(r->a, JSON_OBJECT), *hashes = NULL;
	bool users = (r->changes.passwd || u->hosted) && !u->bare;
	struct err ignored = ERR_INIT(r->a);
	struct str real;
	struct stat st;
	int rc = 0;

#define TEXT(name, value) json_add(f, S(name), json_new_str(r->a, value))
	TEXT("fromName", u->from->name);
	TEXT("toName", u->to->name);
	TEXT("from", u->from->text);
	TEXT("to", u->to->text);
	TEXT("fromImage", u->from_image);
	TEXT("toImage", u->to_image);
	TEXT("boot", boot_id(r->n, r->a));
	TEXT("cmdline", kernel_cmdline(r->n, r->a));
#undef TEXT
	json_add(f, S("ocl"), json_new_bool(r->a, r->ocl));
	json_add(f, S("gone"), json_new_bool(r->a, r->steps->users_gone.n));
	json_add(f, S("actions"), action_list(r->a, u->plan));
	for (size_t i = 0; i < r->steps->paths.n; i++)
		VEC_PUSH(r->a, paths, r->steps->paths.v[i]);
	if (!u->hosted && !u->bare && find_kubeconfig(r->n, r->a, &real, &st, &ignored) == 0)
		VEC_PUSH(r->a, paths, real);
	/* the OS step removes it, unless it is cut short */
	if (u->from->spec.extensions_image.n || u->to->spec.extensions_image.n)
		VEC_PUSH(r->a, paths, S(EXTENSIONS_REPO));
	if (users)
		rc = users_key_paths(r->n, r->a, paths, err);
	if (rc == 0 && users && !u->hosted)
		rc = users_password_hashes(r->n, r->a, &r->steps->users_gone, &hashes, err);
	if (hashes)
		json_add(f, S("passwords"), hashes);
	*out = f;
	return rc;
}

static void log_failure(const struct err *err)
{
	log_error("The update failed: %.*s", STRF(err->msg));
}

int node_update_apply(struct node *n, struct arena *a, const struct node_update *u, struct err *err)
{
	struct steps_in in = { .from = &u->from->spec,
			       .to = &u->to->spec,
			       .force = u->force,
			       .skip_certificates = u->skip_certificates,
			       .hosted = u->hosted,
			       .bare = u->bare,
			       .only = u->only,
			       .core_os = n->os.core_os && !n->offline };
	struct steps steps;
	struct journal j = { 0 };
	struct runner r = { .n = n, .a = a, .u = u, .steps = &steps, .j = &j };
	struct strs paths = { 0 };
	struct json *facts = NULL;
	struct err local = ERR_INIT(a);
	struct node_journal_view left;
	bool undone;
	int rc = plan_steps(a, &in, &steps, err);

	if (rc == 0)
		rc = files_check_paths(n, a, &u->to->spec, u->bare, err);
	if (rc == 0)
		rc = files_check_room(n, &steps, err);
	if (rc < 0)
		tell_failure(&r, STEP_FILE, err);
	else /* an undo that has failed before must succeed now */
		rc = node_update_recover(n, a, &undone, &left, err);
	if (rc < 0)
		return rc;
	r.ocl = u->from_image.n || u->to_image.n;
	update_changes(a, &u->from->spec, &u->to->spec, u->force, &r.changes);
	rc = gather_facts(&r, &paths, &facts, err);
	if (rc == 0)
		rc = journal_begin(a, &n->tree, &paths, facts, &j, err);
	if (rc < 0)
		return rc;
	rc = run_steps(&r, err);
	if (rc == 0)
		rc = journal_commit(a, &n->tree, &j, err);
	if (rc == 0)
		return 0;
	log_failure(err);
	if (undo_update(n, a, &j, err->msg, &local) < 0)
		return err_set(err, ERR_SYS, "%.*s", STRF(local.msg));
	return rc;
}

/* ---- after an update ----------------------------------------------------- */

static void fill_view(struct node *n, struct arena *a, const struct journal *j,
		      struct node_journal_view *out)
{
	const struct json *f = json_at(j->log, "facts");

	*out = (struct node_journal_view){ .state = j->state };
	out->damage = j->damage;
	if (j->state == JOURNAL_NONE || j->damage.n) {
		out->finished = true;
		return;
	}
	out->from = json_str(f, "fromName");
	out->to = json_str(f, "toName");
	for (const struct json *e = json_first(json_at(f, "actions")); e; e = json_next(e))
		VEC_PUSH(a, &out->actions, json_text(e));
	out->finished = tree_lexists(&n->tree, undo_marker(a, j, "done").p) ||
			!str_eq(json_str(f, "boot"), boot_id(n, a));
}

int node_update_journal(struct node *n, struct arena *a, struct node_journal_view *out,
			struct err *err)
{
	struct journal j;
	int rc = journal_load(a, &n->tree, &j, err);

	if (rc == 0)
		fill_view(n, a, &j, out);
	return rc;
}

void node_update_finished(struct node *n, struct arena *a)
{
	struct err err = ERR_INIT(a);
	struct journal j = { 0 };
	int rc = tree_lock(&n->tree, &err);

	if (rc == 0)
		rc = journal_load(a, &n->tree, &j, &err);
	if (rc == 0 && j.state == JOURNAL_LAST && !j.damage.n)
		rc = write_marker(n, a, &j, "done", S(""), &err);
	if (rc < 0)
		log_warn("The update is complete, but this could not be recorded: %.*s",
			 STRF(err.msg));
}

int node_update_rollback(struct node *n, struct arena *a, struct str cause, struct err *err)
{
	struct journal j = { 0 };
	int rc = tree_lock(&n->tree, err);

	if (rc == 0)
		rc = undo_load(n, a, &j, err);
	return rc < 0 ? rc : undo_update(n, a, &j, cause, err);
}

int node_update_recover(struct node *n, struct arena *a, bool *undone,
			struct node_journal_view *out, struct err *err)
{
	struct journal j = { 0 };
	int rc = tree_lock(&n->tree, err);

	*undone = false;
	if (rc == 0)
		rc = journal_load(a, &n->tree, &j, err);
	if (rc < 0)
		return rc;
	fill_view(n, a, &j, out);
	if (j.state == JOURNAL_ACTIVE || j.state == JOURNAL_UNDO) {
		log_warn("The update from %.*s to %.*s was interrupted", STRF(out->from),
			 STRF(out->to));
		*undone = true;
		return undo_update(n, a, &j, S(""), err);
	}
	/* leftovers of a cut before the journal began or after it ended */
	return journal_tidy(a, &n->tree, err);
}
