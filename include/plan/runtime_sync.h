/*
 * runtime_sync: the container runtime config controller: ContainerRuntimeConfigs, and the
 * registries of the cluster.
 */
#ifndef PLAN_RUNTIME_SYNC_H
#define PLAN_RUNTIME_SYNC_H

#include "plan/owned.h"
#include "plan/registries.h"
#include "plan/template.h"

struct runtime_view {
	struct owned_view owned; /* config and configs: for ContainerRuntimeConfigs only */
	const struct template_input *templates;
	bool more_stores; /* gate AdditionalStorageConfig */
	/* The input for registries. */
	const struct registries_in *registries;
	const struct json *image; /* Image config "cluster", or NULL */
	bool every_pool; /* registries for all pools, not only the built-in ones */
	bool assume_image; /* continue without an Image config or release image */
};

/* Plans one ContainerRuntimeConfig; errors as plan_kubelet_sync. */
int plan_runtime_sync(struct arena *a, const struct runtime_view *in, struct actions *out,
		      struct err *err);

/*
 * Plans 99-<pool>-generated-registries of the built-in pools, and the status of
 * overridden image policies. Nothing without an Image config and a release image.
 */
int plan_registries_sync(struct arena *a, const struct runtime_view *in, struct actions *out,
			 struct err *err);

#endif
