/*
 * mcoctl blame: which MachineConfigs set a part of a config, and from which objects
 * controllers generated them.
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

	if (rc == 0)
		rc = inspect_load(r, p, what.config, &in);
	if (rc < 0)
		return rc;
	inspect_origins(r, &in, &origins);
	v.config = in.config.name;
	rc = mc_parts_select(r->a, v.config, what.part, &origins, &r->err);
	return rc < 0 ? rc : inspect_print(r, p, &v, parts_blame);
}

const struct command mcoctl_blame = {
	.name = "blame",
	.args = "[-f PATH...] CONFIG:/PATH [-o table|json|yaml]\n"
		"[-f PATH...] CONFIG [PART] [-o table|json|yaml]",
	.summary = "show which MachineConfigs set each part of a config",
	.details =
		"PART is a path, unit/NAME (with its drop-ins), dropin/UNIT/NAME, user/NAME (with "
		"the SSH keys, by their fingerprints), a field of the spec (kernelArguments, "
		"kernelType, extensions, fips, osImageURL), or a kind (files, units, sshkeys). "
		"Without PART, everything is listed. MachineConfigs are in the order of merging: "
		"the last one wins. MADE-FROM is the object from which a controller generated the "
		"MachineConfig. <unknown>: the MachineConfigs have changed since the config was "
		"rendered.",
	.examples = "# Which MachineConfigs set a file\n"
		    "@ blame worker:/etc/chrony.conf\n"
		    "# Where a unit and its drop-ins come from\n"
		    "@ blame worker unit/kubelet.service\n"
		    "# Who set the kernel arguments that a node runs with\n"
		    "@ blame node/worker-0 kernelArguments\n"
		    "# Everything, from a dump\n"
		    "@ blame -f cluster.yaml worker",
	.flags = flags,
	.opts_size = sizeof(struct inspect_opts),
	.defaults = inspect_defaults,
	.run = run,
};
