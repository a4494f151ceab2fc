/*
 * pool_lint: faults of the pools that manifests take part in: they cannot be rendered,
 * the config is too large, or running nodes refuse it.
 */
#ifndef PLAN_POOL_LINT_H
#define PLAN_POOL_LINT_H

#include "mc/lint.h"
#include "plan/forecast.h"

struct pool_lint_in {
	/* before: NULL when unknown. Findings are about given, which is a part of after. */
	struct forecast_in sets;
	const struct mc_set *given;
	/* given already has errors: a failure to render a pool would only repeat them. */
	bool broken;
};

void pool_lint(struct arena *a, const struct pool_lint_in *in, struct mc_findings *out);

#endif
