/*
 * Feature gates of a release. A gate that is in neither list is off.
 */
#include "mc/gates.h"

#include "mc/api.h"

static void names(struct arena *a, const struct json *list, struct strs *out)
{
	for (const struct json *j = json_first(list); j; j = json_next(j))
		VEC_PUSH(a, out, json_str(j, "name"));
}

int mc_gates_read(struct arena *a, const struct json *feature_gate, struct str version,
		  struct mc_gates *out, struct err *err)
{
	const struct json *j = json_first(json_at(feature_gate, "status.featureGates"));

	while (j && !str_eq(json_str(j, "version"), version))
		j = json_next(j);
	if (!j)
		return err_set(err, ERR_INVALID,
			       "unable to determine features: missing desired "
			       "version \"%.*s\" in "
			       "featuregates." GROUP_CONFIG "/cluster",
			       STRF(version));
	*out = (struct mc_gates){ 0 };
	names(a, json_at(j, "enabled"), &out->enabled);
	names(a, json_at(j, "disabled"), &out->disabled);
	return 0;
}

struct str mc_gates_release(struct str release, const struct json *cluster_version)
{
	const struct json *first = json_first(json_at(cluster_version, "status.history"));
	struct str desired = json_str(cluster_version, "status.desired.version");

	if (!str_is(release, MC_GATES_SNAPSHOT) || !cluster_version)
		return release;
	return desired.n ? desired : json_str_or(first, "version", release);
}

bool mc_gate(const struct mc_gates *g, const char *name)
{
	for (size_t i = 0; i < g->enabled.n; i++)
		if (str_is(g->enabled.v[i], name))
			return true;
	return false;
}
