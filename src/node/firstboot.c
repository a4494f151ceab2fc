/*
 * The first boot of a machine: Ignition has written the files; this completes what Ignition cannot
 * do, which is the OS image, kernel arguments, kernel and extensions, and then reboots.
 *
 * The config file is renamed only after the update is durable, so a boot that was cut short repeats
 * all of it.
 */
#include "node/firstboot.h"

#include "bootc.h"
#include "io/clock.h"
#include "io/log.h"
#include "node/deployment.h"
#include "node/kernel.h"
#include "node/os_image.h"
#include "node/reboot.h"
#include "node/revert.h"
#include "node/standalone.h"
#include "plan/steps.h"
#include "podman.h"
#include "rpm_ostree.h"

#define CONFIG_MAX ((size_t)64 << 20)

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

/* An older skopeo cannot read the signatures of multi-architecture images. */
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
	if (tree_exists(&n->tree, PODMAN_AUTH))
		args_words(&args, "--authfile " PODMAN_AUTH);
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
	clock_sleep_ms((int64_t)24 * 3600 * 1000); /* until the reboot ends this process */
	return err_set(err, ERR_SYS, "failed to reboot for secondary in-place update");
}

/* The part of the wanted config that the machine already runs. */
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
