/*
 * mco-daemon rollback and recover: undo the last update, or one that was interrupted.
 */
#include "mco_daemon.h"
#include "node/dry_run_text.h"
#include "node/rollback_command.h"

#define UNDO_FLAGS                                                                                \
	ROOT_FLAG(struct root_flags),                                                             \
		{ .texts = FLAG_TEXT("offline", "", "the root is not booted: change files only"), \
		  .kind = FLAG_BOOL,                                                              \
		  .offset = offsetof(struct root_flags, offline) },                               \
	{                                                                                         \
		.texts = FLAG_TEXT("skip-reboot", "", "do not reboot"), .kind = FLAG_BOOL,        \
		.offset = offsetof(struct root_flags, skip_reboot)                                \
	}

static const struct flag recover_flag_table[] = { UNDO_FLAGS, { 0 } };

static const struct flag undo_flag_table[] = {
	UNDO_FLAGS,
	{ .texts = FLAG_TEXT("dry-run", "", "show what would change and which actions would run"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct root_flags, dry_run) },
	{ .texts = FLAG_TEXT("show-secrets", "", "with --dry-run: show values that look secret"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct root_flags, secrets) },
	{ 0 },
};

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
	struct node n;
	int rc = open_root(r, p, &n);

	if (rc < 0)
		return rc;
	rc = o->dry_run ? dry_run_rollback_text(&n, r->a, o->secrets, &r->out, &r->err)
			: rollback_command(&n, r->a, &r->out, &r->err);
	node_close(&n);
	return rc;
}

const struct command daemon_rollback = {
	.name = "rollback",
	.args = "[--root-mount DIR] [--offline] [--skip-reboot] [--dry-run]",
	.summary = "undo the last update",
	.details =
		"Restores contents, modes, owners, units, keys, passwords, kernel arguments and "
		"the OS image,\nthen runs the post actions of the update again: reloads services "
		"or reboots the node.\nRestores files that were edited after the update, too, and "
		"lists them.",
	.examples = "# Show what would change\n"
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
	struct node n;
	int rc = open_root(r, p, &n);

	if (rc < 0)
		return rc;
	rc = recover_command(&n, r->a, &r->out, &r->err);
	node_close(&n);
	return rc;
}

const struct command daemon_recover = {
	.name = "recover",
	.args = "[--root-mount DIR] [--offline] [--skip-reboot]",
	.summary = "complete or undo an interrupted update",
	.examples = "# After a power cut, before anything else\n"
		    "@ recover\n"
		    "# A mounted disk\n"
		    "@ recover --root-mount /mnt --offline",
	.flags = recover_flag_table,
	.opts_size = sizeof(struct root_flags),
	.defaults = daemon_root_defaults,
	.run = run_recover,
};
