/*
 * The plans of the controller, each as the queue calls it, and what several of
 * them see.
 */
#ifndef ROLE_CONTROLLER_SYNC_H
#define ROLE_CONTROLLER_SYNC_H

#include "controller_state.h"

/* What is known, as the plans that make MachineConfigs see it. */
struct sight {
	struct generate_view view; /* of these */
	struct mcp_list pools;
	struct mc_list mcs;
	struct mc_object_list kubelets, runtimes, images;
};

void controller_see(struct controller *c, struct arena *a, struct sight *out);

/* Plans the key of that name; what is in out is done whatever it returns. */
typedef int sync_plan(struct controller *c, struct str name, struct arena *a, struct actions *out,
		      struct err *err);

sync_plan sync_template, sync_render, sync_pool, sync_master, sync_migrate, sync_pinned,
	sync_settings;

/* The plan of a key that plan/generate knows, over what is known. */
int sync_generate(struct controller *c, enum sync_kind kind, struct str name, struct arena *a,
		  struct actions *out, struct err *err);

/* Whether there are MachineConfigNodes for sync_migrate. */
bool controller_migrates(const struct controller *c);

/* The same of pinned image sets; failed: why they could not be written. */
int pin_pool(struct controller *c, struct str name, struct str failed, struct arena *a,
	     struct actions *out, struct err *err);

/* Says in the status of a KubeletConfig, ContainerRuntimeConfig or
 * CRIOCredentialProviderConfig why it could not be written. */
void sync_failed(struct controller *c, const struct kube_key *key, struct str why, struct arena *a,
		 struct actions *out);

#endif
