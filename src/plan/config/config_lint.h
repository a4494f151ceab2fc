/*
 * config_lint: faults of KubeletConfigs, ContainerRuntimeConfigs and the other objects
 * that MachineConfigs are generated from, each with its place, including those that
 * upstream ignores silently.
 */
#ifndef PLAN_CONFIG_LINT_H
#define PLAN_CONFIG_LINT_H

#include "mc/lint.h"
#include "mc/load.h"

void config_lint(struct arena *a, const struct mc_object *o, struct mc_findings *out);

/* Conflicts between objects of the set, at least one of them in given. */
void config_lint_set(struct arena *a, const struct mc_set *set, const struct mc_object_list *given,
		     struct mc_findings *out);

/* KubeletConfigs and ContainerRuntimeConfigs that select none of the pools. */
void config_lint_selected(struct arena *a, const struct mc_object_list *given,
			  const struct mcp_list *pools, struct mc_findings *out);

#endif
