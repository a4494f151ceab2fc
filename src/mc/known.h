/*
 * known: the kinds that manifests may have, and suggestions for misspelt ones.
 */
#ifndef MC_KNOWN_H
#define MC_KNOWN_H

#include "data/shape.h"

struct mc_known {
	const struct shapes *shapes; /* NULL: its fields are not known */
	uint16_t type;
	/* Written by the operator or the installer, not by users: another version may write
	 * fields that are unknown here. */
	bool written;
};

/* The entry of that apiVersion and kind; false: unknown. */
bool mc_known_find(struct str api, struct str kind, struct mc_known *out);

/*
 * The fault of an unknown apiVersion and kind: "" when they may belong to another API, else
 * "… has no … (did you mean …?)". *of_kind: the kind is wrong, not the apiVersion.
 */
struct str mc_known_problem(struct arena *a, struct str api, struct str kind, bool *of_kind);

#endif
