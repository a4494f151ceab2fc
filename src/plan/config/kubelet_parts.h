/* What the parts of plan/kubelet know of each other. */
#ifndef SRC_PLAN_KUBELET_PARTS_H
#define SRC_PLAN_KUBELET_PARTS_H

#include "mc/object.h"

/* spec.kubeletConfig as Go's KubeletConfiguration; NULL when there is none. */
int kubelet_user(struct arena *a, const struct mc_object *kc, struct json **out, struct err *err);

/*
 * Lays a KubeletConfiguration over another as mergo does: what is zero or empty
 * in over does not count, so that it cannot undo what base sets.
 */
void kubelet_merge(struct arena *a, struct json *base, const struct json *over);

/* Both cgroups, where given, have to be one. ERR_INVALID "<what>: …". */
int kubelet_cgroups(const struct json *conf, const char *what, struct err *err);

#endif
