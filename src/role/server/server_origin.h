/*
 * server_origin: the source of configs: files on the bootstrap host, the API in a cluster.
 */
#ifndef ROLE_SERVER_SERVER_ORIGIN_H
#define ROLE_SERVER_SERVER_ORIGIN_H

#include "data/kubeconfig.h"
#include "io/loop.h"
#include "io/stamp.h"
#include "plan/serve.h"

struct depend {
	const char *path;
	struct stamp stamp;
};

struct depends {
	struct depend *v;
	size_t n, cap;
};

struct origin {
	/* ERR_INVALID for pools that are never served; such answers are not kept. */
	int (*check)(struct origin *o, struct str pool, struct err *err);
	/*
	 * Fills in the input of a pool's config, and adds every file that was
	 * read. ERR_NOTFOUND when there is no such pool or config; other codes are
	 * errors.
	 */
	int (*load)(struct origin *o, struct arena *a, struct str pool, struct serve_in *in,
		    struct depends *files, struct err *err);
	uint64_t generation; /* changes with input that is not in files */
	/*
	 * For an origin that runs in the loop; else all three are NULL. With start the
	 * server is one process, and listens when ready returns true.
	 */
	int (*start)(struct origin *o, struct loop *l, struct err *err);
	bool (*ready)(const struct origin *o);
	void (*stop)(struct origin *o);
};

/* Reads a file that an answer depends on. */
int origin_read(struct arena *a, const char *path, struct depends *files, struct str *out,
		struct err *err);

struct bootstrap_origin {
	struct origin origin;
	struct str base, kubeconfig;
	struct strs certs; /* "host=file" */
};

void bootstrap_origin_init(struct bootstrap_origin *b);

struct cluster_origin {
	struct origin origin;
	const struct kube_conf *conf;
	struct str url; /* of the API server, for new machines */
	struct str token_dir; /* has "token" and "ca.crt" */
	bool refused; /* the credentials are not usable */
	struct cluster *live; /* private */
};

void cluster_origin_init(struct cluster_origin *c);

#endif
