#ifndef SRC_NODE_JOURNAL_LINKS_H
#define SRC_NODE_JOURNAL_LINKS_H

#include "node/journal.h"

/* All there are, as {path: target}; and the folders of links. */
int journal_links(struct arena *a, struct tree *t, struct json **links,
		  struct json **dirs, struct err *err);
/* As the journal has them, but for paths that are put back by themselves. */
int journal_restore_links(struct arena *a, struct tree *t,
			  const struct journal *j, struct err *err);
/* A folder goes if it is empty; others may have put something there. */
int journal_remove_empty(struct tree *t, const char *path, struct err *err);

#endif
