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
 * Fills o from j as Go's decoder would, by the fields that spec .minor has.
 * ERR_INVALID when something does not fit; *problem and *offset say what.
 */
int ign_decode(struct arena *a, struct ign_obj *o, const struct json *j, int minor,
	       struct str *problem, size_t *offset);

/* The same, past what does not fit: that goes into misfits, and what is no string
 * where one is due is read as its text. */
void ign_decode_some(struct arena *a, struct ign_obj *o, const struct json *j, int minor,
		     struct ign_misfits *misfits);

/*
 * ignition.version, keys of any case, later ones winning; "" when absent. NULL, or
 * what *blame, a value on the way there, should have been.
 */
const char *ign_version_of(const struct json *j, struct str *version, const struct json **blame);
bool ign_is_v3(struct semver v);

/* The report of a 2.2 config's faults; "" when none of them is an error. */
struct str ign_v2_report(struct arena *a, const struct ign_obj *config, int minor,
			 const struct json *root, struct str text);

/*
 * Reads a config that is not of a v3 version. ERR_NOTFOUND when its version is
 * none that the reference knows; ERR_INVALID with the whole text of the failure.
 */
int ign_v2_parse(struct arena *a, struct str text, const struct json *root, struct ign_parsed *out,
		 struct err *err);

/* To 3.5's shape, as upstream does before it merges. */
int ign_v2_convert(struct arena *a, const struct ign_v2 *old, struct ign_obj **out,
		   struct err *err);

/* What 3.minor's configs need to become 3.5's. */
void ign_up(struct arena *a, struct ign_obj *config, int minor);

#endif
