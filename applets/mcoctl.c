/*
 * mcoctl: what admins run on their workstations. One file per command.
 */
#include "mcoctl.h"

/* clang-format off */
static const struct command *const commands[] = {
	&mcoctl_render,
	&mcoctl_diff,
	&mcoctl_dump,
	&mcoctl_validate,
	&mcoctl_cat,
	&mcoctl_files,
	&mcoctl_blame,
	&mcoctl_hash,
	&mcoctl_convert,
	&mcoctl_fmt,
	&mcoctl_options,
	&version_command,
	NULL,
};
/* clang-format on */

const struct applet mcoctl_applet = {
	.name = "mcoctl",
	.summary = "inspects and previews node configuration, offline or live",
	.commands = commands,
	.colours = true,
};
