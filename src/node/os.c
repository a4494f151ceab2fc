/*
 * The OS image, kernel arguments, kernel and extensions, through rpm-ostree. It
 * stages what it is told for the next boot, so `cleanup -p` takes all of it back.
 */
#include "io/log.h"
#include "os.h"

#define REPO "/etc/yum.repos.d/coreos-extensions.repo"
#define EXTENSIONS_DIR "/run/mco-extensions"
#define PIVOT "--annotation=org.openshift.machineconfigoperator.pivot=true"

/* ---- kernel and extensions ------------------------------------------------------------------ */

static int switch_kernel(struct node *n, struct arena *a, struct str from,
			 struct str to, struct err *err)
{
	struct strs words = { 0 };

	if (!n->os.el || str_is(to, "default"))
		return 0;
#ifndef __aarch64__
	if (str_is(to, "64k-pages"))
		return err_set(err, ERR_INVALID,
			       "64k-pages is only supported for aarch64 "
			       "architecture");
#endif
	host_log(&n->host, "%s %.*s",
		 str_eq(from, to) ? "Re-applying kernel type"
				  : "Initiating switch to kernel",
		 STRF(to));
	os_kernel_switch(a, to, &words);
	return os_rpm_ostree(n, a, &words, err);
}

static int check_staged(struct node *n, struct arena *a,
			const struct strs *extensions, struct err *err)
{
	struct strs want = { 0 }, missing = { 0 };
	struct os_status s = { 0 };
	int rc = node_os_status(n, a, &s, err);

	if (rc < 0)
		return rc;
	if (!s.staged)
		return err_set(err, ERR_SYS,
			       "no staged deployment found after applying "
			       "extensions");
	os_extension_packages(a, extensions, &want);
	os_missing(a, &want, &s.staged_packages, &missing);
	return missing.n ? err_set(err, ERR_SYS,
				   "the following extension packages are "
				   "missing from the staged deployment: %.*s",
				   STRF(os_list(a, &missing)))
			 : 0;
}

static int change_extensions(struct node *n, struct arena *a,
			     const struct mc_merged *from,
			     const struct mc_merged *to, struct err *err)
{
	struct strs words = { 0 }, none = { 0 };
	struct os_status s = { 0 };
	struct buf b;
	int rc;

	if (!n->os.el || (!from->extensions.n && !to->extensions.n) ||
	    (strs_eq(&from->extensions, &to->extensions) &&
	     str_eq(from->os_image, to->os_image)))
		return 0;
	rc = os_extension_args(a, &none, &to->extensions, &words, err);
	if (rc == 0)
		rc = node_os_status(n, a, &s, err);
	words = none;
	if (rc == 0)
		rc = os_extension_args(a, &s.packages, &to->extensions, &words,
				       err);
	if (rc < 0)
		return rc;
	if (!words.n) {
		host_log(&n->host, "No extension updates required");
		return 0;
	}
	buf_init(&b, a);
	for (size_t i = 0; i < words.n; i++)
		buf_addf(&b, "%s\"%.*s\"", i ? " " : "", STRF(words.v[i]));
	host_log(&n->host, "Applying extensions : [%s]", b.p);
	rc = os_rpm_ostree(n, a, &words, err);
	return rc < 0 ? rc : check_staged(n, a, &to->extensions, err);
}

/* ---- the extensions' repository ---------------------------------------------------------------- */

static int pull_image(struct node *n, struct arena *a, const char *image,
		      struct err *err)
{
	struct args args = { .a = a };
	struct host_out out = { 0 };
	int64_t wait = n->retry_ms / 2;
	struct err local = ERR_INIT(a);

	args_add(&args, "nice");
	args_add(&args, "--");
	args_add(&args, "ionice");
	args_add(&args, "-c");
	args_add(&args, "3");
	args_add(&args, "podman");
	args_add(&args, "pull");
	args_add(&args, "-q");
	if (tree_exists(&n->tree, OS_KUBELET_AUTH)) {
		args_add(&args, "--authfile");
		args_add(&args, OS_KUBELET_AUTH);
	}
	args_add(&args, image);
	for (int i = 0; i < 6; i++) {
		if (host_run(a, &n->host, HOST_SILENT, args_end(&args), &out,
			     &local) == 0 &&
		    out.status == 0)
			return 0;
		os_pause(wait);
		wait *= 2;
	}
	return err_set(err, ERR_SYS,
		       "failed to run command nice (6 tries): [timed out "
		       "waiting for the condition, running nice -- ionice -c 3 "
		       "podman pull failed: %.*s: %.*s]",
		       STRF(local.msg.n ? local.msg : out.text),
		       STRF(host_status_text(a, out.status)));
}

static int extract(struct node *n, struct arena *a, const char *image,
		   const char *name, const char *dir, struct err *err)
{
	struct host_out out = { 0 };
	int rc = HOST_RUN(a, &n->host, HOST_CAPTURE, &out, err, "podman",
			  "create", "--net=none", PIVOT, "--name", name, image);
	char *from;

	if (rc < 0)
		return rc;
	from = str_z(a, str_fmt(a, "%.*s:/", STRF(str_trim(out.text))));
	rc = HOST_RUN(a, &n->host, HOST_SILENT, &out, err, "nice", "--",
		      "ionice", "-c", "3", "podman", "cp", from, dir);
	if (rc == 0 && out.status != 0)
		rc = err_set(err, ERR_SYS, "podman cp: %.*s: %.*s",
			     STRF(out.text),
			     STRF(host_status_text(a, out.status)));
	return rc < 0 ? rc
		      : HOST_RUN(a, &n->host, HOST_SYNC, NULL, err, "chcon",
				 "-R", "-t", "var_run_t", dir);
}

static int add_repo(struct node *n, struct arena *a, struct str image,
		    char **dir, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	char *z = str_z(a, image);
	char *name = str_z(
		a, str_fmt(a, "ostree-container-pivot-%.*s", STRF(os_uuid(a))));
	struct host_out out = { 0 };
	int rc;

	*dir = str_z(a, str_fmt(a, EXTENSIONS_DIR "/os-extensions-content-%.*s",
				STRF(str_sub(os_uuid(a), 0, 8))));
	rc = tree_mkdirs(&n->tree, *dir, 0755, -1, -1, err);
	if (rc == 0 && !os_has_image(n, a, image))
		rc = pull_image(n, a, z, err);
	if (rc < 0)
		return rc;
	rc = extract(n, a, z, name, *dir, err);
	(void)HOST_RUN(a, &n->host, HOST_SILENT, &out, &ignored, "podman",
		       "kill", name);
	(void)HOST_RUN(a, &n->host, HOST_SILENT, &out, &ignored, "podman", "rm",
		       "-f", name);
	if (rc < 0)
		return rc;
	return tree_write(&n->tree, REPO,
			  str_fmt(a,
				  "[coreos-extensions]\nenabled=1\n"
				  "metadata_expire=1m\nbaseurl=%s/usr/share/"
				  "rpm-ostree/extensions/\ngpgcheck=0\n"
				  "skip_if_unavailable=False\n",
				  *dir),
			  TREE_DEFAULT, err);
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static int clean_pending(struct node *n, struct arena *a, struct err *err)
{
	return HOST_RUN(a, &n->host, HOST_SYNC, NULL, err, "rpm-ostree",
			"cleanup", "-p");
}

static int change_kargs(struct node *n, struct arena *a,
			const struct strs *from, const struct strs *to,
			struct err *err)
{
	struct strs words = { 0 };

	VEC_PUSH(a, &words, S("kargs"));
	os_kargs_args(a, from, to, &words);
	if (words.n == 1)
		return 0;
	host_log(&n->host, "Running rpm-ostree %.*s", STRF(os_list(a, &words)));
	return os_rpm_ostree(n, a, &words, err);
}

static int reset_kernel(struct node *n, struct arena *a, struct err *err)
{
	struct strs words = { 0 };
	struct os_status s = { 0 };
	int rc = node_os_status(n, a, &s, err);

	if (rc == 0)
		os_kernel_reset(a, &s, &words);
	return rc < 0 || !words.n ? rc : os_rpm_ostree(n, a, &words, err);
}

struct change {
	struct update_changes c;
	const struct mc_current *from, *to;
	bool ocl;
};

static int stage(struct node *n, struct arena *a, const struct change *ch,
		 struct err *err)
{
	const struct mc_merged *from = &ch->from->spec, *to = &ch->to->spec;
	bool kernel = ch->c.os_image || ch->c.kernel_type;
	int rc = 0;

	if (!ch->ocl && kernel)
		rc = reset_kernel(n, a, err);
	if (rc == 0 && ch->c.os_image)
		rc = os_update_image(n, a, to->os_image, err);
	if (rc < 0)
		return rc;
	if (ch->c.os_image)
		node_event(n, "OSUpgradeApplied",
			   "OS upgrade applied; new MachineConfig (%.*s) has "
			   "new OS image (%.*s)",
			   STRF(ch->to->name), STRF(to->os_image));
	else
		node_event(n, "OSUpgradeSkipped",
			   "OS upgrade skipped; new MachineConfig (%.*s) has "
			   "same OS image (%.*s) as old MachineConfig (%.*s)",
			   STRF(ch->to->name), STRF(to->os_image),
			   STRF(ch->from->name));
	if (ch->c.kargs)
		rc = change_kargs(n, a, &from->kargs, &to->kargs, err);
	if (rc < 0 || ch->ocl)
		return rc;
	if (kernel)
		rc = switch_kernel(n, a, from->kernel_type, to->kernel_type,
				   err);
	return rc < 0 ? rc : change_extensions(n, a, from, to, err);
}

static struct str reasons(struct arena *a, const struct change *ch)
{
	const struct {
		bool on;
		const char *text;
	} all[] = {
		{ ch->c.os_image, "Upgrading OS" },
		{ ch->c.extensions, "Installing extensions" },
		{ ch->c.kernel_type, "Changing kernel type" },
		{ ch->c.kargs, "Changing kernel arguments" },
	};
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].on)
			buf_addf(&b, "%s%s", b.n ? "; " : "", all[i].text);
	if (!b.n)
		buf_addf(&b, "Updating to a target config with %.*s kernel",
			 STRF(ch->to->spec.kernel_type));
	return buf_str(&b);
}

static int change_layers(struct node *n, struct arena *a, struct change *ch,
			 struct err *err)
{
	const struct mc_merged *from = &ch->from->spec, *to = &ch->to->spec;
	bool layered = from->extensions.n || to->extensions.n ||
		       !str_is(from->kernel_type, "default") ||
		       !str_is(to->kernel_type, "default");
	struct err ignored = ERR_INIT(a), cleaning = ERR_INIT(a);
	char *dir = NULL;
	int rc = 0;

	if (to->extensions_image.n && layered && !ch->ocl)
		rc = add_repo(n, a, to->extensions_image, &dir, err);
	if (rc == 0) {
		rc = clean_pending(n, a, err);
		if (rc < 0)
			rc = err_wrap(err,
				      "failed to remove pending deployment");
		else
			rc = stage(n, a, ch, err);
		if (rc < 0 && clean_pending(n, a, &cleaning) < 0)
			rc = err_set(err, ERR_SYS,
				     "error removing staged deployment: "
				     "[%.*s, %.*s]",
				     STRF(cleaning.msg), STRF(err->msg));
	}
	if (dir) {
		(void)tree_remove_all(&n->tree, dir, &ignored);
		(void)tree_remove(&n->tree, REPO, &ignored);
	}
	return rc;
}

int node_change_os(struct node *n, struct arena *a, struct update_changes c,
		   const struct mc_current *from, const struct mc_current *to,
		   bool ocl, struct err *err)
{
	struct change ch = { c, from, to, ocl };
	const struct map *guard = n->tree.allowed;
	struct err ignored = ERR_INIT(a);
	struct os_status s = { 0 };
	int rc;

	if (c.os_image || c.extensions || c.kernel_type || ocl)
		node_event(n, "InClusterUpgrade",
			   "Updating from oscontainer %.*s",
			   STRF(to->spec.os_image));
	else if (!c.kargs && str_is(to->spec.kernel_type, "default"))
		return 0;
	node_event(n, "OSUpdateStarted", "%.*s", STRF(reasons(a, &ch)));
	if (c.os_image &&
	    (n->booted_image.n || node_os_status(n, a, &s, &ignored) == 0)) {
		struct str booted =
			n->booted_image.n ? n->booted_image : s.image;

		if (str_eq(booted, to->spec.os_image)) {
			log_info("Already in desired image %.*s",
				 STRF(to->spec.os_image));
			ch.c.os_image = false;
		}
	}
	/* what it writes itself is gone when it is done */
	n->tree.allowed = NULL;
	rc = change_layers(n, a, &ch, err);
	n->tree.allowed = guard;
	if (rc == 0)
		node_event(n, "OSUpdateStaged", "Changes to OS staged");
	return rc;
}
