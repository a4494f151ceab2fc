/*
 * extensions: extension packages of a config.
 */
#ifndef NODE_EXTENSIONS_H
#define NODE_EXTENSIONS_H

#include "node/node.h"

/* The repository of their packages; present only while the OS is changed. */
#define EXTENSIONS_REPO "/etc/yum.repos.d/coreos-extensions.repo"

/* Extracts the extensions image into *dir and writes EXTENSIONS_REPO. The caller removes both. */
int extensions_add_repo(struct node *n, struct arena *a, struct str image, char **dir,
			struct err *err);
/* Stages the packages of `to` and unstages the others. */
int extensions_change(struct node *n, struct arena *a, const struct mc_merged *from,
		      const struct mc_merged *to, struct err *err);

/* ERR_SYS when a package of the booted config is not installed. */
int extensions_check(struct node *n, struct arena *a, const struct mc_merged *spec,
		     struct err *err);

#endif
