/*
 * Inside plan/template.
 */
#ifndef PLAN_TEMPLATE_PARTS_H
#define PLAN_TEMPLATE_PARTS_H

#include "base/map.h"
#include "data/tmpl.h"
#include "plan/template.h"

/* What templates see, decoded for the functions that decide by it. */
struct render_data {
	struct tmpl_value dot; /* upstream's template.RenderConfig */
	const struct json *infra; /* of the spec, or NULL */
	const struct json *platform; /* infra.status.platformStatus, or NULL */
	struct str type; /* the platform's */
	struct config *config; /* behind dot */
};

/*
 * What templates see of a ControllerConfig's spec; fold: its names may be in any
 * case. ERR_INVALID when it does not fit the API.
 */
int template_data(struct arena *a, const struct json *spec, bool fold, struct str tls_min_version,
		  const struct strs *tls_cipher_suites, struct render_data *out, struct err *err);

/* The pull secret that templates see from now on; at first it is empty. */
void template_data_secret(struct render_data *d, struct str pull_secret);

/* Whether a template has read the pull secret since this was last asked. */
bool template_data_secret_read(struct render_data *d);

/* State of a cloud's load balancer addresses in the cluster's own DNS. */
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

/* What came of a template. */
struct rendering {
	struct str text; /* blank: as if there were no template */
	struct ign_obj *item; /* made when it is first asked for */
};

/* Whether templates see the pull secret: base files are made without it. */
enum secrecy { WITHOUT_SECRET, WITH_SECRET, SECRECIES };

/* A template of the tree. */
struct entry {
	struct str path, text;
	/* NULL: not rendered yet. One and the same when it does not read the secret. */
	struct rendering *made[SECRECIES];
};

/* What the templates of a MachineConfig came to. */
struct folded {
	struct ign_obj *config;
	bool valid;
	struct strs extensions;
};

struct forest {
	struct arena *a;
	struct template_input in;
	struct render_data data;
	struct entry *v; /* as a walk over the directories finds them */
	size_t n;
	struct map folded[SECRECIES]; /* struct folded by directory */
	struct str layers[LAYERS_MAX];
	size_t n_layers;
	enum secrecy secrecy; /* of the call under way */
	bool secret_read; /* by a template collected since it was cleared */
	struct err *err;
};

/* Takes over what in.tree has. */
void forest_init(struct forest *f);

/* 1 when dir (which ends in '/') is there, 0 when not; a file is an error. */
int forest_has(const struct forest *f, struct str dir);

/* The directories right below dir ("" or ending in '/'), in order of name. */
struct strs forest_subdirs(const struct forest *f, struct str dir);

/* What the layers of dir come to, by part and base name: a struct rendering, or NULL
 * for what a later layer took out. */
enum part { FILES, UNITS, EXTENSIONS, PARTS };
int forest_collect(struct forest *f, struct str dir, struct map *parts);

/* The entries of a part that stayed, by name. */
size_t forest_sorted(struct arena *a, const struct map *part, struct map_entry **out);

/* A rendered file or unit as an Ignition config of its own. ERR_INVALID. */
int template_item(struct arena *a, struct str text, bool unit, struct ign_obj **out,
		  struct err *err);

#endif
