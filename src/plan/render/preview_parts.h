/* Private to plan/preview. */
#ifndef PLAN_PREVIEW_PARTS_H
#define PLAN_PREVIEW_PARTS_H

#include "plan/owned.h"
#include "plan/preview.h"
#include "plan/render/settle.h"

struct preview_run {
	struct arena *a;
	const struct preview_in *in;
	struct preview *out;
	struct settle s;
	struct template_tree builtin;
	bool restart; /* new feature gates: the controller restarts */
	bool same_node; /* the new Node config was refused */
	bool kubelets; /* that, or a new Node config: all are planned */
	bool family; /* a source of registries was touched */
	struct mcp_list kubelet_pools, runtime_pools; /* pools with base files */
};

void preview_note(struct preview_run *p, struct str text);
/* Notes that the effect of an object is unknown because something is missing. */
void preview_left_out(struct preview_run *p, bool touched, struct str text);
void preview_refuse(struct preview_run *p, struct preview_refusal r);

/* True when that object was touched; "": any of the kind. */
bool preview_touched(const struct preview_run *p, enum mc_kind kind, struct str name);

/* preview_templates.c: the effects of the pull secret, the ControllerConfig and the
 * APIServer through templates. */
void preview_templates(struct preview_run *p);

/* preview_owned.c: KubeletConfigs and ContainerRuntimeConfigs. */
void preview_owned(struct preview_run *p, const struct owned_kind *kind);
void preview_owned_refusal(struct preview_run *p, const struct settle_key *k);

#endif
