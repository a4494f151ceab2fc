/* auth_exec: credentials from an exec plugin, as kubectl runs it. */
#ifndef KUBE_AUTH_EXEC_H
#define KUBE_AUTH_EXEC_H

#include "data/kubeconfig.h"
#include "io/loop.h"

struct tls_client;

enum exec_state { EXEC_NONE, EXEC_RUNNING, EXEC_HAVE, EXEC_FAILED };

struct auth_exec {
	/* ---- set by the owner ---- */
	struct loop *loop;
	const struct kube_conf *conf;
	struct tls_client *tls;
	/* The plugin has ended, with success or not; pair: tls has a new certificate. */
	void (*answered)(void *ctx, bool pair);
	void *ctx;
	/* ---- private ---- */
	enum exec_state state;
	struct arena a;
	struct str token;
	struct err err;
	int64_t expires; /* since 1970; 0: never */
	bool fresh; /* not used by a request yet */
	struct proc *proc;
};

/*
 * Returns 0 and the token, or "" when the plugin returned only a certificate. Starts the plugin
 * when there is no result or it has expired: -ERR_AGAIN until the plugin ends.
 */
int auth_exec_token(struct auth_exec *x, struct str *out, struct err *err);

/* Drops the cached result: the server has refused it. */
void auth_exec_stale(struct auth_exec *x);

void auth_exec_free(struct auth_exec *x);

#endif
