/*
 * template_sync: the template controller. Keeps the MachineConfigs that the
 * templates make of the ControllerConfig, and says in its status how far it is.
 */
#ifndef PLAN_TEMPLATE_SYNC_H
#define PLAN_TEMPLATE_SYNC_H

#include "plan/action.h"
#include "plan/template.h"

#define TEMPLATE_RELEASE_AUTH "internal-release-image-registry-auth"

struct template_view {
	struct instant now;
	struct str raw, hash; /* the version this program stands for */
	const struct mc_controller_config *controller_config;
	const struct template_tree *tree;
	struct template_cache *cache; /* NULL: nothing is kept */
	const struct mc_list *mcs; /* every MachineConfig */
	/* The Secret that spec.pullSecret names; NULL: it could not be read,
	 * pull_secret_error then says why. */
	const struct json *pull_secret;
	struct str pull_secret_error;
	const struct json *api_server; /* APIServer "cluster", or NULL */
	bool release_image; /* there is an InternalReleaseImage "cluster" */
	const struct json *release_auth; /* the Secret of its registry, or NULL */
	struct str failed; /* why a write of the last plan failed, or "" */
	/* As upstream's bootstrap: no status is kept, and the pull secret is
	 * this text, whatever the ControllerConfig says. */
	bool first_run;
	struct str first_secret;
};

/*
 * ERR_AGAIN: it cannot be done, and the status says why. What is in out is to be
 * done all the same.
 */
int plan_template_sync(struct arena *a, const struct template_view *in, struct actions *out,
		       struct err *err);

/* The text of the pull secret that nodes get; "": they get none. */
int template_pull_secret(struct arena *a, const struct template_view *in, struct str *out,
			 struct err *err);

/* Puts what the registry of the InternalReleaseImage asks for into the text of a
 * pull secret. */
int template_release_auth(struct arena *a, const struct template_view *in, struct str *secret,
			  struct err *err);

/* The certificates in a ControllerConfig's bundles, as its status lists them. */
struct json *controller_certificates(struct arena *a, const struct json *controller_config);

#endif
