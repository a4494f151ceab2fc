/*
 * server_registry: the host names of the cluster's own image registry. A machine that has not
 * joined cannot pull from them.
 */
#ifndef ROLE_SERVER_SERVER_REGISTRY_H
#define ROLE_SERVER_SERVER_REGISTRY_H

#include "base/vec.h"
#include "kube/client.h"

struct registry;

/* changed: the names, or whether they are known, have changed. */
struct registry *registry_new(struct kube *k, void (*changed)(void *ctx), void *ctx);
void registry_free(struct registry *r);

/* Lists Services and Routes now and every 15 s (on), or no more (off). */
void registry_follow(struct registry *r, bool on);

/* Both lists have been answered, with success or not. */
bool registry_asked(const struct registry *r);

/* Adds the names. False when one of the last lists failed. */
bool registry_hosts(const struct registry *r, struct arena *a, struct strs *out);

#endif
