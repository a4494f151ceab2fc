/*
 * merge: merges the MachineConfigs of a pool into the rendered one.
 */
#ifndef MC_MERGE_H
#define MC_MERGE_H

#include "ign/ign.h"
#include "mc/object.h"

struct mc_list {
	struct mc **v;
	size_t n, cap;
};

/*
 * Upstream's checks of one MachineConfig before it is merged: ERR_INVALID with upstream's text.
 * Keeps the parsed config in mc->ignition, so that it is parsed once for all pools; a must outlive
 * mc.
 */
int mc_validate(struct arena *a, struct mc *mc, struct err *err);

/* Parts of mc_validate: kernelType; and extensions, which upstream checks only when there is an
 * Ignition config. */
int mc_check_kernel(const struct mc *mc, struct err *err);
int mc_check_extensions(struct arena *a, const struct mc *mc, struct err *err);

/* Sorts in place: those with the worker role label first, each group by name, bytewise.
 * ERR_INVALID when one has no labels. */
int mc_sort(struct mc_list *list, struct err *err);

struct mc_merged {
	struct ign_obj *config;
	struct strs kargs, extensions;
	struct str kernel_type, os_image, extensions_image;
	bool fips;
};

/*
 * Merges list (already sorted, not empty) over the images of the controller
 * config.
 */
int mc_merge(struct arena *a, const struct mc_list *list, struct str base_image,
	     struct str extensions_image, struct mc_merged *out, struct err *err);

/* The MachineConfigSpec of a merge as JSON: all seven fields. */
struct json *mc_spec(struct arena *a, const struct mc_merged *m);

/* rendered-<pool>-<md5 of salt and YAML of the spec>. */
int mc_rendered_name(struct arena *a, struct str pool, const struct json *spec, struct str *out,
		     struct err *err);

/* Upstream's limit for the JSON of a rendered config: etcd's default request limit. */
#define MC_SIZE_MAX 1572864

/* ERR_INVALID with upstream's text when size is larger. */
int mc_check_size(struct str name, size_t size, struct err *err);

#endif
