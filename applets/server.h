/*
 * server: what the commands of mco-server share.
 *
 * An origin knows where configs come from: files while bootstrapping, the API
 * in a cluster. The answers are kept as long as what they were made of stays the
 * same.
 */
#ifndef APPLETS_SERVER_H
#define APPLETS_SERVER_H

#include "applet.h"
#include "base/rate.h"
#include "data/kubeconfig.h"
#include "io/loop.h"
#include "io/sock.h"
#include "io/stamp.h"
#include "plan/serve.h"

/* ---- where configs come from --------------------------------------------- */

struct depend {
	const char *path;
	struct stamp stamp;
};

struct depends {
	struct depend *v;
	size_t n, cap;
};

struct origin {
	/* ERR_INVALID for pools that are never served; nothing is kept then. */
	int (*check)(struct origin *o, struct str pool, struct err *err);
	/*
	 * Fills in what a pool's config is made of, and adds every file that
	 * was looked at. ERR_NOTFOUND when there is none, any other code for
	 * what is broken.
	 */
	int (*load)(struct origin *o, struct arena *a, struct str pool, struct serve_in *in,
		    struct depends *files, struct err *err);
	uint64_t generation; /* changes with what is not in files */
	/*
	 * For what is followed in the loop, else NULL: then all is done in one
	 * process, and nothing listens before it is ready.
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
	bool refused; /* no client could be made */
	struct cluster *live; /* its own */
};

void cluster_origin_init(struct cluster_origin *c);

/* ---- answers ------------------------------------------------------------- */

struct answer {
	unsigned refs;
	int status; /* 200, 404, 500 */
	struct str body; /* behind this struct */
	struct str why; /* likewise; for the log */
};

void answer_ref(struct answer *a);
void answer_unref(struct answer *a);

struct answers;
struct answers *answers_new(struct origin *o);
void answers_free(struct answers *c);

/* The answer to a request for pool in version, now; unref it. made (may be
 * NULL) tells whether it had to be made. */
struct answer *answers_get(struct answers *c, struct str pool, struct semver version, bool *made);

/* ---- who may ask --------------------------------------------------------- */

struct gate;

struct gate_opts {
	const struct strs *allow; /* "10.0.0.0/8"; none: everyone */
	struct str token_file; /* tokens, one a line; "": none needed */
	int64_t per_minute; /* from one address; 0: any number */
	struct rate_slot *slots; /* of all processes, for per_minute */
};

#define GATE_SLOTS 4096

/* NULL and err for what is no network, or a token file that has none. */
struct gate *gate_new(const struct gate_opts *o, struct err *err);
void gate_free(struct gate *g);

/* Reads the tokens again when their file has changed; what cannot be read leaves
 * them as they were. */
void gate_refresh(struct gate *g);

/* Whether the address is in one of the networks. */
bool gate_admits(const struct gate *g, const struct sock_addr *peer);

/* Whether the value of an Authorization header has a token. Takes as long for
 * a wrong one as for a right one. */
bool gate_knows(struct gate *g, struct str authorization);

/* Whether the address may ask now; if not, *seconds until it may. */
bool gate_paces(struct gate *g, const struct sock_addr *peer, int64_t *seconds);

/* ---- the serving certificate --------------------------------------------- */

struct pair;
struct tls_server;

/* Sets tls's certificate and key from files; tls must outlive the pair. NULL and
 * err when they are no pair. */
struct pair *pair_new(struct tls_server *tls, struct str cert, struct str key, struct err *err);
void pair_free(struct pair *p);

/* Reads them again when they have changed; what is no pair changes nothing. now
 * is the loop's. */
void pair_refresh(struct pair *p, int64_t now);

/* ---- serving ------------------------------------------------------------- */

struct server_opts {
	int64_t secure_port, insecure_port;
	struct str cert, key, suites, min_version, payload;
	struct str bind, metrics, token_file, audit;
	struct strs allow;
	int64_t workers, max_conns, per_address, rate;
};

void server_defaults(struct server_opts *o);

#define SERVER_FLAG(flag, type, of, field, what, text)                                      \
	{                                                                                   \
		.name = flag, .kind = type, .offset = offsetof(of, s.field), .value = what, \
		.help = text                                                                \
	}

/* The flags that the commands share; `of` has a struct server_opts s. */
#define SERVER_FLAGS(of)                                                                       \
	SERVER_FLAG("secure-port", FLAG_INT, of, secure_port, "PORT",                          \
		    "serve with TLS here (default 22623)"),                                    \
		SERVER_FLAG("insecure-port", FLAG_INT, of, insecure_port, "PORT",              \
			    "serve plain HTTP here; 0: nowhere (default 22624)"),              \
		SERVER_FLAG("cert", FLAG_STR, of, cert, "FILE",                                \
			    "certificate chain (default /etc/ssl/mcs/tls.crt)"),               \
		SERVER_FLAG("key", FLAG_STR, of, key, "FILE",                                  \
			    "its key (default /etc/ssl/mcs/tls.key)"),                         \
		SERVER_FLAG("tls-cipher-suites", FLAG_STR, of, suites, "LIST",                 \
			    "IANA names, by commas; for start"),                               \
		SERVER_FLAG("tls-min-version", FLAG_STR, of, min_version, "VERSION",           \
			    "VersionTLS10 to VersionTLS12 (default VersionTLS12); for start"), \
		{ .name = "payload-version",                                                   \
		  .kind = FLAG_STR,                                                            \
		  .offset = offsetof(of, s.payload),                                           \
		  .value = "VERSION",                                                          \
		  .help = "of the release; changes nothing here",                              \
		  .env = "RELEASE_VERSION" },                                                  \
		SERVER_FLAG("bind-address", FLAG_STR, of, bind, "ADDRESS",                     \
			    "listen on this address only (default: all)"),                     \
		SERVER_FLAG("workers", FLAG_INT, of, workers, "N",                             \
			    "processes of bootstrap (default: one per core)"),                 \
		SERVER_FLAG("max-connections", FLAG_INT, of, max_conns, "N",                   \
			    "at once on each port (default 4096)"),                            \
		SERVER_FLAG("max-connections-per-address", FLAG_INT, of, per_address, "N",     \
			    "of those, from one address (default: half)"),                     \
		SERVER_FLAG("metrics-address", FLAG_STR, of, metrics, "HOST:PORT",             \
			    "answer /metrics here (default: nowhere)"),                        \
		SERVER_FLAG("require-token-file", FLAG_STR, of, token_file, "FILE",            \
			    "serve configs only to bearers of a token in it, one a "           \
			    "line"),                                                           \
		SERVER_FLAG("allow-cidr", FLAG_STRS, of, allow, "NETWORK",                     \
			    "serve only addresses in it; may be repeated"),                    \
		SERVER_FLAG("rate-limit", FLAG_INT, of, rate, "N",                             \
			    "configs per minute and address (default: any number)"),           \
		SERVER_FLAG("audit-log", FLAG_STR, of, audit, "FILE",                          \
			    "a line of JSON per request; - is standard error")

/*
 * Serves until SIGTERM, with TLS of min_version ("VersionTLS12") and suites (IANA
 * names). Returns the exit status, or -code and r->err.
 */
int server_run(struct run *r, const struct server_opts *o, struct origin *origin,
	       struct str min_version, const struct strs *suites);

#endif
