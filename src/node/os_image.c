/*
 * The OS image, what the tuning file asks for, and the tools for both.
 */
#include "os_change.h"

#include <sys/random.h>

#include "base/semver.h"
#include "io/clock.h"
#include "io/log.h"

#define SMALL_MAX ((size_t)1 << 20)
#define OLD_POLICY "/etc/machine-config-daemon/policy-for-old-podman.json"

int rpm_ostree_run(struct node *n, struct arena *a, const struct strs *words, struct err *err)
{
	struct args args = { .a = a };

	args_add(&args, "rpm-ostree");
	for (size_t i = 0; i < words->n; i++)
		args_add(&args, str_z(a, words->v[i]));
	return host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
}

int deployment_status(struct node *n, struct arena *a, struct os_status *out, struct err *err)
{
	struct str text;
	int rc;

	if (bootc_manages(n))
		return bootc_status(n, a, out, err);
	rc = node_ask(n, a, "rpm-ostree status --json", NULL, &text, err);
	return rc < 0 ? rc : os_status_parse(a, text, out, err);
}

/* ---- FIPS and the tuning file -------------------------------------------- */

#define FIPS_FILE "/proc/sys/crypto/fips_enabled"

/* What the kernel says in one of its files. */
static bool is_on(struct node *n, struct arena *a, const char *file)
{
	struct err ignored = ERR_INIT(a);
	struct str text;

	return tree_read(a, &n->tree, file, 64, &text, &ignored) == 0 &&
	       str_is(str_trim(text), "1");
}

bool kernel_fips(struct node *n, struct arena *a)
{
	return is_on(n, a, FIPS_FILE);
}

int kernel_check_fips(struct node *n, struct arena *a, const struct mc_merged *to, struct err *err)
{
	struct err local = ERR_INIT(a);
	struct str text;
	int64_t on;
	int rc = tree_read(a, &n->tree, FIPS_FILE, 64, &text, &local);

	if (rc == -ERR_NOTFOUND)
		return 0;
	if (rc < 0)
		return err_set(err, ERR_SYS, "error reading FIPS file at " FIPS_FILE ": %.*s",
			       STRF(local.msg));
	if (!str_to_i64(str_trim(text), &on) || on < 0 || on > 1)
		return err_set(err, ERR_INVALID,
			       "error parsing FIPS file at " FIPS_FILE
			       ": strconv.ParseBool: parsing \"%.*s\": invalid "
			       "syntax",
			       STRF(str_trim(text)));
	if ((on == 1) == to->fips)
		return 0;
	return err_set(err, ERR_INVALID,
		       "detected change to FIPS flag; refusing to modify FIPS "
		       "on a running cluster");
}

struct str kernel_cmdline(struct node *n, struct arena *a)
{
	struct err ignored = ERR_INIT(a);
	struct str text;

	return tree_read(a, &n->tree, "/proc/cmdline", SMALL_MAX, &text, &ignored) < 0 ? S("")
										       : text;
}

static bool has_karg(struct arena *a, struct str cmdline, struct str karg)
{
	return str_find(str_fmt(a, " %.*s ", STRF(str_trim(cmdline))),
			str_fmt(a, " %.*s ", STRF(karg))) >= 0;
}

/* Makes it be there (add), or not; how goes behind --append or --delete. */
static int tune(struct node *n, struct arena *a, struct str karg, bool add, const char *how,
		struct err *err)
{
	bool used = has_karg(a, kernel_cmdline(n, a), karg);
	struct host_out out = { 0 };
	int rc;

	if (!(n->os.el ? str_is(karg, "nosmt") : n->os.fcos)) {
		log_info("%.*s not an allowlisted kernel argument", STRF(karg));
		return 0;
	}
	if (used == add)
		return 0;
	rc = host_cmd(a, &n->host, HOST_SILENT, &out, err, "rpm-ostree kargs %s",
		      str_fmt(a, "--%s%s=%.*s", add ? "append" : "delete", how, STRF(karg)).p);
	if (rc == 0 && out.status)
		rc = err_set(err, ERR_SYS, "%.*s", STRF(host_status_text(a, out.status)));
	return rc < 0 ? err_wrap(err, "failed %s karg", add ? "adding" : "deleting") : 0;
}

/* Every argument of the lines that begin with verb; before: what the kernel was
 * started with when it is to be as it was then. */
static int tune_each(struct node *n, struct arena *a, struct str rest, struct str verb,
		     const struct str *before, struct err *err)
{
	struct str line;
	int rc = 0;

	while (rc == 0 && str_line(&rest, &line)) {
		struct str karg;
		bool was;

		if (!str_starts(line, verb))
			continue;
		karg = str_trim(str_from(line, verb.n));
		was = before && has_karg(a, *before, karg);
		/* going back may be cut short, and done twice */
		rc = before ? tune(n, a, karg, was, was ? "-if-missing" : "-if-present", err)
			    : tune(n, a, karg, str_is(verb, "ADD "), "", err);
	}
	return rc;
}

static int tune_all(struct node *n, struct arena *a, struct str text, const struct str *before,
		    struct err *err)
{
	int rc = tune_each(n, a, text, S("ADD "), before, err);

	return rc < 0 ? rc : tune_each(n, a, text, S("DELETE "), before, err);
}

int kernel_tune(struct node *n, struct arena *a, struct str text, struct err *err)
{
	return tune_all(n, a, text, NULL, err);
}

int kernel_tune_back(struct node *n, struct arena *a, struct str text, struct str before,
		     struct err *err)
{
	return tune_all(n, a, text, &before, err);
}

/* ---- helpers in containers ----------------------------------------------- */

struct str podman_uuid(struct arena *a)
{
	unsigned char r[16] = { 0 };
	struct buf b;

	(void)getrandom(r, sizeof(r), 0);
	r[6] = (unsigned char)((r[6] & 0x0F) | 0x40);
	r[8] = (unsigned char)((r[8] & 0x3F) | 0x80);
	buf_init(&b, a);
	for (size_t i = 0; i < sizeof(r); i++)
		buf_addf(&b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", r[i]);
	return buf_str(&b);
}

/* Older ones cannot read signatures kept beside images; nor can what does not
 * say how old it is. */
static bool old_podman(struct node *n, struct arena *a)
{
	struct err err = ERR_INIT(a);
	struct semver v = { 0 }, min = { 0 };
	struct host_out out = { 0 };

	if (host_cmd(a, &n->host, HOST_SILENT, &out, &err, "podman version -f {{.APIVersion}}") ==
		    0 &&
	    out.status == 0 && semver_parse(S("4.4.1"), &min) &&
	    semver_parse(str_trim(out.text), &v))
		return semver_cmp(v, min) < 0;
	log_error("failed to run podman version: %.*s",
		  STRF(err.msg.n ? err.msg : str_trim(out.text)));
	return true;
}

void podman_args(struct args *args, const char *unit)
{
	args_words(args,
		   "systemd-run --unit %s -p "
		   "EnvironmentFile=-/etc/mco/proxy.env --collect --wait -- "
		   "podman",
		   unit);
}

int podman_pull(struct node *n, struct arena *a, const char *unit, const char *auth, bool must,
		struct str image, struct err *err)
{
	struct args args = { .a = a };

	podman_args(&args, unit);
	args_add(&args, "pull");
	if (must || tree_exists(&n->tree, auth))
		args_words(&args, "--authfile %s", auth);
	if (old_podman(n, a) && (must || tree_exists(&n->tree, OLD_POLICY)))
		args_words(&args, "--signature-policy " OLD_POLICY);
	args_add(&args, str_z(a, image));
	return host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
}

int os_image_via_container(struct node *n, struct arena *a, struct str image, struct err *err)
{
	static const char unit[] = "machine-config-daemon-update-rpmostree-via-container";
	struct args args = { .a = a };
	bool enforcing = is_on(n, a, "/sys/fs/selinux/enforce");
	int rc = 0;

	if (enforcing)
		rc = node_do(n, a, "setenforce 0", NULL, err);
	if (rc == 0)
		rc = podman_pull(n, a, unit, OS_KUBELET_AUTH, true, image, err);
	if (rc < 0)
		return rc;
	podman_args(&args, unit);
	args_words(&args,
		   "run --env-file /etc/mco/proxy.env --privileged --pid=host "
		   "--net=host --rm -v /:/run/host %s rpm-ostree ex "
		   "deploy-from-self /run/host",
		   str_z(a, image));
	rc = host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
	if (rc == 0 && enforcing)
		rc = node_do(n, a, "setenforce 1", NULL, err);
	return rc;
}

/* ---- the image ----------------------------------------------------------- */

void deployment_link_secret(struct node *n, struct arena *a, const char *path)
{
	struct err err = ERR_INIT(a);
	struct str text;
	struct json *j;
	bool own = tree_read(a, &n->tree, STEPS_PULL_SECRET, SMALL_MAX, &text, &err) == 0 &&
		   json_parse(a, text, NULL, &j, &err) == 0;

	if (tree_mkdirs(&n->tree,
			str_z(a, str_sub(str_of(path), 0, (size_t)str_rchr(str_of(path), '/'))),
			0544, -1, -1, &err) < 0 ||
	    tree_symlink(&n->tree, own ? STEPS_PULL_SECRET : OS_KUBELET_AUTH, path, &err) < 0)
		log_warn("Error while ensuring access to pull secrets: %.*s", STRF(err.msg));
}

void rpm_ostree_link_secret(struct node *n, struct arena *a)
{
	deployment_link_secret(n, a, "/run/ostree/auth.json");
}

void os_image_pulling(const struct node *n, const char *what, struct str image)
{
	node_event(n, "pull U", "Pulling %s image %.*s from registry", what, STRF(image));
}

int os_image_pulled(const struct node *n, const char *what, struct str image, int rc,
		    const struct err *err)
{
	node_event(n, rc < 0 ? "pull F" : "pull T", "%s %s image %.*s from registry%s%.*s",
		   rc < 0 ? "Failed to pull" : "Successfully pulled", what, STRF(image),
		   rc < 0 ? ": " : "", STRF(rc < 0 ? err->msg : S("")));
	return rc;
}

static bool has_container_feature(struct str text)
{
	struct str line;
	bool inside = false;

	while (str_line(&text, &line)) {
		struct str t = str_trim(line);

		if (str_starts(t, S("Features:")))
			inside = true;
		else if (t.n && t.p[0] != '-')
			inside = false;
		if (inside &&
		    (str_is(t, "- container") || str_find(t, S("[container")) >= 0 ||
		     str_find(t, S(" container,")) >= 0 || str_find(t, S(" container]")) >= 0))
			return true;
	}
	return false;
}

int rpm_ostree_reads_images(struct node *n, struct arena *a, bool *out, struct err *err)
{
	struct str text;
	int rc = node_ask(n, a, "rpm-ostree --version", NULL, &text, err);

	if (rc == 0)
		*out = has_container_feature(text);
	return rc;
}

/* The cluster's DNS may be restarting: three tries over half a minute. */
static int rebase(struct node *n, struct arena *a, struct str image, struct err *err)
{
	struct err last = ERR_INIT(a);
	int64_t wait = n->retry_ms;
	char *ref = str_z(a, str_fmt(a, "ostree-unverified-registry:%.*s", STRF(image)));

	for (int i = 0; i < 3; i++) {
		rpm_ostree_link_secret(n, a);
		if (node_do(n, a, "rpm-ostree rebase --experimental %s", ref, &last) == 0)
			return 0;
		log_warn("Failed to update OS to %.*s (will retry): %.*s", STRF(image),
			 STRF(last.msg));
		clock_sleep_ms(wait);
		wait *= 2;
	}
	return err_set(err, ERR_SYS,
		       "failed to update OS to %.*s after retries: %.*s: timed "
		       "out waiting for the condition",
		       STRF(image), STRF(last.msg));
}

int os_image_update(struct node *n, struct arena *a, struct str image, struct err *err)
{
	struct err local = ERR_INIT(a);
	struct os_image found = { 0 };
	bool new_enough = false;
	int rc;

	log_info("Updating OS to layered image \"%.*s\"", STRF(image));
	if (bootloader_update(n, a, image, &local) < 0)
		log_warn("bootloader update failed: %.*s", STRF(local.msg));
	if (bootc_manages(n)) {
		os_image_pulling(n, "OS", image);
		return os_image_pulled(n, "OS", image, bootc_switch(n, a, image, err), err);
	}
	rc = rpm_ostree_reads_images(n, a, &new_enough, err);
	if (rc == 0 && new_enough && n->pinned)
		rc = podman_find_image(n, a, image, &found, err);
	if (rc < 0)
		return rc;
	if (found.digest.n)
		return os_local_rebase(n, a, &found, err);
	if (new_enough) {
		os_image_pulling(n, "OS", image);
		return os_image_pulled(n, "OS", image, rebase(n, a, image, err), err);
	}
	host_log(&n->host, "rpm-ostree is not new enough for layering; forcing "
			   "an update via container");
	return os_image_via_container(n, a, image, err);
}
