/*
 * users: SSH keys and password of the user core, the only user that a config can change on a
 * running node.
 *
 * gone: users of the old config that the new one does not have; their passwords are locked.
 */
#ifndef NODE_USERS_H
#define NODE_USERS_H

#include "data/json.h"
#include "node/node.h"

/* Adds the paths that users_write_keys may change. ERR_INVALID when ~core/.ssh leads to a directory
 * of another user. */
int users_key_paths(struct node *n, struct arena *a, struct strs *out, struct err *err);
int users_write_keys(struct node *n, struct arena *a, const struct mc_merged *to,
		     const struct strs *gone, struct err *err);
/* Moves the keys from where an older OS kept them to where this OS reads them. */
int users_move_keys(struct node *n, struct arena *a, const struct mc_merged *to, struct err *err);

int users_write_passwords(struct node *n, struct arena *a, const struct mc_merged *to,
			  const struct strs *gone, struct err *err);
/* The hashes of core and of all in gone, {"core": "<hash>"}, for users_set_password to restore. */
int users_password_hashes(struct node *n, struct arena *a, const struct strs *gone,
			  struct json **out, struct err *err);
int users_set_password(struct node *n, struct arena *a, struct str user, struct str hash,
		       struct err *err);

#endif
