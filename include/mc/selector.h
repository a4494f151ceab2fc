/*
 * selector: Kubernetes label selectors.
 */
#ifndef MC_SELECTOR_H
#define MC_SELECTOR_H

#include "base/vec.h"
#include "data/json.h"
#include "mc/labels.h"

enum selector_op { SELECT_IN, SELECT_NOT_IN, SELECT_EXISTS, SELECT_NOT_EXISTS };

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
 * From a LabelSelector object (NULL or {}: no requirements). ERR_INVALID in the
 * API machinery's words.
 */
int selector_make(struct arena *a, const struct json *j, struct selector *out,
		  struct err *err);

/* All requirements hold for these labels (NULL: none). */
bool selector_matches(const struct selector *s, const struct json *labels);
bool selector_matches_labels(const struct selector *s, struct labels labels);

/* "a=b,c in (d,e),!f" */
struct str selector_text(struct arena *a, const struct selector *s);

#endif
