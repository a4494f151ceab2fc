/*
 * merge: from the MachineConfigs of a pool to the rendered one.
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
 * Upstream's checks of one MachineConfig before it is merged. Remembers what it
 * parsed in mc->ignition (which a must outlive), so that it is parsed once
 * however many pools take it in.
 */
int mc_validate(struct arena *a, struct mc *mc, struct err *err);

/* Parts of it: kernelType; and extensions, which upstream checks only of those
 * with an Ignition config. */
int mc_check_kernel(const struct mc *mc, struct err *err);
int mc_check_extensions(struct arena *a, const struct mc *mc, struct err *err);

/* Worker-labelled ones first, each group by name, bytewise; in place.
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

/* etcd's limit as upstream knows it: the JSON of a rendered config. */
#define MC_SIZE_MAX 1572864

/* ERR_INVALID in upstream's words when size is more than that. */
int mc_check_size(struct str name, size_t size, struct err *err);

#endif
