/*
 * The two halves of operator_bootstrap: reading the inputs, and making the files.
 */
#ifndef PLAN_OP_BOOTSTRAP_PARTS_H
#define PLAN_OP_BOOTSTRAP_PARTS_H

#include "op_spec.h"
#include "plan/operator_bootstrap.h"

/* Decodes all inputs but image-references. spec->images stays unset. */
int op_bootstrap_read(struct arena *a, const struct operator_bootstrap_in *in,
		      struct operator_inputs *spec, struct err *err);

/* The images by the keys of images.json, with the OS images as osImage and osExtensions. */
int op_bootstrap_images(struct arena *a, const struct operator_bootstrap_in *in, struct json **out,
			struct operator_bootstrap_out *to, struct err *err);

/* Adds the files, in upstream's order, until one fails. */
int op_bootstrap_files(struct arena *a, const struct operator_bootstrap_in *in,
		       const struct json *images, const struct json *spec,
		       struct operator_bootstrap_out *out, struct err *err);

#endif
