/*
 * kube/lease: leader election with a Lease, compatible with client-go.
 *
 * Every candidate reads the lease every retry_ms. The holder renews it, and stops
 * leading when no renewal succeeded for renew_ms. A candidate takes the lease when the
 * holder has not renewed it for lasts_s, by this machine's clock.
 */
#ifndef KUBE_LEASE_H
#define KUBE_LEASE_H

#include "kube/client.h"
#include "base/rfc3339.h"

struct kube_lease;

struct kube_lease_opts {
	struct kube *kube;
	struct str namespace, name, identity;
	int64_t lasts_s, renew_ms, retry_ms;
	void (*leads)(void *ctx); /* this process is the leader from now on */
	/* the lease is lost: stop at once, another process may lead */
	void (*lost)(void *ctx);
	void (*released)(void *ctx); /* after kube_lease_release */
	void *ctx;
};

/* An identity as client-go makes it: the host name and a random UUID. */
struct str kube_lease_identity(struct arena *a);

struct kube_lease *kube_lease_start(const struct kube_lease_opts *o);

/* Releases the lease if it is held, then calls released: at once if it is not held and no
 * request is running. */
void kube_lease_release(struct kube_lease *l);

/* Only after released was called, or lost. */
void kube_lease_free(struct kube_lease *l);

#endif
