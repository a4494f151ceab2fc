/*
 * contents: the contents of a file in an Ignition config.
 */
#ifndef MC_CONTENTS_H
#define MC_CONTENTS_H

#include "base/sink.h"
#include "ign/ign.h"

/* A compressed file may unpack to this much. */
#define MC_CONTENTS_MAX ((size_t)256 << 20)

/*
 * The bytes of a file whose source is a data: URL (absent: no bytes), decompressed.
 * ERR_NOTFOUND when the source is elsewhere (http and others): *out is then the source.
 * ERR_INVALID with upstream's text, ERR_LIMIT.
 */
int mc_contents(struct arena *a, const struct ign_obj *file, struct str *out, struct err *err);

/*
 * The same for a resource (a file's contents, or what is appended to it), delivered in
 * parts: compressed data is decompressed part by part and never held.
 */
int mc_pump(const struct ign_obj *resource, const struct sink *to, struct err *err);
/* The contents of the file are compressed: mc_pump saves the memory they need. */
bool mc_is_packed(const struct ign_obj *file);
/* The size of a file's contents; also checks that they can be decompressed. */
int mc_size(const struct ign_obj *file, uint64_t *out, struct err *err);

/*
 * A sink in front of another one: decompresses, and counts up to MC_CONTENTS_MAX. how:
 * the resource's compression, "" for none.
 */
struct mc_unpack {
	const struct sink *to;
	struct flate *flate;
	struct str how;
	size_t n;
};
int mc_unpack_start(struct mc_unpack *u, struct str how, const struct sink *to, struct err *err);
struct sink mc_unpack_sink(struct mc_unpack *u);
/* Ends the delivery. The caller must call it, with the error so far. */
int mc_unpack_end(struct mc_unpack *u, int rc, struct err *err);

/* The file of that path, or NULL. */
const struct ign_obj *mc_find_file(const struct ign_obj *config, struct str path);

/* The text of a unit or dropin, by its path on the node (a unit also by its
 * name). False when there is none. */
bool mc_unit_text(struct arena *a, const struct ign_obj *config, struct str path, struct str *out);

/* A file, unit or drop-in of a config. */
struct mc_part_bytes {
	struct str path; /* of a unit its name */
	const struct ign_obj *file; /* NULL for units and drop-ins */
	struct str text;
};

/*
 * The contents of a part: a path, the name of a unit, unit/NAME or dropin/UNIT/NAME. config: its
 * name, for messages. ERR_NOTFOUND with a hint at a similar name; see also mc_contents.
 */
int mc_part_contents(struct arena *a, struct str config, const struct ign_obj *ignition,
		     struct str part, struct mc_part_bytes *out, struct err *err);

/* Text that can be displayed: valid UTF-8 without control characters except tab and
 * line breaks. */
bool mc_is_text(struct str bytes);

#endif
