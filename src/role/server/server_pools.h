/*
 * server_pools: the pools of a cluster as they are served, and the configs that they name.
 *
 * A pool that names another config is served as before until that config is read: a change of
 * the pool alone never turns a good answer into an error.
 */
#ifndef ROLE_SERVER_SERVER_POOLS_H
#define ROLE_SERVER_SERVER_POOLS_H

#include "kube/client.h"
#include "plan/serve.h"
#include "server_text.h"

struct pools;

/* changed: answers may differ now. */
struct pools *pools_start(struct kube *k, void (*changed)(void *ctx), void *ctx);
void pools_free(struct pools *p);

/* The path of a list that is not complete; NULL: all pools can be served. */
const char *pools_waits_for(const struct pools *p);

/* Valid until the loop's next turn; NULL: there is none of this name. */
const struct serve_pool *pools_get(const struct pools *p, struct str name);
const struct text *pools_config(const struct pools *p, struct str name);

#endif
