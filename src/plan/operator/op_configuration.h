/*
 * op_configuration: the parts of the step MachineConfiguration.
 */
#ifndef PLAN_OP_CONFIGURATION_H
#define PLAN_OP_CONFIGURATION_H

#include "plan/operator.h"

/*
 * Sets managedBootImagesStatus and bootImageSkewEnforcementStatus in status, the next status of
 * live. True when that opts in to updates of boot images: the object then gets an annotation.
 */
bool op_boot_images(struct arena *a, const struct operator_view *in, const struct json *live,
		    struct json *status);

/* Adds the write that marks ConfigMap coreos-bootimages with this release, once the master pool
 * runs it. */
void op_boot_stamp(struct arena *a, const struct operator_view *in, struct actions *out);

#endif
