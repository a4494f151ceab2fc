/*
 * files: files of a config, written to and removed from a node.
 *
 * Before a file of the OS is first replaced, a copy is kept beside the daemon's state ("orig"); a
 * file that the OS does not ship gets an empty marker instead ("noorig"). When the config no longer
 * has the file, the copy is restored or the file removed.
 */
#ifndef NODE_FILES_H
#define NODE_FILES_H

#include "base/sink.h"
#include "node/node.h"
#include "plan/steps.h"

/* Whether "/usr" + path exists: the OS ships the file. */
bool files_ships(struct node *n, struct arena *a, const char *path);

/* Keeps the copy or the marker for path, unless there is one. The copy is made from `from`. */
int files_keep_orig(struct node *n, struct arena *a, const char *from, const char *path,
		    struct err *err);
/* Restores the copy (*restored) or removes the marker. ask: restore only what a package still
 * owns, or /usr still has. */
int files_restore_orig(struct node *n, struct arena *a, const char *path, bool ask, bool *restored,
		       struct err *err);
/* Whether files_restore_orig would restore a copy; changes nothing. */
int files_would_restore(struct node *n, struct arena *a, const char *path, bool ask, bool *out,
			struct err *err);

/* Writes the file of a step; a file that is the same already is not written. */
int files_write(struct node *n, struct arena *a, const struct step *s, struct err *err);
int files_remove_stale(struct node *n, struct arena *a, const struct step *s, struct err *err);

/* The contents of a config's file, decompressed as they are read. */
struct producer files_bytes(const struct ign_obj *file);

/* ERR_LIMIT when the compressed files of an update do not fit on the disk. */
int files_check_room(struct node *n, const struct steps *steps, struct err *err);

/* ERR_INVALID when a symlink of this node would lead a file or unit of the config to the daemon's
 * own state. Call it before the node is drained. bare: see struct steps_in. */
int files_check_paths(struct node *n, struct arena *a, const struct mc_merged *to, bool bare,
		      struct err *err);

/* The id of a name in the node's /etc/passwd or /etc/group (file), or in the copy of it that the
 * OS has in /usr/lib. ERR_NOTFOUND. */
int files_lookup_id(struct node *n, struct arena *a, const char *file, struct str name, int64_t *id,
		    struct err *err);
/* The owner of a file, directory or link, which begin with the same fields. */
int files_owner(struct node *n, struct arena *a, const struct ign_obj *o, int64_t *uid,
		int64_t *gid, struct err *err);

#endif
