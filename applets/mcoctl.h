#ifndef APPLETS_MCOCTL_H
#define APPLETS_MCOCTL_H

#include "applet.h"

extern const struct command mcoctl_fmt;

#endif
