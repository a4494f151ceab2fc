/*
 * ignite_config: an Ignition config with every config that it refers to.
 */
#ifndef SRC_NODE_IGNITE_CONFIG_H
#define SRC_NODE_IGNITE_CONFIG_H

#include "node/ignite.h"

/* Replaces *config by the config with all that it refers to, merged as Ignition does. ERR_LIMIT
 * when configs refer to configs more than ten deep. */
int ignite_config_complete(struct arena *a, const struct ignite_source *from,
			   struct ign_obj **config, struct err *err);

#endif
