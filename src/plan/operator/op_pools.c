/*
 * The step MachineConfigPools: the built-in pools, pre-built images and user data.
 *
 * An existing pool gets its built-in labels back; its spec and other labels stay. The user data of a
 * new pool follows in the pass after its creation, because it needs the pool's uid.
 */
#include "op_pools.h"

#include "op_apply.h"

struct mcp_list op_pools(struct arena *a, const struct operator_view *in)
{
	const struct json *const *v;
	size_t n = in->list(in, OPERATOR_POOLS, a, &v);
	struct mcp_list out = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct mcp *pool = ARENA_NEW(a, struct mcp);
		struct err ignored = ERR_INIT(a);

		(void)mcp_read(a, v[i], pool, &ignored);
		VEC_PUSH(a, &out, pool);
	}
	return out;
}

void op_own(struct arena *a, struct json *object, const struct mcp *pool)
{
	struct json *list = json_new(a, JSON_ARRAY), *ref = json_new(a, JSON_OBJECT);

	json_add_str(a, ref, "apiVersion", S(API_MC));
	json_add_str(a, ref, "kind", S("MachineConfigPool"));
	json_add_str(a, ref, "name", pool->meta.name);
	json_add_str(a, ref, "uid", pool->meta.uid);
	json_push(list, ref);
	json_add(json_make(a, object, "metadata"), S("ownerReferences"), list);
}

int operator_pools(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		   const struct operator_render *r, struct operator_result *out, struct err *err)
{
	static const char *const names[] = { "master", "worker", "arbiter" };
	bool arbiter =
		str_is(json_str(r->infra, "status.controlPlaneTopology"), "HighlyAvailableArbiter");
	struct mcp_list pools = op_pools(a, in);

	for (size_t i = 0; i < (arbiter ? 3 : 2); i++) {
		struct json *pool = mcp_built_in(a, str_of(names[i]));

		json_add(json_at(pool, "spec"), S("paused"), json_new_bool(a, false));
		(void)operator_apply_one(a, in, pool, "", &out->actions);
	}
	op_prebuilt(a, in, m, out);
	/* No machine API, no machines that ask for user data. */
	if (in->standalone)
		return 0;
	return op_user_data(a, in, r, &pools, &out->actions, err);
}
