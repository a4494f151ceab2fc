/*
 * packed: files that are part of the program, packed at build time by test/tools/templates.sh.
 *
 *	struct str rest = PACKED(a, packed_templates), path, text;
 *
 *	while (packed_next(&rest, &path, &text))
 */
#ifndef DATA_PACKED_H
#define DATA_PACKED_H

#include "base/arena.h"
#include "base/str.h"

/* The files of an array of bytes; "" when it is not as the script writes it. */
struct str packed_open(struct arena *a, struct str bytes);
#define PACKED(a, array) packed_open((a), (struct str){ (const char *)(array), sizeof(array) })

/* Takes the next file off *rest; both strings point into it. False at the end. */
bool packed_next(struct str *rest, struct str *path, struct str *text);

#endif
