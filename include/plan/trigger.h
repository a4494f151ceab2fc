/*
 * trigger: which pools a change of an object concerns. (Nodes: plan_knode_event.)
 *
 * was is NULL for what was added, is for what was deleted. Names given are those
 * of pools, "" for none.
 */
#ifndef PLAN_TRIGGER_H
#define PLAN_TRIGGER_H

#include "mc/load.h"
#include "mc/mcn.h"
#include "mc/mcp.h"
#include "plan/generate.h"

/*
 * The pools to be rendered: the one that owns a rendered config, else those that
 * select it. A config that changed its labels concerns both sides.
 */
void trigger_mc(struct arena *a, const struct mcp_list *pools, const struct mc *was,
		const struct mc *is, struct mcp_list *queue);

/* Who made a MachineConfig that somebody has changed or deleted: to be planned
 * again. Nothing for rendered ones and for those that users made. */
void trigger_maker(struct arena *a, const struct mc *mc, struct generate_keys *out);

/* A MachineConfig was deleted: other configs of the kind (KUBELET or RUNTIME) that
 * have the same name for it write it. */
void trigger_namesakes(struct arena *a, enum generate_kind kind,
		       const struct mc_object_list *configs, struct str name,
		       struct generate_keys *out);

/* The pools to be counted. */
struct str trigger_mcn(const struct mcn *was, const struct mcn *is);
struct str trigger_os_config(const struct os_config *was, const struct os_config *is);
struct str trigger_os_build(const struct os_build *was, const struct os_build *is);

/* A config is to be dealt with: it is new, its spec changed, or it is to go. */
bool trigger_spec(const struct json *was, const struct json *is);

/*
 * How long a pool that is to be rendered waits for further changes, all times in
 * milliseconds: until there have been none for quiet, but five times that at
 * most. since is the pool's own: when it began to wait, 0 when it does not.
 */
int64_t trigger_wait(int64_t *since, int64_t now, int64_t last_change, int64_t quiet);

#endif
