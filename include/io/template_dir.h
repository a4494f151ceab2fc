/*
 * template_dir: reads and writes trees of templates on disk.
 */
#ifndef IO_TEMPLATE_DIR_H
#define IO_TEMPLATE_DIR_H

#include "plan/template.h"

/*
 * Reads the tree in dir. Links to files are followed, links to directories
 * are not. ERR_NOTFOUND, ERR_SYS; ERR_LIMIT when it is too large to be a tree of
 * templates.
 */
int template_dir_read(struct arena *a, const char *dir, struct template_tree *out, struct err *err);

/* Creates dir and writes tree below it. ERR_INVALID when dir is not empty: nothing
 * is replaced. */
int template_dir_write(struct arena *a, const struct template_tree *tree, const char *dir,
		       struct err *err);

#endif
