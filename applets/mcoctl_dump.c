/*
 * mcoctl dump: writes all objects of a cluster that previews read, as one List.
 */
#include <unistd.h>

#include "data/docs.h"
#include "io/file.h"
#include "mcoctl.h"
#include "view/dump.h"

struct opts {
	struct str output, file;
	struct kube_flags kube;
};

static const struct flag flags[] = {
	OUTPUT_FLAG(struct opts, "yaml|json"),
	{ .texts = FLAG_TEXT("output-file", "FILE",
			     "write this file atomically, readable only by its owner"),
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, file) },
	KUBE_FLAGS(struct opts),
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->output = S("yaml");
}

static int take(void *ctx, struct kube_live *r, struct str text)
{
	struct json *list = NULL;
	int rc = json_parse(r->a, text, NULL, &list, r->err);

	if (rc == 0)
		dump_add(ctx, list);
	return rc;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct kube_live live;
	struct dump d;
	const struct live_sink to = { .take = take, .ctx = &d };
	int rc;

	if (!o->file.n && isatty(STDOUT_FILENO))
		return err_set(
			&r->err, ERR_INVALID,
			"a dump contains the secrets of MachineConfigs and is not written to a "
			"terminal: redirect it, or give --output-file FILE");
	dump_init(&d, r->a);
	live = mcoctl_live(r, &o->kube, "--server or --kubeconfig");
	rc = kube_live_lists(&live, &to);
	if (rc == 0)
		rc = docs_write(&r->out, o->output, 0, dump_list(&d), &r->err);
	if (rc < 0 || !o->file.n)
		return rc;
	rc = file_replace(str_z(r->a, o->file), buf_str(&r->out), 0600, &r->err);
	r->out.n = 0;
	return rc;
}

const struct command mcoctl_dump = {
	.name = "dump",
	.args = "[-o yaml|json] [--output-file FILE]",
	.summary = "write the objects of a cluster that previews read to one file",
	.details =
		"Writes one List with the pools, MachineConfigs, ControllerConfig, "
		"KubeletConfigs, Nodes and all other objects that the other commands read from a "
		"live cluster. With --base or -f these commands give the same results from the "
		"dump as from the cluster.\n\n"
		"Secrets are omitted. MachineConfigs and the ControllerConfig are unchanged, or "
		"their names would change: the dump contains the contents of files on nodes, pull "
		"secrets and keys among them.",
	.examples = "# Save a cluster for offline previews\n"
		    "@ dump --output-file cluster.yaml\n"
		    "# The same in JSON, for other programs\n"
		    "@ dump -o json > cluster.json",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
