/*
 * The update controller of a pool.
 *
 * The order of a plan is upstream's: topology annotations, taints, the chosen nodes
 * (their MachineConfigNode first), status, gauges. Nodes are independent of each other,
 * so each of these is one step.
 *
 * A node counts against maxUnavailable as soon as its desiredConfig is written, because
 * its current config differs from then on. So a plan after a lost answer or a restart
 * never updates more nodes than allowed.
 */
#include <stdlib.h>

#include "pool_parts.h"

static const struct knode_taint in_progress = { S_INIT("UpdateInProgress"),
						S_INIT("PreferNoSchedule") };

struct action_event pool_event(const struct mcp *pool, struct str reason)
{
	return (struct action_event){ .api = S(API_MC),
				      .kind = S("MachineConfigPool"),
				      .name = pool->meta.name,
				      .uid = pool->meta.uid,
				      .version = json_str(pool->tree, "metadata.resourceVersion"),
				      .reason = reason };
}

/* ---- the nodes' topology annotation and taint ---------------------------- */

static void set_topology(struct arena *a, const struct pool_view *in, struct actions *out)
{
	struct str topology =
		json_str(in->controller_config, "spec.infra.status.controlPlaneTopology");

	for (size_t i = 0; i < in->n_nodes; i++) {
		const struct knode *n = in->nodes[i];
		struct json *patch;

		if (str_eq(n->topology, topology))
			continue;
		patch = json_new(a, JSON_OBJECT);
		json_add_opt(a, json_make(a, patch, "metadata.annotations"), ANNO_TOPOLOGY,
			     topology);
		action_add(a, out, ACTION_STRATEGIC, action_knode_path(a, n->name),
			   json_format(a, patch, 0),
			   str_fmt(a,
				   "control plane topology is %.*s, not "
				   "%.*s",
				   STRF(topology), STRF(n->topology)))
			->wrap = str_fmt(a,
					 "error setting clusterConfig "
					 "Annotation for node in pool "
					 "\"%.*s\", error",
					 STRF(in->pool->meta.name));
	}
	actions_step(out);
}

static void set_taints(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		       struct actions *out)
{
	for (size_t i = 0; i < in->n_nodes; i++) {
		const struct knode *n = in->nodes[i];
		/* unlike for candidates, one image annotation is enough */
		bool there = pool_node_targeted(in, l, n) ||
			     (!l->config && str_eq(n->desired_config, in->pool->target) &&
			      !n->current_image.p);

		knode_set_taint(a, n, in_progress, !there,
				there ? S("node has the pool's target") : S("node needs an update"),
				out);
	}
	actions_step(out);
}

/* ---- moving them --------------------------------------------------------- */

struct target {
	struct str config, image; /* image.p NULL: not layered */
};

static void target_mcn(struct arena *a, const struct pool_view *in, const struct knode *n,
		       const struct target *t, struct actions *out)
{
	const struct mcn *m = in->mcns ? map_get(in->mcns, n->name) : NULL;
	struct json *patch, *spec;

	if (!m || (str_eq(m->spec_desired, t->config) && !in->image_mode))
		return;
	patch = json_new(a, JSON_OBJECT);
	spec = json_make(a, patch, "spec");
	if (in->image_mode && t->image.n)
		json_add_str(a, json_make(a, spec, "configImage"), "desiredImage", t->image);
	else if (in->image_mode)
		json_add(spec, S("configImage"), json_new(a, JSON_NULL));
	json_add_opt(a, json_make(a, spec, "configVersion"), "desired", t->config);
	action_add(a, out, ACTION_MERGE,
		   str_fmt(a,
			   PATH_MC "machineconfignodes/%.*s"
				   "?" FIELD_MANAGER,
			   STRF(n->name)),
		   json_format(a, patch, 0), S("record the node's next target"))
		->fail = ACTION_SHRUG;
}

static void target_node(struct arena *a, const struct pool_view *in, const struct knode *n,
			const struct target *t, struct actions *out)
{
	struct action *act;
	struct json *patch = json_new(a, JSON_OBJECT);
	struct json *notes = json_make(a, patch, "metadata.annotations");

	if (!str_eq(n->desired_config, t->config))
		json_add_opt(a, notes, ANNO_DESIRED_CONFIG, t->config);
	if (t->image.p ? !str_eq(n->desired_image, t->image) : n->desired_image.p != NULL)
		json_add_opt(a, notes, ANNO_DESIRED_IMAGE, t->image);
	act = action_add(a, out, ACTION_STRATEGIC, action_knode_path(a, n->name),
			 json_format(a, patch, 0),
			 str_fmt(a, "pool %.*s: new target %.*s", STRF(in->pool->meta.name),
				 STRF(t->config)));
	act->fail = ACTION_GO_ON;
	act->wrap = str_fmt(a, "setting desired %.*s for node %.*s", STRF(in->pool->target),
			    STRF(n->name));
}

static void move(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		 const struct pool_picks *picks, struct actions *out)
{
	struct target t = { in->pool->target, { 0 } };
	struct buf b;

	if (!picks->n)
		return;
	if (l->config)
		t = (struct target){ l->build->config, l->config->image };
	for (size_t i = 0; i < picks->n; i++)
		target_mcn(a, in, picks->v[i].n, &t, out);
	actions_step(out);
	for (size_t i = 0; i < picks->n; i++)
		target_node(a, in, picks->v[i].n, &t, out);
	actions_step(out);
	buf_init(&b, a);
	if (picks->n == 1)
		buf_addf(&b, "Targeted node %.*s", STRF(picks->v[0].n->name));
	else
		buf_addf(&b, "Set target for %zu nodes", picks->n);
	buf_addf(&b, " to MachineConfig: %.*s", STRF(in->pool->target));
	if (l->config)
		buf_addf(&b, " / Image: %.*s", STRF(l->config->image));
	action_event(a, out,
		     pool_event(in->pool, l->config ? S("SetDesiredConfigAndOSImage")
						    : S("SetDesiredConfig")),
		     buf_str(&b))
		->if_ok = true;
	action_state_metric(a, out, "node", S("Sync Machine Config Pool"), in->pool->meta.name);
}

/* True when the pool's target exists. */
static bool target_exists(const struct pool_view *in)
{
	return !in->configs || map_get(in->configs, in->pool->target);
}

static int roll_out(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
		    struct actions *out, struct err *err)
{
	struct pool_picks picks = { 0 };
	int64_t max;
	size_t room;
	int rc = mcp_max_unavailable(in->pool, in->n_nodes, &max, err);

	if (rc < 0)
		return rc;
	set_topology(a, in, out);
	set_taints(a, in, l, out);
	if (!target_exists(in))
		return 0;
	room = pool_candidates(a, in, l, max, &picks);
	if (!room || !picks.n)
		return 0;
	pool_choose(a, in, &picks, room, out);
	move(a, in, l, &picks, out);
	return 0;
}

static bool is_updating(const struct mcp *pool)
{
	const struct json *list = json_at(pool->tree, "status.conditions");

	for (const struct json *j = json_first(list); j; j = json_next(j))
		if (str_is(json_str(j, "type"), "Updating"))
			return str_is(json_str(j, "status"), "True");
	return false;
}

static int by_name(const void *x, const void *y)
{
	const struct knode *p = *(const struct knode *const *)x;
	const struct knode *q = *(const struct knode *const *)y;

	return str_cmp(p->name, q->name);
}

int plan_pool(struct arena *a, const struct pool_view *in, struct actions *out, struct err *err)
{
	const struct mcp *pool = in->pool;
	struct pool_view view = *in;
	const struct knode **nodes = arena_array(a, in->n_nodes, sizeof(*nodes));
	struct pool_layers l;
	int rc = 0;

	if (!pool->target.n) {
		action_log(a, out,
			   "Pool %.*s is unconfigured, pausing for renderer to "
			   "initialize",
			   STRF(pool->meta.name))
			->state = true;
		return 0;
	}
	if (pool->selects_all) {
		struct action_event e = pool_event(pool, S("SelectingAll"));

		e.warning = true;
		action_event(a, out, e,
			     S("This machineconfigpool is selecting all nodes. "
			       "A non-empty selector is required."));
		return 0;
	}
	if (!in->controller_config)
		return err_set(err, ERR_AGAIN,
			       "controllerconfig." GROUP_MC " \"" NAME_CONTROLLER "\" not found");
	/* a fixed order, so that the same cluster gives the same plan */
	for (size_t i = 0; i < in->n_nodes; i++)
		nodes[i] = in->nodes[i];
	if (in->n_nodes > 1)
		qsort(nodes, in->n_nodes, sizeof(*nodes), by_name);
	view.nodes = nodes;
	l = pool_layers(&view);
	if (l.stale)
		pool_clear_stale_build(a, &l, out);
	if (l.unknown)
		pool_ask_build(a, &l, out);
	if (!pool->deleting && !pool->paused) {
		bool ready = !l.config || pool_image_ready(&l, &rc, err);

		if (rc < 0)
			return rc;
		if (ready)
			rc = roll_out(a, &view, &l, out, err);
	}
	if (pool->paused && is_updating(pool))
		action_log(a, out, "Pool %.*s is paused and will not update.",
			   STRF(pool->meta.name))
			->state = true;
	actions_step(out);
	pool_status(a, &view, &l, out);
	return rc;
}
