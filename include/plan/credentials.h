/*
 * credentials: kubelet credential providers from CRIOCredentialProviderConfig "cluster":
 * one more provider in the platform's file, or a new file where the platform has none.
 */
#ifndef PLAN_CREDENTIALS_H
#define PLAN_CREDENTIALS_H

#include "plan/runtime_sync.h"

/*
 * Plans 97-<pool>-generated-credentialproviderconfig of the built-in pools and the status
 * of config. ERR_AGAIN when it cannot be generated.
 */
int plan_credentials_sync(struct arena *a, const struct runtime_view *in, const struct json *config,
			  struct actions *out, struct err *err);

/* Writes the failure into the status of config. */
void credentials_failed(struct arena *a, struct instant now, const struct json *config,
			struct str why, struct actions *out);

#endif
