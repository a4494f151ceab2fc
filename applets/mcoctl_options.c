/*
 * mcoctl options: lists the flags of every command that reads from a cluster, as `kubectl options`
 * does.
 */
#include "kube/config.h"
#include "mcoctl.h"

static int run(struct run *r, const void *p)
{
	(void)p;
	if (r->words.n)
		return err_set(&r->err, ERR_INVALID, "options takes no arguments, but got \"%.*s\"",
			       STRF(r->words.v[0]));
	buf_addz(&r->out,
		 "The following flags can be passed to any command that reads from a cluster:\n\n");
	flag_help(&r->out, kube_flag_table, NULL, help_width());
	return 0;
}

const struct command mcoctl_options = {
	.name = "options",
	.args = "",
	.summary = "list the flags that select the cluster and the credentials",
	.details = "They have the meaning of the kubectl flags of the same names.",
	.examples = "# The flags of every command that reads from a cluster\n"
		    "@ options",
	.run = run,
};
