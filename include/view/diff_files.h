/*
 * diff_files: the two sides of a difference as files, for an external diff program.
 */
#ifndef VIEW_DIFF_FILES_H
#define VIEW_DIFF_FILES_H

#include "base/vec.h"
#include "view/config_diff.h"

struct diff_file {
	struct str name; /* without '/': "worker:etc:chrony.conf" */
	struct str bytes;
};

struct diff_files {
	struct arena *a;
	bool secrets; /* show secrets instead of masks */
	VEC(struct diff_file) before, after;
};

/* Adds both sides of one difference: contents decoded, the rest as YAML. */
int diff_files_add(struct diff_files *e, const struct config_diff *d, struct err *err);

#endif
