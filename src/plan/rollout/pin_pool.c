/*
 * PinnedImageSets and pools: the spec of a pool lists the sets of its nodes.
 */
#include <stdlib.h>

#include "plan/apply.h"
#include "plan/pin.h"
#include "plan/render_sync.h"

static int by_name(const void *x, const void *y)
{
	return str_cmp(json_str(*(struct json *const *)x, "name"),
		       json_str(*(struct json *const *)y, "name"));
}

/* References to the sets that match, sorted. */
static struct json *refs(struct arena *a, const struct selector *sel, const struct json_list *sets)
{
	struct json **v = arena_array(a, sets->n, sizeof(*v));
	struct json *list = json_new(a, JSON_ARRAY);
	size_t n = 0;

	for (size_t i = 0; i < sets->n; i++) {
		const struct json *meta = json_at(sets->v[i], "metadata");

		if (!selector_matches(sel, json_at(meta, "labels")))
			continue;
		v[n] = json_new(a, JSON_OBJECT);
		json_add_str(a, v[n++], "name", json_str(meta, "name"));
	}
	qsort(v, n, sizeof(*v), by_name);
	for (size_t i = 0; i < n; i++)
		json_push(list, v[i]);
	return list;
}

int plan_pin_pool(struct arena *a, const struct mcp *pool, const struct json_list *sets,
		  struct instant now, struct str failed, struct actions *out, struct err *err)
{
	static const char type[] = "PinnedImageSetsDegraded";
	const struct json *have = json_at(pool->tree, "spec.pinnedImageSets");
	struct json *want, *next, *spec;
	struct selector sel = { 0 };
	int rc = selector_make(a, pool->selector, &sel, err);

	if (failed.n)
		pool_condition(a, pool->tree, type, now,
			       str_fmt(a,
				       "Failed to populate pinned image sets "
				       "for pool %.*s: %.*s",
				       STRF(pool->meta.name), STRF(failed)),
			       "cannot write its pinned image sets", out);
	if (rc < 0 || failed.n || (pool->selector && !json_len(pool->selector)))
		return rc;
	want = refs(a, &sel, sets);
	if (json_len(want) ? json_eq(have, want) : !json_len(have)) {
		pool_condition(a, pool->tree, type, now, S(""),
			       "its pinned image sets are up to date", out);
		return 0;
	}
	next = json_clone(a, pool->tree);
	spec = json_at(next, "spec");
	if (json_len(want))
		json_set(spec, S("pinnedImageSets"), want);
	else
		(void)json_remove(spec, S("pinnedImageSets"));
	pool_add_zeros(a, spec);
	apply_replace(a, "machineconfigpools", next, "", S("pinned image sets changed"), out);
	return 0;
}
