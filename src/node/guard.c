/*
 * Refusals that keep a trial from costing a machine: commands that a person runs by
 * hand treat the running machine as a node only if it is one.
 */
#include "node/guard.h"

#include <sys/stat.h>

/* By device and inode: "/" has more than one name. */
static bool is_own_root(const struct stat *root)
{
	struct stat own;

	return stat("/", &own) == 0 && root->st_dev == own.st_dev && root->st_ino == own.st_ino;
}

int guard_root(struct node *n, bool force, struct err *err)
{
	struct stat root;

	if (force || fstat(n->tree.fd, &root) < 0 || !is_own_root(&root) || n->os.core_os ||
	    tree_exists(&n->tree, STEPS_CURRENT_CONFIG) ||
	    tree_exists(&n->tree, MC_FIRST_ANNOTATIONS))
		return 0;
	return err_set(
		err, ERR_INVALID,
		"this machine is not a node: it is not CoreOS and has no " STEPS_CURRENT_CONFIG
		"; give --root-mount DIR to work "
		"on another root than /, or --force");
}

int guard_new_root(struct arena *a, struct str dir, bool force, struct err *err)
{
	struct stat root;

	if (force || stat(str_z(a, dir), &root) < 0 || !is_own_root(&root))
		return 0;
	return err_set(err, ERR_INVALID,
		       "firstboot needs the root of a system that is not running, and / is "
		       "this machine's; give --root DIR, or --force");
}

int guard_config(struct node *n, struct arena *a, const struct mc_current *to, bool force,
		 struct err *err)
{
	struct mc_current from = { 0 };
	struct steps steps = { 0 };
	struct steps_in in = { .to = &to->spec };
	struct str image;
	size_t files = 0, units = 0;
	int rc;

	if (force)
		return 0;
	if (mc_current_rendered(to)) {
		rc = mc_current_check(a, to, err);
		return rc < 0 ? err_wrap(err, "give the config as it was "
					      "rendered, or --force")
			      : 0;
	}
	rc = node_current(n, a, &from, &image, err);
	if (rc == -ERR_NOTFOUND) {
		mc_current_empty(a, &from);
		rc = 0;
	}
	in.from = &from.spec;
	if (rc == 0)
		rc = plan_steps(a, &in, &steps, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < steps.n; i++) {
		files += steps.v[i].kind == STEP_STALE_FILE;
		units += steps.v[i].kind == STEP_STALE_UNIT;
	}
	return err_set(err, ERR_INVALID,
		       "%.*s is not a rendered config (rendered-POOL-HASH), and a node "
		       "applies complete configs: %zu files and %zu units of %.*s would be "
		       "removed; render it first (mcoctl render), or give --force",
		       STRF(to->name), files, units, STRF(from.name));
}
