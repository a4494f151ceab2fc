/*
 * selector: Kubernetes label selectors.
 */
#ifndef MC_SELECTOR_H
#define MC_SELECTOR_H

#include "base/vec.h"
#include "data/json.h"
#include "mc/labels.h"

enum selector_op {
	SELECT_IN,
	SELECT_NOT_IN,
	SELECT_EXISTS,
	SELECT_NOT_EXISTS,
	SELECT_GT, /* the label and values[0] are whole numbers */
	SELECT_LT,
};

struct requirement {
	struct str key;
	enum selector_op op;
	struct strs values; /* sorted */
};

struct selector {
	struct requirement *v; /* sorted by key; none: matches nothing */
	size_t n, cap;
};

/*
 * From a LabelSelector object (NULL or {}: no requirements). ERR_INVALID with
 * the API machinery's text.
 */
int selector_make(struct arena *a, const struct json *j, struct selector *out, struct err *err);

/*
 * From text as in a query: "a=b,c!=d,e in (f,g),!h,i>1". ERR_INVALID with the API
 * machinery's text. An empty text has no requirements.
 */
int selector_parse(struct arena *a, struct str text, struct selector *out, struct err *err);

/* The fault of a label's key or value, or "". */
struct str selector_bad_key(struct arena *a, struct str key);
struct str selector_bad_value(struct arena *a, struct str value);

/* Dot-separated labels of lower-case letters, digits and '-'. */
bool selector_is_subdomain(struct str s);
#define SELECTOR_SUBDOMAIN_RULE                                              \
	"a lowercase RFC 1123 subdomain must consist of lower case "         \
	"alphanumeric characters, '-' or '.', and must start and end with "  \
	"an alphanumeric character (e.g. 'example.com', regex used for "     \
	"validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]" \
	"*[a-z0-9])?)*')"

/* All requirements hold for these labels (NULL: none). */
bool selector_matches(const struct selector *s, const struct json *labels);
bool selector_matches_labels(const struct selector *s, struct labels labels);

/* "a=b,c in (d,e),!f" */
struct str selector_text(struct arena *a, const struct selector *s);

#endif
