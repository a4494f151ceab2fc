/*
 * yml_node: the parsed document before types are resolved, and the resolution of plain scalars.
 */
#ifndef DATA_YML_NODE_H
#define DATA_YML_NODE_H

#include "base/map.h"
#include "base/num.h"
#include "base/vec.h"
#include "data/yml.h"

enum yml_kind { YML_SCALAR, YML_SEQUENCE, YML_MAPPING, YML_ALIAS };

struct yml_node {
	enum yml_kind kind;
	struct str tag; /* long form, "" when none was written */
	struct str value; /* of a scalar; of an alias its anchor's name */
	bool implicit; /* a plain scalar without a tag */
	bool expanding; /* an alias being followed: to find cycles */
	size_t line, col; /* from 0 */
	size_t start, end; /* byte offsets */
	struct yml_node *target; /* of an alias */
	struct yml_node *first, *last, *next; /* children; siblings */
	size_t n; /* children */
};

#define YML_TAG(name) "tag:yaml.org,2002:" name

enum yml_type {
	YML_STR,
	YML_NULL,
	YML_BOOL,
	YML_INT,
	YML_FLOAT,
	YML_TIMESTAMP,
};

struct yml_value {
	enum yml_type type;
	bool truth;
	struct num_int i;
	double f;
};

/* Resolves a plain scalar, with a core tag or without one ("" for tag). */
struct yml_value yml_resolve(struct str tag, struct str text);

/* Whether text written plain is a string; if not, a string must be quoted. */
bool yml_plain_is_string(struct str text);

/* The name of a type in messages: "!!int". */
const char *yml_type_name(enum yml_type type);

/* A value as JSON; text is the contents of a string. */
struct json *yml_scalar_json(struct arena *a, const struct yml_value *v, struct str text);

/* A mapping under construction; it gets an index when it is large. */
struct yml_target {
	struct json *object;
	size_t n;
	struct map index;
};

/* Find a member, or NULL; add a member that does not exist yet. */
struct json *yml_find(struct arena *a, struct yml_target *t, struct str key);
void yml_put(struct yml_target *t, struct str key, struct json *v);

/* Parses any text with the library's events. */
int yml_parse_events(struct arena *a, struct str text, const struct yml_opts *opts,
		     struct json **out, struct err *err);

/* Decodes the tree under root; sets err and fault. */
struct yml_decode {
	struct arena *a;
	unsigned flags;
	struct yml_fault fault;
	struct yml_fault *twice; /* see struct yml_opts; may be NULL */
	struct err *err;
	uint64_t decoded, aliased; /* upstream's counts for alias bombs */
	unsigned alias_depth, depth;
	/* A fault that upstream reports only after the whole document is decoded: the first key
	 * that cannot become a string, and its value. */
	const struct yml_node *odd_key, *odd_value;
};
int yml_decode(struct yml_decode *d, struct str text, struct yml_node *root, struct json **out);

/* The type of a scalar; *text is the contents of a string. */
int yml_scalar_value(struct yml_decode *d, const struct yml_node *n, struct yml_value *v,
		     struct str *text);

/* Appends n as Go's %#v formats it. */
void yml_show(struct yml_decode *d, struct buf *b, const struct yml_node *n);

/* Sets err and d->fault; upstream's text is "yaml: " and the problem. */
int yml_fail(struct yml_decode *d, const struct yml_node *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
