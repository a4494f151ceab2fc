#include "node/boot.h"

#include <stdlib.h>
#include <time.h>

#include "base/semver.h"
#include "io/log.h"

#define CONFIG_MAX ((size_t)64 << 20)
#define DROPINS "/run/systemd/system/rpm-ostreed.service.d"
#define REVERT "machine-config-daemon-revert.service"
#define KUBELET_AUTH "/var/lib/kubelet/config.json"

static int systemctl(struct node *n, struct arena *a, const char *verb,
		     const char *unit, struct err *err)
{
	return HOST_RUN(a, &n->host, HOST_SYNC, NULL, err, "systemctl", verb,
			unit);
}

static int init_core_os(struct node *n, struct arena *a, struct err *err)
{
	struct tree *t = &n->tree;
	struct os_status s = { 0 };
	int rc = 0;

	if (!tree_exists(t, DROPINS "/bug2111817.conf")) {
		rc = tree_write(t, DROPINS "/bug2111817.conf",
				S("[Service]\nInaccessiblePaths=\n"),
				TREE_DEFAULT, err);
		if (rc == 0)
			rc = systemctl(n, a, "daemon-reload", NULL, err);
	}
	if (rc == 0 &&
	    tree_lexists(t, DROPINS "/temporal-policy-binding.conf")) {
		rc = tree_remove(t, DROPINS "/temporal-policy-binding.conf",
				 err);
		if (rc == 0)
			rc = systemctl(n, a, "daemon-reload", NULL, err);
		if (rc == 0)
			rc = systemctl(n, a, "try-restart", "rpm-ostreed", err);
	}
	if (rc == 0)
		rc = tree_remove(t, "/run/tmp-rpm-ostree-policy.json", err);
	if (rc < 0)
		return err_wrap(err, "error initializing rpm-ostree");
	rc = node_os_status(n, a, &s, err);
	if (rc < 0)
		return err_wrap(err,
				"error reading osImageURL from rpm-ostree");
	n->booted_image = s.image;
	log_info("Booted osImageURL: %.*s (%.*s) %.*s", STRF(s.image),
		 STRF(s.version), STRF(s.checksum));
	return 0;
}

int node_init(struct node *n, struct arena *a, struct err *err)
{
	struct node_journal_view v;
	bool undone;
	int rc = node_recover(n, a, &undone, &v, err);

	if (rc < 0 || n->offline || !n->os.core_os)
		return rc;
	return init_core_os(n, a, err);
}

/* ---- an update ----------------------------------------------------------------- */

/* update-ca-trust goes before crio is restarted for it. */
static int finish(struct node *n, struct arena *a, const struct update_plan *p,
		  struct str name, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n && !n->offline; i++)
		if (p->v[i].kind == UPDATE_RESTART)
			rc = HOST_RUN(a, &n->host, HOST_SYNC, NULL, err,
				      "update-ca-trust");
	if (rc == 0)
		rc = node_actions(n, a, p, name, err);
	return rc < 0 ? rc : node_finished(n, a, err);
}

int node_update_alone(struct node *n, struct arena *a,
		      const struct mc_current *from,
		      const struct mc_current *to, struct err *err)
{
	const struct mc_overrides none = { 0 };
	bool force = tree_exists(&n->tree, STEPS_FORCE);
	struct mc_current empty;
	struct update_plan plan = { 0 };
	struct update_in in = { .to = &to->spec, .force = force };
	struct node_update u = { .to = to, .plan = &plan, .force = force };
	struct err local = ERR_INIT(a);
	int rc;

	if (!from) {
		mc_current_empty(a, &empty);
		from = &empty;
	}
	in.from = &from->spec;
	u.from = from;
	rc = mc_current_reconcile(a, from, to, &none, err);
	if (rc == 0 && !n->offline && node_check_fips(n, a, &to->spec, err) < 0)
		rc = err_wrap(err, "can't reconcile config %.*s with %.*s",
			      STRF(from->name), STRF(to->name));
	if (rc == 0)
		rc = plan_update_legacy(a, &in, &plan, err);
	if (rc < 0)
		return rc;
	host_log(&n->host, "Starting update from %.*s to %.*s: %.*s",
		 STRF(from->name), STRF(to->name),
		 STRF(update_changes_text(a, &plan.changes, false, false)));
	rc = tree_remove(&n->tree, STEPS_FORCE, err);
	if (rc == 0)
		rc = node_apply(n, a, &u, err);
	if (rc < 0)
		return rc;
	rc = finish(n, a, &plan, to->name, err);
	if (rc < 0 && node_rollback(n, a, err->msg, &local) < 0)
		return err_set(err, ERR_SYS, "%.*s", STRF(local.msg));
	return rc;
}

/* ---- once-from ------------------------------------------------------------------- */

static int once_from_ignition(struct node *n, struct arena *a,
			      struct ign_obj *config, struct err *err)
{
	struct mc_current empty, to;
	struct node_update u = { .from = &empty, .to = &to, .bare = true };
	int rc;

	mc_current_empty(a, &empty);
	to = empty;
	to.spec.config = config;
	to.name = S("once-from");
	rc = node_apply(n, a, &u, err);
	if (rc == 0)
		rc = tree_remove(&n->tree, NODE_ENCAPSULATED, err);
	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	if (rc == 0)
		rc = node_finished(n, a, err);
	return rc < 0 ? rc
		      : node_reboot(n, a, "runOnceFromIgnition complete", err);
}

static int as_machine_config(struct arena *a, struct str text,
			     struct mc_current *out, struct err *err)
{
	enum mc_kind kind = MC_OTHER;
	int rc = mc_current_parse(a, text, out, err);

	if (rc == 0)
		rc = mc_kind_of(a, out->tree, &kind, err);
	if (rc == 0 && kind != MC_MACHINE_CONFIG)
		rc = err_set(err, ERR_INVALID, "it is no MachineConfig");
	return rc;
}

int node_once_from(struct node *n, struct arena *a, struct str text,
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
	return node_update_alone(n, a, NULL, &to, err);
}

/* ---- first boot --------------------------------------------------------------------- */

static bool new_skopeo(struct node *n, struct arena *a)
{
	struct err ignored = ERR_INIT(a);
	struct semver v = { 0 }, min = { 0 };
	struct host_out out;
	struct str word, rest;

	if (HOST_RUN(a, &n->host, HOST_SILENT, &out, &ignored, "skopeo",
		     "--version") < 0 ||
	    out.status != 0)
		return false;
	rest = str_trim(out.text); /* "skopeo version 1.22.2 commit: …" */
	for (int i = 0; i < 2; i++)
		if (!str_cut(rest, ' ', &word, &rest))
			return false;
	if (str_cut(rest, ' ', &word, &rest))
		rest = word;
	return semver_parse(S("1.22.2"), &min) && semver_parse(rest, &v) &&
	       semver_cmp(v, min) >= 0;
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
	args_add(&args, "skopeo");
	args_add(&args, "inspect");
	args_add(&args, "--raw");
	if (tree_exists(&n->tree, KUBELET_AUTH)) {
		args_add(&args, "--authfile");
		args_add(&args, KUBELET_AUTH);
	}
	args_addf(&args, "docker://%.*s", STRF(image));
	if (host_run(a, &n->host, HOST_SILENT, args_end(&args), &out, &err) <
		    0 ||
	    out.status != 0 ||
	    json_parse(a, str_trim(out.text), NULL, &j, &err) < 0) {
		log_warn("Failed to determine if image %.*s is multi-arch",
			 STRF(image));
		return false;
	}
	type = json_str(j, "mediaType", S(""));
	return !str_is(type, "application/vnd.docker.distribution.manifest."
			     "list.v2+json") &&
	       !str_is(type, "application/vnd.oci.image.index.v1+json");
}

static int update_via_container(struct node *n, struct arena *a,
				struct str image, struct err *err)
{
	struct timespec day = { .tv_sec = 24 * 3600 };
	int rc;

	host_log(
		&n->host,
		"rpm-ostree or skopeo is not new enough for new-format image; "
		"forcing an update via container and queuing immediate reboot");
	rc = node_via_container(n, a, image, err);
	if (rc == 0)
		rc = node_reboot(n, a, "extra reboot for in-place update", err);
	if (rc < 0)
		return rc;
	(void)nanosleep(&day, NULL); /* the reboot ends it */
	return err_set(err, ERR_SYS,
		       "failed to reboot for secondary in-place update");
}

/* What the machine runs, as far as the config asks for it. */
static int running_config(struct node *n, struct arena *a,
			  const struct mc_current *want, struct mc_current *out,
			  struct err *err)
{
	struct host_out said = { 0 };
	struct strs tokens = { 0 };
	int rc = HOST_RUN(a, &n->host, HOST_CAPTURE, &said, err, "rpm-ostree",
			  "kargs");

	if (rc < 0)
		return err_wrap(err, "failed to set kernel arguments from "
				     "/proc/cmdline");
	mc_current_empty(a, out);
	out->spec.os_image = n->booted_image;
	out->spec.fips = node_kernel_fips(n, a);
	os_kargs_split(a, said.text, &tokens);
	for (size_t i = 0; i < tokens.n; i++)
		for (size_t k = 0; k < want->spec.kargs.n; k++)
			if (str_eq(tokens.v[i], want->spec.kargs.v[k])) {
				VEC_PUSH(a, &out->spec.kargs, tokens.v[i]);
				break;
			}
	return 0;
}

static int drop_revert_unit(struct node *n, struct arena *a, struct err *err)
{
	static const char *const files[] = {
		TREE_UNITS "/" REVERT, "/etc/mco/machineconfig-revert.json",
		"/etc/mco/proxy.env.backup"
	};
	struct strs units = { 0 };
	int rc;

	if (!tree_exists(&n->tree, files[0]))
		return 0;
	VEC_PUSH(a, &units, S(REVERT));
	rc = node_enable(n, a, &units, false, err);
	for (size_t i = 0; rc == 0 && i < 3; i++)
		rc = tree_remove(&n->tree, files[i], err);
	return rc;
}

static int apply_firstboot(struct node *n, struct arena *a, const char *file,
			   const struct mc_current *old,
			   const struct mc_current *to, struct err *err)
{
	int rc;

	n->skip_reboot = true;
	rc = node_update_alone(n, a, old, to, err);
	if (rc == 0 && strcmp(file, NODE_ENCAPSULATED) == 0) {
		rc = tree_rename(&n->tree, NODE_ENCAPSULATED,
				 NODE_ENCAPSULATED ".bak", err);
		if (rc < 0)
			rc = err_wrap(err, "failed to rename encapsulated "
					   "MachineConfig after processing on "
					   "firstboot");
	}
	if (rc == 0)
		rc = drop_revert_unit(n, a, err);
	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	n->skip_reboot = false;
	return rc < 0 ? rc
		      : node_reboot(n, a,
				    str_fmt(a,
					    "Completing firstboot provisioning "
					    "to %.*s",
					    STRF(to->name))
					    .p,
				    err);
}

int node_complete_firstboot(struct node *n, struct arena *a, const char *file,
			    struct err *err)
{
	struct update_changes c;
	struct mc_current to = { 0 }, old = { 0 };
	bool new_enough = false;
	struct str text = S("");
	int rc = tree_read(a, &n->tree, file, CONFIG_MAX, &text, err);

	if (rc == 0 && mc_current_parse(a, text, &to, err) < 0)
		rc = err_wrap(err, "failed to parse MachineConfig");
	if (rc == 0)
		rc = node_new_enough(n, a, &new_enough, err);
	if (rc < 0)
		return rc;
	if (!new_enough || !skopeo_will_do(n, a, to.spec.os_image))
		return update_via_container(n, a, to.spec.os_image, err);
	log_info("rpm-ostree has container feature");
	rc = running_config(n, a, &to, &old, err);
	if (rc < 0)
		return rc;
	update_changes(a, &old.spec, &to.spec,
		       tree_exists(&n->tree, STEPS_FORCE), &c);
	if (!update_nothing(&c)) {
		host_log(&n->host, "Changes detected from %.*s to %.*s: %.*s",
			 STRF(old.name), STRF(to.name),
			 STRF(update_changes_text(a, &c, false, false)));
		return apply_firstboot(n, a, file, &old, &to, err);
	}
	host_log(&n->host, "No changes from %.*s to %.*s", STRF(old.name),
		 STRF(to.name));
	rc = tree_remove(&n->tree, NODE_ENCAPSULATED, err);
	if (rc == 0)
		rc = tree_sync(&n->tree, err);
	if (rc < 0)
		return err_wrap(err, "failed to remove " NODE_ENCAPSULATED);
	host_log(&n->host,
		 "skipping reboot since no changes were detected from %.*s to "
		 "%.*s",
		 STRF(old.name), STRF(to.name));
	return 0;
}

/* ---- network interfaces ------------------------------------------------------------------ */

int node_persist_nics(struct node *n, struct arena *a, struct err *err)
{
	bool inside = strcmp(n->tree.root, "/") == 0;
	char *out = str_z(a, S("/tmp/nmstate-kargs0"));
	struct args args = { .a = a };
	struct err ignored = ERR_INIT(a);
	struct host here = n->host;
	struct str text, word;
	int rc;

	if (!n->os.el || n->os.major < 8)
		return 0;
	here.chroot = false;
	rc = HOST_RUN(a, &here, HOST_SYNC, NULL, err,
		      getenv("MCO_HOST_PATH") ? "nmstatectl"
		      : inside ? "/run/machine-config-daemon-bin/nmstatectl"
			       : "/usr/bin/nmstatectl",
		      "persist-nic-names", "--root", n->tree.root,
		      "--kargs-out", out,
		      n->os.major >= 10 ? "--cleanup" : NULL);
	if (rc < 0 && n->os.major >= 10)
		return 0;
	if (rc < 0)
		return err_wrap(err, "failed to run nmstatectl");
	if (tree_read(a, &n->tree, out, CONFIG_MAX, &text, &ignored) < 0)
		return 0;
	text = str_trim(text);
	args_add(&args, "rpm-ostree");
	args_add(&args, "kargs");
	while (text.n) {
		if (!str_cut(text, ' ', &word, &text)) {
			word = text;
			text = S("");
		}
		args_add(&args, n->os.major >= 10 ? "--remove" : "--append");
		args_add(&args, str_z(a, word));
	}
	(void)tree_remove(&n->tree, out, &ignored);
	if (args.n == 2)
		return 0;
	rc = host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
	return rc < 0 ? err_wrap(err, "failed to run rpm-ostree kargs") : 0;
}
