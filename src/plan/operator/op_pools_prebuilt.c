/*
 * MachineConfigs for pools whose machines were installed with an image that was built before.
 *
 * The image of an existing MachineConfig is never changed: the annotation of the MachineOSConfig
 * counts only for the creation. While the server lacks MachineOSConfigs nothing is deleted: the kind
 * may be unavailable for a moment. Only labels and annotations are restored, by a patch, because the
 * cache may lack the rest of the spec.
 *
 * As in upstream, a failed write is only logged: later steps do not wait for it. It is retried after a
 * pause, because each pass would repeat it at once.
 */
#include "mc/condition.h"
#include "mc/generated.h"
#include "op_pools.h"
#include "plan/apply.h"

#define FAILED "Failed to sync pre-built image MachineConfigs"
#define PAUSE_MIN_MS 1000
#define PAUSE_MAX_MS 60000

/* The image that the MachineOSConfig gives its pool: that of the live MachineConfig, if any. */
static struct str image_of(const struct json *config, const struct json *live)
{
	const struct json *annos = json_at(config, "metadata.annotations");

	return live ? json_str(live, "spec.osImageURL")
		    : json_text(json_member(annos, S(ANNO_PRE_BUILT)));
}

static void write(struct arena *a, const struct json *live, struct str pool, struct str image,
		  struct actions *out)
{
	const struct json *want = mc_prebuilt(a, pool, image)->doc.tree;
	struct json *meta, *patch;

	if (!live) {
		(void)apply_mc(a, NULL, want, S("pool has a pre-built image"), out);
		return;
	}
	meta = json_clone(a, json_at(live, "metadata"));
	if (!apply_meta(a, meta, json_at(want, "metadata")))
		return;
	patch = json_new(a, JSON_OBJECT);
	json_add(patch, S("metadata"), json_clone(a, json_at(want, "metadata")));
	(void)action_add(a, out, ACTION_MERGE,
			 action_path(a, "machineconfigs", json_str(want, "metadata.name")),
			 json_format(a, patch, 0), S("labels of a pre-built image differ"));
}

/* A MachineOSConfig that was seeded but has lost its MachineConfig. */
static bool lost(struct arena *a, const struct json *config, struct str pool, struct actions *out)
{
	struct conditions list = conditions_of(a, json_at(config, "status.conditions"));
	struct action *log;

	if (!conditions_true(&list, "Seeded"))
		return false;
	log = action_log(a, out,
			 FAILED
			 ": MachineOSConfig \"%.*s\" "
			 "for pool \"%.*s\" was seeded with a pre-built image but the component "
			 "MachineConfig is missing - this is required for install-time OCL",
			 STRF(json_str(config, "metadata.name")), STRF(pool));
	log->warning = true;
	log->state = true;
	return true;
}

void operator_pass_later(struct operator_memory *m, int64_t clock_ms)
{
	int64_t *ms = &m->prebuilt_pause_ms;

	*ms = *ms ? 2 * *ms : PAUSE_MIN_MS;
	if (*ms > PAUSE_MAX_MS)
		*ms = PAUSE_MAX_MS;
	m->prebuilt_at = clock_ms + *ms;
}

/* Adds the writes, or the time of their retry. */
static void add_writes(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		       const struct actions *writes, struct operator_result *out)
{
	if (!writes->n)
		m->prebuilt_at = m->prebuilt_pause_ms = 0;
	if (m->prebuilt_at > in->clock_ms) {
		out->again_ms = m->prebuilt_at - in->clock_ms;
		return;
	}
	for (size_t i = 0; i < writes->n; i++) {
		writes->v[i].fail = ACTION_LATER;
		writes->v[i].wrap = S(FAILED);
		VEC_PUSH(a, &out->actions, writes->v[i]);
	}
}

void op_prebuilt(struct arena *a, const struct operator_view *in, struct operator_memory *m,
		 struct operator_result *out)
{
	const struct json *const *configs, *const *mcs;
	size_t n = in->list(in, OPERATOR_OS_CONFIGS, a, &configs);
	size_t n_mcs = in->list(in, OPERATOR_MACHINE_CONFIGS, a, &mcs);
	struct strs wanted = { 0 };
	struct actions writes = { .step = out->actions.step };

	if (!in->served(in, OPERATOR_OS_CONFIGS))
		return;
	for (size_t i = 0; i < n; i++) {
		struct str pool = json_str(configs[i], "spec.machineConfigPool.name");
		struct str name = str_fmt(a, MC_PREBUILT "%.*s", STRF(pool)), image;
		const struct json *live = in->get(in, OPERATOR_MACHINE_CONFIGS, name);

		image = image_of(configs[i], live);
		/* Upstream then changes none. */
		if (!live && !image.n && lost(a, configs[i], pool, &out->actions))
			return;
		if (!image.n)
			continue;
		VEC_PUSH(a, &wanted, name);
		write(a, live, pool, image, &writes);
	}
	for (size_t i = 0; i < n_mcs; i++) {
		struct str name = json_str(mcs[i], "metadata.name");
		bool keep = !str_starts(name, S(MC_PREBUILT));

		for (size_t k = 0; k < wanted.n && !keep; k++)
			keep = str_eq(name, wanted.v[k]);
		if (!keep)
			(void)action_add(a, &writes, ACTION_DELETE,
					 action_path(a, "machineconfigs", name), S(""),
					 S("pool has no pre-built image"));
	}
	add_writes(a, in, m, &writes, out);
}
