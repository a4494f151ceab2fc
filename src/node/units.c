/*
 * Systemd units on a node: by systemctl, or by links.c where no systemd runs.
 *
 * A unit is disabled before its file changes: the links follow from the [Install] section, and
 * those of the old one must go first.
 */
#include "units.h"

#include <sys/wait.h>

#include "base/codec.h"
#include "io/log.h"
#include "links.h"
#include "node/args.h"
#include "node/files.h"

#define COULD_NOT "daemon could not write systemd unit"

/* Keeps a copy of what the OS ships before the file hides it. */
static int keep_shipped(struct node *n, struct arena *a, const char *path, struct err *err)
{
	if (!n->os.core_os || !files_ships(n, a, path))
		return 0;
	return files_keep_orig(n, a, str_fmt(a, "/usr%s", path).p, path, err);
}

static int written(struct node *n, const char *path, struct str data, const char *what,
		   struct err *err)
{
	int rc = tree_put(&n->tree, path, data, err);

	return rc < 0 ? err_wrap(err, "failed to write systemd unit %s\"%s\"", what,
				 strrchr(path, '/') + 1)
		      : 0;
}

int units_write_dropin(struct node *n, struct arena *a, const struct step *s, struct err *err)
{
	char *path = str_z(a, s->name);
	int rc;

	if (s->kind == STEP_DROPIN_EMPTY) {
		log_info("Removing \"%s\", updated file has zero length", path);
		rc = tree_remove(&n->tree, path, err);
	} else {
		log_info("Writing systemd unit dropin \"%s\"", path);
		rc = keep_shipped(n, a, path, err);
		if (rc == 0)
			rc = written(n, path, s->data, "dropin ", err);
	}
	return rc < 0 ? err_wrap(err, COULD_NOT) : 0;
}

int units_is_enabled(struct node *n, struct arena *a, struct str unit, struct str *out, int *status,
		     struct err *err)
{
	struct host_out said;
	int rc;

	if (n->offline) {
		*out = links_is_enabled(&n->tree, a, unit);
		*status = !str_is(*out, "enabled");
		return 0;
	}
	rc = host_cmd(a, &n->host, HOST_SILENT, &said, err, "systemctl is-enabled %s",
		      str_z(a, unit));
	if (rc < 0)
		return rc;
	*out = str_trim(said.text);
	*status = said.status;
	return 0;
}

/* The [Install] section may change: removes the links of the old one. */
static int disable_before_write(struct node *n, struct arena *a, struct str unit, struct err *err)
{
	struct err ignored = ERR_INIT(a);
	struct host_out out;
	struct str state;
	int status, rc;

	if (units_is_enabled(n, a, unit, &state, &status, &ignored) < 0 || status != 0 ||
	    !str_is(state, "enabled"))
		return 0;
	log_info("Disabling systemd unit %.*s before re-writing it", STRF(unit));
	if (n->offline)
		return links_disable(&n->tree, a, unit, err);
	rc = host_cmd(a, &n->host, HOST_SILENT, &out, err, "systemctl disable %s", str_z(a, unit));
	if (rc == 0 && out.status != 0)
		rc = err_set(err, ERR_SYS, "disabling %.*s failed: %.*s (output: %.*s)", STRF(unit),
			     STRF(host_status_text(a, out.status)), STRF(out.text));
	return rc;
}

static int write_unit(struct node *n, struct arena *a, const struct step *s, const char *path,
		      struct err *err)
{
	int rc;

	switch (s->kind) {
	case STEP_MASK:
		rc = tree_remove_all(&n->tree, path, err);
		return rc < 0 ? rc : tree_symlink(&n->tree, "/dev/null", path, err);
	case STEP_UNMASK:
		return tree_remove_all(&n->tree, path, err);
	default:
		break;
	}
	log_info("Writing systemd unit \"%.*s\"", STRF(s->name));
	rc = keep_shipped(n, a, path, err);
	if (rc == 0)
		rc = disable_before_write(n, a, s->name, err);
	return rc < 0 ? rc : written(n, path, s->data, "", err);
}

int units_write(struct node *n, struct arena *a, const struct step *s, struct err *err)
{
	int rc = write_unit(n, a, s, str_z(a, steps_unit_path(a, s->name)), err);

	return rc < 0 ? err_wrap(err, COULD_NOT) : 0;
}

bool units_preset(struct node *n, struct arena *a, struct str unit)
{
	struct err err = ERR_INIT(a);
	struct host_out out = { 0 };
	int rc;

	if (n->offline)
		rc = links_preset(&n->tree, a, unit, &err);
	else
		rc = host_cmd(a, &n->host, HOST_SILENT, &out, &err, "systemctl preset %s",
			      str_z(a, unit));
	if (rc == 0 && out.status == 0)
		return true;
	log_warn("Failed to reset unit preset for %.*s: %.*s", STRF(unit),
		 STRF(rc < 0 ? err.msg : out.text));
	return false;
}

static int enable_links(struct node *n, struct arena *a, const struct strs *units, bool enable,
			struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < units->n; i++)
		rc = enable ? links_enable(&n->tree, a, units->v[i], err)
			    : links_disable(&n->tree, a, units->v[i], err);
	return rc;
}

int units_enable(struct node *n, struct arena *a, const struct strs *units, bool enable,
		 struct err *err)
{
	const char *what = enable ? "error enabling units" : "error disabling unit";
	struct args args = { .a = a };
	struct host_out out = { 0 };
	int rc;

	if (!units->n)
		return 0;
	if (n->offline) {
		rc = enable_links(n, a, units, enable, err);
		return rc < 0 ? err_wrap(err, "%s", what) : 0;
	}
	args_add(&args, "systemctl");
	args_add(&args, enable ? "enable" : "disable");
	for (size_t i = 0; i < units->n; i++)
		args_add(&args, str_z(a, units->v[i]));
	rc = host_run(a, &n->host, HOST_SILENT, args_end(&args), &out, err);
	if (rc < 0)
		return err_wrap(err, "%s", what);
	if (out.status != 0)
		return err_set(err, ERR_SYS, "%s: %.*s", what, STRF(out.text));
	return 0;
}

int units_remove_stale(struct node *n, struct arena *a, const struct step *s, struct err *err)
{
	bool unit = s->kind == STEP_STALE_UNIT, restored, preset = true;
	char *path = str_z(a, unit ? steps_unit_path(a, s->name) : s->name);
	int rc;

	if (unit) /* removes links before the file */
		preset = units_preset(n, a, s->name);
	rc = files_restore_orig(n, a, path, false, &restored, err);
	if (rc < 0 || restored)
		return rc;
	rc = tree_remove_all(&n->tree, path, err);
	/* the links would dangle */
	if (rc == 0 && !preset && !links_find(&n->tree, a, s->name, true).n)
		rc = links_disable(&n->tree, a, s->name, err);
	return rc < 0 ? err_wrap(err, "unable to delete %s", path) : 0;
}
