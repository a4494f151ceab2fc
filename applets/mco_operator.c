/*
 * mco-operator: the applet, and the flags that its commands share.
 */
#include "mco_operator.h"

void operator_flag_defaults(struct operator_flags *o)
{
	o->release = S("0.0.1-snapshot");
	o->image = S("placeholder.url.oc.will.replace.this.org/placeholdernamespace:"
		     "was-not-built-properly");
}

static const struct command *const commands[] = { &operator_start_command,
						  &operator_bootstrap_command,
						  &operator_manifests_command, &version_command,
						  NULL };

const struct applet mco_operator_applet = {
	.name = "mco-operator",
	.summary = "deploys and upgrades the other roles, and reports their health",
	.commands = commands,
	.holds_keys = true,
	.upstream = "MachineConfigOperator",
};
