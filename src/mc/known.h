/*
 * known: the kinds this program can judge, and what a nearly right name means.
 */
#ifndef MC_KNOWN_H
#define MC_KNOWN_H

#include "data/shape.h"

struct mc_known {
	const struct shapes *shapes; /* NULL: its fields are not known */
	uint16_t type;
	/* Written by the operator or the installer, not by users: of another
	 * version it may have fields that are not known here. */
	bool written;
};

/* What is known of that apiVersion and kind; false: nothing. */
bool mc_known_find(struct str api, struct str kind, struct mc_known *out);

/*
 * What is wrong with an apiVersion and kind that are not known: "" when they may
 * well be of somebody else, else "… has no … (did you mean …?)". *of_kind: the kind
 * is to blame, not the apiVersion.
 */
struct str mc_known_problem(struct arena *a, struct str api, struct str kind, bool *of_kind);

#endif
