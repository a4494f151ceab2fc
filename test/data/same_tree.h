/* Whether two trees are equal in kinds, texts, keys, order and positions. */
#ifndef TEST_DATA_SAME_TREE_H
#define TEST_DATA_SAME_TREE_H

#include "data/json.h"

static bool same_tree(const struct json *x, const struct json *y)
{
	size_t xs, xe, ys, ye;

	if (!x || !y)
		return x == y;
	json_span(x, &xs, &xe);
	json_span(y, &ys, &ye);
	if (json_kind(x) != json_kind(y) || xs != ys || xe != ye ||
	    json_key_pos(x) != json_key_pos(y) || !str_eq(json_key(x), json_key(y)) ||
	    !str_eq(json_text(x), json_text(y)) || json_is_true(x) != json_is_true(y))
		return false;
	for (x = json_first(x), y = json_first(y); x && y; x = json_next(x), y = json_next(y))
		if (!same_tree(x, y))
			return false;
	return x == y;
}

#endif
