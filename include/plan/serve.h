/*
 * serve: which Ignition a machine that asks gets.
 *
 * A request is routed first: it is answered on the spot, or it asks for the
 * config of a pool in some version of the spec. That is then made of the
 * objects, which are never changed: the same objects give the same bytes
 * however often and in which order they are asked for.
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
	int status; /* 0: ask for the config of pool in version */
	struct str type, location, body; /* "" when there is none */
	struct str why; /* for the log, where the status alone says little */
	/* Set whenever a config was asked for, even if the answer is no. */
	struct str pool;
	struct semver version;
};

void serve_route(struct arena *a, const struct serve_request *req, struct serve_answer *out);

/*
 * The version an Accept header asks for: 2.2 when it names none. False when
 * what it prefers is not supported.
 */
bool serve_version(struct str accept, struct semver *out);

/* Versions that serve_version gives: a small number for each, for tables. */
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
	/* In the cluster the embedded MachineConfig has no kind, and the
	 * encapsulated config is of the version asked for. */
	bool cluster;
};

/* The body. ERR_INVALID, for the log, when there can be none. */
int serve_config(struct arena *a, const struct serve_in *in, struct semver version, struct str *out,
		 struct err *err);

/* ---- from files ---------------------------------------------------------- */

/* Whether machines of that pool are served while bootstrapping; ERR_INVALID. */
int serve_bootstrap_pool(struct str pool, struct err *err);

/* A kubeconfig is served as it is, but must be one. */
int serve_check_kubeconfig(struct arena *a, struct str text, struct err *err);

/* "host=file" taken apart; ERR_INVALID. */
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
