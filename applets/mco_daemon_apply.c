/*
 * mco-daemon apply and firstboot-complete-machineconfig: apply a config to a node without a
 * cluster.
 */
#include <stdlib.h>

#include "io/clock.h"
#include "io/file.h"
#include "io/log.h"
#include "mco_daemon.h"
#include "node/apply_command.h"
#include "node/boot.h"
#include "node/firstboot.h"
#include "node/nics.h"
#include "node/node_update.h"
#include "node/standalone.h"

#define CONFIG_MAX ((size_t)64 << 20)

struct opts {
	struct str root;
	bool offline, skip_reboot, force, dry_run, secrets;
	/* of firstboot */
	struct str file, payload;
	bool nics;
};

static const struct flag apply_flags[] = {
	ROOT_FLAG(struct opts),
	{ .texts = FLAG_TEXT("offline", "",
			     "the root is not booted: enable units by links, reload nothing"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, offline) },
	{ .texts = FLAG_TEXT("skip-reboot", "", "do not reboot"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, skip_reboot) },
	{ .texts = FLAG_TEXT("force", "",
			     "apply even if the disk does not match the current config, FILE is "
			     "not a rendered config, or / is not a node"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, force) },
	{ .texts = FLAG_TEXT("dry-run", "", "show what would change and which actions would run"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, dry_run) },
	{ .texts = FLAG_TEXT("show-secrets", "", "with --dry-run: show values that look secret"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, secrets) },
	{ 0 },
};

static void apply_defaults(void *p)
{
	((struct opts *)p)->root = daemon_default_root();
}

static int load(struct run *r, struct str path, struct mc_current *out)
{
	struct str text;
	int rc = file_read(r->a, str_z(r->a, path), CONFIG_MAX, &text, &r->err);

	if (rc == 0)
		rc = mc_current_parse(r->a, text, out, &r->err);
	return rc < 0 ? err_wrap(&r->err, "%.*s", STRF(path)) : 0;
}

static int run_apply(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct mc_current to = { 0 };
	struct node n;
	int rc;

	if (r->words.n != 1)
		return err_set(&r->err, ERR_INVALID, "give one MachineConfig");
	rc = daemon_open(r, o->root, o->dry_run, &n);
	if (rc < 0)
		return rc;
	n.offline = o->offline;
	n.skip_reboot = o->skip_reboot;
	rc = load(r, r->words.v[0], &to);
	if (rc == 0)
		rc = apply_command(&n, r->a, &to,
				   &(struct apply_opts){ o->force, o->dry_run, o->secrets },
				   &r->out, &r->err);
	node_close(&n);
	return rc;
}

const struct command daemon_apply = {
	.name = "apply",
	.args = "FILE [--root-mount DIR] [--offline] [--dry-run]",
	.summary = "apply a rendered MachineConfig to the node, without a cluster",
	.details =
		"The update is atomic: one that fails is undone at once, one that is interrupted "
		"by `recover`\nor at the next start.",
	.examples = "# Show what would change\n"
		    "@ apply rendered-worker.json --dry-run\n"
		    "# Apply to a mounted disk\n"
		    "@ apply rendered-worker.json --root-mount /mnt --offline",
	.flags = apply_flags,
	.opts_size = sizeof(struct opts),
	.defaults = apply_defaults,
	.run = run_apply,
};

#define UPSTREAM_ROOT                                                                     \
	{                                                                                 \
		.texts = FLAG_TEXT("root-mount", "DIR",                                   \
				   "where the node's root is mounted (default /rootfs)"), \
		.kind = FLAG_STR, .offset = offsetof(struct opts, root)                   \
	}

static void upstream_defaults(void *p)
{
	struct opts *o = p;

	o->root = S("/rootfs");
	o->file = S(FIRSTBOOT_CONFIG);
}

/* ---- firstboot-complete-machineconfig ------------------------------------ */

static const struct flag complete_flags[] = {
	UPSTREAM_ROOT,
	{ .texts = FLAG_TEXT("persist-nics", "", "only persist the names of network interfaces"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, nics) },
	{ .texts =
		  FLAG_TEXT("machineconfig-file", "FILE",
			    "path of the MachineConfig on the node (default " FIRSTBOOT_CONFIG ")"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, file) },
	PAYLOAD_FLAG(struct opts),
	{ 0 },
};

static int complete_once(struct run *r, const struct opts *o)
{
	struct os_status status;
	struct node n;
	int rc = daemon_open(r, o->root, false, &n);

	if (rc < 0)
		return rc;
	if (o->nics) {
		rc = nics_persist(&n, r->a, &r->err);
		if (rc < 0)
			rc = err_wrap(&r->err, "failed to persist network interfaces");
	} else {
		rc = boot_init(&n, r->a, &status, &r->err);
		if (rc == 0)
			rc = firstboot_complete(&n, r->a, str_z(r->a, o->file), &r->err);
	}
	node_close(&n);
	return rc;
}

static int run_complete(struct run *r, const void *p)
{
	const char *retry = getenv("MCO_RETRY_MS");
	int64_t ms = 10000;

	if (r->words.n)
		return err_set(&r->err, ERR_INVALID,
			       "unknown command \"%.*s\" for \"%s "
			       "firstboot-complete-machineconfig\"",
			       STRF(r->words.v[0]), r->called_as);
	if (retry)
		(void)str_to_i64(str_of(retry), &ms);
	while (complete_once(r, p) < 0) {
		log_warn("error: %.*s", STRF(r->err.msg));
		log_info("Sleeping 1 minute for retry");
		clock_sleep_ms(ms * 6);
	}
	return 0;
}

const struct command daemon_complete = {
	.name = "firstboot-complete-machineconfig",
	.args = "[--root-mount DIR] [--persist-nics] [--machineconfig-file "
		"FILE]",
	.summary = "apply the OS, kernel and kernel arguments of the first config",
	.examples = "# On the host, at the first boot\n"
		    "@ firstboot-complete-machineconfig --root-mount /",
	.flags = complete_flags,
	.opts_size = sizeof(struct opts),
	.defaults = upstream_defaults,
	.run = run_complete,
};
