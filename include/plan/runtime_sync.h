/*
 * runtime_sync: the container runtime config controller: ContainerRuntimeConfigs,
 * and the registries of the cluster.
 */
#ifndef PLAN_RUNTIME_SYNC_H
#define PLAN_RUNTIME_SYNC_H

#include "plan/owned.h"
#include "plan/registries.h"
#include "plan/template.h"

struct runtime_view {
	struct owned_view owned; /* config and configs for
				    ContainerRuntimeConfigs only */
	const struct template_input *templates;
	bool more_stores; /* gate AdditionalStorageConfig */
	/* For the registries: what they are decided by. */
	const struct registries_in *registries;
	const struct json *image; /* Image config "cluster", or NULL */
	bool every_pool; /* registries are not for the built-in pools alone */
	bool assume_image; /* go on without an Image config or release image */
};

/* One ContainerRuntimeConfig; as plan_kubelet_sync. */
int plan_runtime_sync(struct arena *a, const struct runtime_view *in, struct actions *out,
		      struct err *err);

/*
 * 99-<pool>-generated-registries of the built-in pools, and the status of image
 * policies that are outranked. Nothing without an Image config and a release
 * image.
 */
int plan_registries_sync(struct arena *a, const struct runtime_view *in, struct actions *out,
			 struct err *err);

#endif
