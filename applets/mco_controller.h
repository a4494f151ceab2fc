/*
 * The commands of mco-controller.
 */
#ifndef APPLETS_MCO_CONTROLLER_H
#define APPLETS_MCO_CONTROLLER_H

#include "applet.h"
#include "plan/template.h"
#include "role/controller.h"

extern const struct command bootstrap_command;
extern const struct command start_command;
extern const struct command templates_command;

#define TEMPLATES_BUILTIN "builtin"

/* The tree of that name: a directory, or TEMPLATES_BUILTIN; "": TEMPLATES_DIR.
 * ERR_NOTFOUND says what to do when there is none. */
int controller_templates(struct run *r, struct str name, struct template_tree *out);

#endif
