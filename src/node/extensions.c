/*
 * Extension packages: layered by rpm-ostree from a repository that is extracted from the extensions
 * image. The repository exists only while the OS is changed: the journal lists EXTENSIONS_REPO, so
 * an undo removes one that a power cut left behind.
 */
#include "node/extensions.h"

#include <sys/wait.h>

#include "base/backoff.h"
#include "io/clock.h"
#include "node/deployment.h"
#include "podman.h"
#include "rpm_ostree.h"

#define CONTENT_DIR "/run/mco-extensions"
#define PIVOT "--annotation=org.openshift.machineconfigoperator.pivot=true"

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

int extensions_change(struct node *n, struct arena *a, const struct mc_merged *from,
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

/* ---- the repository ------------------------------------------------------ */

/* Runs podman at low priority: six attempts over two and a half minutes. */
static int podman(struct node *n, struct arena *a, struct args *args, struct err *err)
{
	const char *const *argv = args_end(args);
	struct host_out out = { 0 };
	struct err local = ERR_INIT(a);
	struct buf words;

	for (unsigned i = 0; i < 6; i++) {
		if (i)
			clock_sleep_ms(backoff_ms(n->retry_ms / 2, BACKOFF_NO_CAP, i - 1));
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
	if (tree_exists(&n->tree, PODMAN_AUTH))
		args_words(&args, "--authfile " PODMAN_AUTH);
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

int extensions_add_repo(struct node *n, struct arena *a, struct str image, char **dir,
			struct err *err)
{
	struct err ignored = ERR_INIT(a);
	char *z = str_z(a, image);
	char *name = str_z(a, str_fmt(a, "ostree-container-pivot-%.*s", STRF(podman_uuid(a))));
	struct host_out out = { 0 };
	struct os_image found = { 0 };
	int rc;

	*dir = str_z(a, str_fmt(a, CONTENT_DIR "/os-extensions-content-%.*s",
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
	return tree_put(&n->tree, EXTENSIONS_REPO,
			str_fmt(a,
				"[coreos-extensions]\nenabled=1\n"
				"metadata_expire=1m\nbaseurl=%s/usr/share/"
				"rpm-ostree/extensions/\ngpgcheck=0\n"
				"skip_if_unavailable=False\n",
				*dir),
			err);
}
