/*
 * Inside data/yml: the parsed document before types are decided, and what a
 * plain scalar means.
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

/* What an untagged plain scalar is, or one with a core tag (tag may be ""). */
struct yml_value yml_resolve(struct str tag, struct str text);

/* The type a value has when written plain; also what must be quoted. */
bool yml_plain_is_string(struct str text);

/* The name of a type as in messages: "!!int". */
const char *yml_type_name(enum yml_type type);

/* A value in JSON's form; text is what a string says. */
struct json *yml_scalar_json(struct arena *a, const struct yml_value *v, struct str text);

/* A mapping being filled; the index is made when it gets large. */
struct yml_target {
	struct json *object;
	size_t n;
	struct map index;
};

/* The member of that name, or NULL; and a member that is not there yet. */
struct json *yml_find(struct arena *a, struct yml_target *t, struct str key);
void yml_put(struct yml_target *t, struct str key, struct json *v);

/* Reads text through the library's events, whatever is in it. */
int yml_parse_events(struct arena *a, struct str text, const struct yml_opts *opts,
		     struct json **out, struct err *err);

/* Decodes the tree under root; sets err and fault. */
struct yml_decode {
	struct arena *a;
	unsigned flags;
	struct yml_fault fault;
	struct yml_fault *twice; /* see struct yml_opts; may be NULL */
	struct err *err;
	uint64_t decoded, aliased; /* upstream's measure of alias bombs */
	unsigned alias_depth, depth;
	/* Faults that upstream meets only after the whole document is read:
	 * the first key that cannot become a string, and its value. */
	const struct yml_node *odd_key, *odd_value;
};
int yml_decode(struct yml_decode *d, struct str text, struct yml_node *root, struct json **out);

/* The type of a scalar; *text is what it says when it is a string. */
int yml_scalar_value(struct yml_decode *d, const struct yml_node *n, struct yml_value *v,
		     struct str *text);

/* Appends n as Go's %#v shows it. */
void yml_show(struct yml_decode *d, struct buf *b, const struct yml_node *n);

/* Sets err and d->fault; upstream's text is "yaml: " and the problem. */
int yml_fail(struct yml_decode *d, const struct yml_node *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
