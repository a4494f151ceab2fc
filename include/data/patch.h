/*
 * patch: JSON merge patches (RFC 7386) and the differences between two trees.
 */
#ifndef DATA_PATCH_H
#define DATA_PATCH_H

#include "base/vec.h"
#include "data/json.h"

/* A copy of target with patch applied; it shares only text with target. */
struct json *patch_apply(struct arena *a, const struct json *target, const struct json *patch);

/*
 * The smallest merge patch from `from` to `to`; NULL when they are equal. A merge patch cannot set
 * a member to null: a member that is null in `to` becomes absent.
 */
struct json *patch_make(struct arena *a, const struct json *from, const struct json *to);

enum patch_change { PATCH_ADDED, PATCH_REMOVED, PATCH_CHANGED };

struct patch_diff {
	enum patch_change change;
	struct str path; /* "spec.files[2].mode" */
	const struct json *before, *after; /* NULL when absent */
};

struct patch_diffs {
	struct patch_diff *v;
	size_t n, cap;
};

/* Every leaf that differs, depth first; lists are compared by index. */
void patch_diff(struct arena *a, const struct json *from, const struct json *to,
		struct patch_diffs *out);

#endif
