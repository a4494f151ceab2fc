/*
 * mcoctl files: lists the parts of a config and the MachineConfigs that set them.
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
			       "files lists all parts of a config: use mcoctl blame for %.*s",
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
	.summary = "list the parts of a config and which MachineConfigs set them",
	.details =
		"Lists files, units, drop-ins, users, SSH keys and the fields of the spec: "
		"kernelArguments, kernelType, extensions, fips, osImageURL. FROM are the "
		"MachineConfigs that set the part, OVERRIDES those that they override. CONFIG is "
		"a pool (worker, mcp/worker), a MachineConfig (mc/NAME), the current config of a "
		"node (node/NAME) or a file. For a pool that cannot be rendered, files shows its "
		"last config.",
	.examples = "# The parts of a pool's config, and who set them\n"
		    "@ files worker\n"
		    "# The same for the config that a node runs\n"
		    "@ files node/worker-0\n"
		    "# From a dump\n"
		    "@ files -f cluster.yaml worker",
	.flags = flags,
	.opts_size = sizeof(struct inspect_opts),
	.defaults = inspect_defaults,
	.run = run,
};
