/* Private to plan/kubelet. */
#ifndef SRC_PLAN_KUBELET_PARTS_H
#define SRC_PLAN_KUBELET_PARTS_H

#include "mc/object.h"

/* spec.kubeletConfig as Go's KubeletConfiguration; NULL when absent. */
int kubelet_user(struct arena *a, const struct mc_object *kc, struct json **out, struct err *err);

/*
 * Merges over into base as mergo does: zero and empty values in over are ignored, so they
 * cannot reset base.
 */
void kubelet_merge(struct arena *a, struct json *base, const struct json *over);

/* Both cgroups, where given, must be equal. ERR_INVALID "<what>: …". */
int kubelet_cgroups(const struct json *conf, const char *what, struct err *err);

#endif
