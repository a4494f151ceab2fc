/*
 * ref: arguments that name a config, in kubectl's forms: NAME, TYPE/NAME or TYPE NAME.
 */
#ifndef MC_REF_H
#define MC_REF_H

#include "base/err.h"
#include "base/vec.h"

enum mc_ref_type {
	MC_REF_ANY, /* a name alone: a MachineConfig or a pool */
	MC_REF_POOL,
	MC_REF_CONFIG, /* a MachineConfig */
	MC_REF_NODE, /* a Node: its current config */
};

struct mc_ref {
	enum mc_ref_type type;
	struct str name;
};

/*
 * TYPE/NAME or NAME. A type is a kind, its plural or its short name, in any case,
 * also with its group ("machineconfig.machineconfiguration.openshift.io/x", as
 * -o name prints it). ERR_INVALID for an unknown type, or when the name is missing.
 */
int mc_ref_parse(struct str word, struct mc_ref *out, struct err *err);

/* Whether word is TYPE/NAME with a known type. */
bool mc_ref_typed(struct str word);

/*
 * Joins TYPE NAME at the beginning of words to TYPE/NAME. A word that follows a
 * type is a name unless it has a slash that is not part of NAME:/PATH.
 */
struct strs mc_ref_join(struct arena *a, const struct strs *words);

#endif
