/*
 * template_sync: the template controller. Keeps the MachineConfigs that the templates
 * make from the ControllerConfig, and reports progress in its status.
 */
#ifndef PLAN_TEMPLATE_SYNC_H
#define PLAN_TEMPLATE_SYNC_H

#include "plan/action.h"
#include "plan/template.h"

#define TEMPLATE_RELEASE_AUTH "internal-release-image-registry-auth"

struct template_view {
	struct instant now;
	struct str raw, hash; /* this build's version */
	const struct mc_controller_config *controller_config;
	const struct template_tree *tree;
	struct template_cache *cache; /* NULL: no cache */
	const struct mc_list *mcs; /* every MachineConfig */
	/* The Secret that spec.pullSecret names; NULL: it cannot be read, see pull_secret_error. */
	const struct json *pull_secret;
	struct str pull_secret_error;
	const struct json *api_server; /* APIServer "cluster", or NULL */
	bool release_image; /* there is an InternalReleaseImage "cluster" */
	const struct json *release_auth; /* the Secret of its registry, or NULL */
	struct str failed; /* why a write of the last plan failed, or "" */
	/* As upstream's bootstrap: writes no status, and takes this text as the pull
	 * secret whatever the ControllerConfig names. */
	bool first_run;
	struct str first_secret;
};

/*
 * ERR_AGAIN: failed, and the status says why. The actions in out are valid in any case.
 */
int plan_template_sync(struct arena *a, const struct template_view *in, struct actions *out,
		       struct err *err);

/* The pull secret for nodes; "{}": none. */
int template_pull_secret(struct arena *a, const struct template_view *in, struct str *out,
			 struct err *err);

/* Adds the credentials of the InternalReleaseImage's registry to a pull secret. */
int template_release_auth(struct arena *a, const struct template_view *in, struct str *secret,
			  struct err *err);

/* The certificates in a ControllerConfig's bundles, as its status lists them. */
struct json *controller_certificates(struct arena *a, const struct json *controller_config);

#endif
