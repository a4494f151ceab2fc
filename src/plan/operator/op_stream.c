/*
 * The step OSImageStream, where the feature gate OSStreams is on: the status of OSImageStream
 * "cluster" names the stream that its spec chooses.
 *
 * Upstream builds the object by inspecting the images of the release in their registry. That needs
 * a registry client, which this program does not have. So an object of this release is used, an
 * object with the OS images of this release is taken over, and anything else is an error.
 */
#include "mc/api.h"
#include "op_render.h"

#define PATH PATH_MC_ALPHA "osimagestreams/" NAME_CLUSTER

const struct json *op_stream(const struct json *o, const char *member, struct str value)
{
	for (const struct json *s = json_first(json_at(o, "status.availableStreams")); s;
	     s = json_next(s))
		if (str_eq(json_str(s, member), value))
			return s;
	return NULL;
}

/* One of the streams has the images that the payload of this release names. */
static bool is_of_release(const struct operator_view *in, const struct json *o)
{
	const struct json *data =
		json_at(in->get(in, OPERATOR_CONFIG_MAPS, S("machine-config-osimageurl")), "data");
	const struct json *s = op_stream(o, "osImage", json_str(data, "baseOSContainerImage"));

	return s && str_eq(json_str(data, "releaseVersion"), in->release) &&
	       str_eq(json_str(s, "osExtensionsImage"),
		      json_str(data, "baseOSExtensionsContainerImage"));
}

static void take_over(struct arena *a, const struct operator_view *in, struct actions *out)
{
	struct json *j = json_new(a, JSON_OBJECT);

	json_add_str(a, json_make(a, j, "metadata.annotations"), ANNO_RELEASE_VERSION, in->hash);
	(void)action_add(a, out, ACTION_MERGE, S(PATH), json_format(a, j, 0),
			 S("it has the images of this release"));
}

static int choose(struct arena *a, const struct json *o, struct actions *out, struct err *err)
{
	struct str name = json_str(o, "spec.defaultStream");
	struct json *j;

	if (!name.n || str_eq(name, json_str(o, "status.defaultStream")))
		return 0;
	if (!op_stream(o, "name", name))
		return err_set(err, ERR_INVALID,
			       "error syncing default OSImageStream with OSImageStream %.*s: "
			       "osimagestreams." GROUP_MC " \"%.*s\" not found",
			       STRF(name), STRF(name));
	j = json_clone(a, o);
	json_set(json_make(a, j, "status"), S("defaultStream"), json_new_str(a, name));
	(void)action_add(a, out, ACTION_REPLACE, S(PATH "/status"), json_format(a, j, 0),
			 S("the spec chooses another stream"));
	return 0;
}

int operator_os_image_stream(struct arena *a, const struct operator_view *in,
			     struct operator_memory *m, struct operator_result *out,
			     struct err *err)
{
	const struct json *o = in->get(in, OPERATOR_OS_IMAGE_STREAMS, S(NAME_CLUSTER));
	const struct json *notes = json_at(o, "metadata.annotations");

	(void)m;
	if (!mc_gate(&in->gates, "OSStreams"))
		return 0;
	if (str_eq(json_text(json_member(notes, S(ANNO_RELEASE_VERSION))), in->hash))
		return choose(a, o, &out->actions, err);
	if (!is_of_release(in, o))
		return err_set(
			err, ERR_INVALID,
			"OSImageStream " NAME_CLUSTER " %s, and this operator cannot build "
			"it: it does not inspect images in a registry. Create the object, or "
			"disable the feature gate OSStreams",
			o ? "is of another release" : "does not exist");
	take_over(a, in, &out->actions);
	return 0;
}
