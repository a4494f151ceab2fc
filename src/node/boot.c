#include "node/boot.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/semver.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/log.h"
#include "os_change.h"

#define CONFIG_MAX ((size_t)64 << 20)
#define SMALL_MAX ((size_t)1 << 20)

static int init_core_os(struct node *n, struct arena *a, struct os_status *s, struct err *err)
{
	struct tree *t = &n->tree;
	int rc = 0;

	if (!bootc_manages(n) && !tree_exists(t, OS_DROPINS "/bug2111817.conf")) {
		rc = tree_put(t, OS_DROPINS "/bug2111817.conf",
			      S("[Service]\nInaccessiblePaths=\n"), err);
		if (rc == 0)
			rc = node_do(n, a, "systemctl daemon-reload", NULL, err);
	}
	if (rc == 0)
		rc = os_local_drop_policy(n, a, err);
	if (rc < 0)
		return err_wrap(err, "error initializing rpm-ostree");
	rpm_ostree_link_secret(n, a);
	rc = deployment_status(n, a, s, err);
	if (rc < 0)
		return err_wrap(err, "error reading osImageURL from %s",
				bootc_manages(n) ? "bootc" : "rpm-ostree");
	n->booted_image = s->image;
	log_info("Booted osImageURL: %.*s (%.*s) %.*s", STRF(s->image), STRF(s->version),
		 STRF(s->checksum));
	return 0;
}

int boot_init(struct node *n, struct arena *a, struct os_status *out, struct err *err)
{
	struct node_journal_view v;
	bool undone;
	int rc = node_update_recover(n, a, &undone, &v, err);

	if (rc == 0 && !n->offline && !n->os.id.n && !n->os.version.n)
		rc = err_set(err, ERR_INVALID,
			     "checking operating system: No content available "
			     "from os-release files");
	if (rc < 0 || n->offline || !n->os.core_os)
		return rc;
	return init_core_os(n, a, out, err);
}

void boot_log_origin(struct node *n, struct arena *a)
{
	static const char *const files[] = { "/sysroot/.coreos-aleph-version.json",
					     "/etc/.ignition-result.json" };
	struct err err = ERR_INIT(a);
	struct str text;

	for (size_t i = 0; n->os.core_os && i < 2; i++)
		if (tree_read(a, &n->tree, files[i], SMALL_MAX, &text, &err) < 0)
			log_warn("Failed to get provisioning information: %.*s", STRF(err.msg));
		else
			log_info("%s: %.*s", files[i], STRF(str_trim(text)));
}

/* ---- an update ----------------------------------------------------------- */

/* With the words, and the texts of errors, that upstream has where no policies rule. */
static int finish(struct node *n, struct arena *a, const struct update_plan *p, struct str name,
		  struct err *err)
{
	bool restart;
	int rc = 0;

	if (n->offline || !p->n)
		return 0;
	restart = p->v[0].kind == UPDATE_RESTART;
	if (!restart && p->v[0].kind != UPDATE_RELOAD)
		return post_action_run(n, a, &p->v[0], name, err);
	if (restart)
		rc = node_do(n, a, "update-ca-trust", NULL, err);
	if (rc < 0)
		return rc;
	rc = post_action_crio(n, a, restart ? "restart" : "reload", err);
	if (rc < 0)
		return rc;
	host_log(&n->host,
		 "crio config %s successfully! Desired config %.*s has been "
		 "applied, skipping reboot",
		 restart ? "restarted" : "reloaded", STRF(name));
	return 0;
}

int standalone_plan(struct node *n, struct arena *a, const struct mc_current *from,
		    const struct mc_current *to, struct update_plan *out, struct err *err)
{
	const struct mc_overrides none = { 0 };
	struct update_in in = { .from = &from->spec,
				.to = &to->spec,
				.force = tree_exists(&n->tree, STEPS_FORCE),
				.image_only = deployment_image_only(n) };
	int rc = mc_current_reconcile(a, from, to, &none, err);

	if (rc == 0 && (files_check_paths(n, a, &to->spec, false, err) < 0 ||
			(!n->offline && kernel_check_fips(n, a, &to->spec, err) < 0)))
		rc = err_wrap(err, "can't reconcile config %.*s with %.*s", STRF(from->name),
			      STRF(to->name));
	return rc < 0 ? rc : plan_update_legacy(a, &in, out, err);
}

int standalone_update(struct node *n, struct arena *a, const struct mc_current *from,
		      const struct mc_current *to, struct err *err)
{
	struct mc_current empty;
	struct update_plan plan = { 0 };
	struct node_update u = { .to = to,
				 .plan = &plan,
				 .force = tree_exists(&n->tree, STEPS_FORCE) };
	struct err local = ERR_INIT(a);
	int rc;

	if (!from) {
		mc_current_empty(a, &empty);
		from = &empty;
	}
	u.from = from;
	rc = standalone_plan(n, a, from, to, &plan, err);
	if (rc < 0)
		return rc;
	host_log(&n->host, "Starting update from %.*s to %.*s: %.*s", STRF(from->name),
		 STRF(to->name), STRF(update_changes_text(a, &plan.changes, false, false)));
	rc = tree_remove(&n->tree, STEPS_FORCE, err);
	if (rc == 0)
		rc = node_update_apply(n, a, &u, err);
	if (rc < 0)
		return rc;
	rc = finish(n, a, &plan, to->name, err);
	if (rc == 0)
		node_update_finished(n, a);
	else if (node_update_rollback(n, a, err->msg, &local) < 0)
		return err_set(err, ERR_SYS, "%.*s", STRF(local.msg));
	return rc;
}

/* ---- once-from ----------------------------------------------------------- */

static int once_from_ignition(struct node *n, struct arena *a, struct ign_obj *config,
			      struct err *err)
{
	struct mc_current empty, to;
	struct node_update u = { .from = &empty, .to = &to, .bare = true };
	int rc;

	mc_current_empty(a, &empty);
	to = empty;
	to.spec.config = config;
	to.name = S("once-from");
	rc = node_update_apply(n, a, &u, err);
	if (rc == 0)
		rc = tree_remove(&n->tree, FIRSTBOOT_CONFIG, err);
	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	if (rc < 0)
		return rc;
	node_update_finished(n, a);
	return reboot_node(n, a, "runOnceFromIgnition complete", err);
}

static int as_machine_config(struct arena *a, struct str text, struct mc_current *out,
			     struct err *err)
{
	enum mc_kind kind = MC_OTHER;
	int rc = mc_current_parse(a, text, out, err);

	if (rc == 0)
		rc = mc_kind_of(a, out->tree, &kind, err);
	if (rc == 0 && kind != MC_MACHINE_CONFIG)
		rc = err_set(err, ERR_INVALID, "it is no MachineConfig");
	return rc;
}

int standalone_once_from(struct node *n, struct arena *a, struct str text, bool remote,
			 struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct ign_obj *config = NULL;
	struct mc_current to;
	int rc;

	if (ign_parse_35(a, text, &config, &ignored) == 0)
		return once_from_ignition(n, a, config, err);
	rc = as_machine_config(a, text, &to, err);
	if (rc < 0)
		return err_wrap(err, "unable to decipher onceFrom config type");
	if (remote)
		return err_set(err, ERR_INVALID,
			       "running in onceFrom mode with a remote "
			       "MachineConfig without a cluster");
	return standalone_update(n, a, NULL, &to, err);
}

/* ---- first boot ---------------------------------------------------------- */

static bool new_skopeo(struct node *n, struct arena *a)
{
	struct err ignored = ERR_INIT(a);
	struct semver v = { 0 }, min = { 0 };
	struct host_out out;
	struct str word, rest;

	if (host_cmd(a, &n->host, HOST_SILENT, &out, &ignored, "skopeo --version") < 0 ||
	    out.status != 0)
		return false;
	rest = str_trim(out.text); /* "skopeo version 1.22.2 commit: …" */
	for (int i = 0; i < 2; i++)
		if (!str_cut(rest, ' ', &word, &rest))
			return false;
	if (str_cut(rest, ' ', &word, &rest))
		rest = word;
	return semver_parse(S("1.22.2"), &min) && semver_parse(rest, &v) && semver_cmp(v, min) >= 0;
}

/* Older ones cannot read the signatures of images for several machines. */
static bool skopeo_will_do(struct node *n, struct arena *a, struct str image)
{
	struct err err = ERR_INIT(a);
	struct args args = { .a = a };
	struct host_out out;
	struct json *j = NULL;
	struct str type;

	if (new_skopeo(n, a))
		return true;
	args_words(&args, "skopeo inspect --raw");
	if (tree_exists(&n->tree, OS_KUBELET_AUTH))
		args_words(&args, "--authfile " OS_KUBELET_AUTH);
	args_addf(&args, "docker://%.*s", STRF(image));
	if (host_run(a, &n->host, HOST_SILENT, args_end(&args), &out, &err) < 0 ||
	    out.status != 0 || json_parse(a, str_trim(out.text), NULL, &j, &err) < 0) {
		log_warn("Failed to determine if image %.*s is multi-arch", STRF(image));
		return false;
	}
	type = json_str(j, "mediaType");
	return !str_is(type, "application/vnd.docker.distribution.manifest."
			     "list.v2+json") &&
	       !str_is(type, "application/vnd.oci.image.index.v1+json");
}

static int update_via_container(struct node *n, struct arena *a, struct str image, struct err *err)
{
	int rc;

	host_log(&n->host, "rpm-ostree or skopeo is not new enough for new-format image; "
			   "forcing an update via container and queuing immediate reboot");
	rc = os_image_via_container(n, a, image, err);
	if (rc == 0)
		rc = reboot_now(n, a, "extra reboot for in-place update", err);
	if (rc < 0)
		return rc;
	clock_sleep_ms((int64_t)24 * 3600 * 1000); /* the reboot ends it */
	return err_set(err, ERR_SYS, "failed to reboot for secondary in-place update");
}

/* What the machine runs, as far as the config asks for it. */
static int running_config(struct node *n, struct arena *a, const struct mc_current *want,
			  struct mc_current *out, struct err *err)
{
	struct strs tokens = { 0 };
	struct str text;
	int rc = deployment_kargs(n, a, &text, err);

	if (rc < 0)
		return err_wrap(err, "failed to set kernel arguments from "
				     "/proc/cmdline");
	mc_current_empty(a, out);
	out->spec.os_image = n->booted_image;
	out->spec.fips = kernel_fips(n, a);
	os_kargs_split(a, text, &tokens);
	for (size_t i = 0; i < tokens.n; i++)
		for (size_t k = 0; k < want->spec.kargs.n; k++)
			if (str_eq(tokens.v[i], want->spec.kargs.v[k])) {
				VEC_PUSH(a, &out->spec.kargs, tokens.v[i]);
				break;
			}
	return 0;
}

static int apply_firstboot(struct node *n, struct arena *a, const char *file,
			   const struct mc_current *old, const struct mc_current *to,
			   struct err *err)
{
	int rc;

	n->skip_reboot = true;
	rc = standalone_update(n, a, old, to, err);
	if (rc == 0 && strcmp(file, FIRSTBOOT_CONFIG) == 0) {
		rc = tree_rename(&n->tree, FIRSTBOOT_CONFIG, FIRSTBOOT_CONFIG ".bak", err);
		if (rc < 0)
			rc = err_wrap(err, "failed to rename encapsulated "
					   "MachineConfig after processing on "
					   "firstboot");
	}
	if (rc == 0)
		rc = revert_drop(n, a, err);
	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	n->skip_reboot = false;
	return rc < 0 ? rc
		      : reboot_node(n, a,
				    str_fmt(a,
					    "Completing firstboot provisioning "
					    "to %.*s",
					    STRF(to->name))
					    .p,
				    err);
}

int firstboot_complete(struct node *n, struct arena *a, const char *file, struct err *err)
{
	struct update_changes c;
	struct mc_current to = { 0 }, old = { 0 };
	bool new_enough = false;
	struct str text = S("");
	int rc = tree_read(a, &n->tree, file, CONFIG_MAX, &text, err);

	if (rc == 0 && mc_current_parse(a, text, &to, err) < 0)
		rc = err_wrap(err, "failed to parse MachineConfig");
	if (bootc_manages(n))
		new_enough = true;
	else if (rc == 0)
		rc = rpm_ostree_reads_images(n, a, &new_enough, err);
	if (rc < 0)
		return rc;
	if (!new_enough || !skopeo_will_do(n, a, to.spec.os_image))
		return update_via_container(n, a, to.spec.os_image, err);
	if (!bootc_manages(n))
		log_info("rpm-ostree has container feature");
	rc = running_config(n, a, &to, &old, err);
	if (rc < 0)
		return rc;
	update_changes(a, &old.spec, &to.spec, tree_exists(&n->tree, STEPS_FORCE), &c);
	if (!update_nothing(&c)) {
		host_log(&n->host, "Changes detected from %.*s to %.*s: %.*s", STRF(old.name),
			 STRF(to.name), STRF(update_changes_text(a, &c, false, false)));
		return apply_firstboot(n, a, file, &old, &to, err);
	}
	host_log(&n->host, "No changes from %.*s to %.*s", STRF(old.name), STRF(to.name));
	rc = tree_remove(&n->tree, FIRSTBOOT_CONFIG, err);
	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	if (rc < 0)
		return err_wrap(err, "failed to remove " FIRSTBOOT_CONFIG);
	host_log(&n->host,
		 "skipping reboot since no changes were detected from %.*s to "
		 "%.*s",
		 STRF(old.name), STRF(to.name));
	return 0;
}

/* ---- network interfaces -------------------------------------------------- */

/* What it says is passed on; failing is told in a word. */
static int run_plainly(struct arena *a, const struct host *h, const char *name, struct args *args,
		       struct err *err)
{
	struct host_out out = { 0 };
	int rc = host_run(a, h, HOST_SILENT, args_end(args), &out, err);

	if (rc == 0 && out.text.n)
		log_info("%s: %.*s", name, STRF(str_trim(out.text)));
	if (rc == 0 && out.status)
		rc = err_set(err, ERR_SYS, "%.*s", STRF(host_status_text(a, out.status)));
	return rc < 0 ? err_wrap(err, "failed to run %s", name) : 0;
}

int nics_persist(struct node *n, struct arena *a, struct err *err)
{
	bool inside = strcmp(n->tree.root, "/") == 0;
	bool cleanup = n->os.major >= 10;
	/* in our own root, where it runs; nobody else may have made it */
	char out[] = "/tmp/nmstate-kargsXXXXXX";
	AUTO(fd) int fd = -1;
	struct args args = { .a = a }, kargs = { .a = a };
	struct err ignored = ERR_INIT(a);
	struct host here = n->host;
	struct str text, word;
	bool more = true;
	int rc;

	if (!n->os.el || n->os.major < 8)
		return 0;
	fd = mkstemp(out);
	if (fd < 0)
		return err_sys(err, "make %s", out);
	here.chroot = false;
	args_words(&args, "%s persist-nic-names --root %s --kargs-out %s %s",
		   getenv("MCO_HOST_PATH") ? "nmstatectl"
		   : inside		   ? "/run/machine-config-daemon-bin/nmstatectl"
					   : "/usr/bin/nmstatectl",
		   n->tree.root, out, cleanup ? "--cleanup" : NULL);
	rc = run_plainly(a, &here, "nmstatectl", &args, err);
	if (file_read(a, out, CONFIG_MAX, &text, &ignored) < 0)
		text = S("");
	(void)unlink(out);
	if (rc < 0)
		return cleanup ? 0 : rc;
	if (!text.n)
		return 0;
	args_words(&kargs, "rpm-ostree kargs");
	while (more) {
		more = str_cut(text, ' ', &word, &text);
		args_words(&kargs, "%s %s", cleanup ? "--remove" : "--append",
			   str_z(a, more ? word : text));
	}
	return run_plainly(a, &n->host, "rpm-ostree kargs", &kargs, err);
}
