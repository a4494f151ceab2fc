/*
 * current: a MachineConfig as a node keeps it in currentconfig.
 */
#ifndef MC_CURRENT_H
#define MC_CURRENT_H

#include "mc/merge.h"

struct mc_current {
	struct str name;
	struct str text; /* the contents of currentconfig, in upstream's bytes */
	struct mc_merged spec;
	const struct json *tree;
	bool v2; /* its Ignition config is of spec 2 */
};

#define MC_EMPTY_NAME "mco-empty-mc"

/* The directory of the daemon's state; configs may also have files there. */
#define MC_STATE_DIR "/etc/machine-config-daemon"

/* Whether an absolute, simplified path is the daemon's own state: the journal,
 * currentconfig and the like. No MachineConfig may write there. */
bool mc_is_state(struct str path);
/* In the Ignition config that mco-server gives to a new machine, and from there in
 * one that start --once-from applies: the node's first annotations. */
#define MC_FIRST_ANNOTATIONS MC_STATE_DIR "/node-annotations.json"
/* The error message for a MachineConfig that does. */
#define MC_STATE_REFUSED "%.*s is the daemon's own state: no MachineConfig may write it"

/*
 * Reads a MachineConfig, JSON or YAML; apiVersion and kind may be missing, as
 * upstream writes them only when they were there. ERR_INVALID with upstream's
 * text, that of the Ignition config's parser included.
 */
int mc_current_parse(struct arena *a, struct str text, struct mc_current *out, struct err *err);

/*
 * A rendered config is named by a hash of its spec. ERR_INVALID when the hash in the
 * name is not the spec's: it is then not the config that was rendered, and a difference
 * from it means nothing. Other names are not checked.
 */
int mc_current_check(struct arena *a, const struct mc_current *c, struct err *err);

/* Whether it is a whole config as the controller renders it: by its name,
 * rendered-<pool>-<md5>, or by the annotation that only those have. */
bool mc_current_rendered(const struct mc_current *c);

/* The config that the first update of a node starts from. */
void mc_current_empty(struct arena *a, struct mc_current *out);

/*
 * Whether a node can change from one to the other. ERR_INVALID with upstream's text:
 * "can't reconcile config a with b: …".
 */
struct mc_overrides;
int mc_current_reconcile(struct arena *a, const struct mc_current *from,
			 const struct mc_current *to, const struct mc_overrides *allow,
			 struct err *err);

#endif
