/*
 * mcoctl files: what is in a config, and where each part comes from.
 */
#include "inspect.h"

static const struct flag flags[] = {
	MANIFEST_FLAGS(struct inspect_opts), PARTS_FLAGS, KUBE_FLAGS(struct inspect_opts), { 0 }
};

static int run(struct run *r, const void *p)
{
	struct mc_origins origins = { 0 };
	struct parts_view v = { .origins = &origins };
	struct inspected in = { 0 };
	struct inspect what = { 0 };
	int rc = inspect_words(r, &what);

	if (rc == 0 && what.part.n)
		return err_set(&r->err, ERR_INVALID,
			       "files lists all parts of a config: mcoctl "
			       "blame tells of %.*s",
			       STRF(what.part));
	if (rc == 0)
		rc = inspect_load(r, p, what.config, &in);
	if (rc < 0)
		return rc;
	inspect_origins(r, &in, &origins);
	v.config = in.config.name;
	return inspect_print(r, p, &v, parts_files);
}

const struct command mcoctl_files = {
	.name = "files",
	.args = "[-f PATH...] CONFIG [-o table|json|yaml] [--no-headers]",
	.summary = "list what is in a config and where each part comes from",
	.details = "Lists files, units, drop-ins, users, SSH keys and the fields of the spec: "
		   "kernelArguments,\nkernelType, extensions, fips, osImageURL. "
		   "FROM are the MachineConfigs whose word\ncounts, OVERRIDES those "
		   "that they override. CONFIG is a pool (worker, mcp/worker),\na "
		   "MachineConfig (mc/NAME), a node's current config (node/NAME) or "
		   "a file. A pool\nthat cannot be rendered has its last config.",
	.examples = "# What is in a pool's config, and where it comes from\n"
		    "@ files worker\n"
		    "# The same of the config that a node runs\n"
		    "@ files node/worker-0\n"
		    "# From a dump\n"
		    "@ files -f cluster.yaml worker",
	.flags = flags,
	.opts_size = sizeof(struct inspect_opts),
	.defaults = inspect_defaults,
	.run = run,
};
