/*
 * Private to ign: configs of spec 2.0 to 2.2 (and 1), which have their own parser rules
 * and are translated.
 */
#ifndef IGN_V2_H
#define IGN_V2_H

#include "ign/ign.h"

#define TYPE(T, go, check)                         \
	extern const struct ign_type ign_type_##T; \
	enum {
#define FIELD(T, F, name, kind, flags, since, sub, go, embed) IGN_##T##_##F,
#define END(T)           \
	IGN_##T##_FIELDS \
	}                \
	;
#include "schema2.def"
#undef TYPE
#undef FIELD
#undef END

struct ign_v2 {
	struct ign_obj *config; /* of spec 2.2's shape */
};

/*
 * Decodes j into o as Go's decoder does, with the fields of spec .minor. ERR_INVALID when a value
 * does not fit: *problem and *offset are its message and position.
 */
int ign_decode(struct arena *a, struct ign_obj *o, const struct json *j, int minor,
	       struct str *problem, size_t *offset);

/* The same, but continues after values that do not fit: they are added to misfits, and a value that
 * should be a string is read as its JSON text. */
void ign_decode_some(struct arena *a, struct ign_obj *o, const struct json *j, int minor,
		     struct ign_misfits *misfits);

/*
 * ignition.version; keys match in any case, the last one wins; "" when absent. Returns NULL, or the
 * type that *blame, a value on the path, should have.
 */
const char *ign_version_of(const struct json *j, struct str *version, const struct json **blame);
bool ign_is_v3(struct semver v);

/* The report of the faults of a 2.2 config; "" when none of them is an error. */
struct str ign_v2_report(struct arena *a, const struct ign_obj *config, int minor,
			 const struct json *root, struct str text);

/*
 * Reads a config that is not of a v3 version. ERR_NOTFOUND when its version is unknown; ERR_INVALID
 * with the complete text of the error.
 */
int ign_v2_parse(struct arena *a, struct str text, const struct json *root, struct ign_parsed *out,
		 struct err *err);

/* Converts to the shape of 3.5, as upstream does before it merges. */
int ign_v2_convert(struct arena *a, const struct ign_v2 *old, struct ign_obj **out,
		   struct err *err);

/* Converts a 3.minor config to 3.5, in place. */
void ign_up(struct arena *a, struct ign_obj *config, int minor);

#endif
