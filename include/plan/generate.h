/*
 * generate: the controllers that make MachineConfigs, each a plan over the same view of a
 * cluster.
 *
 * Which MachineConfigs an object generates, for which pool and under which name, is
 * decided only here: the live controller calls it with its caches, bootstrap and the
 * previews of mcoctl with a set of objects (plan/settle).
 */
#ifndef PLAN_GENERATE_H
#define PLAN_GENERATE_H

#include "mc/gates.h"
#include "mc/load.h"
#include "plan/action.h"
#include "plan/template.h"

/* What the name of a key refers to. */
enum generate_kind {
	GENERATE_TEMPLATES, /* the ControllerConfig */
	GENERATE_KUBELET, /* a KubeletConfig */
	GENERATE_FEATURES, /* "cluster": all pools; "pool/x": one pool */
	GENERATE_NODE, /* the same */
	GENERATE_RUNTIME, /* a ContainerRuntimeConfig */
	GENERATE_REGISTRIES, /* always "cluster" */
	GENERATE_CREDENTIALS, /* always "cluster" */
	GENERATE_RENDER, /* a pool */
	GENERATE_KINDS
};

#define GENERATE_POOL_PREFIX "pool/"

struct generate_key {
	enum generate_kind kind;
	struct str name;
	/* The object, where several have the name; or NULL. */
	const struct mc_object *object;
};

struct generate_keys {
	struct generate_key *v;
	size_t n, cap;
};

/* Objects are NULL when they do not exist. */
struct generate_view {
	struct instant now;
	struct str raw, hash; /* this build's version */
	const struct mcp_list *pools;
	const struct mc_list *mcs;
	const struct mc_object_list *kubelets, *runtimes;
	/* Image config, mirror sets, image policies. */
	const struct mc_object_list *images;
	const struct mc_controller_config *controller_config;
	const struct template_tree *tree; /* NULL: base files are looked up in mcs */
	struct template_cache *templates; /* NULL: kept for one plan only */
	struct mc_gates gates;
	const struct json *node; /* Node config "cluster" */
	const struct json *api_server, *credentials;
	struct str release_image; /* the release image of the cluster */
	/* of the template controller: see struct template_view */
	const struct json *pull_secret, *release_auth;
	struct str pull_secret_error, template_failed;
	bool internal_release;
	/* of the render controller: see struct render_view */
	const struct json *configuration, *os_image_stream;
	bool os_streams;
	const struct mc_list *whole;
	struct strs *wanted;

	/* ---- what is different outside of a running cluster ---- */

	/* The first run: see struct owned_view. */
	bool first_run;
	struct str first_secret; /* the text of the pull secret */
	/* For previews: see struct kubelet_view and struct runtime_view. */
	bool gates_unknown, every_pool, assume_image;
	/* Used instead of pools where some pools lack base files; or NULL. */
	const struct mcp_list *kubelet_pools, *runtime_pools;
};

/* Plans one key. The actions in out are valid even when it fails: ERR_INVALID when only
 * an edit of the objects helps, ERR_AGAIN otherwise. */
int plan_generate(struct arena *a, const struct generate_view *in, const struct generate_key *key,
		  struct actions *out, struct err *err);

/* The input for rendering templates, without the pull secret. */
struct template_input generate_templates(struct arena *a, const struct generate_view *in);

/* The Image config "cluster" among images, or NULL. */
const struct json *generate_image(const struct mc_object_list *images);

#endif
