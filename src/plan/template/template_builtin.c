/*
 * The default tree, packed at build time by test/tools/templates.sh: per file its path,
 * its size and its bytes.
 */
#include "data/flate.h"
#include "plan/template.h"
#include "templates.h"

#define TREE_MAX ((size_t)1 << 20)

void template_builtin(struct arena *a, struct template_tree *out)
{
	struct str packed = { (const char *)packed_templates, sizeof(packed_templates) };
	static const char *const platforms[] = { "None", "BareMetal", NULL };
	struct template_tree tree = { .dir = S("builtin"), .platforms = platforms };
	struct err err = ERR_INIT(a);
	struct str rest = S(""), size;
	struct template_file f;
	int64_t n;

	/* the packed bytes are complete by construction */
	(void)flate_gunzip(a, packed, TREE_MAX, &rest, &err);
	while (str_line(&rest, &f.path) && str_line(&rest, &size) && str_to_i64(size, &n) &&
	       n >= 0 && (size_t)n <= rest.n) {
		f.text = str_sub(rest, 0, (size_t)n);
		rest = str_from(rest, (size_t)n);
		VEC_PUSH(a, &tree, f);
	}
	*out = tree;
}
