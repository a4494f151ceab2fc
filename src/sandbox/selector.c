/*
 * Validation of label keys and values in selectors, with the texts of the API server's version.
 */
#include "sandbox/request.h"

/* The older text for a value that is too long. */
static struct str older(struct arena *a, struct str text)
{
	ptrdiff_t at = str_find(text, S("63 bytes"));

	if (at < 0)
		return text;
	return str_fmt(a, "%.*s63 characters%.*s", (int)at, text.p,
		       STRF(str_from(text, (size_t)at + 8)));
}

struct str filter_bad_key(struct arena *a, struct str key)
{
	return older(a, selector_bad_key(a, key));
}

struct str filter_bad_value(struct arena *a, struct str value)
{
	return older(a, selector_bad_value(a, value));
}

int filter_labels(struct arena *a, struct str text, struct selector *out, struct err *err)
{
	int rc = selector_parse(a, text, out, err);

	if (rc < 0)
		err->msg = older(a, err->msg);
	return rc;
}
