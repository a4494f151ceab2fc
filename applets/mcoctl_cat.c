/*
 * mcoctl cat: a file or unit of a config, decoded.
 */
#include "inspect.h"
#include "mc/contents.h"
#include "mc/secret.h"

static const struct flag cat_flags[] = {
	MANIFEST_FLAGS(struct inspect_opts),
	{ .texts = FLAG_TEXT("show-secrets", "", "do not mask secrets: print the exact bytes"),
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct inspect_opts, secrets) },
	KUBE_FLAGS(struct inspect_opts),
	{ 0 }
};

/* Masks secrets, and warns about it: the output differs from the file. */
static struct str masked(struct run *r, struct str path, const struct ign_obj *file,
			 struct str text)
{
	bool all = mc_is_secret(path, ign_int(file, IGN_FILE_MODE, 0644), text);
	struct str shown = all ? S(MC_MASK "\n") : mc_mask(r->a, text);

	if (!str_eq(shown, text))
		applet_say("warning: %s masked in %.*s: --show-secrets "
			   "shows the exact bytes\n",
			   all ? "the contents are" : "secrets are", STRF(path));
	return shown;
}

static int run(struct run *r, const void *p)
{
	const struct inspect_opts *o = p;
	struct inspected in = { 0 };
	struct inspect what = { 0 };
	struct mc_part_bytes part = { 0 };
	int rc = inspect_words(r, &what);

	if (rc == 0 && !what.part.n)
		return err_set(&r->err, ERR_INVALID,
			       "give a config and a path: "
			       "worker:/etc/chrony.conf");
	if (rc == 0)
		rc = inspect_load(r, p, what.config, &in);
	if (rc == 0)
		rc = mc_part_contents(r->a, in.config.name, in.config.ignition, what.part, &part,
				      &r->err);
	if (rc < 0)
		return rc;
	buf_add(&r->out, o->secrets ? part.text : masked(r, part.path, part.file, part.text));
	return 0;
}

const struct command mcoctl_cat = {
	.name = "cat",
	.args = "[-f PATH...] [--show-secrets] CONFIG:/PATH\n"
		"[-f PATH...] [--show-secrets] CONFIG PART",
	.summary = "print a file or unit of a config, decoded",
	.details =
		"CONFIG is a pool (worker, mcp/worker), a MachineConfig (mc/NAME) or the current "
		"config of a node (node/NAME), all of them among the manifests, or a file with "
		"one config. Without -f, and if there is no such file, CONFIG is read from the "
		"cluster. PART is a path or a unit. Secrets are masked: the whole contents of a "
		"file that only its owner may read, and the values of keys named password, token, "
		"secret, key, credential or auth.",
	.examples = "# A file as the nodes of a pool get it\n"
		    "@ cat worker:/etc/chrony.conf\n"
		    "# A file of the config that a node runs\n"
		    "@ cat node/worker-0:/etc/chrony.conf\n"
		    "# A file of a MachineConfig that is not in the cluster\n"
		    "@ cat 99-worker-ntp.yaml /etc/chrony.conf",
	.flags = cat_flags,
	.opts_size = sizeof(struct inspect_opts),
	.run = run,
};
