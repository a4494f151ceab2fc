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

/* Where upstream's image has its templates. */
#define TEMPLATES_DIR "/etc/mcc/templates"
/* The name of the tree that is part of this program. */
#define TEMPLATES_BUILTIN "builtin"

/* The tree of that name: a directory, or TEMPLATES_BUILTIN; "": TEMPLATES_DIR.
 * ERR_NOTFOUND says what to do when there is none. */
int template_dir_named(struct arena *a, struct str name, struct template_tree *out,
		       struct err *err);

#endif
