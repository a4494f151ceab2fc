/* What the parts of plan/preview know of each other. */
#ifndef PLAN_PREVIEW_PARTS_H
#define PLAN_PREVIEW_PARTS_H

#include "generate_parts.h"
#include "plan/preview.h"

struct preview {
	struct generator g;
	struct template_tree builtin;
	bool gates_known;
	bool restart; /* other feature gates: the controller starts anew */
	bool kubelets; /* that, or another Node config: all are planned */
	const struct mc_set *touched; /* or NULL */
	struct mc_pools registries; /* the pools they are made for */
	struct strs *notes;
};

void preview_note(struct preview *p, struct str text);

/* The last MachineConfig of that name, or NULL. */
struct mc *preview_find(const struct mc_set *set, struct str name);

/* Whether that object is among those touched; "": any of the kind. */
bool preview_touched(const struct preview *p, enum mc_kind kind,
		     struct str name);

/* What a KubeletConfig for the pool starts from. */
int preview_kubelet(struct preview *p, struct str pool, struct kubelet_in *out);

/* Whether the templates have the file at path; if not, a note says so. */
bool preview_can_start(struct preview *p, struct str what, struct str pool,
		       const char *path);

/* The MachineConfigs of one kind of objects that choose their pools. */
int preview_choosers(struct preview *p, const struct chooser *chooser);

#endif
