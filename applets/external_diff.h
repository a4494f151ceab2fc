/*
 * external_diff: hands configs to the program KUBECTL_EXTERNAL_DIFF names, as
 * kubectl diff does: two folders, LIVE and MERGED, with a file for each thing and
 * no folders below, so that any diff program will do. Secrets are masked.
 */
#ifndef APPLETS_EXTERNAL_DIFF_H
#define APPLETS_EXTERNAL_DIFF_H

#include "view/config_diff.h"

struct external_diff {
	struct arena *a;
	const char *command; /* NULL: not asked for */
	bool secrets; /* shown as they are */
	char *dir; /* made when first needed */
};

void external_diff_init(struct external_diff *e, struct arena *a, const char *command);

/* Writes both sides of one difference: contents decoded, the rest as YAML. */
int external_diff_add(struct external_diff *e, const struct config_diff *d, struct err *err);

/* Runs the program; its exit status, 1 meaning that there are differences. */
int external_diff_run(struct external_diff *e, struct err *err);

/* Removes the folders. */
void external_diff_free(struct external_diff *e);

#endif
