/*
 * RequiredPools: the pools that an upgrade waits for.
 *
 * The first pool that is not ready, in the order of names, ends the check. A degraded pool holds
 * up the step even if it is not required.
 */
#include "base/codec.h"
#include "mc/mcp.h"
#include "op_render.h"
#include "op_status.h"

#define FAILED "error during syncRequiredMachineConfigPools"
#define MINUTES_MS 60000
#define PER_MACHINE_MS (10 * MINUTES_MS)
#define MACHINES_MAX 100000 /* of one pool: bounds the deadline */

static struct str because(struct arena *a, const char *what, const struct condition *c)
{
	return str_fmt(a, "pool is degraded because %s with %.*s: %.*s", what,
		       STRF(go_quoted(a, c->reason)), STRF(go_quoted(a, c->message)));
}

struct str operator_pool_text(struct arena *a, const struct json *pool)
{
	const struct json *st = json_at(pool, "status");
	struct conditions list = conditions_of(a, json_at(st, "conditions"));

	if (conditions_true(&list, "RenderDegraded"))
		return because(a, "rendering fails", conditions_find(&list, S("RenderDegraded")));
	if (conditions_true(&list, "NodeDegraded"))
		return because(a, "nodes fail", conditions_find(&list, S("NodeDegraded")));
	if (conditions_true(&list, "Updated"))
		return str_fmt(a, "all %lld nodes are at latest configuration %.*s",
			       (long long)json_i64(st, "machineCount", 0),
			       STRF(json_str(st, "configuration.name")));
	if (conditions_true(&list, "Updating"))
		return str_fmt(a,
			       "%lld (ready %lld) out of %lld nodes are updating to latest "
			       "configuration %.*s",
			       (long long)json_i64(st, "updatedMachineCount", 0),
			       (long long)json_i64(st, "readyMachineCount", 0),
			       (long long)json_i64(st, "machineCount", 0),
			       STRF(json_str(pool, "spec.configuration.name")));
	if (conditions_true(&list, "PinnedImageSetsDegraded"))
		return because(a, "pinned image sets failed",
			       conditions_find(&list, S("PinnedImageSetsDegraded")));
	return S("<unknown>");
}

/* ---- the configuration of a pool ----------------------------------------- */

/* Upstream's check of one MachineConfig that the pool was rendered from, or of the rendered one. */
static int check_made_by(struct arena *a, const struct operator_view *in, const struct json *pool,
			 struct str name, bool rendered, struct err *err)
{
	const struct json *mc = in->get(in, OPERATOR_MACHINE_CONFIGS, name), *by;

	if (!mc)
		return err_set(err, ERR_AGAIN, "machineconfig." GROUP_MC " \"%.*s\" not found",
			       STRF(name));
	by = json_member(json_at(mc, "metadata.annotations"), S(ANNO_BY_CONTROLLER));
	if (!by && rendered)
		return err_set(err, ERR_AGAIN,
			       "%.*s must be created by controller version %.*s: %.*s", STRF(name),
			       STRF(in->hash), STRF(operator_pool_text(a, pool)));
	if (by && !str_eq(json_text(by), in->hash))
		return err_set(err, ERR_AGAIN,
			       "controller version mismatch for %.*s expected %.*s has %.*s: %.*s",
			       STRF(name), STRF(in->hash), STRF(json_text(by)),
			       STRF(operator_pool_text(a, pool)));
	return 0;
}

static int check_release(const struct operator_view *in, const struct json *mc, struct str pool,
			 struct str os_image, struct err *err)
{
	const struct json *annos = json_at(mc, "metadata.annotations");
	const struct json *release = json_member(annos, S(ANNO_RELEASE_VERSION));
	struct str name = json_str(mc, "metadata.name"), os = json_str(mc, "spec.osImageURL");

	if (!str_eq(os, os_image) && !json_member(annos, S(ANNO_OS_OVERRIDDEN)))
		return err_set(err, ERR_AGAIN,
			       "osImageURL mismatch for %.*s in %.*s expected: %.*s got: %.*s",
			       STRF(pool), STRF(name), STRF(os_image), STRF(os));
	if (!release)
		return err_set(err, ERR_AGAIN,
			       "Unable to access annotation " ANNO_RELEASE_VERSION
			       " for %.*s expected: %.*s",
			       STRF(name), STRF(in->release));
	if (!str_eq(json_text(release), in->release))
		return err_set(err, ERR_AGAIN,
			       "release image version mismatch for %.*s in %.*s expected: %.*s "
			       "got: %.*s",
			       STRF(pool), STRF(name), STRF(in->release), STRF(json_text(release)));
	return 0;
}

static int check_config(struct arena *a, const struct operator_view *in, const struct json *pool,
			struct str os_image, struct err *err)
{
	const struct json *source = json_at(pool, "status.configuration.source");
	struct str rendered = json_str(pool, "status.configuration.name");
	struct str name = json_str(pool, "metadata.name");
	const char *empty = !json_str(pool, "spec.configuration.name").n ? "configuration spec"
			    : !rendered.n				 ? "configuration status"
			    : !json_len(source)
				    ? "list of MachineConfigs that were used to generate "
				      "configuration"
				    : NULL;
	int rc;

	if (empty)
		return err_set(err, ERR_AGAIN, "%s for pool %.*s is empty: %.*s", empty, STRF(name),
			       STRF(operator_pool_text(a, pool)));
	rc = check_made_by(a, in, pool, rendered, true, err);
	for (const struct json *s = json_first(source); s && rc == 0; s = json_next(s))
		rc = check_made_by(a, in, pool, json_str(s, "name"), false, err);
	if (rc < 0)
		return rc;
	return check_release(in, in->get(in, OPERATOR_MACHINE_CONFIGS, rendered), name, os_image,
			     err);
}

/* The OS image of a pool: that of its stream, or r's. Custom pools inherit the stream of worker.
 * False: unknown for now. */
static bool os_image(const struct operator_view *in, const struct operator_render *r,
		     const struct json *pool, struct str *out)
{
	const struct json *stream = in->get(in, OPERATOR_OS_IMAGE_STREAMS, S(NAME_CLUSTER));
	struct str name = json_str(pool, "spec.osImageStream.name");

	if (!name.n && !mcp_is_built_in(json_str(pool, "metadata.name")))
		name = json_str(in->get(in, OPERATOR_POOLS, S("worker")),
				"spec.osImageStream.name");
	*out = r->os_image;
	if (!name.n || !mc_gate(&in->gates, "OSStreams"))
		return true;
	stream = op_stream(stream, "name", name);
	*out = json_str(stream, "osImage");
	return stream;
}

/* ---- the step ------------------------------------------------------------ */

struct counts {
	long long total, ready, updated, unavailable, degraded;
};

static struct counts counts_of(const struct json *pool)
{
	const struct json *st = json_at(pool, "status");

	return (struct counts){ json_i64(st, "machineCount", 0),
				json_i64(st, "readyMachineCount", 0),
				json_i64(st, "updatedMachineCount", 0),
				json_i64(st, "unavailableMachineCount", 0),
				json_i64(st, "degradedMachineCount", 0) };
}

/* 0: ready; 1: wait for *why; or an error. */
static int check_pool(struct arena *a, const struct operator_view *in,
		      const struct operator_render *r, const struct json *pool, bool required,
		      struct str *why, struct err *err)
{
	struct conditions list = conditions_of(a, json_at(pool, "status.conditions"));
	struct counts n = counts_of(pool);
	struct str name = json_str(pool, "metadata.name"), image;
	struct err bad = ERR_INIT(a);
	bool updated = conditions_true(&list, "Updated");

	if (conditions_true(&list, "Degraded")) {
		*why = str_fmt(
			a,
			"error MachineConfigPool %.*s is not ready, retrying. Status: (pool "
			"degraded: true total: %lld, ready %lld, updated: %lld, unavailable: "
			"%lld, reason: %.*s)",
			STRF(name), n.total, n.ready, n.updated, n.unavailable,
			STRF(conditions_find(&list, S("Degraded"))->message));
		return 1;
	}
	if (!required)
		return 0;
	if (!os_image(in, r, pool, &image))
		return 1;
	if (check_config(a, in, pool, image, &bad) < 0) {
		*why = str_fmt(a,
			       "MachineConfigPool %.*s has not progressed to latest configuration: "
			       "%.*s, retrying",
			       STRF(name), STRF(bad.msg));
		return 1;
	}
	if (json_i64(pool, "metadata.generation", 0) <=
		    json_i64(pool, "status.observedGeneration", 0) &&
	    updated)
		return 0;
	if (json_bool(pool, "spec.paused", false))
		return err_set(
			err, ERR_AGAIN,
			updated ? "the required MachineConfigPool %.*s was paused with no "
				  "pending updates; no further syncing will occur until it is "
				  "unpaused"
				: "error required MachineConfigPool %.*s is paused and cannot "
				  "sync until it is unpaused",
			STRF(name));
	*why = str_fmt(
		a,
		"error required MachineConfigPool %.*s is not ready, retrying. Status: "
		"(total: %lld, ready %lld, updated: %lld, unavailable: %lld, degraded: %lld)",
		STRF(name), n.total, n.ready, n.updated, n.unavailable, n.degraded);
	return 1;
}

static int64_t machines_of(const struct json *pool)
{
	int64_t n = json_i64(pool, "status.machineCount", 0);

	return n < 0 ? 0 : n < MACHINES_MAX ? n : MACHINES_MAX;
}

static bool is_required(const struct json *pool)
{
	return json_member(json_at(pool, "metadata.labels"), S(LABEL_REQUIRED));
}

int operator_required_pools(struct arena *a, const struct operator_view *in,
			    const struct operator_render *r, struct operator_result *out,
			    struct err *err)
{
	const struct json *const *pools;
	size_t n = in->list(in, OPERATOR_POOLS, a, &pools);
	int64_t machines = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		if (is_required(pools[i]))
			machines += machines_of(pools[i]);
	/* Outside of OpenShift a node is in a pool only when an administrator labels it. */
	if (in->standalone && !machines)
		machines = 1;
	/* Upstream's deadline is then over before its first look. */
	if (!machines)
		return err_set(err, ERR_AGAIN, FAILED ": context deadline exceeded");
	out->wait =
		(struct operator_wait){ .limit_ms = machines * PER_MACHINE_MS, .what = S(FAILED) };
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = check_pool(a, in, r, pools[i], is_required(pools[i]), &out->wait.why, err);
	out->wait.on = rc > 0;
	return rc < 0 ? rc : 0;
}
