/*
 * mcoctl dump: everything that previews read of a cluster, as one List.
 */
#include <unistd.h>

#include "data/yml.h"
#include "io/file.h"
#include "live.h"
#include "mcoctl.h"
#include "view/dump.h"

struct opts {
	struct str output, file;
	struct kube_flags kube;
};

static const struct flag flags[] = {
	OUTPUT_FLAG(struct opts, "yaml|json"),
	{ .name = "output-file",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, file),
	  .value = "FILE",
	  .help = "write to this file, readable by its owner only, in one piece" },
	KUBE_FLAGS(struct opts),
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->output = S("yaml");
}

static int take(void *ctx, struct run *r, struct str text)
{
	struct json *list = NULL;
	int rc = json_parse(r->a, text, NULL, &list, &r->err);

	if (rc == 0)
		dump_add(ctx, list);
	return rc;
}

static int encode(struct run *r, const struct opts *o, const struct json *list)
{
	if (str_is(o->output, "yaml"))
		return yml_emit(&r->out, list, &r->err);
	json_encode(&r->out, list, JSON_INDENT);
	buf_addc(&r->out, '\n');
	return 0;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct dump d;
	const struct live_sink to = { take, &d };
	int rc;

	if (!o->file.n && isatty(STDOUT_FILENO))
		return err_set(&r->err, ERR_INVALID,
			       "a dump has the secrets that MachineConfigs hold: "
			       "not written to a terminal; redirect it, or give "
			       "--output-file FILE");
	dump_init(&d, r->a);
	rc = live_lists(r, &o->kube, "--server or --kubeconfig", &to);
	if (rc == 0)
		rc = encode(r, o, dump_list(&d));
	if (rc < 0 || !o->file.n)
		return rc;
	rc = file_replace(str_z(r->a, o->file), buf_str(&r->out), 0600, &r->err);
	r->out.n = 0;
	return rc;
}

const struct command mcoctl_dump = {
	.name = "dump",
	.args = "[-o yaml|json] [--output-file FILE]",
	.summary = "write what previews read of a cluster to one file",
	.details = "One List with the pools, MachineConfigs, ControllerConfig, "
		   "KubeletConfigs, Nodes and everything else that the other commands "
		   "read of a live cluster: with --base or -f they answer from it as "
		   "from the cluster.\n\nSecrets are left out. MachineConfigs and "
		   "ControllerConfig are as they are, or their names would change: what "
		   "files of nodes hold, pull secrets and keys among it, is in the "
		   "dump.",
	.examples = "# A cluster to look at later, or elsewhere\n"
		    "@ dump --output-file cluster.yaml\n"
		    "# The same in JSON, for other programs\n"
		    "@ dump -o json > cluster.json",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
