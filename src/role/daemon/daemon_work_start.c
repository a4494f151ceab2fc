/*
 * daemon_work_start: the child's work until the first pass: recovers what a killed process left,
 * tidies up after the first boot, boots the first OS image, compares the disk with its config.
 */
#include "daemon_work.h"
#include "io/log.h"
#include "node/boot.h"
#include "node/deployment.h"
#include "node/extensions.h"
#include "node/firstboot.h"
#include "node/journal_act.h"
#include "node/nics.h"
#include "node/node_update.h"
#include "node/node_verify.h"
#include "node/os_image.h"
#include "node/reboot.h"
#include "node/revert.h"
#include "node/users.h"

#define PRESET "/etc/systemd/system-preset/20-ignition.preset"

int job_verify(struct node *n, struct arena *a, const struct job_in *in, struct str finalize,
	       struct err *err)
{
	bool files_only = in->kind == JOB_DRIFT;
	const struct verify_opts o = { .first_only = true,
				       .files_only = files_only,
				       .enabled = in->enabled };
	const struct mc_current *c = in->update.from;
	struct mismatches list = { 0 };
	int rc = node_verify(n, a, c, in->update.from_image, &o, &list, err);

	if (rc == 0 && !list.n)
		return 0;
	err_set(err, ERR_INVALID, "%.*s%.*s%s%.*s",
		STRF(files_only ? S("") : verify_prefix(a, c->name, in->update.from_image)),
		STRF(list.n ? list.v[0].text : err->msg),
		finalize.n && !files_only ? "; possible root cause: " : "",
		STRF(files_only ? S("") : finalize));
	if (!files_only)
		job_event(in->kind == JOB_BOOT ? "OnDiskStateValidationFailed"
					       : "PreflightConfigDriftCheckFailed",
			  err->msg);
	return -ERR_INVALID;
}

/* ---- the start ----------------------------------------------------------- */

/* Runs the post actions of a committed update whose process was killed before them. */
static int left_over(struct node *n, struct arena *a, struct err *err)
{
	struct node_journal_view v = { 0 };
	int rc = node_update_journal(n, a, &v, err);

	if (rc < 0 || v.state != JOURNAL_LAST || v.finished)
		return rc;
	rc = journal_act(n, a, &v, v.to, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < v.actions.n; i++)
		if (str_is(v.actions.v[i], update_kind_name(UPDATE_REBOOT)))
			job_send_text(JOB_MSG_REBOOT, S(""));
	node_update_finished(n, a);
	return 0;
}

/* Logs the state of the system. Only rpm-ostree must succeed. */
static int log_system(struct node *n, struct arena *a, struct err *err)
{
	bool ostree = n->os.core_os && host_has(&n->host, "rpm-ostree");
	struct err local = ERR_INIT(a);
	struct host_out out;

	if (ostree && host_cmd(a, &n->host, HOST_CAPTURE, &out, &local, "rpm-ostree status") < 0)
		return err_set(err, ERR_SYS, "unable to get rpm-ostree status: %.*s",
			       STRF(local.msg));
	if (ostree)
		log_info("%.*s", STRF(out.text));
	boot_log_origin(n, a);
	if (host_cmd(a, &n->host, HOST_CAPTURE, &out, &local, "journalctl --list-boots") < 0)
		log_error("Listing boots: %.*s", STRF(local.msg));
	else
		log_info("journalctl --list-boots:%.*s", STRF(out.text));
	if (host_cmd(a, &n->host, HOST_CAPTURE, &out, &local,
		     "systemctl list-units --state=failed --no-legend") < 0)
		log_error("Listing failed systemd services: %.*s", STRF(local.msg));
	else if (out.text.n)
		log_info("systemctl --failed:%.*s", STRF(out.text));
	else
		log_info("systemd service state: OK");
	return 0;
}

/* Removes the revert unit where the disk still has an image: the next boot must not leave it. */
static int stay(struct node *n, struct arena *a, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct mc_current c;
	struct str image;

	if (node_current(n, a, &c, &image, &ignored) < 0 || !image.n)
		return 0;
	return revert_drop(n, a, err);
}

int job_recover(struct node *n, struct arena *a, const struct job_in *in, struct err *err)
{
	struct os_status s = { 0 };
	struct node_journal_view v;
	bool undone;
	int rc = node_update_recover(n, a, &undone, &v, err);

	if (rc == 0)
		rc = stay(n, a, err);
	if (rc < 0)
		return rc;
	rc = boot_init(n, a, &s, err);
	job_send(&(struct job_msg){ .kind = JOB_MSG_OS,
				    .os = { .id = n->os.id,
					    .version = s.version,
					    .packages = (int64_t)s.unsupported,
					    .supported = rc == 0 } });
	job_send_text(JOB_MSG_BOOTED, n->booted_image);
	if (rc < 0)
		job_send_text(
			JOB_MSG_FATAL,
			str_fmt(a, "Failed to initialize single run daemon: %.*s", STRF(err->msg)));
	else
		rc = left_over(n, a, err);
	if (rc < 0)
		return rc;
	host_log(&n->host, "Starting to manage node: %.*s", STRF(in->node));
	rc = log_system(n, a, err);
	if (rc < 0)
		job_send_text(JOB_MSG_FATAL, err->msg);
	return rc;
}

int job_prepare(struct node *n, struct arena *a, const struct job_in *in, struct err *err)
{
	struct tree *t = &n->tree;
	struct host_out out = { 0 };
	int rc = 0;

	if (in->master) {
		job_send_text(JOB_MSG_OSTREE, S("")); /* once, even if it fails */
		rc = host_cmd(
			a, &n->host, HOST_SILENT, &out, err,
			"ostree --repo=/sysroot/ostree/repo config set core.per-object-fsync true");
		if (rc == 0 && out.status)
			rc = err_set(err, ERR_SYS, "%.*s", STRF(host_status_text(a, out.status)));
		if (rc < 0)
			return err_wrap(err, "failed to set per-object-fsync "
					     "for ostree");
	}
	if (tree_exists(t, FIRSTBOOT_CONFIG)) {
		log_warn("Failed to complete "
			 "machine-config-daemon-firstboot before joining "
			 "cluster!");
		rc = tree_rename(t, FIRSTBOOT_CONFIG, FIRSTBOOT_CONFIG ".bak", err);
	}
	if (rc == 0) {
		rc = tree_remove(t, PRESET, err);
		if (rc < 0)
			return err_wrap(err, "failed to remove "
					     "Ignition-written systemd preset "
					     "file");
		rc = tree_sync(t, err);
	}
	return rc < 0 ? rc : nics_persist(n, a, err);
}

/* ---- the first sync ------------------------------------------------------ */

void job_look_back(struct node *n, struct arena *a, struct str *out)
{
	if (deployment_finalize_error(n, a, out))
		job_send_text(JOB_MSG_FINALIZE, *out);
}

static int pivot(struct node *n, struct arena *a, const struct mc_current *to, struct str image,
		 struct err *err)
{
	int rc;

	host_log(&n->host, "Bootstrap pivot required to: %.*s", STRF(image));
	/* the config's own image even where another replaces it, as upstream does */
	rc = os_image_update(n, a, json_str(to->tree, "spec.osImageURL"), err);
	if (rc == 0)
		rc = reboot_into(n, a, to->name, err);
	if (rc == 0)
		job_send_text(JOB_MSG_REBOOT, S(""));
	return rc;
}

static int settle(struct node *n, struct arena *a, const struct job_in *in, bool *rebooting,
		  struct err *err)
{
	const struct mc_current *to = in->update.from;
	struct str image = in->noted_image.n ? in->noted_image : to->spec.os_image;

	if (n->os.core_os && !str_eq(n->booted_image, image)) {
		*rebooting = true;
		return pivot(n, a, to, image, err);
	}
	host_log(&n->host, "No bootstrap pivot required; unlinking bootstrap "
			   "node annotations");
	return 0;
}

/* The last change of the first sync: a process cut before it starts over. */
static int settled(struct node *n, struct err *err)
{
	int rc = tree_rename(&n->tree, JOB_FIRST_ANNOTATIONS,
			     MC_STATE_DIR "/node-annotation.json.bak", err);

	return rc < 0 ? err_wrap(err, "renaming initial node annotation file")
		      : tree_sync(&n->tree, err);
}

static void overrides(struct node *n, const char *what, struct str disk, struct str noted)
{
	if (!str_eq(disk, noted))
		host_log(&n->host,
			 "Disk %s \"%.*s\" overrides node's %s annotation "
			 "\"%.*s\"",
			 what, STRF(disk), what, STRF(noted));
}

int job_boot(struct node *n, struct arena *a, const struct job_in *in, struct err *err)
{
	const struct node_update *u = &in->update;
	struct str finalize = S("");
	bool rebooting = false;
	int rc = 0;

	if (n->os.core_os) {
		job_look_back(n, a, &finalize);
		rc = deployment_drop_rollback(n, a, err);
		if (rc < 0)
			return err_wrap(err, "failed to remove rollback");
	}
	if (in->bootstrap) {
		rc = settle(n, a, in, &rebooting, err);
	} else {
		overrides(n, "currentConfig", u->from->name, in->noted);
		overrides(n, "currentImage", u->from_image, in->noted_image);
	}
	if (rc < 0 || rebooting)
		return rc;
	if (in->text.n && !in->bootstrap) /* the disk's config cannot be read */
		return err_set(err, ERR_SYS, "%.*s", STRF(in->text));
	if (u->force) {
		host_log(&n->host, "Skipping on-disk validation; " STEPS_FORCE " present");
		return in->bootstrap ? settled(n, err) : 0;
	}
	rc = users_move_keys(n, a, &u->from->spec, err);
	if (rc == 0)
		rc = job_verify(n, a, in, finalize, err);
	if (rc == -ERR_INVALID)
		job_send_text(JOB_MSG_MISMATCH, S(""));
	if (rc < 0)
		return rc;
	host_log(&n->host, "Validated on-disk state");
	if (in->bootstrap) {
		rc = node_store_current(n, u->from, u->from_image, err);
		if (rc == 0)
			rc = tree_sync(&n->tree, err);
		if (rc == 0)
			rc = settled(n, err);
	}
	return rc == 0 && in->in_desired ? extensions_check(n, a, &u->from->spec, err) : rc;
}
