/*
 * The status of a pool.
 *
 * Two messages are ours, where upstream says nothing: a target that does not exist, and
 * nodes whose config does not exist. All others are upstream's to the letter, including
 * repetitions.
 */
#include "base/codec.h"
#include "plan/pool.h"

struct counts {
	int64_t total, updated, ready, unavailable, degraded;
	int64_t degraded_mcns, updated_mcns, pinned;
	struct buf degraded_text; /* "Node a is reporting: \"…\", …" */
	int64_t lost; /* nodes whose config was deleted */
	struct buf lost_text;
};

static void reporting(struct buf *b, struct str name, struct str text)
{
	buf_addf(b, "%sNode %.*s is reporting: ", b->n ? ", " : "", STRF(name));
	go_quote(b, text);
}

static bool updated(const struct pool_view *in, const struct pool_layers *l, const struct knode *n)
{
	return knode_done(n) && str_eq(n->desired_config, in->pool->target) &&
	       pool_node_targeted(in, l, n);
}

static bool mcn_updated(const struct pool_view *in, const struct pool_layers *l,
			const struct mcn *m)
{
	if (!m->updated || !str_eq(m->desired, in->pool->target))
		return false;
	if (!l->config)
		return !m->desired_image.n;
	return l->build && str_eq(m->desired, l->build->config) && l->config->image.n &&
	       str_eq(m->desired_image, l->config->image);
}

/* The config named by one of a node's annotations was deleted. */
static void count_lost(const struct pool_view *in, const struct knode *n, struct counts *c)
{
	struct str gone = { 0 };
	const char *which = "currentConfig";

	if (!in->configs)
		return;
	if (n->current_config.n && !map_get(in->configs, n->current_config)) {
		gone = n->current_config;
	} else if (n->desired_config.n && !map_get(in->configs, n->desired_config)) {
		gone = n->desired_config;
		which = "desiredConfig";
	}
	if (!gone.p)
		return;
	c->lost++;
	buf_addf(&c->lost_text,
		 "%sNode %.*s: its %s %.*s does not exist; create it again "
		 "(from a backup or another cluster) so that the node can be "
		 "updated",
		 c->lost_text.n ? ", " : "", STRF(n->name), which, STRF(gone));
}

static void count_mcns(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		       struct counts *c)
{
	VEC(const struct knode *) bad = { 0 };

	for (size_t i = 0; in->mcns && i < in->n_nodes; i++) {
		const struct mcn *m = map_get(in->mcns, in->nodes[i]->name);

		if (!m)
			continue;
		if (!m->any)
			break; /* a node that is not ready hides the other reasons */
		c->pinned += m->pinned;
		if (in->image_mode && mcn_updated(in, l, m)) {
			c->updated_mcns++;
		} else if (m->degraded) {
			c->degraded_mcns++;
			VEC_PUSH(a, &bad, in->nodes[i]);
			reporting(&c->degraded_text, in->nodes[i]->name, m->degraded_message);
		}
	}
	for (size_t i = 0; i < bad.n; i++)
		if (bad.v[i]->reason.n)
			reporting(&c->degraded_text, bad.v[i]->name, bad.v[i]->reason);
}

static void count(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		  struct counts *c)
{
	*c = (struct counts){ .total = (int64_t)in->n_nodes };
	buf_init(&c->degraded_text, a);
	buf_init(&c->lost_text, a);
	for (size_t i = 0; i < in->n_nodes; i++) {
		const struct knode *n = in->nodes[i];
		bool up = updated(in, l, n);

		c->updated += up;
		c->ready += up && knode_ready(n);
		c->unavailable += knode_unavailable(n);
		c->degraded += knode_degraded(n);
		count_lost(in, n, c);
	}
	count_mcns(a, in, l, c);
	if (in->image_mode) {
		c->updated = c->updated_mcns;
		c->degraded = c->degraded_mcns;
	}
}

/* A build that nodes still have to follow, or cannot follow. */
static bool build_pending(const struct pool_layers *l)
{
	const struct os_build *b = l->build;

	if (!l->config || !b)
		return false;
	if (b->building || b->prepared || b->failed)
		return true;
	return b->succeeded && b->image.n && !str_eq(b->image, l->config->image);
}

static struct str update_line(struct arena *a, const struct pool_view *in,
			      const struct pool_layers *l)
{
	struct str target = in->pool->target;

	if (!l->config || !l->config->image.n)
		return str_fmt(a, "MachineConfig %.*s", STRF(target));
	return str_fmt(a, "MachineConfig %.*s / Image %.*s", STRF(target), STRF(l->config->image));
}

struct writer {
	struct arena *a;
	const struct pool_view *in;
	const struct pool_layers *l;
	struct conditions list;
};

static void set(struct writer *w, struct str type, bool status, struct str reason,
		struct str message)
{
	struct condition c = { .type = type,
			       .status = status ? CONDITION_TRUE : CONDITION_FALSE,
			       .reason = reason,
			       .message = message };

	conditions_set(w->a, &w->list, CONDITION_ALL, c, w->in->now);
}

static void set_updating(struct writer *w, bool all, struct str line)
{
	const struct mcp *pool = w->in->pool;

	set(w, S("Updated"), all, S(""),
	    all ? str_fmt(w->a, "All nodes are updated with %.*s", STRF(line)) : S(""));
	if (all)
		set(w, S("Updating"), false, S(""), S(""));
	else if (pool->paused)
		set(w, S("Updating"), false, S(""),
		    str_fmt(w->a, "Pool is paused; will not update to %.*s", STRF(line)));
	else if (w->in->configs && !map_get(w->in->configs, pool->target))
		set(w, S("Updating"), false, S("ConfigNotFound"),
		    str_fmt(w->a,
			    "Pool cannot update: MachineConfig %.*s does not "
			    "exist; it is written again when the pool renders",
			    STRF(pool->target)));
	else
		set(w, S("Updating"), true, S(""),
		    str_fmt(w->a, "All nodes are updating to %.*s", STRF(line)));
}

/* The Updating condition of a layered pool: its build decides. */
static void set_build_updating(struct writer *w)
{
	const struct mcp *pool = w->in->pool;
	const struct os_build *b = w->l->build;

	if (!w->l->config || pool->paused)
		return;
	if (conditions_true(&pool->conditions, "RenderDegraded") ||
	    conditions_true(&pool->conditions, "NodeDegraded") ||
	    conditions_true(&pool->conditions, "PinnedImageSetsDegraded"))
		set(w, S("Updating"), false, S(""),
		    S("Pool update paused due to degraded condition"));
	else if (!b)
		set(w, S("Updating"), true, S(""),
		    str_fmt(w->a,
			    "Pool is waiting for a new OS image build to start "
			    "(mosc: %.*s)",
			    STRF(w->l->config->name)));
	else if (b->building || b->prepared)
		set(w, S("Updating"), true, S(""),
		    str_fmt(w->a,
			    "Pool is waiting for OS image build to complete "
			    "(mosb: %.*s)",
			    STRF(b->name)));
	else if (b->failed)
		set(w, S("Updating"), false, S(""),
		    str_fmt(w->a,
			    "Pool update stopped due to OS image build failure "
			    "(mosb: %.*s)",
			    STRF(b->name)));
}

static bool set_node_degraded(struct writer *w, const struct counts *c)
{
	if (c->degraded > 0)
		set(w, S("NodeDegraded"), true,
		    str_fmt(w->a, "%lld nodes are reporting degraded status on sync",
			    (long long)c->degraded_mcns),
		    buf_str(&c->degraded_text));
	else if (c->lost)
		set(w, S("NodeDegraded"), true,
		    str_fmt(w->a, "%lld nodes have a config that was deleted", (long long)c->lost),
		    buf_str(&c->lost_text));
	else
		set(w, S("NodeDegraded"), false, S(""), S(""));
	return c->degraded > 0 || c->lost;
}

/* Clears the condition, never sets it; true when it is set. */
static bool clear_build_degraded(struct writer *w)
{
	static const char type[] = "ImageBuildDegraded";
	bool was = conditions_true(&w->in->pool->conditions, type);
	const struct os_build *b = w->l->build;
	struct str reason, message;

	if (b && (b->building || b->prepared)) {
		reason = S("Building");
		message = S("New build started");
	} else if (b && b->succeeded) {
		reason = S("BuildSuccess");
		message = S("Build completed successfully");
	} else if (!b && was && w->l->config) {
		reason = S("BuildPending");
		message = S("MachineOSConfig updated/created, waiting for "
			    "MachineOSBuild");
	} else if (!b && was) {
		reason = S("NoLayeredObjects");
		message = S("No layered pool objects found, clearing stale "
			    "build degraded condition");
	} else {
		return was;
	}
	set(w, str_of(type), false, reason, message);
	return false;
}

/* True when the pool is degraded. */
static bool set_degraded(struct writer *w, const struct counts *c)
{
	bool node = set_node_degraded(w, c);
	bool render = conditions_true(&w->in->pool->conditions, "RenderDegraded");
	bool build = clear_build_degraded(w);
	struct str message = S("");

	if (node)
		message = buf_str(c->degraded > 0 ? &c->degraded_text : &c->lost_text);
	else if (build)
		message = S("Custom OS image build failed");
	set(w, S("Degraded"), node || render || build, S(""), message);
	return node || render || build;
}

/* ---- the status as JSON -------------------------------------------------- */

static struct json *cert_expirys(struct arena *a, const struct json *cc)
{
	struct json *out = json_new(a, JSON_ARRAY);
	const struct json *list = json_at(cc, "status.controllerCertificates");

	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		struct json *e, *expiry = json_at(j, "notAfter");
		struct str bundle = json_str(j, "bundleFile");

		if (!str_is(bundle, "KubeAPIServerServingCAData"))
			continue;
		e = json_new(a, JSON_OBJECT);
		json_add(e, S("bundle"), json_new_str(a, bundle));
		json_add(e, S("expiry"), expiry ? json_clone(a, expiry) : json_new(a, JSON_NULL));
		json_add(e, S("subject"), json_new_str(a, json_str(j, "subject")));
		json_push(out, e);
	}
	return out;
}

static void number(struct arena *a, struct json *j, const char *key, int64_t v)
{
	json_set(j, str_of(key), json_new_i64(a, v));
}

static struct json *synchronizers(struct arena *a, const struct counts *c)
{
	struct json *list = json_new(a, JSON_ARRAY);
	struct json *j = json_new(a, JSON_OBJECT);

	number(a, j, "availableMachineCount", c->total - c->unavailable);
	number(a, j, "machineCount", c->total);
	json_add(j, S("poolSynchronizerType"), json_new_str(a, S("PinnedImageSets")));
	number(a, j, "readyMachineCount", c->ready);
	number(a, j, "unavailableMachineCount", c->unavailable);
	number(a, j, "updatedMachineCount", c->pinned);
	json_push(list, j);
	return list;
}

static struct json *status_json(struct arena *a, const struct pool_view *in, const struct counts *c)
{
	const struct json *old = json_at(in->pool->tree, "status");
	struct json *s =
		json_kind(old) == JSON_OBJECT ? json_clone(a, old) : json_new(a, JSON_OBJECT);

	json_set(s, S("certExpirys"), cert_expirys(a, in->controller_config));
	if (!json_at(s, "configuration"))
		json_add(s, S("configuration"), json_new(a, JSON_OBJECT));
	number(a, s, "degradedMachineCount", c->degraded);
	number(a, s, "machineCount", c->total);
	number(a, s, "observedGeneration", json_i64(in->pool->tree, "metadata.generation", 0));
	json_set(s, S("poolSynchronizersStatus"), synchronizers(a, c));
	number(a, s, "readyMachineCount", c->ready);
	number(a, s, "unavailableMachineCount", c->unavailable);
	number(a, s, "updatedMachineCount", c->updated);
	return s;
}

/* status.osImageStream: the stream whose image the pool runs, if there is one. */
static struct str stream_of(const struct pool_view *in, const struct json *status)
{
	const struct json *conf = json_at(status, "configuration");
	const struct json *list = json_at(in->os_image_stream, "status.availableStreams");
	const struct pool_config *mc;

	if (!in->configs)
		return S("");
	mc = map_get(in->configs, json_str(conf, "name"));
	if (!mc || !mc->os_image.n)
		return S("");
	for (const struct json *j = json_first(json_at(conf, "source")); j; j = json_next(j)) {
		const struct pool_config *src = map_get(in->configs, json_str(j, "name"));

		if (src && src->os_image.n)
			return S("");
	}
	for (const struct json *j = json_first(list); j; j = json_next(j))
		if (str_eq(json_str(j, "osImage"), mc->os_image))
			return json_str(j, "name");
	return S("");
}

static void set_stream(struct arena *a, struct json *status, struct str name)
{
	struct json *ref;

	json_remove(status, S("osImageStream"));
	if (!name.n)
		return;
	ref = json_new(a, JSON_OBJECT);
	json_add(ref, S("name"), json_new_str(a, name));
	json_add(status, S("osImageStream"), ref);
}

/* An absent and an empty list are equal, as in upstream. */
static bool same_status(struct arena *a, const struct json *old, const struct json *new)
{
	struct json *o;

	if (json_kind(old) != JSON_OBJECT)
		return false;
	o = json_clone(a, old);
	if (json_kind(json_at(o, "certExpirys")) == JSON_NULL)
		json_set(o, S("certExpirys"), json_new(a, JSON_ARRAY));
	return json_eq(o, new);
}

/* ---- gauges -------------------------------------------------------------- */

static void gauges(struct arena *a, const struct pool_view *in, const struct conditions *list,
		   const struct counts *c, struct actions *out)
{
	const struct {
		const char *name;
		int64_t value;
	} counted[] = {
		{ "mco_machine_count", c->total },
		{ "mco_updated_machine_count", c->updated },
		{ "mco_degraded_machine_count", c->degraded },
		{ "mco_unavailable_machine_count", c->unavailable },
	};
	struct condition latest = { 0 };

	for (size_t i = 0; i < list->n; i++)
		if (str_is(list->v[i].status, "True") && str_cmp(list->v[i].time, latest.time) > 0)
			latest = list->v[i];
	for (size_t i = 0; i < in->n_nodes; i++) {
		struct str labels[] = { in->nodes[i]->name, in->pool->meta.name,
					latest.type.p ? latest.type : S(""),
					latest.reason.p ? latest.reason : S("") };

		action_metric(a, out, "mco_state", labels, 4, 0)->metric.now = true;
	}
	for (size_t i = 0; i < ARRAY_LEN(counted); i++)
		action_metric(a, out, counted[i].name, &in->pool->meta.name, 1,
			      (double)counted[i].value);
}

void pool_status(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		 struct actions *out)
{
	const struct json *tree = in->pool->tree;
	struct str line = update_line(a, in, l);
	struct writer w = { a, in, l, { 0 } };
	struct json *status, *body;
	struct counts c;
	bool all, degraded, moved = false;

	count(a, in, l, &c);
	all = c.updated == c.total && c.ready == c.total && !c.unavailable && !build_pending(l);
	for (size_t i = 0; i < in->pool->conditions.n; i++)
		VEC_PUSH(a, &w.list, in->pool->conditions.v[i]);
	set_updating(&w, all, line);
	set_build_updating(&w);
	degraded = set_degraded(&w, &c);
	status = status_json(a, in, &c);
	json_set(status, S("conditions"), conditions_json(a, &w.list, false));
	if (all &&
	    !json_eq(json_at(status, "configuration"), json_at(tree, "spec.configuration"))) {
		moved = !str_eq(json_str(status, "configuration.name"), in->pool->target);
		json_set(status, S("configuration"),
			 json_clone(a, json_at(tree, "spec.configuration")));
	}
	if (in->os_streams)
		set_stream(a, status, all && !degraded ? stream_of(in, status) : S(""));
	if (!same_status(a, json_at(tree, "status"), status)) {
		body = json_clone(a, tree);
		json_set(body, S("status"), status);
		action_add(a, out, ACTION_REPLACE,
			   str_fmt(a, PATH_MC "machineconfigpools/%.*s/status",
				   STRF(in->pool->meta.name)),
			   json_format(a, body, 0), S("counts or conditions changed"))
			->wrap = str_fmt(a,
					 "could not update MachineConfigPool "
					 "\"%.*s\"",
					 STRF(in->pool->meta.name));
		actions_step(out);
		if (moved)
			action_event(a, out, pool_event(in->pool, S("Completed")),
				     str_fmt(a,
					     "Pool %.*s has completed update "
					     "to %.*s",
					     STRF(in->pool->meta.name), STRF(line)))
				->if_ok = true;
		gauges(a, in, &w.list, &c, out);
	} else if (in->fresh_metrics) {
		gauges(a, in, &w.list, &c, out);
	}
}
