/*
 * certificates: CAs and pull secret that a ControllerConfig has and no MachineConfig.
 */
#ifndef NODE_CERTIFICATES_H
#define NODE_CERTIFICATES_H

#include "data/json.h"
#include "node/node.h"

/* bundle: CAs of the API servers that the kubelet must trust, as PEM; "" for none. */
int certificates_write(struct node *n, struct arena *a, const struct json *controller,
		       struct str bundle, struct err *err);
int certificates_write_secret(struct node *n, struct arena *a, const struct json *controller,
			      struct err *err);
/* The bytes that certificates_write_secret writes. */
int certificates_secret(struct arena *a, const struct json *controller, struct str *out,
			struct err *err);

#endif
