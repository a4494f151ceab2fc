/*
 * template_dir: trees of templates on disk.
 */
#ifndef IO_TEMPLATE_DIR_H
#define IO_TEMPLATE_DIR_H

#include "plan/template.h"

/*
 * Reads the tree in dir. Links to files are followed, links to directories
 * are not. ERR_NOTFOUND, ERR_SYS, ERR_LIMIT when it is larger than a tree of
 * templates has reason to be.
 */
int template_dir_read(struct arena *a, const char *dir, struct template_tree *out, struct err *err);

/* Writes tree below dir, which is created; nothing that is there is replaced:
 * ERR_INVALID when dir holds anything. */
int template_dir_write(struct arena *a, const struct template_tree *tree, const char *dir,
		       struct err *err);

#endif
