/*
 * config_lint: what is wrong with KubeletConfigs, ContainerRuntimeConfigs and the
 * other objects that MachineConfigs are generated from, with the place of each
 * finding; and what upstream passes over without a word.
 */
#ifndef PLAN_CONFIG_LINT_H
#define PLAN_CONFIG_LINT_H

#include "mc/lint.h"

void config_lint(struct arena *a, const struct mc_object *o,
		 struct mc_findings *out);

#endif
