/*
 * The commands of mco-controller.
 */
#ifndef APPLETS_MCO_CONTROLLER_H
#define APPLETS_MCO_CONTROLLER_H

#include "applet.h"
#include "plan/template.h"

extern const struct command bootstrap_command;
extern const struct command start_command;
extern const struct command templates_command;

/* The tree in dir; dir "": the one in its usual place, or the built-in one. */
int controller_templates(struct run *r, struct str dir,
			 struct template_tree *out);

#endif
