/*
 * trigger: which pools and generators a change of an object concerns. For nodes see
 * plan_knode_event.
 *
 * was is NULL for an object that was added, is for one that was deleted. Functions
 * that return a name return that of a pool, "" for none.
 */
#ifndef PLAN_TRIGGER_H
#define PLAN_TRIGGER_H

#include "mc/load.h"
#include "mc/mcn.h"
#include "mc/mcp.h"
#include "plan/generate.h"

/*
 * Appends the pools to render: the pool that owns a rendered config, else those that
 * select the config. A config whose labels changed concerns old and new pools.
 */
void trigger_mc(struct arena *a, const struct mcp_list *pools, const struct mc *was,
		const struct mc *is, struct mcp_list *queue);

/*
 * Appends the keys to plan after a change of a MachineConfig: the controller that
 * made it, when a pool selects it (trigger_mc found one); after a deletion also the
 * configs that have the same name for theirs. kubelets and runtimes are read only
 * after a deletion.
 */
void trigger_makers(struct arena *a, const struct mc *was, const struct mc *is, bool selected,
		    const struct mc_object_list *kubelets, const struct mc_object_list *runtimes,
		    struct generate_keys *out);

/* A member of a set of generators. */
#define TRIGGER(kind) (1u << (kind))

/*
 * The generators that read objects of a kind, as a set of TRIGGER(GENERATE_…): after a
 * change plan all keys of each. KubeletConfigs and ContainerRuntimeConfigs have their own
 * keys and are not in the set.
 */
unsigned trigger_object(enum mc_kind kind, bool has_node_config);

/* The pool whose status to count again. */
struct str trigger_mcn(const struct mcn *was, const struct mcn *is);
struct str trigger_os_config(const struct os_config *was, const struct os_config *is);
struct str trigger_os_build(const struct os_build *was, const struct os_build *is);

/* True when a config is new, its spec changed, or it is being deleted. */
bool trigger_spec(const struct json *was, const struct json *is);

/*
 * How long a pool waits for further changes before it is rendered, in milliseconds:
 * until there was no change for quiet, at most five times that. *since is kept per
 * pool: when the wait began, 0 when the pool does not wait.
 */
int64_t trigger_wait(int64_t *since, int64_t now, int64_t last_change, int64_t quiet);

#endif
