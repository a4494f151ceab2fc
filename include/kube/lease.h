/*
 * kube/lease: one leader among several, by a Lease as client-go keeps it.
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
	void (*leads)(void *ctx); /* from now on */
	void (*lost)(void *ctx);
	void (*released)(void *ctx); /* after kube_lease_release */
	void *ctx;
};

struct kube_lease *kube_lease_start(const struct kube_lease_opts *o);

/* Gives it up, if it is held; released is called from the loop. */
void kube_lease_release(struct kube_lease *l);

/* After it was released. */
void kube_lease_free(struct kube_lease *l);

#endif
