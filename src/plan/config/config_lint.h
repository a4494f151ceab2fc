/*
 * config_lint: what is wrong with KubeletConfigs, ContainerRuntimeConfigs and the
 * other objects that MachineConfigs are generated from, with the place of each
 * finding; and what upstream passes over without a word.
 */
#ifndef PLAN_CONFIG_LINT_H
#define PLAN_CONFIG_LINT_H

#include "mc/lint.h"
#include "mc/load.h"

void config_lint(struct arena *a, const struct mc_object *o, struct mc_findings *out);

/* What objects of the set do to each other, one of given among them. */
void config_lint_set(struct arena *a, const struct mc_set *set, const struct mc_object_list *given,
		     struct mc_findings *out);

/* KubeletConfigs and ContainerRuntimeConfigs that select none of the pools. */
void config_lint_selected(struct arena *a, const struct mc_object_list *given,
			  const struct mcp_list *pools, struct mc_findings *out);

#endif
