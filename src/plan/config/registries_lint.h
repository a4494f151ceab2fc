/*
 * registries_lint: faults of the Image config, mirror sets and image policies of a set
 * together: what upstream refuses, and what it ignores.
 */
#ifndef PLAN_REGISTRIES_LINT_H
#define PLAN_REGISTRIES_LINT_H

#include "mc/lint.h"

void registries_lint(struct arena *a, const struct mc_set *set, struct mc_findings *out);

#endif
