/*
 * operator_bootstrap: reads the inputs, builds the ControllerConfig's spec, makes the files. Each
 * part has its own prefix in error messages, as upstream's log has it.
 */
#include "op_bootstrap_parts.h"

static int render(struct arena *a, const struct operator_bootstrap_in *in,
		  const struct json *images, struct operator_bootstrap_out *out, struct err *err)
{
	struct operator_inputs inputs = {
		.images = images,
		.os_image = json_str(images, "osImage"),
		.os_extensions = json_str(images, "osExtensions"),
		.release_image = in->release_image,
	};
	struct json *spec;

	if (op_bootstrap_read(a, in, &inputs, err) < 0)
		return err_wrap(err, "error parsing dependencies for MCO bootstrap");
	if (operator_spec(a, &inputs, &spec, err) < 0)
		return err_wrap(err, "error building spec for MCO bootstrap");
	return op_bootstrap_files(a, in, images, spec, out, err);
}

int operator_bootstrap(struct arena *a, const struct operator_bootstrap_in *in,
		       struct operator_bootstrap_out *out, struct err *err)
{
	struct json *images;
	int rc = op_bootstrap_images(a, in, &images, out, err);

	if (rc < 0)
		return rc;
	rc = render(a, in, images, out, err);
	return rc < 0 ? err_wrap(err, "error rendering bootstrap manifests") : 0;
}
