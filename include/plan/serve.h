/*
 * serve: the answer to a machine's request for its Ignition config.
 *
 * serve_route either answers a request or names a pool and a version of the spec.
 * serve_config then makes the config from the API objects, which it does not modify:
 * the same objects give the same bytes.
 */
#ifndef PLAN_SERVE_H
#define PLAN_SERVE_H

#include "base/semver.h"
#include "base/vec.h"
#include "data/json.h"

/* ---- routes -------------------------------------------------------------- */

struct serve_request {
	struct str method, target; /* as in the request line */
	struct str accept; /* the first Accept header, or "" */
};

struct serve_answer {
	int status; /* 0: answer with serve_config for pool and version */
	struct str type, location, body; /* "" when there is none */
	struct str why; /* the error to log, or "" */
	/* Set for every request of a config, also when it is refused. */
	struct str pool;
	struct semver version;
};

void serve_route(struct arena *a, const struct serve_request *req, struct serve_answer *out);

/*
 * The version that an Accept header asks for; 2.2 when it has none. False when the
 * preferred version is not supported.
 */
bool serve_version(struct str accept, struct semver *out);

/* An index for each version that serve_version returns. */
#define SERVE_VERSIONS 7
size_t serve_version_index(struct semver v);

/* ---- the config ---------------------------------------------------------- */

struct serve_cert {
	struct str host, pem;
};

struct serve_in {
	struct str config_name; /* of the pool's configuration */
	const struct json *mc; /* the MachineConfig of that name */
	const struct json *controller_config;
	struct str kubeconfig; /* as served */
	struct str image; /* layered image, or "" */
	const struct serve_cert *certs; /* for certs.d, in order */
	size_t n_certs;
	/* In a cluster the embedded MachineConfig has no kind, and the encapsulated
	 * config has the requested version. */
	bool cluster;
};

/* Makes the body. ERR_INVALID, to be logged, when the input is not valid. */
int serve_config(struct arena *a, const struct serve_in *in, struct semver version, struct str *out,
		 struct err *err);

/* ---- from files ---------------------------------------------------------- */

/* ERR_INVALID for pools that the bootstrap host does not serve. */
int serve_bootstrap_pool(struct str pool, struct err *err);

/* Checks a kubeconfig that is served unchanged. */
int serve_check_kubeconfig(struct arena *a, struct str text, struct err *err);

/* Splits "host=file"; ERR_INVALID. */
int serve_cert_arg(struct str arg, struct str *host, struct str *file, struct err *err);

/* ---- from a cluster ------------------------------------------------------ */

/* What the server needs of a MachineConfigPool; views of the tree. */
struct serve_pool {
	struct str name, spec_config, status_config;
	bool tried; /* at least one machine runs the spec's config */
};

void serve_pool_decode(const struct json *tree, struct serve_pool *out);
bool serve_pool_eq(const struct serve_pool *x, const struct serve_pool *y);

/* The name of the config that new machines of a pool start with. */
struct str serve_pool_config(const struct serve_pool *pool, bool cluster);

/* Trees, as the cluster has them. */
struct serve_objects {
	const struct json **v;
	size_t n, cap;
};

/* "<name>.<namespace>.svc:<port>" of Services, spec.host of Routes. */
void serve_registry_hosts(struct arena *a, const struct serve_objects *services,
			  const struct serve_objects *routes, struct strs *out);

/*
 * The image that was built for the pool's config, or "" when there is none that
 * a machine can pull before it has joined.
 */
struct str serve_layered_image(const struct serve_pool *pool,
			       const struct serve_objects *os_configs,
			       const struct serve_objects *os_builds,
			       const struct strs *registry_hosts);

/* The kubeconfig new machines bootstrap with. */
int serve_make_kubeconfig(struct arena *a, struct str server, struct str ca, struct str token,
			  struct str *out, struct err *err);

#endif
