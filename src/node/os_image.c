/*
 * The OS image, what the tuning file asks for, and the tools for both.
 */
#include "os.h"

#include <sys/random.h>
#include <time.h>

#include "base/semver.h"
#include "io/log.h"

#define SMALL_MAX ((size_t)1 << 20)
#define OLD_POLICY "/etc/machine-config-daemon/policy-for-old-podman.json"

void os_pause(int64_t ms)
{
	struct timespec t = { .tv_sec = ms / 1000,
			      .tv_nsec = (ms % 1000) * 1000000 };

	(void)nanosleep(&t, NULL);
}

int os_rpm_ostree(struct node *n, struct arena *a, const struct strs *words,
		  struct err *err)
{
	struct args args = { .a = a };

	args_add(&args, "rpm-ostree");
	for (size_t i = 0; i < words->n; i++)
		args_add(&args, str_z(a, words->v[i]));
	return host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
}

int node_os_status(struct node *n, struct arena *a, struct os_status *out,
		   struct err *err)
{
	struct host_out said = { 0 };
	int rc = HOST_RUN(a, &n->host, HOST_CAPTURE, &said, err, "rpm-ostree",
			  "status", "--json");

	return rc < 0 ? rc : os_status_parse(a, said.text, out, err);
}

/* ---- FIPS and the tuning file ----------------------------------------------------- */

#define FIPS_FILE "/proc/sys/crypto/fips_enabled"

bool node_kernel_fips(struct node *n, struct arena *a)
{
	struct err ignored = ERR_INIT(a);
	struct str text;

	return tree_read(a, &n->tree, FIPS_FILE, 64, &text, &ignored) == 0 &&
	       str_is(str_trim(text), "1");
}

int node_check_fips(struct node *n, struct arena *a, const struct mc_merged *to,
		    struct err *err)
{
	struct err local = ERR_INIT(a);
	struct str text;
	int64_t on;
	int rc = tree_read(a, &n->tree, FIPS_FILE, 64, &text, &local);

	if (rc == -ERR_NOTFOUND)
		return 0;
	if (rc < 0)
		return err_set(err, ERR_SYS,
			       "error reading FIPS file at " FIPS_FILE ": %.*s",
			       STRF(local.msg));
	if (!str_to_i64(str_trim(text), &on))
		return err_set(err, ERR_INVALID,
			       "error parsing FIPS file at " FIPS_FILE);
	if ((on == 1) == to->fips)
		return 0;
	return err_set(err, ERR_INVALID,
		       "detected change to FIPS flag; refusing to modify FIPS "
		       "on a running cluster");
}

static int tune(struct node *n, struct arena *a, struct str line,
		struct str cmdline, struct err *err)
{
	bool add = str_starts(line, S("ADD "));
	struct str karg = str_trim(str_from(line, add ? 4 : 7));
	bool used = str_find(str_fmt(a, " %.*s ", STRF(str_trim(cmdline))),
			     str_fmt(a, " %.*s ", STRF(karg))) >= 0;
	struct strs words = { 0 };
	int rc;

	if (!(n->os.el ? str_is(karg, "nosmt") : n->os.fcos)) {
		log_info("%.*s not an allowlisted kernel argument", STRF(karg));
		return 0;
	}
	if (used == add)
		return 0;
	VEC_PUSH(a, &words, S("kargs"));
	VEC_PUSH(
		a, &words,
		str_fmt(a, "--%s=%.*s", add ? "append" : "delete", STRF(karg)));
	rc = os_rpm_ostree(n, a, &words, err);
	return rc < 0 ? err_wrap(err, "failed %s karg",
				 add ? "adding" : "deleting")
		      : 0;
}

int node_tune_kernel(struct node *n, struct arena *a, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct str text = S(""), line, cmdline = S("");
	int rc = 0;

	if (tree_read(a, &n->tree, "/etc/pivot/kernel-args", SMALL_MAX, &text,
		      &ignored) < 0)
		return 0;
	if (tree_read(a, &n->tree, "/proc/cmdline", SMALL_MAX, &cmdline,
		      &ignored) < 0)
		cmdline = S("");
	while (rc == 0 && str_line(&text, &line))
		if (str_starts(line, S("ADD ")) ||
		    str_starts(line, S("DELETE ")))
			rc = tune(n, a, line, cmdline, err);
	return rc;
}

/* ---- helpers in containers ---------------------------------------------------------- */

struct str os_uuid(struct arena *a)
{
	unsigned char r[16] = { 0 };
	struct buf b;

	(void)getrandom(r, sizeof(r), 0);
	r[6] = (unsigned char)((r[6] & 0x0F) | 0x40);
	r[8] = (unsigned char)((r[8] & 0x3F) | 0x80);
	buf_init(&b, a);
	for (size_t i = 0; i < sizeof(r); i++)
		buf_addf(&b, "%s%02x",
			 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			 r[i]);
	return buf_str(&b);
}

/* Older ones cannot read signatures kept beside images. */
static bool old_podman(struct node *n, struct arena *a)
{
	struct err ignored = ERR_INIT(a);
	struct semver v = { 0 }, min = { 0 };
	struct host_out out;

	return semver_parse(S("4.4.1"), &min) &&
	       HOST_RUN(a, &n->host, HOST_SILENT, &out, &ignored, "podman",
			"version", "-f", "{{.APIVersion}}") == 0 &&
	       out.status == 0 && semver_parse(str_trim(out.text), &v) &&
	       semver_cmp(v, min) < 0;
}

static void systemd_run(struct args *args, const char *unit)
{
	static const char *const words[] = {
		"-p",	     "EnvironmentFile=-/etc/mco/proxy.env",
		"--collect", "--wait",
		"--",	     "podman"
	};

	args_add(args, "systemd-run");
	args_add(args, "--unit");
	args_add(args, unit);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		args_add(args, words[i]);
}

static int pull_by_systemd(struct node *n, struct arena *a, const char *unit,
			   const char *auth, struct str image, struct err *err)
{
	struct args args = { .a = a };

	systemd_run(&args, unit);
	args_add(&args, "pull");
	args_add(&args, "--authfile");
	args_add(&args, auth);
	if (old_podman(n, a)) {
		args_add(&args, "--signature-policy");
		args_add(&args, OLD_POLICY);
	}
	args_add(&args, str_z(a, image));
	return host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
}

int node_via_container(struct node *n, struct arena *a, struct str image,
		       struct err *err)
{
	static const char unit[] =
		"machine-config-daemon-update-rpmostree-via-container";
	static const char *const words[] = {
		"run",		"--env-file", "/etc/mco/proxy.env",
		"--privileged", "--pid=host", "--net=host",
		"--rm",		"-v",	      "/:/run/host"
	};
	struct err ignored = ERR_INIT(a);
	struct args args = { .a = a };
	struct str text;
	bool enforcing = tree_read(a, &n->tree, "/sys/fs/selinux/enforce", 64,
				   &text, &ignored) == 0 &&
			 str_is(str_trim(text), "1");
	int rc = 0;

	if (enforcing)
		rc = HOST_RUN(a, &n->host, HOST_SYNC, NULL, err, "setenforce",
			      "0");
	if (rc == 0)
		rc = pull_by_systemd(n, a, unit, OS_KUBELET_AUTH, image, err);
	if (rc < 0)
		return rc;
	systemd_run(&args, unit);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		args_add(&args, words[i]);
	args_add(&args, str_z(a, image));
	args_add(&args, "rpm-ostree");
	args_add(&args, "ex");
	args_add(&args, "deploy-from-self");
	args_add(&args, "/run/host");
	rc = host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
	if (rc == 0 && enforcing)
		rc = HOST_RUN(a, &n->host, HOST_SYNC, NULL, err, "setenforce",
			      "1");
	return rc;
}

bool os_has_image(struct node *n, struct arena *a, struct str image)
{
	struct err err = ERR_INIT(a);
	struct host_out out;
	struct json *j = NULL;

	return HOST_RUN(a, &n->host, HOST_CAPTURE, &out, &err, "podman",
			"images", "--format=json", "--filter",
			str_fmt(a, "reference=%.*s", STRF(image)).p) == 0 &&
	       json_parse(a, str_trim(out.text), NULL, &j, &err) == 0 &&
	       json_first(j);
}

/* ---- bootloader ------------------------------------------------------------------------ */

static int update_bootloader(struct node *n, struct arena *a, struct str image,
			     struct err *err)
{
	static const char *const words[] = {
		"--privileged", "--pid=host",	      "--net=host", "--rm",
		"-v",		"/boot:/boot:rslave", "-v",	    "/dev:/dev"
	};
	struct args args = { .a = a };
	struct host_out out = { 0 };
	int rc = HOST_RUN(a, &n->host, HOST_CAPTURE, &out, err, "mokutil",
			  "--sb-state");

	if (rc == 0 && str_find(out.text, S("SecureBoot enabled")) < 0) {
		host_log(&n->host,
			 "runBootloaderUpdate: Secure Boot not enabled, "
			 "bootloader update not required");
		return 0;
	}
	if (n->os.major > 9 || (n->os.major == 9 && n->os.minor >= 6)) {
		rc = HOST_RUN(a, &n->host, HOST_SYNC, NULL, err, "systemctl",
			      "start", "bootloader-update.service");
		if (rc == 0)
			return 0;
	}
	rc = 0;
	if (!os_has_image(n, a, image))
		rc = pull_by_systemd(n, a, "machine-config-daemon-bootupd",
				     tree_exists(&n->tree, STEPS_PULL_SECRET)
					     ? STEPS_PULL_SECRET
					     : OS_KUBELET_AUTH,
				     image, err);
	if (rc < 0)
		return rc;
	systemd_run(&args, "machine-config-daemon-bootupd-update");
	args_add(&args, "run");
	args_add(&args, "--env");
	args_addf(&args, "INVOCATION_ID=%.*s", STRF(os_uuid(a)));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		args_add(&args, words[i]);
	args_add(&args, str_z(a, image));
	args_add(&args, "bootupctl");
	args_add(&args, "update");
	return host_run(a, &n->host, HOST_SYNC, args_end(&args), NULL, err);
}

/* ---- the image --------------------------------------------------------------------------- */

/* rpm-ostree reads the registry's credentials there. */
static void link_pull_secret(struct node *n, struct arena *a)
{
	struct err err = ERR_INIT(a);
	struct str text;
	struct json *j;
	bool own = tree_read(a, &n->tree, STEPS_PULL_SECRET, SMALL_MAX, &text,
			     &err) == 0 &&
		   json_parse(a, text, NULL, &j, &err) == 0;

	if (tree_mkdirs(&n->tree, "/run/ostree", 0544, -1, -1, &err) < 0 ||
	    tree_symlink(&n->tree, own ? STEPS_PULL_SECRET : OS_KUBELET_AUTH,
			 "/run/ostree/auth.json", &err) < 0)
		log_warn("Error while ensuring access to pull secrets: %.*s",
			 STRF(err.msg));
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
		if (inside && (str_is(t, "- container") ||
			       str_find(t, S("[container")) >= 0 ||
			       str_find(t, S(" container,")) >= 0 ||
			       str_find(t, S(" container]")) >= 0))
			return true;
	}
	return false;
}

int node_new_enough(struct node *n, struct arena *a, bool *out, struct err *err)
{
	struct host_out said = { 0 };
	int rc = HOST_RUN(a, &n->host, HOST_CAPTURE, &said, err, "rpm-ostree",
			  "--version");

	if (rc == 0)
		*out = has_container_feature(said.text);
	return rc;
}

/* The cluster's DNS may be restarting: three tries over half a minute. */
static int rebase(struct node *n, struct arena *a, struct str image,
		  struct err *err)
{
	struct err last = ERR_INIT(a);
	int64_t wait = n->retry_ms;
	char *ref = str_z(
		a, str_fmt(a, "ostree-unverified-registry:%.*s", STRF(image)));

	for (int i = 0; i < 3; i++) {
		link_pull_secret(n, a);
		if (HOST_RUN(a, &n->host, HOST_SYNC, NULL, &last, "rpm-ostree",
			     "rebase", "--experimental", ref) == 0)
			return 0;
		log_warn("Failed to update OS to %.*s (will retry): %.*s",
			 STRF(image), STRF(last.msg));
		os_pause(wait);
		wait *= 2;
	}
	return err_set(err, ERR_SYS,
		       "failed to update OS to %.*s after retries: %.*s: timed "
		       "out waiting for the condition",
		       STRF(image), STRF(last.msg));
}

int os_update_image(struct node *n, struct arena *a, struct str image,
		    struct err *err)
{
	struct err local = ERR_INIT(a);
	bool new_enough = false;
	int rc;

	if (update_bootloader(n, a, image, &local) < 0)
		log_warn("bootloader update failed: %.*s", STRF(local.msg));
	rc = node_new_enough(n, a, &new_enough, err);
	if (rc < 0)
		return rc;
	if (new_enough)
		return rebase(n, a, image, err);
	host_log(&n->host, "rpm-ostree is not new enough for layering; forcing "
			   "an update via container");
	return node_via_container(n, a, image, err);
}
