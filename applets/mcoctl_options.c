#include "kube/config.h"
#include "mcoctl.h"

/* As `kubectl options`: the flags that every command with a cluster has. */
static int run(struct run *r, const void *p)
{
	(void)p;
	if (r->words.n)
		return err_set(&r->err, ERR_INVALID, "options takes no arguments, but got \"%.*s\"",
			       STRF(r->words.v[0]));
	buf_addz(&r->out, "The following flags can be given to any command that "
			  "asks a cluster:\n\n");
	flag_help(&r->out, kube_flag_table, NULL, help_width());
	return 0;
}

const struct command mcoctl_options = {
	.name = "options",
	.args = "",
	.summary = "list the flags that choose the cluster and the credentials",
	.details = "They mean what kubectl's flags of the same names mean.",
	.examples = "# The flags of every command that asks a cluster\n"
		    "@ options",
	.run = run,
};
