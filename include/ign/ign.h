/*
 * ign: Ignition configs as values described by one table (schema.def).
 *
 * A config of any accepted version becomes an object of the shape of spec 3.5. An object has a
 * value per field; fields are named by enumerators such as IGN_FILE_PATH. Objects are immutable
 * after construction: merging shares the parts that it does not change. All memory is in the
 * caller's arena.
 */
#ifndef IGN_IGN_H
#define IGN_IGN_H

#include "base/map.h"
#include "base/semver.h"
#include "base/vec.h"
#include "data/json.h"

enum ign_kind { IGN_STR, IGN_INT, IGN_BOOL, IGN_OBJ, IGN_STRS, IGN_OBJS };

enum ign_flags {
	IGN_PLAIN = 1, /* not optional: written even when empty */
	IGN_KEY = 2, /* the key of a list's entries */
	IGN_OMIT = 4, /* plain, but omitted when zero */
	IGN_CONCAT = 8, /* lists are appended, with duplicates */
	IGN_GROUPED = 16, /* keys are unique across all such lists of the struct */
	IGN_DROP_UNSET = 32, /* an entry without a value removes its parent */
};

struct ign_obj;
struct ign_check;

struct ign_type {
	const char *go; /* its name in messages */
	const struct ign_field *fields; /* ended by one without a name */
	size_t n;
	void (*check)(struct ign_check *c, const struct ign_obj *o);
};

/* Packed: there are hundreds. */
struct ign_field {
	const char *name;
	const struct ign_type *sub;
	enum ign_kind kind : 8;
	unsigned flags : 8;
	int since : 8; /* minor version of the spec */
	uint16_t go, embed; /* words for messages: see ign_word */
};

struct ign_objs {
	struct ign_obj **v;
	size_t n, cap;
};

struct ign_val {
	bool set; /* given; of a list: given and not null */
	bool holes; /* while folding: entries were taken out of this list */
	struct map *index; /* while folding: the positions of the keys of a list */
	union {
		struct str s;
		int64_t i;
		bool b;
		struct ign_obj *o; /* NULL: nothing in it is set */
		struct strs strs;
		struct ign_objs objs;
	} u;
};

struct ign_obj {
	const struct ign_type *type;
	bool own; /* while folding: not shared, may be changed */
	struct ign_val v[];
};

/* enum { IGN_FILE_GROUP, IGN_FILE_OVERWRITE, … }; extern ign_type_FILE; … */
#define TYPE(T, go, check)                         \
	extern const struct ign_type ign_type_##T; \
	enum {
#define FIELD(T, F, name, kind, flags, since, sub, go, embed) IGN_##T##_##F,
#define END(T)           \
	IGN_##T##_FIELDS \
	}                \
	;
#include "ign/schema.def"
#undef TYPE
#undef FIELD
#undef END

/* A field's go or embed as text. */
const char *ign_word(uint16_t word);

struct ign_obj *ign_new(struct arena *a, const struct ign_type *type);

/* Reading; a NULL object has nothing set. */
const struct ign_obj *ign_sub(const struct ign_obj *o, int field);
struct str ign_str(const struct ign_obj *o, int field); /* "" when unset */
bool ign_is_set(const struct ign_obj *o, int field);
bool ign_is_true(const struct ign_obj *o, int field);
int64_t ign_int(const struct ign_obj *o, int field, int64_t dflt);
const struct ign_objs *ign_list(const struct ign_obj *o, int field);
const struct strs *ign_strings(const struct ign_obj *o, int field);

/* "storage", "files" of a config at once. */
const struct ign_objs *ign_files(const struct ign_obj *config);
const struct ign_objs *ign_units(const struct ign_obj *config);

/* Nothing is set, lists have no entries, plain fields are empty: the object is omitted. */
bool ign_is_zero(const struct ign_obj *o);

/* Compares deeply and in order; an absent list differs from an empty one. */
bool ign_eq(const struct ign_obj *x, const struct ign_obj *y);

bool ign_eq_lists(const struct ign_objs *x, const struct ign_objs *y);

/* The key of o in its list. */
struct str ign_key(struct arena *a, const struct ign_obj *o);

/* An index of the entries of a list by key, for repeated lookups. */
void ign_index(struct arena *a, const struct ign_objs *list, struct map *out);

/* A config with nothing but version 3.5.0. */
struct ign_obj *ign_empty(struct arena *a);

/* ---- reports ------------------------------------------------------------- */

struct ign_entry {
	bool fatal;
	struct str path; /* "storage.files.0.path"; "" for the whole */
	struct str message;
	bool at_key; /* the place is the key's, not the value's */
};

struct ign_report {
	struct ign_entry *v;
	size_t n, cap;
	bool fatal; /* has an error, not only warnings */
};

/* As upstream prints it; positions in root's text when text is given. */
struct str ign_report_text(struct arena *a, const struct ign_report *r, const struct json *root,
			   struct str text);

/*
 * Finds positions in a text. Remembers the last position, so that many lookups in
 * ascending order cost one pass over the text.
 */
struct ign_locator {
	const struct json *root;
	struct str text;
	size_t at, line, start; /* a known offset, its line, where that begins */
	struct {
		const struct json *array, *item;
		int64_t i;
	} memo[4]; /* items of arrays that were found */
};

#define IGN_LOCATOR(root, text) ((struct ign_locator){ root, text, 0, 1, 0, { { 0 } } })

/* The line and column, from 1, of path or of its longest existing part. */
void ign_locate(struct ign_locator *l, struct str path, bool at_key, size_t *line, size_t *col);

/* Checks a config by the rules of spec 3.minor; root may be NULL. */
void ign_validate(struct arena *a, const struct ign_obj *config, int minor, const struct json *root,
		  struct ign_report *out);

/* ---- parsing ------------------------------------------------------------- */

struct ign_parsed {
	struct ign_obj *config; /* 3.5's shape; NULL for v2 until converted */
	const struct json *root; /* the text's tree, for positions */
	struct ign_report report; /* of v3: warnings of an accepted config */
	int minor; /* the spec it was written in: 3.minor */
	bool v2;
	struct ign_v2 *old; /* the v2 config, as it was read */
};

/*
 * Reads a config of any accepted version. ERR_INVALID with upstream's text, including the report;
 * if validation failed, out->report then has its entries. Nothing else of *out is set.
 */
int ign_parse(struct arena *a, struct str text, struct ign_parsed *out, struct err *err);

/*
 * The same from a tree, for valid configs of spec 3: false for any other config, which
 * ign_parse must read. Does not look for warnings.
 */
bool ign_take(struct arena *a, const struct json *tree, struct ign_parsed *out);

/* The same, with v2 configs converted to 3.5, as upstream does when it merges. */
int ign_parse_35(struct arena *a, struct str text, struct ign_obj **out, struct err *err);

/* A value of the wrong type, with the text of Go's decoder. */
struct ign_misfit {
	const struct json *at;
	struct str path; /* as struct ign_entry has it */
	struct str message;
};

struct ign_misfits {
	struct ign_misfit *v;
	size_t n, cap;
};

struct ign_review {
	struct ign_misfits misfits;
	struct ign_report report; /* of the rest */
	struct map reported; /* the paths of misfits and of errors in the report */
	struct ign_obj *config; /* the readable part of a spec 3 config, else NULL */
};

/*
 * All faults of a config that ign_parse refuses. Values of the wrong type count as
 * absent and cause no further faults. A config of an unknown version has none; of spec
 * 2 only wrong types are found.
 */
void ign_review(struct arena *a, const struct json *tree, struct ign_review *out);

/* Whether path is that of an error, or inside a misfit. */
bool ign_is_reported(const struct ign_review *r, struct str path);

/* Upstream refuses file modes above 0777 in every version: ERR_INVALID. */
int ign_check_modes(const struct ign_parsed *p, struct err *err);

/* ---- merging and writing ------------------------------------------------- */

/*
 * Merges each config over those before it, by the rules of spec 3.5. The cost is linear
 * in the size of all configs. n is at least 1.
 */
struct ign_obj *ign_fold(struct arena *a, const struct ign_objs *configs);

/* The config as JSON, in the order and with the omissions of upstream's encoder. Shares strings. */
struct json *ign_encode(struct arena *a, const struct ign_obj *config);
/* The same without the fields that spec 3.minor does not have. */
struct json *ign_encode_as(struct arena *a, const struct ign_obj *config, int minor);

/*
 * Converts a 3.5 config to spec 3.1 to 3.5, or 2.2. ERR_INVALID with upstream's text when that spec
 * cannot express it.
 */
int ign_down(struct arena *a, const struct ign_obj *config, struct semver to, struct json **out,
	     struct err *err);

#endif
