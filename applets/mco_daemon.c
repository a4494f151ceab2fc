/*
 * mco-daemon: the applet, and its commands verify, status and version. None of these changes the
 * node or needs a cluster.
 */
#include "mco_daemon.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "io/file.h"
#include "io/log.h"
#include "io/version.h"
#include "node/node_update.h"
#include "node/mismatch_text.h"
#include "node/status_text.h"

#define CONFIG_MAX ((size_t)64 << 20)

struct str daemon_default_root(void)
{
	struct stat st;

	return stat("/rootfs/etc", &st) == 0 ? S("/rootfs") : S("/");
}

int daemon_open(struct run *r, struct str root, bool quiet, struct node *out)
{
	int fd = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;

	if (fd >= 0)
		log_init(0, fd);
	return node_open(out, r->a, str_z(r->a, root), &r->err);
}

/* ---- verify -------------------------------------------------------------- */

struct verify_flags {
	struct str root, against, output;
	bool offline, secrets, no_headers;
};

static const struct flag verify_flag_table[] = {
	ROOT_FLAG(struct verify_flags),
	{ .texts = FLAG_TEXT("against", "FILE",
			     "compare with this MachineConfig, not with the node's current one"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct verify_flags, against) },
	{ .texts = FLAG_TEXT("offline", "",
			     "the root is not booted: do not run systemctl or rpm-ostree"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct verify_flags, offline) },
	{ .texts = FLAG_TEXT("show-secrets", "", "show secrets in differences"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct verify_flags, secrets) },
	OUTPUT_FLAG(struct verify_flags, "text|json"),
	{ .texts = FLAG_TEXT("no-headers", "", "print the table without its headings"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct verify_flags, no_headers) },
	{ 0 },
};

static void verify_defaults(void *p)
{
	struct verify_flags *o = p;

	o->root = daemon_default_root();
	o->output = S("text");
}

static int run_verify(struct run *r, const void *p)
{
	const struct verify_flags *o = p;
	const struct verify_opts all = { .strict = true };
	struct mismatches list = { 0 };
	struct mc_current c = { 0 };
	struct str image = S(""), text;
	struct node n;
	int rc = daemon_open(r, o->root, true, &n);

	if (rc < 0)
		return rc;
	n.offline = o->offline;
	if (o->against.n) {
		rc = file_read(r->a, str_z(r->a, o->against), CONFIG_MAX, &text, &r->err);
		if (rc == 0)
			rc = mc_current_parse(r->a, text, &c, &r->err);
		if (rc < 0)
			rc = err_wrap(&r->err, "%.*s", STRF(o->against));
	} else {
		rc = node_current(&n, r->a, &c, &image, &r->err);
		if (rc < 0)
			rc = err_wrap(&r->err, "%.*s has no config to verify", STRF(o->root));
	}
	if (rc == 0)
		rc = node_verify(&n, r->a, &c, image, &all, &list, &r->err);
	node_close(&n);
	if (rc < 0)
		return rc;
	if (str_is(o->output, "json")) {
		json_encode(&r->out, mismatches_json(r->a, &list, c.name), JSON_INDENT);
		buf_addc(&r->out, '\n');
	} else {
		mismatches_text(&r->out, r->a, &list, o->secrets, o->no_headers);
	}
	if (!list.n && !str_is(o->output, "json"))
		buf_addf(&r->out, "as %.*s says: %zu files, %zu units\n", STRF(c.name),
			 ign_files(c.spec.config)->n, ign_units(c.spec.config)->n);
	return list.n ? 1 : 0;
}

const struct command daemon_verify = {
	.name = "verify",
	.args = "[--against FILE] [--root-mount DIR] [--offline] [-o text|json]",
	.summary = "compare the node's disk with its config",
	.details = "Prints a table of all mismatches, with upstream's error messages, then the "
		   "differences of\nfile contents.",
	.examples = "# Check that this node matches its current config\n"
		    "@ verify\n"
		    "# Check a mounted disk against another config\n"
		    "@ verify --against rendered-worker.json --root-mount /mnt --offline",
	.exits = "0 no mismatch, 1 a mismatch, 2 an error",
	.flags = verify_flag_table,
	.opts_size = sizeof(struct verify_flags),
	.defaults = verify_defaults,
	.error_status = 2,
	.run = run_verify,
};

/* ---- status -------------------------------------------------------------- */

static const struct flag status_flag_table[] = { ROOT_FLAG(struct root_flags), { 0 } };

void daemon_root_defaults(void *p)
{
	((struct root_flags *)p)->root = daemon_default_root();
}

static int run_status(struct run *r, const void *p)
{
	const struct root_flags *o = p;
	struct node n;
	int rc = daemon_open(r, o->root, true, &n);

	if (rc < 0)
		return rc;
	rc = node_status_text(&n, r->a, &r->out, &r->err);
	node_close(&n);
	return rc;
}

const struct command daemon_status = {
	.name = "status",
	.args = "[--root-mount DIR]",
	.summary = "show the node's current config and the result of its last update",
	.examples = "# This node\n"
		    "@ status\n"
		    "# A mounted disk\n"
		    "@ status --root-mount /mnt",
	.flags = status_flag_table,
	.opts_size = sizeof(struct root_flags),
	.defaults = daemon_root_defaults,
	.run = run_status,
};

struct version_flags {
	struct str payload;
};

static const struct flag version_flag_table[] = { PAYLOAD_FLAG(struct version_flags), { 0 } };

/* Prints upstream's line. */
static int run_version(struct run *r, const void *p)
{
	(void)p;
	buf_addf(&r->out, "MachineConfigDaemon %s-%s\n", version_raw(), version_hash());
	return 0;
}

static const struct command daemon_version = {
	.name = "version",
	.args = "",
	.summary = "print the version this build stands for",
	.examples = "# What this build stands for\n"
		    "@ version",
	.flags = version_flag_table,
	.opts_size = sizeof(struct version_flags),
	.run = run_version,
};

static const struct command *const commands[] = {
	&daemon_start,	&daemon_complete, &daemon_firstboot, &daemon_apply,   &daemon_verify,
	&daemon_status, &daemon_rollback, &daemon_recover,   &daemon_version, NULL,
};

const struct applet mco_daemon_applet = {
	.name = "mco-daemon",
	.summary = "applies, verifies and rolls back a node's config",
	.commands = commands,
	.holds_keys = true,
};
