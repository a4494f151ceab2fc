/*
 * external_diff: runs the program that KUBECTL_EXTERNAL_DIFF names, as kubectl diff
 * does: on two directories, LIVE and MERGED, with one file for each thing and no
 * directories below, so that any diff program works.
 */
#ifndef IO_EXTERNAL_DIFF_H
#define IO_EXTERNAL_DIFF_H

#include "view/diff_files.h"

/*
 * Writes files below a temporary directory, runs command on the two sides, and
 * removes the directory. The result is the program's exit status; 1 means that the
 * sides differ. Without files nothing is run and the result is 0.
 */
int external_diff(struct arena *a, const char *command, const struct diff_files *files,
		  struct err *err);

#endif
