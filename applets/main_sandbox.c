/*
 * build/mco-sandbox: one applet in a program of its own. Nodes do not need a test
 * server, so build/mco does not contain it.
 */
#include "applet.h"

int main(int argc, char **argv)
{
	return applet_main(&mco_sandbox_applet, mco_sandbox_applet.name, argc - 1, argv + 1);
}
