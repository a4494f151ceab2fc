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

#endif
