/*
 * Label keys and values in selectors: the names under which the sandbox uses mc/selector.
 */
#include "sandbox/request.h"

struct str filter_bad_key(struct arena *a, struct str key)
{
	return selector_bad_key(a, key);
}

struct str filter_bad_value(struct arena *a, struct str value)
{
	return selector_bad_value(a, value);
}

int filter_labels(struct arena *a, struct str text, struct selector *out, struct err *err)
{
	return selector_parse(a, text, out, err);
}
