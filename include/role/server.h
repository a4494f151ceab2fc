/*
 * server: the Machine Config Server. It serves Ignition configs to machines that join: on the
 * bootstrap host from files, in a cluster from the API.
 */
#ifndef ROLE_SERVER_H
#define ROLE_SERVER_H

#include "base/vec.h"

struct server_opts {
	int64_t secure_port; /* TLS */
	int64_t insecure_port; /* plain HTTP; 0: none */
	struct str cert, key; /* files of the serving certificate */
	struct str suites, min_version; /* for server_start: IANA names, "VersionTLS12" */
	struct str bind; /* address to listen on; "": all */
	struct str metrics; /* HOST:PORT of /metrics; "": none */
	struct str token_file; /* bearer tokens, one per line; "": none needed */
	struct str audit; /* file of one JSON line per request; "-": standard error; "": none */
	struct strs allow; /* networks ("10.0.0.0/8"); none: every address */
	int64_t workers; /* processes of server_bootstrap; 0: one per core */
	int64_t max_conns, per_address; /* connections per port; connections per address */
	int64_t rate; /* configs per minute and address; 0: no limit */
};

/* Upstream's ports and files. */
void server_defaults(struct server_opts *o);

/* The files of the bootstrap host. */
struct server_files {
	struct str base; /* directory of machine-pools, machine-configs, controller-config */
	struct str kubeconfig; /* that machines get */
	struct str apiserver; /* APIServer manifest with the TLS profile */
	struct strs certs; /* "HOST=FILE", FILE in base */
};

/* The cluster to follow. */
struct server_cluster {
	struct str url; /* of the API server, for machines */
	struct str kubeconfig; /* "": KUBECONFIG, else the pod's account */
	struct str token_dir; /* has the "token" and "ca.crt" that machines get */
};

/*
 * Both serve until SIGTERM or SIGINT, and log as upstream does why they cannot start. They
 * return the exit status: 0 after a signal, 1 after an error, 255 without usable credentials.
 */
int server_bootstrap(struct arena *a, const struct server_opts *o, const struct server_files *f);
int server_start(struct arena *a, const struct server_opts *o, const struct server_cluster *c);

#endif
