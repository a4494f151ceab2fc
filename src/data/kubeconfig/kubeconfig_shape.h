/* Whether a kubeconfig has what is read of it in the form that it is read in. */
#ifndef DATA_KUBECONFIG_SHAPE_H
#define DATA_KUBECONFIG_SHAPE_H

#include "data/kubeconfig.h"

/* ERR_INVALID names the key, such as "clusters[0].cluster.server". */
int kubeconfig_shape(struct arena *a, const struct json *tree, struct err *err);

#endif
