/*
 * ignite_contents: the contents of a config's files, fetched before any file is written.
 *
 * Contents that are compressed or remote are decompressed, checked against their hash and spooled
 * to one unlinked temporary file, so that memory is bounded. Inline contents stay in the config.
 */
#ifndef SRC_NODE_IGNITE_CONTENTS_H
#define SRC_NODE_IGNITE_CONTENTS_H

#include "node/ignite.h"

/* A part of a file. */
struct piece {
	struct str mem; /* the bytes, or "": */
	uint64_t at, n; /* their place in the spool */
};

struct pieces {
	struct piece *v;
	size_t n, cap;
	struct spool *spool;
};

struct spool {
	struct tree *tree;
	int fd; /* -1: not opened yet */
	uint64_t n, max;
};
#define SPOOL_INIT(t) ((struct spool){ .tree = (t), .fd = -1 })
void spool_close(struct spool *s);

/* Adds the bytes of a resource to out. */
int ignite_contents(struct arena *a, struct spool *s, const struct ign_obj *r,
		    const struct ignite_source *from, struct pieces *out, struct err *err);

/* Reads a resource into memory: a config, a certificate. */
int ignite_text(struct arena *a, const struct ign_obj *r, const struct ignite_source *from,
		struct str *out, struct err *err);

/* All pieces, for tree_write_from and tree_has. */
struct producer pieces_producer(struct pieces *p);
uint64_t pieces_size(const struct pieces *p);

#endif
