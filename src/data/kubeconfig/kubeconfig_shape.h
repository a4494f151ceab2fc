/* kubeconfig_shape: validates the types of all values that kubeconfig.c reads. */
#ifndef DATA_KUBECONFIG_SHAPE_H
#define DATA_KUBECONFIG_SHAPE_H

#include "data/kubeconfig.h"

/* ERR_INVALID names the key, such as "clusters[0].cluster.server". */
int kubeconfig_shape(struct arena *a, const struct json *tree, struct err *err);

#endif
