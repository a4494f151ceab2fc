/*
 * reconcile: whether a running node can update from one config to another.
 */
#ifndef MC_RECONCILE_H
#define MC_RECONCILE_H

#include "mc/merge.h"

/* Sections whose changes are not checked (irreconcilableValidationOverrides). */
struct mc_overrides {
	bool disks, filesystems, raid;
};

/* The compared sections, in upstream's order. */
enum mc_section {
	MC_SECTION_PASSWD,
	MC_SECTION_KARGS, /* Ignition's, not the MachineConfig's */
	MC_SECTION_DISKS,
	MC_SECTION_FILESYSTEMS,
	MC_SECTION_RAID,
	MC_SECTION_DIRECTORIES,
	MC_SECTION_LINKS,
	MC_SECTION_FILES,
	MC_SECTION_FIPS,
};
#define MC_SECTIONS (MC_SECTION_FIPS + 1)

/* NULL when a node accepts the change of this section, else upstream's reason. */
const char *mc_section_refused(struct arena *a, enum mc_section section,
			       const struct mc_merged *from, const struct mc_merged *to,
			       const struct mc_overrides *allow);

/* The first reason of all sections; NULL when a node accepts the change. */
const char *mc_irreconcilable(struct arena *a, const struct mc_merged *from,
			      const struct mc_merged *to, const struct mc_overrides *allow);

/* From spec.irreconcilableValidationOverrides.storage; the argument may be NULL. */
struct mc_overrides mc_overrides_of(const struct json *machine_configuration);

/*
 * The controller's check of a new rendered config against the pool's current one. ERR_INVALID with
 * the text of the condition, which names the MachineConfig that caused it (sources are in merge
 * order), as upstream finds it.
 */
int mc_reconcile(struct arena *a, struct str old_name, const struct mc_merged *from,
		 struct str new_name, const struct mc_merged *to, const struct mc_list *sources,
		 const struct mc_overrides *allow, struct err *err);

#endif
