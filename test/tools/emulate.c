/*
 * emulate: runs PROGRAM under EMULATOR with the same arguments and argv[0].
 *
 * A shell script cannot pass argv[0] on, and mco finds its applet by it.
 */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *args[argc + 4];

	args[0] = EMULATOR;
	args[1] = "-0";
	args[2] = argv[0];
	args[3] = PROGRAM;
	for (int i = 1; i <= argc; i++)
		args[i + 3] = argv[i];
	execvp(EMULATOR, args);
	perror(EMULATOR);
	return 127;
}
