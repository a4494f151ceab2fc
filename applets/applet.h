/*
 * The applets. They are thin: flags, wiring, one call; io/applet.h runs them.
 */
#ifndef APPLETS_APPLET_H
#define APPLETS_APPLET_H

#include "io/applet.h"

/* The names of build/mco, by list.def. */
#define APPLET(name, symbol) extern const struct applet symbol##_applet;
#define ALIAS(name, symbol)
#include "list.def"
#undef APPLET
#undef ALIAS
/* In its own binary, build/mco-sandbox. */
extern const struct applet mco_sandbox_applet;

#endif
