/*
 * The OS image, kernel arguments, kernel and extensions, through rpm-ostree. It
 * stages what it is told for the next boot, so `cleanup -p` takes all of it back.
 */
#include "os_change.h"

#include <sys/wait.h>

#include "io/clock.h"
#include "io/log.h"

#define EXTENSIONS_DIR "/run/mco-extensions"
#define PIVOT "--annotation=org.openshift.machineconfigoperator.pivot=true"

/* ---- kernel and extensions ----------------------------------------------- */

static int switch_kernel(struct node *n, struct arena *a, struct str from, struct str to,
			 struct err *err)
{
	struct strs words = { 0 };

	if (!n->os.el || str_is(to, "default"))
		return 0;
#ifndef __aarch64__
	if (str_is(to, "64k-pages"))
		return err_set(err, ERR_INVALID, OS_64K_REFUSED);
#endif
	host_log(&n->host, "%s %.*s",
		 str_eq(from, to) ? "Re-applying kernel type" : "Initiating switch to kernel",
		 STRF(to));
	os_kernel_switch(a, to, &words);
	return rpm_ostree_run(n, a, &words, err);
}

static int check_staged(struct node *n, struct arena *a, const struct strs *extensions,
			struct err *err)
{
	struct strs want = { 0 }, missing = { 0 };
	struct os_status s = { 0 };
	int rc = deployment_status(n, a, &s, err);

	if (rc < 0)
		return err_wrap(err, "failed to get staged deployment");
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

static int change_extensions(struct node *n, struct arena *a, const struct mc_merged *from,
			     const struct mc_merged *to, struct err *err)
{
	struct strs words = { 0 }, none = { 0 };
	struct os_status s = { 0 };
	struct buf b;
	int rc;

	if (!n->os.el || (!from->extensions.n && !to->extensions.n) ||
	    (strs_eq(&from->extensions, &to->extensions) && str_eq(from->os_image, to->os_image)))
		return 0;
	rc = os_extension_args(a, &none, &to->extensions, &words, err);
	if (rc < 0)
		return rc;
	words = none;
	rc = deployment_status(n, a, &s, err);
	if (rc < 0)
		return err_wrap(err, "%s",
				str_is(err->msg, "no booted deployment found")
					? "failed to get booted deployment"
					: "failed to query rpm-ostree status");
	rc = os_extension_args(a, &s.packages, &to->extensions, &words, err);
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
	rc = rpm_ostree_run(n, a, &words, err);
	return rc < 0 || !to->extensions.n ? rc : check_staged(n, a, &to->extensions, err);
}

int extensions_check(struct node *n, struct arena *a, const struct mc_merged *spec, struct err *err)
{
	struct strs want = { 0 }, missing = { 0 };

	if (!n->os.el || n->offline)
		return 0;
	os_extension_packages(a, &spec->extensions, &want);
	for (size_t i = 0; i < want.n; i++) {
		struct host_out out = { 0 };
		int rc = host_cmd(a, &n->host, HOST_SILENT, &out, err, "rpm -q %s",
				  str_z(a, want.v[i]));

		if (rc < 0 || (out.status && WEXITSTATUS(out.status) != 1))
			return err_set(err, ERR_SYS,
				       "extension package verification failed: "
				       "failed to query RPM database for package "
				       "\"%.*s\": %.*s: %.*s",
				       STRF(want.v[i]), STRF(host_status_text(a, out.status)),
				       STRF(str_trim(out.text)));
		if (out.status)
			VEC_PUSH(a, &missing, want.v[i]);
	}
	return missing.n ? err_set(err, ERR_SYS,
				   "extension package verification failed: "
				   "the following extension packages are "
				   "missing from the RPM database: %.*s",
				   STRF(os_list(a, &missing)))
			 : 0;
}

bool deployment_finalize_error(struct node *n, struct arena *a, struct str *out)
{
	struct err err = ERR_INIT(a);
	struct host_out said = { 0 };
	struct str line;
	int rc = host_cmd(a, &n->host, HOST_SILENT, &said, &err,
			  "journalctl -b -1 -o cat _UID=0 -u ostree-finalize-staged.service");

	*out = S("");
	if (rc < 0 || said.status) {
		log_warn("failed to query for deployment failure: error "
			 "querying for previous finalization via journalctl: "
			 "%.*s",
			 STRF(rc < 0 ? err.msg : host_status_text(a, said.status)));
		return false;
	}
	while (!out->n && str_line(&said.text, &line))
		if (str_starts(line, S("error:")))
			*out = line;
	if (out->n)
		log_warn("Failed to finalize previous deployment: %.*s", STRF(*out));
	return true;
}

/* ---- the extensions' repository ------------------------------------------ */

/* podman, at a low priority, six times over two and a half minutes. */
static int podman(struct node *n, struct arena *a, struct args *args, struct err *err)
{
	const char *const *argv = args_end(args);
	struct host_out out = { 0 };
	int64_t wait = n->retry_ms / 2;
	struct err local = ERR_INIT(a);
	struct buf words;

	for (int i = 0; i < 6; i++) {
		if (i) {
			clock_sleep_ms(wait);
			wait *= 2;
		}
		if (host_run(a, &n->host, HOST_SILENT, argv, &out, &local) == 0 && out.status == 0)
			return 0;
	}
	buf_init(&words, a);
	for (size_t i = 0; argv[i]; i++)
		buf_addf(&words, "%s ", argv[i]);
	return err_set(err, ERR_SYS,
		       "failed to run command nice (6 tries): [timed out "
		       "waiting for the condition, running %sfailed: %.*s: "
		       "%.*s]",
		       words.p, STRF(local.msg.n ? local.msg : out.text),
		       STRF(host_status_text(a, out.status)));
}

static int pull_image(struct node *n, struct arena *a, const char *image, struct err *err)
{
	struct args args = { .a = a };

	args_words(&args, "nice -- ionice -c 3 podman pull -q");
	if (tree_exists(&n->tree, OS_KUBELET_AUTH))
		args_words(&args, "--authfile " OS_KUBELET_AUTH);
	args_add(&args, image);
	return podman(n, a, &args, err);
}

static int extract(struct node *n, struct arena *a, const char *image, const char *name,
		   const char *dir, struct err *err)
{
	struct host_out out = { 0 };
	struct args args = { .a = a };
	int rc = host_cmd(a, &n->host, HOST_CAPTURE, &out, err,
			  "podman create --net=none " PIVOT " --name %s %s", name, image);

	if (rc < 0)
		return rc;
	args_words(&args, "nice -- ionice -c 3 podman cp %s %s",
		   str_z(a, str_fmt(a, "%.*s:/", STRF(str_trim(out.text)))), dir);
	rc = podman(n, a, &args, err);
	if (rc < 0)
		return rc;
	rc = node_do(n, a, "chcon -R -t var_run_t %s", dir, err);
	return rc < 0 ? err_wrap(err, "changing selinux context on path %s", dir) : 0;
}

static int add_repo(struct node *n, struct arena *a, struct str image, char **dir, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	char *z = str_z(a, image);
	char *name = str_z(a, str_fmt(a, "ostree-container-pivot-%.*s", STRF(podman_uuid(a))));
	struct host_out out = { 0 };
	struct os_image found = { 0 };
	int rc;

	*dir = str_z(a, str_fmt(a, EXTENSIONS_DIR "/os-extensions-content-%.*s",
				STRF(str_sub(podman_uuid(a), 0, 8))));
	rc = tree_mkdirs(&n->tree, *dir, 0755, -1, -1, err);
	if (rc < 0)
		return rc;
	rc = podman_find_image(n, a, image, &found, err);
	if (rc == 0 && !found.there)
		rc = pull_image(n, a, z, err);
	if (rc < 0)
		return err_wrap(err, "error pulling extensions image %s", z);
	rc = extract(n, a, z, name, *dir, err);
	(void)host_cmd(a, &n->host, HOST_SILENT, &out, &ignored, "podman kill %s", name);
	(void)host_cmd(a, &n->host, HOST_SILENT, &out, &ignored, "podman rm -f %s", name);
	if (rc < 0)
		return rc;
	return tree_put(&n->tree, OS_REPO,
			str_fmt(a,
				"[coreos-extensions]\nenabled=1\n"
				"metadata_expire=1m\nbaseurl=%s/usr/share/"
				"rpm-ostree/extensions/\ngpgcheck=0\n"
				"skip_if_unavailable=False\n",
				*dir),
			err);
}

/* ---- all of it ----------------------------------------------------------- */

static int change_kargs(struct node *n, struct arena *a, const struct strs *from,
			const struct strs *to, struct err *err)
{
	struct strs words = { 0 };

	VEC_PUSH(a, &words, S("kargs"));
	os_kargs_args(a, from, to, &words);
	if (words.n == 1)
		return 0;
	host_log(&n->host, "Running rpm-ostree %.*s", STRF(os_list(a, &words)));
	return rpm_ostree_run(n, a, &words, err);
}

static int reset_kernel(struct node *n, struct arena *a, struct err *err)
{
	struct strs words = { 0 };
	struct os_status s = { 0 };
	int rc = deployment_status(n, a, &s, err);

	if (rc == 0)
		os_kernel_reset(a, &s, &words);
	return rc < 0 || !words.n ? rc : rpm_ostree_run(n, a, &words, err);
}

struct change {
	struct update_changes c;
	const struct mc_current *from, *to;
	bool ocl;
};

static int stage(struct node *n, struct arena *a, const struct change *ch, struct err *err)
{
	const struct mc_merged *from = &ch->from->spec, *to = &ch->to->spec;
	bool kernel = ch->c.os_image || ch->c.kernel_type;
	int rc = 0;

	if (!ch->ocl && kernel)
		rc = reset_kernel(n, a, err);
	if (rc == 0 && ch->c.os_image)
		rc = os_image_update(n, a, to->os_image, err);
	node_event(n, "pivot", "%s", rc < 0 ? "1" : "");
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
			   STRF(ch->to->name), STRF(to->os_image), STRF(ch->from->name));
	if (ch->c.kargs)
		rc = change_kargs(n, a, &from->kargs, &to->kargs, err);
	if (rc < 0 || ch->ocl)
		return rc;
	if (kernel)
		rc = switch_kernel(n, a, from->kernel_type, to->kernel_type, err);
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
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (all[i].on)
			buf_addf(&b, "%s%s", b.n ? "; " : "", all[i].text);
	if (!b.n)
		buf_addf(&b, "Updating to a target config with %.*s kernel",
			 STRF(ch->to->spec.kernel_type));
	return buf_str(&b);
}

static int change_layers(struct node *n, struct arena *a, struct change *ch, struct err *err)
{
	const struct mc_merged *from = &ch->from->spec, *to = &ch->to->spec;
	bool layered = from->extensions.n || to->extensions.n ||
		       !str_is(from->kernel_type, "default") || !str_is(to->kernel_type, "default");
	struct err ignored = ERR_INIT(a), cleaning = ERR_INIT(a);
	char *dir = NULL;
	int rc = 0;

	if (to->extensions_image.n && layered && !ch->ocl) {
		os_image_pulling(n, "extensions", to->extensions_image);
		rc = os_image_pulled(n, "extensions", to->extensions_image,
				     add_repo(n, a, to->extensions_image, &dir, err), err);
	}
	if (rc == 0 && deployment_clean_pending(n, a, err) < 0) {
		rc = err_wrap(err, "failed to remove pending deployment");
	} else if (rc == 0) {
		rc = stage(n, a, ch, err);
		/* what it says is not there would stop whoever comes next */
		if (rc == 0 && dir)
			rc = tree_remove(&n->tree, OS_REPO, err);
		if (rc < 0 && deployment_clean_pending(n, a, &cleaning) < 0)
			rc = err_set(err, ERR_SYS,
				     "error removing staged deployment: "
				     "[%.*s, %.*s]",
				     STRF(cleaning.msg), STRF(err->msg));
	}
	if (dir) {
		(void)tree_remove_all(&n->tree, dir, &ignored);
		(void)tree_remove(&n->tree, OS_REPO, &ignored);
	}
	return rc;
}

int os_change(struct node *n, struct arena *a, struct update_changes c,
	      const struct mc_current *from, const struct mc_current *to, bool ocl, struct err *err)
{
	struct change ch = { c, from, to, ocl };
	const struct map *guard = n->tree.allowed;
	struct os_status s = { 0 };
	int rc;

	if (c.os_image || c.extensions || c.kernel_type || ocl)
		node_event(n, "InClusterUpgrade", "Updating from oscontainer %.*s",
			   STRF(to->spec.os_image));
	else if (!c.kargs && str_is(to->spec.kernel_type, "default"))
		return 0;
	node_event(n, "OSUpdateStarted", "%.*s", STRF(reasons(a, &ch)));
	/* staged once more it would not be as it was */
	if (c.os_image && !n->booted_image.n) {
		rc = deployment_status(n, a, &s, err);
		if (rc < 0)
			return rc;
	}
	if (c.os_image &&
	    str_eq(n->booted_image.n ? n->booted_image : s.image, to->spec.os_image)) {
		log_info("Already in desired image %.*s", STRF(to->spec.os_image));
		ch.c.os_image = false;
	}
	/* what it writes itself is gone when it is done */
	n->tree.allowed = NULL;
	rc = change_layers(n, a, &ch, err);
	n->tree.allowed = guard;
	if (rc == 0)
		node_event(n, "OSUpdateStaged", "Changes to OS staged");
	return rc;
}
