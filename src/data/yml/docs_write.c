/*
 * docs_write: one document in the format that a command was asked for.
 */
#include "data/docs.h"
#include "data/yml.h"

int docs_write(struct buf *b, struct str format, unsigned flags, const struct json *tree,
	       struct err *err)
{
	size_t before = b->n;
	int rc;

	if (str_starts(format, S("json"))) {
		json_encode(b, tree, flags | (str_is(format, "json") ? JSON_INDENT : 0));
		buf_addc(b, '\n');
		return 0;
	}
	if (before)
		buf_addz(b, "---\n");
	rc = yml_emit(b, tree, err);
	if (rc < 0)
		b->n = before;
	return rc;
}
