/*
 * Private to plan/template.
 */
#ifndef PLAN_TEMPLATE_PARTS_H
#define PLAN_TEMPLATE_PARTS_H

#include "base/map.h"
#include "data/tmpl.h"
#include "plan/template.h"

/* The data of templates, and the parts that functions use, decoded. */
struct render_data {
	struct tmpl_value dot; /* upstream's template.RenderConfig */
	const struct json *infra; /* of the spec, or NULL */
	const struct json *platform; /* infra.status.platformStatus, or NULL */
	struct str type; /* the platform's */
	struct config *config; /* what dot points to */
};

/*
 * Makes the data from a ControllerConfig's spec; fold: ignore the case of its names.
 * ERR_INVALID when it does not match the API.
 */
int template_data(struct arena *a, const struct json *spec, bool fold, struct str tls_min_version,
		  const struct strs *tls_cipher_suites, struct render_data *out, struct err *err);

/* Sets the pull secret that templates see; it is empty at first. */
void template_data_secret(struct render_data *d, struct str pull_secret);

/* True when a template read the pull secret since the last call. */
bool template_data_secret_read(struct render_data *d);

/* The state of a cloud's load balancer addresses in the cluster's own DNS. */
enum lb_state { LB_DEFAULT, LB_AVAILABLE, LB_ABSENT };
enum lb_state template_lb_state(const struct render_data *d);

/* The layer of a platform type: "aws"; "none" for one without its own. */
struct str template_layer(struct str type);

/* BareMetal, oVirt, OpenStack, VSphere, Nutanix. */
bool template_on_prem(struct str type);

extern const struct tmpl_func template_funcs[];

/*
 * Renders one template; name is its path. *out may view text. ERR_INVALID "failed to parse template
 * NAME: …" or "failed to execute template: …".
 */
int template_render(struct arena *a, const struct render_data *d, const char *name, struct str text,
		    struct str *out, struct err *err);

#define LAYERS_MAX 6

/* The result of a template. */
struct rendering {
	struct str text; /* empty: the template is ignored */
	struct ign_obj *item; /* NULL until needed */
};

/* Whether templates see the pull secret: base files are made without it. */
enum secrecy { WITHOUT_SECRET, WITH_SECRET, SECRECIES };

/* A template of the tree. */
struct entry {
	struct str path, text;
	/* NULL: not rendered yet. Both are the same unless it reads the secret. */
	struct rendering *made[SECRECIES];
};

/* The folded templates of a MachineConfig. */
struct folded {
	struct ign_obj *config;
	bool valid;
	struct strs extensions;
};

struct forest {
	struct arena *a;
	struct template_input in;
	struct render_data data;
	struct entry *v; /* in the order of a walk over the directories */
	size_t n;
	struct map folded[SECRECIES]; /* struct folded by directory */
	struct str layers[LAYERS_MAX];
	size_t n_layers;
	enum secrecy secrecy; /* of the current call */
	bool secret_read; /* a template collected since the last reset has read the secret */
	struct err *err;
};

/* Initialises the entries from in.tree. */
void forest_init(struct forest *f);

/* 1 when the directory dir (with a final '/') exists, 0 when not; a file is an error. */
int forest_has(const struct forest *f, struct str dir);

/* The direct subdirectories of dir ("" or with a final '/'), sorted by name. */
struct strs forest_subdirs(const struct forest *f, struct str dir);

/* Collects the layers of dir, by part and base name: a struct rendering, or NULL where a
 * later layer removed it. */
enum part { FILES, UNITS, EXTENSIONS, PARTS };
int forest_collect(struct forest *f, struct str dir, struct map *parts);

/* The remaining entries of a part, sorted by name. */
size_t forest_sorted(struct arena *a, const struct map *part, struct map_entry **out);

/* A rendered file or unit as an Ignition config of its own. ERR_INVALID. */
int template_item(struct arena *a, struct str text, bool unit, struct ign_obj **out,
		  struct err *err);

#endif
