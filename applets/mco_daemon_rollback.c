/*
 * mco-daemon rollback and recover: back from an update, or through one that was cut
 * short.
 */
#include "daemon_dry_run.h"
#include "node/journal_act.h"
#include "node/node_update.h"
#include "node/node_verify.h"

#define UNDO_FLAGS                                                         \
	ROOT_FLAG(struct root_flags),                                      \
		{ .name = "offline",                                       \
		  .kind = FLAG_BOOL,                                       \
		  .offset = offsetof(struct root_flags, offline),          \
		  .help = "no system runs there: files and links alone" }, \
	{                                                                  \
		.name = "skip-reboot", .kind = FLAG_BOOL,                  \
		.offset = offsetof(struct root_flags, skip_reboot),        \
		.help = "do not reboot, whatever was undone"               \
	}

static const struct flag recover_flag_table[] = { UNDO_FLAGS, { 0 } };

static const struct flag undo_flag_table[] = {
	UNDO_FLAGS,
	{ .name = "dry-run",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct root_flags, dry_run),
	  .help = "show what would change, and what follows" },
	{ .name = "show-secrets",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct root_flags, secrets),
	  .help = "with --dry-run: show values that look secret too" },
	{ 0 },
};

/* "u.service" of what is at its path or below it; else "". */
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
 * What was edited in place since, in files that the update had left alone: of those
 * the journal has nothing else than the very same file, but the config has it all.
 */
static int put_right(struct run *r, struct node *n)
{
	const struct verify_opts files = { .files_only = true };
	struct mismatches list = { 0 };
	struct mc_current c = { 0 };
	struct str image;
	struct map only;
	struct node_update u = { .from = &c, .to = &c, .bare = true, .only = &only };
	int rc = node_current(n, r->a, &c, &image, &r->err);

	if (rc == -ERR_NOTFOUND)
		return 0;
	if (rc == 0)
		rc = node_verify(n, r->a, &c, image, &files, &list, &r->err);
	if (rc < 0 || !list.n)
		return rc;
	map_init(&only, r->a);
	for (size_t i = 0; i < list.n; i++) {
		(void)map_put(&only, list.v[i].path, r);
		(void)map_put(&only, unit_of(list.v[i].path), r);
		buf_addf(&r->out, "put right: %.*s\n", STRF(list.v[i].text));
	}
	rc = node_update_apply(n, r->a, &u, &r->err);
	if (rc == 0)
		node_update_finished(n, r->a);
	return rc;
}

static int open_root(struct run *r, const struct root_flags *o, struct node *n)
{
	int rc = daemon_open(r, o->root, o->dry_run, n);

	if (rc == 0) {
		n->offline = o->offline;
		n->skip_reboot = o->skip_reboot;
	}
	return rc;
}

static int run_rollback(struct run *r, const void *p)
{
	const struct root_flags *o = p;
	struct node_journal_view v = { 0 };
	struct err local = ERR_INIT(r->a), *err = &r->err;
	struct node n;
	int rc = open_root(r, p, &n);

	if (rc < 0)
		return rc;
	if (o->dry_run) {
		rc = daemon_dry_rollback(r, &n, o->secrets);
		node_close(&n);
		return rc;
	}
	rc = node_update_journal(&n, r->a, &v, err);
	if (rc == 0)
		rc = node_update_rollback(&n, r->a, S(""), err);
	if (rc == 0) {
		buf_addf(&r->out, "back to %.*s\n", STRF(v.from));
		/* going back from that itself is going to what was edited */
		if (!str_eq(v.from, v.to))
			rc = put_right(r, &n);
		if (rc < 0) {
			(void)err_wrap(err, "back, but what was edited stays");
			err = &local;
		}
		/* the old config holds, whatever became of the edits */
		if (journal_act(&n, r->a, &v, v.from, err) < 0)
			rc = -ERR_SYS;
	}
	node_close(&n);
	return rc;
}

const struct command daemon_rollback = {
	.name = "rollback",
	.args = "[--root-mount DIR] [--offline] [--skip-reboot] [--dry-run]",
	.summary = "go back to what was there before the last update",
	.details = "Contents, modes, owners, units, keys, passwords, kernel "
		   "arguments and the OS image are\nput back, then services are "
		   "reloaded or the node rebooted as the update had it.",
	.examples = "# What it would change\n"
		    "@ rollback --dry-run\n"
		    "# Undo the last update; reboot later\n"
		    "@ rollback --skip-reboot",
	.flags = undo_flag_table,
	.opts_size = sizeof(struct root_flags),
	.defaults = daemon_root_defaults,
	.run = run_rollback,
};

static int run_recover(struct run *r, const void *p)
{
	struct node_journal_view v = { 0 };
	bool undone = false;
	struct node n;
	int rc = open_root(r, p, &n);

	if (rc < 0)
		return rc;
	rc = node_update_recover(&n, r->a, &undone, &v, &r->err);
	if (rc == 0 && undone) {
		buf_addf(&r->out,
			 "the update from %.*s to %.*s had been cut short: "
			 "undone\n",
			 STRF(v.from), STRF(v.to));
	} else if (rc == 0 && v.state == JOURNAL_LAST && !v.finished) {
		buf_addf(&r->out,
			 "the update to %.*s holds; what was left of it is "
			 "done now\n",
			 STRF(v.to));
		rc = journal_act(&n, r->a, &v, v.to, &r->err);
		if (rc == 0)
			node_update_finished(&n, r->a);
	} else if (rc == 0) {
		buf_addz(&r->out, "nothing to recover\n");
	}
	node_close(&n);
	return rc;
}

const struct command daemon_recover = {
	.name = "recover",
	.args = "[--root-mount DIR] [--offline] [--skip-reboot]",
	.summary = "complete or undo an update that was cut short",
	.examples = "# After a power cut, before anything else\n"
		    "@ recover\n"
		    "# A disk that is mounted\n"
		    "@ recover --root-mount /mnt --offline",
	.flags = recover_flag_table,
	.opts_size = sizeof(struct root_flags),
	.defaults = daemon_root_defaults,
	.run = run_recover,
};
