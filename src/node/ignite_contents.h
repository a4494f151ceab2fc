/*
 * ignite_contents: the bytes of a config's files, before any file is written.
 *
 * What is packed or elsewhere is unpacked, checked against its hash and kept in
 * one nameless file on the disk, so that memory is bounded whatever a config
 * points at. What a config has in itself stays where it is: in the config.
 */
#ifndef SRC_NODE_IGNITE_CONTENTS_H
#define SRC_NODE_IGNITE_CONTENTS_H

#include "node/ignite.h"

/* Bytes of a file, in order. */
struct piece {
	struct str mem; /* or, where it is "", */
	uint64_t at, n; /* in the spool */
};

struct pieces {
	struct piece *v;
	size_t n, cap;
	struct spool *spool;
};

struct spool {
	struct tree *tree;
	int fd; /* -1: nothing is in it yet */
	uint64_t n, max;
};
#define SPOOL_INIT(t) ((struct spool){ .tree = (t), .fd = -1 })
void spool_close(struct spool *s);

/* Adds the bytes of a resource to out. */
int ignite_contents(struct arena *a, struct spool *s, const struct ign_obj *r,
		    const struct ignite_source *from, struct pieces *out, struct err *err);

/* A resource that has to be in memory: a config, a certificate. */
int ignite_text(struct arena *a, const struct ign_obj *r, const struct ignite_source *from,
		struct str *out, struct err *err);

/* All of them, as tree_write_from and tree_has want them. */
struct producer pieces_producer(struct pieces *p);
uint64_t pieces_size(const struct pieces *p);

#endif
