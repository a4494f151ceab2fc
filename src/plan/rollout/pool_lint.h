/*
 * pool_lint: what is wrong with the pools that manifests take part in: they cannot
 * be rendered, are too large, or running nodes refuse what comes of it.
 */
#ifndef PLAN_POOL_LINT_H
#define PLAN_POOL_LINT_H

#include "mc/lint.h"
#include "plan/forecast.h"

struct pool_lint_in {
	/* before: NULL when nothing is known of it. Findings are about given, a part
	 * of after. */
	struct forecast_in sets;
	const struct mc_set *given;
	/* There are errors in given already: a pool that cannot be rendered
	 * would only repeat them. */
	bool broken;
};

void pool_lint(struct arena *a, const struct pool_lint_in *in, struct mc_findings *out);

#endif
