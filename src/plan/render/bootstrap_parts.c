/*
 * The special cases of the first run: the pull secret is a manifest, pools may be given
 * twice, and images may have been built in advance.
 */
#include "bootstrap_parts.h"

#include <stdlib.h>

#include "base/codec.h"
#include "base/imageref.h"
#include "base/map.h"
#include "data/docs.h"
#include "mc/generated.h"
#include "mc/types.h"

struct json *bootstrap_marshal(struct arena *a, uint16_t type, const struct json *object)
{
	struct err err = ERR_INIT(a);
	struct json *held = NULL;

	/* it was checked when it was loaded */
	(void)shape_hold(a, &mc_shapes, type, 0, object, &held, &err);
	return shape_marshal(a, &mc_shapes, type, held);
}

/* ---- the pull secret ----------------------------------------------------- */

/* "v1" of "apps/v1". */
static struct str version_of(struct str api)
{
	ptrdiff_t slash = str_rchr(api, '/');

	return str_from(api, (size_t)(slash + 1));
}

int bootstrap_pull_secret(struct arena *a, struct str text, struct str *out, struct err *err)
{
	struct docs docs = { 0 };
	struct docs_fault fault = { 0 };
	struct mc_object secret;
	enum mc_kind kind;
	struct str type;
	int rc = docs_parse(a, text, &docs, &fault, err);

	if (rc == -ERR_INVALID)
		return err_set(err, ERR_INVALID, "%.*s", STRF(fault.upstream));
	if (rc < 0)
		return rc;
	if (!docs.n)
		return err_set(err, ERR_INVALID, "Object 'Kind' is missing in 'null'");
	rc = mc_kind_of(a, docs.v[0].tree, &kind, err);
	if (rc < 0)
		return rc;
	if (kind != MC_SECRET)
		return err_set(err, ERR_INVALID, "expected *corev1.Secret found *%.*s.%.*s",
			       STRF(version_of(json_str(docs.v[0].tree, "apiVersion"))),
			       STRF(json_str(docs.v[0].tree, "kind")));
	rc = mc_object_decode(a, &docs.v[0], MC_SECRET, &secret, err);
	if (rc < 0)
		return rc;
	type = json_str(secret.tree, "type");
	if (!str_is(type, SECRET_DOCKER_JSON))
		return err_set(err, ERR_INVALID,
			       "expected secret type " SECRET_DOCKER_JSON " found %.*s",
			       STRF(type));
	return base64_decode(
		a, json_text(json_member(json_at(secret.tree, "data"), S(".dockerconfigjson"))),
		out, err);
}

/* ---- pools --------------------------------------------------------------- */

/* The pool as Go writes it: used to compare two pools. */
static struct str pool_text(struct arena *a, const struct json *pool)
{
	return json_format(a, bootstrap_marshal(a, MC_T_MachineConfigPool, pool), JSON_SORTED);
}

/* True when p is the operator's own manifest, unchanged. */
static bool is_built_in(struct arena *a, const struct mcp *p)
{
	return mcp_is_built_in(p->meta.name) &&
	       str_eq(pool_text(a, mcp_built_in(a, p->meta.name)), pool_text(a, p->tree));
}

static int by_name(const void *x, const void *y)
{
	return str_cmp((*(struct mcp *const *)x)->meta.name, (*(struct mcp *const *)y)->meta.name);
}

void bootstrap_pools(struct arena *a, const struct mcp_list *all, struct mcp_list *out)
{
	struct map seen;

	map_init(&seen, a);
	for (size_t i = 0; i < all->n; i++) {
		struct mcp *p = all->v[i];

		if (!map_find(&seen, p->meta.name) || !is_built_in(a, p))
			(void)map_put(&seen, p->meta.name, p);
	}
	for (size_t i = 0; i < seen.n; i++)
		VEC_PUSH(a, out, seen.v[i].value);
	if (out->n > 1)
		qsort(out->v, out->n, sizeof(*out->v), by_name);
}

/* ---- images built beforehand --------------------------------------------- */

static int check_image(struct arena *a, struct str image, struct err *err)
{
	struct imageref r;
	struct str algorithm, hex;

	if (imageref_canonical(a, image, &r, err) < 0)
		return err_wrap(err, "pre-built image \"%.*s\" has invalid format", STRF(image));
	if (!str_cut(r.digest, ':', &algorithm, &hex))
		return err_set(err, ERR_INVALID,
			       "pre-built image must use digested format "
			       "(image@sha256:digest), got: \"%.*s\"",
			       STRF(image));
	if (!str_is(algorithm, "sha256"))
		return err_set(err, ERR_INVALID,
			       "pre-built image must use SHA256 digest, got "
			       "%.*s: \"%.*s\"",
			       STRF(algorithm), STRF(image));
	return 0;
}

static bool has_pool(const struct mcp_list *pools, struct str name)
{
	for (size_t i = 0; i < pools->n; i++)
		if (str_eq(pools->v[i]->meta.name, name))
			return true;
	return false;
}

static struct str annotation(const struct json *object, const char *key)
{
	return json_text(json_member(json_at(object, "metadata.annotations"), str_of(key)));
}

/* The annotation may be removed once its image was adopted. */
static bool is_seeded(const struct json *object)
{
	if (annotation(object, ANNO_CURRENT_BUILD).n)
		return true;
	for (const struct json *c = json_first(json_at(object, "status.conditions")); c;
	     c = json_next(c))
		if (str_is(json_str(c, "type"), "Seeded"))
			return str_is(json_str(c, "status"), "True");
	return false;
}

/* Empty when it is valid. */
static struct str fault_of(struct arena *a, const struct json *object, const struct mcp_list *pools)
{
	struct str name = json_str(object, "metadata.name");
	struct str pool = json_str(object, "spec.machineConfigPool.name");
	struct str image = annotation(object, ANNO_PRE_BUILT);
	struct err err = ERR_INIT(a);

	if (!image.n)
		return str_fmt(a,
			       "MachineOSConfig \"%.*s\" is missing required "
			       "annotation \"" ANNO_PRE_BUILT
			       "\" - this is required for install-time OCL",
			       STRF(name));
	if (!has_pool(pools, pool))
		return str_fmt(a,
			       "MachineOSConfig \"%.*s\" references "
			       "non-existent pool \"%.*s\"",
			       STRF(name), STRF(pool));
	if (check_image(a, image, &err) < 0)
		return str_fmt(a,
			       "invalid pre-built image \"%.*s\" for "
			       "MachineOSConfig \"%.*s\" (pool \"%.*s\"): %.*s",
			       STRF(image), STRF(name), STRF(pool), STRF(err.msg));
	return S("");
}

int bootstrap_prebuilt(struct arena *a, const struct mc_object_list *objects,
		       const struct mcp_list *pools, struct mc_list *out, struct err *err)
{
	struct buf faults;

	buf_init(&faults, a);
	for (size_t i = 0; i < objects->n; i++) {
		const struct json *object = objects->v[i]->tree;
		struct str fault;

		if (objects->v[i]->kind != MC_OS_CONFIG)
			continue;
		fault = fault_of(a, object, pools);
		if (!annotation(object, ANNO_PRE_BUILT).n && is_seeded(object))
			continue;
		if (fault.n)
			buf_addf(&faults, "%s%.*s", faults.n ? "\n" : "", STRF(fault));
		else
			VEC_PUSH(a, out,
				 mc_prebuilt(a, json_str(object, "spec.machineConfigPool.name"),
					     annotation(object, ANNO_PRE_BUILT)));
	}
	if (!faults.n)
		return 0;
	return err_set(err, ERR_INVALID,
		       "failed to create pre-built image MachineConfigs: "
		       "validation failed for MachineOSConfigs: %s",
		       faults.p);
}
