/*
 * The default tree, packed into the program.
 */
#include "data/packed.h"
#include "plan/template.h"
#include "templates.h"

void template_builtin(struct arena *a, struct template_tree *out)
{
	static const char *const platforms[] = { "None", "BareMetal", NULL };
	struct template_tree tree = { .dir = S("builtin"), .platforms = platforms };
	struct str rest = PACKED(a, packed_templates);
	struct template_file f;

	while (packed_next(&rest, &f.path, &f.text))
		VEC_PUSH(a, &tree, f);
	*out = tree;
}
