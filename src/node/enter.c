/*
 * The order of the calls in enter_mount matters: first a mount namespace of our own, then no
 * propagation out of it, then the mounts. On most hosts "/" is shared: without the second step each
 * mount would appear in the host's namespace too.
 */
#include "node/enter.h"

#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/file.h"
#include "io/log.h"

#define GIVEN "/run/machine-config-daemon-given"

int enter_root(struct arena *a, const char *root, const char **out, struct err *err)
{
	char real[PATH_MAX];
	struct tree t;
	bool machine;
	int rc;

	if (!realpath(root, real))
		return err_sys(err, "the node's root %s", root);
	rc = tree_open(&t, real, err);
	if (rc < 0)
		return rc;
	machine = tree_exists(&t, "/etc/os-release") || tree_exists(&t, "/usr/lib/os-release");
	tree_close(&t);
	if (!machine)
		return err_set(err, ERR_INVALID,
			       "%s is not the root of a machine: it has "
			       "neither etc/os-release nor usr/lib/os-release",
			       root);
	*out = str_z(a, str_of(real));
	return 0;
}

int enter_open(struct enter *e, struct arena *a, const char *root, struct err *err)
{
	*e = (struct enter){ .a = a };
	return tree_open(&e->tree, root, err);
}

void enter_close(struct enter *e)
{
	tree_close(&e->tree);
}

static void add_bind(struct enter *e, const char *from, const char *to, bool deep)
{
	struct enter_bind b = { from, to, deep };

	VEC_PUSH(e->a, e, b);
}

bool enter_add(struct enter *e, const char *from, const char *to)
{
	if (access(from, F_OK) < 0)
		return false;
	add_bind(e, from, to, true);
	return true;
}

/* ---- paths --------------------------------------------------------------- */

/* The part of path below dir, or NULL when path is not in dir. */
static const char *path_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return path;
	if (strncmp(path, dir, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return path + n;
}

/* Binds the directory, not the file: a bound file would stay the old one when it is replaced. */
static int bring_dir(struct enter *e, const char *path, struct str *inside, struct err *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct str dir = slash ? (struct str){ path, (size_t)(slash - path) } : S(".");
	char real[PATH_MAX];
	const char *to;
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(err, "%s", path);
	if (S_ISDIR(st.st_mode)) {
		dir = str_of(path);
		name = "";
	}
	if (!realpath(dir.n ? str_z(e->a, dir) : "/", real))
		return err_sys(err, "%s", path);
	to = path_below(real, e->tree.root);
	if (!to) {
		to = str_fmt(e->a, GIVEN "/%zu", e->given++).p;
		add_bind(e, str_z(e->a, str_of(real)), to, false);
	}
	*inside = str_fmt(e->a, "%s%s%s", to, *name || !*to ? "/" : "", name);
	return 0;
}

int enter_path(struct enter *e, struct str path, struct str *inside, struct err *err)
{
	const char *p = str_z(e->a, path);
	int rc;

	if (*p == '/' && tree_exists(&e->tree, p)) {
		*inside = path;
		return 0;
	}
	rc = bring_dir(e, p, inside, err);
	if (rc == -ERR_NOTFOUND && *p == '/')
		rc = err_set(err, ERR_NOTFOUND, "%s exists neither here nor below %s", p,
			     e->tree.root);
	return rc;
}

/* The path of a translated name before the mounts are made. *ours: it is in our own root. */
static const char *path_before(struct enter *e, struct str inside, bool *ours)
{
	/* /var/run is a symlink to /run on most nodes */
	const char *p = str_z(e->a, tree_resolve(e->a, &e->tree, str_z(e->a, inside)));

	for (size_t i = e->n; i-- > 0;) {
		const char *rest = path_below(p, e->v[i].to);

		*ours = rest != NULL;
		if (rest)
			return str_fmt(e->a, "%s%s", e->v[i].from, rest).p;
	}
	*ours = false;
	return p;
}

int enter_read(struct enter *e, struct str inside, size_t max, struct str *out, struct err *err)
{
	bool ours;
	const char *p = path_before(e, inside, &ours);

	return ours ? file_read(e->a, p, max, out, err)
		    : tree_read(e->a, &e->tree, p, max, out, err);
}

bool enter_has(struct enter *e, struct str inside)
{
	bool ours;
	const char *p = path_before(e, inside, &ours);

	return ours ? access(p, F_OK) == 0 : tree_exists(&e->tree, p);
}

/* ---- mounts -------------------------------------------------------------- */

static int own_namespace(const char *root, struct err *err)
{
	if (unshare(CLONE_NEWNS) < 0)
		return err_sys(err,
			       "entering %s needs a mount namespace, which "
			       "takes root and, in a pod, privileged: true; "
			       "nothing was mounted",
			       root);
	/* slave: later mounts of the host are visible here, as in a pod */
	if (mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return err_sys(err,
			       "the mounts for %s would be visible to others, because / is not "
			       "a mount point (a chroot?); nothing was mounted",
			       root);
	return 0;
}

/* Keeps the mount's other restrictions; -1 and errno. */
static int make_read_only(const char *at)
{
	const unsigned long kept = MS_NOSUID | MS_NODEV | MS_NOEXEC;
	struct statvfs st;

	if (statvfs(at, &st) < 0)
		return -1;
	return mount("none", at, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | (st.f_flag & kept), NULL);
}

static int mount_bind(struct enter *e, const struct enter_bind *b, struct err *err)
{
	struct str real = S("");
	const char *at;
	int rc = tree_mkdirs(&e->tree, b->to, 0755, -1, -1, err);

	/* no symlink in the node's root may lead the mount out of it */
	if (rc == 0)
		rc = tree_realpath(e->a, &e->tree, b->to, &real, err);
	if (rc < 0)
		return rc;
	at = tree_host_path(e->a, &e->tree, real.p);
	if (mount(b->from, at, NULL, MS_BIND | (b->deep ? MS_REC : 0), NULL) < 0 ||
	    make_read_only(at) < 0)
		return err_sys(err, "failed to mount %s to %s", b->from, at);
	log_v(4, "mounted %s at %s", b->from, at);
	return 0;
}

int enter_mount(struct enter *e, struct err *err)
{
	int rc = own_namespace(e->tree.root, err);

	for (size_t i = 0; rc == 0 && i < e->n; i++) {
		rc = mount_bind(e, &e->v[i], err);
		if (rc < 0)
			rc = err_wrap(err, "Binding pod mounts");
	}
	return rc;
}

int enter_exec(struct enter *e, const char *const *argv, struct err *err)
{
	if (chroot(e->tree.root) == 0 && chdir("/") == 0)
		(void)execv(argv[0], (char *const *)argv);
	return err_sys(err, "failed to re-exec: %s", e->tree.root);
}
