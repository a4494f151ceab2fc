/*
 * build/node/mco-daemon (make NODE=1): the node's part alone, small enough for an
 * initramfs.
 */
#include "applet.h"

int main(int argc, char **argv)
{
	return applet_main(&mco_daemon_applet, mco_daemon_applet.name, argc - 1, argv + 1);
}
