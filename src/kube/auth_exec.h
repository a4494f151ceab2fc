/* Credentials from a program, as kubectl's exec plugins give them. */
#ifndef KUBE_AUTH_EXEC_H
#define KUBE_AUTH_EXEC_H

#include "data/kubeconfig.h"
#include "io/loop.h"

struct tls_client;

enum exec_state { EXEC_NONE, EXEC_RUNNING, EXEC_HAVE, EXEC_FAILED };

struct auth_exec {
	/* ---- the owner's ---- */
	struct loop *loop;
	const struct kube_conf *conf;
	struct tls_client *tls;
	/* It has answered, for good or ill; pair: with a new certificate. */
	void (*answered)(void *ctx, bool pair);
	void *ctx;
	/* ---- its own ---- */
	enum exec_state state;
	struct arena a;
	struct str token;
	struct err err;
	int64_t expires; /* since 1970; 0: never */
	bool fresh; /* nobody has been given it */
	struct proc *proc;
};

/*
 * 0 and the token, "" when a certificate was all it gave. It is asked when it
 * has not been, or when what it said has expired: -ERR_AGAIN until it answers.
 */
int auth_exec_token(struct auth_exec *x, struct str *out, struct err *err);

/* What it said is not good any more. */
void auth_exec_stale(struct auth_exec *x);

void auth_exec_free(struct auth_exec *x);

#endif
