/*
 * contents: what is inside a file of an Ignition config.
 */
#ifndef MC_CONTENTS_H
#define MC_CONTENTS_H

#include "ign/ign.h"

/* A compressed file may unpack to this much. */
#define MC_CONTENTS_MAX ((size_t)256 << 20)

/*
 * The bytes of a file whose source is a data: URL (or absent: none), unpacked.
 * ERR_NOTFOUND when they are elsewhere (http and the like): *out is then the
 * source. ERR_INVALID with upstream's text, ERR_LIMIT.
 */
int mc_contents(struct arena *a, const struct ign_obj *file, struct str *out,
		struct err *err);

/* The file of that path, or NULL. */
const struct ign_obj *mc_find_file(const struct ign_obj *config,
				   struct str path);

/* The text of a unit or dropin, by its path on the node (a unit also by its
 * name). False when there is none. */
bool mc_unit_text(struct arena *a, const struct ign_obj *config,
		  struct str path, struct str *out);

/* Text that can be shown: valid UTF-8 without control characters but tab and
 * line breaks. */
bool mc_is_text(struct str bytes);

#endif
