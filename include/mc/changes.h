/*
 * changes: the parts of a config that cannot change after installation, and their
 * differences in upstream's form.
 */
#ifndef MC_CHANGES_H
#define MC_CHANGES_H

#include "ign/ign.h"

/*
 * How y differs from x, as a list of {"fieldPath", "diff"}; members of objects
 * must be in the order of their keys. A field's path begins with path. diff has
 * a line "- old" and a line "+ new"; an element of a list has its neighbours
 * around it, or "[" and "]" at the ends of the list.
 */
struct json *changes_of(struct arena *a, const char *path, const struct json *x,
			const struct json *y);

/* The same for the disks, file systems, LUKS devices and RAIDs of two configs. */
struct json *mc_changes(struct arena *a, const struct ign_obj *was, const struct ign_obj *wanted);

#endif
