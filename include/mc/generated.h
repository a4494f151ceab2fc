/*
 * generated: MachineConfigs that controllers generate from computed files.
 */
#ifndef MC_GENERATED_H
#define MC_GENERATED_H

#include "mc/merge.h"

struct mc_file {
	struct str path, data;
};

struct mc_files {
	struct mc_file *v;
	size_t n, cap;
};

void mc_files_add(struct arena *a, struct mc_files *files, const char *path, struct str data);

/*
 * A MachineConfig of that name and role with these files, all of mode 0644 (NULL:
 * without an Ignition config). doc.tree is its whole object: mc_annotate and
 * mc_set_owner may still change it.
 */
struct mc *mc_generated(struct arena *a, struct str name, struct str role,
			const struct mc_files *files);

/* Adds the members of a MachineConfig's spec that upstream's type writes even when
 * they are zero, where they are absent. */
void mc_add_zeros(struct arena *a, struct json *spec);

void mc_annotate(struct arena *a, struct mc *mc, struct str key, struct str value);

/* The only owner; a controlling owner blocks its own deletion. */
void mc_set_owner(struct arena *a, struct mc *mc, struct str api, struct str kind, struct str name,
		  struct str uid, bool controller);

void mc_set_kargs(struct arena *a, struct mc *mc, const struct strs *kargs);

/* The MachineConfig of a pool whose machines are installed with a pre-built image. */
#define MC_PREBUILT "10-prebuiltimage-osimageurl-" /* and the pool's name */
struct mc *mc_prebuilt(struct arena *a, struct str pool, struct str image);

/* "99-worker-generated-kubelet". */
struct str mc_generated_name(struct arena *a, const char *prefix, struct str pool,
			     const char *suffix);

#endif
