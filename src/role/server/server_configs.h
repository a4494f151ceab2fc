/*
 * server_configs: the MachineConfigs of given names, and no others.
 *
 * A cluster keeps every rendered MachineConfig that it ever made. The server needs those that
 * pools name now: each of them has a list and a watch of its own, selected by name.
 */
#ifndef ROLE_SERVER_SERVER_CONFIGS_H
#define ROLE_SERVER_SERVER_CONFIGS_H

#include "kube/client.h"
#include "server_text.h"

struct configs;

/* changed: a config was read or deleted, or is known to be missing. It must not call
 * configs_follow or configs_free. */
struct configs *configs_new(struct kube *k, void (*changed)(void *ctx), void *ctx);
void configs_free(struct configs *c);

/* Follows exactly these names: adds new ones, drops all others. */
void configs_follow(struct configs *c, const struct strs *names);

/* The name is followed, and the server has answered whether the config exists. */
bool configs_known(const struct configs *c, struct str name);

/* The config, or NULL when it does not exist, is not known yet or is not followed. */
const struct text *configs_get(const struct configs *c, struct str name);

#endif
