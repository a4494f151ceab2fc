/*
 * CAs of image registries: those that the user trusts and those of the cluster's own registry. All
 * of them together are in ConfigMap merged-trusted-image-registry-ca, which builds use.
 *
 * As upstream, the merged map keeps its contents when the last CA goes.
 */
#include <stdlib.h>

#include "base/codec.h"
#include "base/utf8.h"
#include "mc/object.h"
#include "op_render.h"

#define MERGED "merged-trusted-image-registry-ca"
#define PATH PATH_CORE "namespaces/" NS_CONFIG_MANAGED "/configmaps"

static int by_key(const void *x, const void *y)
{
	return str_cmp(json_key(*(const struct json *const *)x),
		       json_key(*(const struct json *const *)y));
}

size_t op_sorted(struct arena *a, const struct json *object, const struct json ***out)
{
	VEC(const struct json *) v = { 0 };

	for (const struct json *m = json_first(object); m; m = json_next(m))
		VEC_PUSH(a, &v, m);
	if (v.n)
		qsort(v.v, v.n, sizeof(*v.v), by_key);
	*out = v.v;
	return v.n;
}

/* The bytes as the server returns them: an invalid one is U+FFFD. The map would differ forever. */
static struct str as_text(struct arena *a, struct str bytes)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0, len; i < bytes.n; i += len)
		utf8_add(&b, utf8_at(bytes, i, &len));
	return buf_str(&b);
}

/*
 * Adds the members of one part of a ConfigMap, in the order of their keys, to list as { file, data }
 * and to merged as text.
 */
static void add_part(struct arena *a, const struct json *part, bool binary, struct json *list,
		     struct json *merged)
{
	const struct json **v;
	size_t n = op_sorted(a, part, &v);

	for (size_t i = 0; i < n; i++) {
		struct err ignored = ERR_INIT(a);
		struct json *item = json_new(a, JSON_OBJECT);
		struct str bytes = S("");
		struct buf b;

		if (base64_decode(a, json_text(v[i]), &bytes, &ignored) < 0 && !binary)
			bytes = json_text(v[i]);
		buf_init(&b, a);
		base64_add(&b, bytes);
		json_add_str(a, item, "file", json_key(v[i]));
		json_add_str(a, item, "data", buf_str(&b));
		json_push(list, item);
		json_set(merged, json_key(v[i]), json_new_str(a, as_text(a, bytes)));
	}
}

/* The CAs of a ConfigMap (NULL: none). */
static struct json *add_map(struct arena *a, const struct json *map, struct json *merged)
{
	struct json *list = json_new(a, JSON_ARRAY);

	add_part(a, json_at(map, "data"), false, list, merged);
	add_part(a, json_at(map, "binaryData"), true, list, merged);
	return list;
}

static struct json *new_map(struct arena *a, struct json *data)
{
	struct json *j = mc_object_new(a, API_CORE, "ConfigMap", NS_CONFIG_MANAGED, S(MERGED));

	json_add_str(a, json_make(a, j, "metadata.annotations"), ANNO_OWNING_COMPONENT,
		     S("Machine Config Operator"));
	if (json_len(data))
		json_add(j, S("data"), data);
	return j;
}

/* Changes merged into the patch that makes it of live. */
static struct json *patch_of(struct arena *a, const struct json *live, struct json *merged)
{
	struct json *j = json_new(a, JSON_OBJECT);

	for (const struct json *m = json_first(live), *now; m; m = json_next(m)) {
		now = json_member(merged, json_key(m));
		if (!now)
			json_add(merged, json_key(m), json_new(a, JSON_NULL));
		else if (json_eq(m, now))
			(void)json_remove(merged, json_key(m));
	}
	json_add(j, S("data"), merged);
	return j;
}

/* Returns whether the map differs. */
static bool keep_merged(struct arena *a, const struct operator_view *in, struct json *merged,
			struct actions *out)
{
	const struct json *live = in->get(in, OPERATOR_CONFIG_MAPS_MANAGED, S(MERGED));
	const struct json *data = json_at(live, "data");

	if (!live)
		(void)action_add(a, out, ACTION_CREATE, S(PATH),
				 json_format(a, new_map(a, merged), 0), S("it is missing"));
	else if (json_len(merged) && !json_eq(data, merged))
		(void)action_add(a, out, ACTION_MERGE, S(PATH "/" MERGED),
				 json_format(a, patch_of(a, data, merged), 0),
				 S("the CAs of image registries changed"));
	else
		return false;
	return true;
}

/* The ConfigMap that Image "cluster" names, or NULL. */
static const struct json *user_map(struct arena *a, const struct operator_view *in,
				   const struct json *image, struct actions *out)
{
	struct str name = json_str(image, "spec.additionalTrustedCA.name");
	const struct json *map = name.n ? in->get(in, OPERATOR_CONFIG_MAPS_CONFIG, name) : NULL;
	struct action *log;

	if (name.n && !map) {
		log = action_log(a, out,
				 "could not find configmap specified in image." GROUP_CONFIG
				 "/" NAME_CLUSTER " with the name %.*s",
				 STRF(name));
		log->warning = log->state = true;
	}
	return map;
}

int op_registry_cas(struct arena *a, const struct operator_view *in, struct operator_inputs *out,
		    struct actions *actions, struct err *err)
{
	struct json *merged = json_new(a, JSON_OBJECT);
	const struct json *image;

	if (in->standalone)
		return 0;
	image = op_need(in, OPERATOR_IMAGES, "image." GROUP_CONFIG, S(NAME_CLUSTER), err);
	if (!image)
		return -ERR_NOTFOUND;
	out->registry_cas = add_map(
		a, in->get(in, OPERATOR_CONFIG_MAPS_MANAGED, S("image-registry-ca")), merged);
	/* of equal keys the user's stays */
	out->user_registry_cas = add_map(a, user_map(a, in, image, actions), merged);
	return keep_merged(a, in, merged, actions);
}
