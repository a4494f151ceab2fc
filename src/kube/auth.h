/*
 * kube/auth: what is shown to the server, and how it is kept fresh.
 *
 * Tokens and passwords, and what plugins give, go out over https only, or to this
 * machine itself (localhost, 127.0.0.0/8, ::1) when no proxy is between: client-go
 * sends none over http at all, but no one else can listen there, and sandboxes
 * are spoken to so. Elsewhere they are left out, which is told once.
 */
#ifndef KUBE_AUTH_H
#define KUBE_AUTH_H

#include "data/kubeconfig.h"
#include "io/loop.h"

struct kube_auth;
struct tls_client;

/*
 * Loads CA and client certificate into tls, which is followed when it comes
 * from files; renewed(ctx) is told when a new one is there.
 */
int kube_auth_new(struct loop *l, const struct kube_conf *conf, struct tls_client *tls,
		  void (*renewed)(void *ctx), void *ctx, struct kube_auth **out, struct err *err);
void kube_auth_free(struct kube_auth *a);

/*
 * Adds the header lines. -ERR_AGAIN: an exec plugin is being asked; ready(ctx)
 * of the client is called when it has answered. Another -code: it failed.
 */
int kube_auth_add(struct kube_auth *a, struct buf *fields, struct err *err);

/* The server said 401: what was shown is not good any more. */
void kube_auth_stale(struct kube_auth *a);

/* Called when kube_auth_add is worth another try. */
void kube_auth_on_ready(struct kube_auth *a, void (*ready)(void *ctx));

#endif
