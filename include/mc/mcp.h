/*
 * mcp: MachineConfigPools, their Nodes, and the builds of layered pools.
 *
 * There are few pools: each keeps its whole tree, so that a write preserves every field.
 */
#ifndef MC_MCP_H
#define MC_MCP_H

#include "mc/condition.h"
#include "mc/knode.h"
#include "mc/selector.h"

struct mcp {
	struct mc_meta meta;
	const struct json *tree; /* the whole object */
	const struct json *selector; /* machineConfigSelector, or NULL */
	struct str os_image_stream;
	struct selector nodes; /* none: matches nothing */
	bool selects_all; /* nodeSelector: {} */
	struct str target; /* spec.configuration.name */
	const struct json *max_unavailable; /* or NULL */
	struct conditions conditions;
	bool paused, deleting;
	struct str file; /* its file, for messages */
	size_t line, col; /* in that file; 0 unless loaded for a review */
};

struct mcp_list {
	struct mcp **v;
	size_t n, cap;
};

/* Reads a pool from a tree whose types were checked. ERR_INVALID "invalid label selector: …":
 * then *out is set all the same, and matches no nodes. */
int mcp_read(struct arena *a, const struct json *tree, struct mcp *out, struct err *err);

/* Also checks the document against its Go type: ERR_INVALID with the text of upstream's decoder.
 * An invalid node selector is not an error. */
int mcp_decode(struct arena *a, const struct doc *d, struct mcp *out, struct err *err);

/* master, worker and arbiter: pools with a role of their own, which every cluster has (arbiter:
 * may have). Custom pools extend worker. */
bool mcp_is_built_in(struct str name);
/* The manifest of a built-in pool, as the operator creates it. */
struct json *mcp_built_in(struct arena *a, struct str name);

const struct mcp *mcp_find(const struct mcp_list *pools, struct str name);

/* The pools of one Node; it takes its config from the first. */
struct mcp_of_node {
	const struct mcp *v[2];
	size_t n;
	bool alert; /* a master that a custom pool also selects */
	size_t custom; /* number of custom pools that match */
};

/*
 * Zero pools: the Node is unmanaged (Windows, or no pool selects it). ERR_INVALID when two custom
 * pools select it: "node a belongs to 2 custom roles, cannot proceed with this Node".
 */
int mcp_of_node(const struct mcp_list *pools, const struct knode *node, struct mcp_of_node *out,
		struct err *err);

/* Every pool whose selector matches, in the order of pools; none for Windows. */
void mcp_matching(struct arena *a, const struct mcp_list *pools, const struct knode *node,
		  struct mcp_list *out);

/* spec.maxUnavailable of n nodes, at least 1 unless negative. ERR_INVALID with upstream's text. */
int mcp_max_unavailable(const struct mcp *pool, size_t n, int64_t *out, struct err *err);

/* ---- layered pools ------------------------------------------------------- */

struct os_config { /* MachineOSConfig */
	struct str name, pool, image; /* status.currentImagePullSpec */
	struct str build; /* annotation current-machine-os-build; p NULL */
	const struct json *tree;
};

struct os_build { /* MachineOSBuild */
	struct str name, config, os_config; /* spec.machineConfig.name, … */
	struct str pool; /* label target-machine-config-pool */
	struct str image; /* status.digestedImagePushSpec */
	bool prepared, building, failed, succeeded;
};

void os_config_decode(const struct json *tree, struct os_config *out);
void os_build_decode(const struct json *tree, struct os_build *out);

#endif
