/*
 * journal_links: the links of /etc/systemd/system in a journal.
 */
#ifndef SRC_NODE_JOURNAL_LINKS_H
#define SRC_NODE_JOURNAL_LINKS_H

#include "node/journal.h"

/* All links, as {path: target}, and the directories that hold them. */
int journal_links(struct arena *a, struct tree *t, struct json **links, struct json **dirs,
		  struct err *err);
/* Restores them as the journal has them, except paths that the journal restores by themselves. */
int journal_restore_links(struct arena *a, struct tree *t, const struct journal *j,
			  struct err *err);
/* Removes a directory if it is empty; another program may have put something there. */
int journal_remove_empty(struct tree *t, const char *path, struct err *err);

#endif
