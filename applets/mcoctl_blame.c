/*
 * mcoctl blame: which MachineConfigs set a part of a config, and from which objects
 * controllers generated them.
 */
#include "inspect.h"

static const struct flag flags[] = {
	MANIFEST_FLAGS(struct inspect_opts), PARTS_FLAGS, KUBE_FLAGS(struct inspect_opts), { 0 }
};

/* A hint at the part, or the kind of parts, with a similar name; or "". */
static struct str hint(struct run *r, struct str selector, const struct mc_origins *origins)
{
	const char *kind = mc_part_nearest(selector);
	struct strs names = { 0 };

	if (kind)
		return str_fmt(r->a, " (did you mean %s?)", kind);
	for (size_t i = 0; i < origins->n; i++) {
		VEC_PUSH(r->a, &names, mc_part_text(r->a, origins->v[i]));
		if (origins->v[i]->part == MC_PART_UNIT)
			VEC_PUSH(r->a, &names, origins->v[i]->key);
	}
	return flag_hint(r->a, selector, &names);
}

/* Keeps only the parts that the selector names. */
static int select_parts(struct run *r, struct str config, struct str selector,
			struct mc_origins *origins)
{
	size_t n = 0;

	for (size_t i = 0; i < origins->n; i++)
		if (!selector.n || mc_part_matches(r->a, origins->v[i], selector))
			origins->v[n++] = origins->v[i];
	if (!n && selector.n)
		return err_set(&r->err, ERR_NOTFOUND, "no MachineConfig of %.*s sets %.*s%.*s",
			       STRF(config), STRF(selector), STRF(hint(r, selector, origins)));
	origins->n = n;
	return 0;
}

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
	rc = select_parts(r, v.config, what.part, &origins);
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
