/*
 * kube/auth: the credentials that requests carry, and their renewal.
 *
 * Tokens, passwords and the credentials of exec plugins are sent over https only, or over http
 * to this machine (localhost, 127.0.0.0/8, ::1) without a proxy. client-go sends none over http;
 * loopback traffic is private, and sandboxes serve http there. In all other cases the secrets
 * are omitted, and one warning is logged.
 */
#ifndef KUBE_AUTH_H
#define KUBE_AUTH_H

#include "data/kubeconfig.h"
#include "io/loop.h"

struct kube_auth;
struct tls_client;

/*
 * Loads the CA and the client certificate into tls. When they come from files, the files are
 * watched, and renewed(ctx) is called after a new version was loaded.
 */
int kube_auth_new(struct loop *l, const struct kube_conf *conf, struct tls_client *tls,
		  void (*renewed)(void *ctx), void *ctx, struct kube_auth **out, struct err *err);
void kube_auth_free(struct kube_auth *a);

/*
 * Appends the header lines of the credentials. -ERR_AGAIN: an exec plugin is running; the
 * ready callback is called when it has ended. Any other -code: no credentials are available.
 */
int kube_auth_add(struct kube_auth *a, struct buf *fields, struct err *err);

/* The server returned 401: the next kube_auth_add reads or runs its source again. */
void kube_auth_stale(struct kube_auth *a);

/* Sets the callback for "retry kube_auth_add now". */
void kube_auth_on_ready(struct kube_auth *a, void (*ready)(void *ctx));

#endif
