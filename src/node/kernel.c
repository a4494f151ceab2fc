/*
 * The running kernel: FIPS mode, its command line, and the arguments that the tuning file asks for.
 *
 * Only allowed arguments are changed: nosmt on RHEL, any on Fedora CoreOS. rpm-ostree stages them
 * for the next boot; kernel_tune_back is idempotent, so an undo that was cut short can run it
 * again.
 */
#include "node/kernel.h"

#include "io/log.h"

#define CMDLINE_MAX ((size_t)1 << 20)
#define FIPS_FILE "/proc/sys/crypto/fips_enabled"

bool kernel_flag(struct node *n, struct arena *a, const char *file)
{
	struct err ignored = ERR_INIT(a);
	struct str text;

	return tree_read(a, &n->tree, file, 64, &text, &ignored) == 0 &&
	       str_is(str_trim(text), "1");
}

bool kernel_fips(struct node *n, struct arena *a)
{
	return kernel_flag(n, a, FIPS_FILE);
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

	return tree_read(a, &n->tree, "/proc/cmdline", CMDLINE_MAX, &text, &ignored) < 0 ? S("")
											 : text;
}

static bool has_karg(struct arena *a, struct str cmdline, struct str karg)
{
	return str_find(str_fmt(a, " %.*s ", STRF(str_trim(cmdline))),
			str_fmt(a, " %.*s ", STRF(karg))) >= 0;
}

/* Adds or deletes an argument; how is the suffix of --append or --delete. */
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

/* Every argument of the lines that begin with verb. before: NULL to apply the lines, or the
 * command line to go back to. */
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
		/* idempotent: an undo that was cut short runs twice */
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
