/*
 * credentials: where the kubelet gets credentials for images from, by
 * CRIOCredentialProviderConfig cluster: one more provider in the platform's
 * file, or a file of its own where the platform has none.
 */
#ifndef PLAN_CREDENTIALS_H
#define PLAN_CREDENTIALS_H

#include "plan/runtime_sync.h"

/*
 * 97-<pool>-generated-credentialproviderconfig of the built-in pools, and the
 * status of config; ERR_AGAIN when it cannot be made.
 */
int plan_credentials_sync(struct arena *a, const struct runtime_view *in, const struct json *config,
			  struct actions *out, struct err *err);

/* Says in its status why it could not be written. */
void credentials_failed(struct arena *a, struct instant now, const struct json *config,
			struct str why, struct actions *out);

#endif
