/*
 * The Infrastructure of a cluster as the ControllerConfig holds it: decoded into its Go type, so
 * that unknown members vanish, and with a platformStatus that always has a type.
 */
#include "mc/api.h"
#include "mc/types.h"
#include "op_spec.h"

int operator_infra(struct arena *a, const struct json *infra, struct json **out, struct err *err)
{
	struct json *held, *platform;
	int rc = shape_hold(a, &mc_shapes, MC_T_Infrastructure, 0, infra, &held, err);

	if (rc < 0)
		return rc;
	json_set(held, S("kind"), json_new_str(a, S("Infrastructure")));
	json_set(held, S("apiVersion"), json_new_str(a, S(API_CONFIG)));
	if (!json_at(held, "status.platformStatus"))
		json_set(json_make(a, held, "status.platformStatus"), S("type"),
			 json_new_str(a, json_str(held, "status.platform")));
	platform = json_make(a, held, "status.platformStatus");
	if (!json_str(platform, "type").n)
		json_set(platform, S("type"), json_new_str(a, S("None")));
	*out = held;
	return 0;
}
