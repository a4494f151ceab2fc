/*
 * controller_sync: the plans of the controller, as the queue calls them, and the view of the
 * cluster that several of them share.
 */
#ifndef ROLE_CONTROLLER_SYNC_H
#define ROLE_CONTROLLER_SYNC_H

#include "controller_state.h"

/* The view of the cluster for plans that create MachineConfigs. */
struct sight {
	struct generate_view view; /* points to the lists below */
	struct mcp_list pools;
	struct mc_list mcs;
	struct mc_object_list kubelets, runtimes, images;
};

void controller_see(struct controller *c, struct arena *a, struct sight *out);

/* Plans the key of that name. The actions in out are executed, also after an error. */
typedef int sync_plan(struct controller *c, struct str name, struct arena *a, struct actions *out,
		      struct err *err);

sync_plan sync_template, sync_render, sync_pool, sync_master, sync_migrate, sync_pinned,
	sync_settings;

/* The plan of a key of plan/generate, over the caches. */
int sync_generate(struct controller *c, enum generate_kind kind, struct str name, struct arena *a,
		  struct actions *out, struct err *err);

/* Whether sync_migrate has MachineConfigNodes to migrate. */
bool controller_migrates(const struct controller *c);

/* Plans the pinned image sets of a pool; failed: why the last write failed, or "". */
int pin_pool(struct controller *c, struct str name, struct str failed, struct arena *a,
	     struct actions *out, struct err *err);

/* Adds the writes that report a failed write in the status of the key's object: a KubeletConfig,
 * ContainerRuntimeConfig, CRIOCredentialProviderConfig or pool. */
void sync_failed(struct controller *c, const struct kube_key *key, struct str why, struct arena *a,
		 struct actions *out);

#endif
