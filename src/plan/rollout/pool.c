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
#include "plan/pool.h"

#include <stdlib.h>

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

/* ---- layered pools ------------------------------------------------------- */

static const struct os_build *build_named(const struct pool_view *in, struct str name)
{
	for (size_t i = 0; i < in->n_os_builds; i++)
		if (str_eq(in->os_builds[i].name, name))
			return &in->os_builds[i];
	return NULL;
}

struct pool_layers pool_layers(const struct pool_view *in)
{
	struct pool_layers l = { 0 };
	struct str target = in->pool->target;

	for (size_t i = 0; i < in->n_os_configs && !l.config; i++)
		if (str_eq(in->os_configs[i].pool, in->pool->meta.name))
			l.config = &in->os_configs[i];
	if (!l.config)
		return l;
	if (l.config->build.p) {
		const struct os_build *b = build_named(in, l.config->build);

		if (b && str_eq(b->config, target)) {
			l.build = b;
			return l;
		}
		l.stale = b || str_eq(l.config->build, in->no_build);
		l.unknown = !l.stale;
	}
	for (size_t i = 0; i < in->n_os_builds && !l.build; i++)
		if (str_eq(in->os_builds[i].os_config, l.config->name) &&
		    str_eq(in->os_builds[i].config, target))
			l.build = &in->os_builds[i];
	return l;
}

static void clear_stale_build(struct arena *a, const struct pool_layers *l, struct actions *out)
{
	struct json *j = json_clone(a, l->config->tree);

	json_remove(json_at(j, "metadata.annotations"), S(ANNO_CURRENT_BUILD));
	action_add(a, out, ACTION_REPLACE, action_path(a, "machineosconfigs", l->config->name),
		   json_format(a, j, 0),
		   str_fmt(a, "its annotation has build %.*s, which is not for the pool's config",
			   STRF(l->config->build)))
		->wrap = str_fmt(a,
				 "could not get config and build: failed to "
				 "clear stale annotation from MachineOSConfig "
				 "\"%.*s\"",
				 STRF(l->config->name));
	actions_step(out);
}

/* An unknown build may exist by now: only the server can say that it does not. */
static void ask_build(struct arena *a, const struct pool_layers *l, struct actions *out)
{
	action_add(a, out, ACTION_GET, action_path(a, "machineosbuilds", l->config->build), S(""),
		   S("a MachineOSConfig refers to it"))
		->tag = POOL_TAG_BUILD;
}

/* True when the image of a layered pool exists; *rc < 0 when its build failed. */
static bool image_ready(const struct pool_layers *l, int *rc, struct err *err)
{
	const struct os_build *b = l->build;

	if (!b || !l->config->image.n)
		return false;
	if (b->succeeded)
		return str_eq(b->image, l->config->image);
	if (b->failed && !b->building)
		*rc = err_set(err, ERR_AGAIN, "image build for MachineConfigPool %.*s failed",
			      STRF(b->name));
	return false;
}

bool pool_node_targeted(const struct pool_view *in, const struct pool_layers *l,
			const struct knode *n)
{
	if (!l->config)
		return str_eq(n->desired_config, in->pool->target) && !n->desired_image.p;
	return l->build && l->config->image.n && str_eq(n->desired_image, l->config->image) &&
	       str_eq(n->desired_config, l->build->config);
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

/* ---- candidates ---------------------------------------------------------- */

struct pick {
	const struct knode *n;
	struct str zone; /* p NULL: none */
};

struct picks {
	struct pick *v;
	size_t n, cap;
};

/* How many nodes may be updated now; appends the candidates to *out. */
static size_t candidates(struct arena *a, const struct pool_view *in, const struct pool_layers *l,
			 int64_t max, struct picks *out)
{
	int64_t busy = 0, failing = 0;

	for (size_t i = 0; i < in->n_nodes; i++)
		busy += knode_unavailable(in->nodes[i]);
	if (busy >= max)
		return 0;
	for (size_t i = 0; i < in->n_nodes; i++) {
		const struct knode *n = in->nodes[i];

		if (pool_node_targeted(in, l, n))
			failing += knode_failing(n);
		else if (knode_ready(n))
			VEC_PUSH(a, out, ((struct pick){ .n = n }));
	}
	/* nodes that failed with this config may recover at any time */
	return max - busy > failing ? (size_t)(max - busy - failing) : 0;
}

/* Sorted by zone, nodes without one last; within a zone the oldest first. */
static int by_zone_and_age(const void *x, const void *y)
{
	const struct pick *p = x, *q = y;
	int c = 0;

	if (!p->zone.p != !q->zone.p)
		return p->zone.p ? -1 : 1;
	if (p->zone.p)
		c = str_cmp(p->zone, q->zone);
	if (c == 0 && p->n->created != q->n->created)
		c = p->n->created < q->n->created ? -1 : 1;
	return c ? c : str_cmp(p->n->name, q->n->name);
}

static void defer_operator(struct arena *a, const struct pool_view *in, struct picks *picks,
			   struct actions *out)
{
	size_t kept = 0;

	if (!str_is(in->pool->meta.name, "master") || picks->n <= 1 || !in->operator_node.n)
		return;
	for (size_t i = 0; i < picks->n; i++) {
		struct str name = picks->v[i].n->name;

		if (str_eq(name, in->operator_node))
			action_event(a, out,
				     pool_event(in->pool, S("DeferringOperatorNode"
							    "Update")),
				     str_fmt(a,
					     "Deferring update of machine "
					     "config operator node %.*s",
					     STRF(name)));
		else
			picks->v[kept++] = picks->v[i];
	}
	picks->n = kept;
}

/* The labels that select the pool's nodes; false when there are none. */
static bool pool_labels(struct arena *a, const struct mcp *pool, struct json *out)
{
	const struct json *labels = json_at(pool->tree, "spec.nodeSelector.matchLabels");
	struct map done;

	map_init(&done, a);
	for (const struct json *m = json_first(labels); m; m = json_next(m)) {
		map_put(&done, json_key(m), out);
		json_add(out, json_key(m), json_new_str(a, json_text(m)));
	}
	for (size_t i = 0; i < pool->nodes.n; i++) {
		const struct requirement *r = &pool->nodes.v[i];
		bool one = r->op == SELECT_IN && r->values.n == 1;

		if ((one || r->op == SELECT_EXISTS) && map_put(&done, r->key, out))
			json_add(out, r->key, json_new_str(a, one ? r->values.v[0] : S("")));
	}
	return done.n > 0;
}

/* A node that booted directly into a custom pool gets that pool's labels instead of
 * another config. True for such a node. */
static bool adopt(struct arena *a, const struct pool_view *in, const struct knode *n,
		  struct actions *out)
{
	const struct pool_config *first;
	const struct mcp *pool;
	struct json *patch;

	if (!n->first_pivot.p || n->labels_applied.p || !in->configs)
		return false;
	first = map_get(in->configs, n->first_pivot);
	if (!first || !first->owner.n || str_is(first->owner, "master") ||
	    str_is(first->owner, "worker"))
		return false;
	pool = mcp_find(in->pools, first->owner);
	if (!pool)
		return false;
	patch = json_new(a, JSON_OBJECT);
	json_add_str(a, json_make(a, patch, "metadata.annotations"), ANNO_LABELS_APPLIED, S(""));
	if (pool_labels(a, pool, json_make(a, patch, "metadata.labels")))
		action_add(a, out, ACTION_STRATEGIC, action_knode_path(a, n->name),
			   json_format(a, patch, 0),
			   str_fmt(a, "booted into custom pool %.*s", STRF(pool->meta.name)))
			->fail = ACTION_SHRUG;
	return true;
}

/* Upstream's messages. */
static void log_candidates(struct arena *a, const struct pool_view *in, const struct picks *picks,
			   size_t room, struct actions *out)
{
	struct map zones;

	map_init(&zones, a);
	for (size_t i = 0; i < picks->n; i++) {
		struct str zone;

		if (labels_get(picks->v[i].n->labels, S(LABEL_ZONE), &zone))
			map_put(&zones, zone, out);
	}
	action_log(a, out,
		   "Pool %.*s: %zu candidate nodes in %zu zones for update, "
		   "capacity: %zu",
		   STRF(in->pool->meta.name), picks->n, zones.n, room);
}

static void choose(struct arena *a, const struct pool_view *in, struct picks *picks, size_t room,
		   struct actions *out)
{
	size_t kept = 0;

	log_candidates(a, in, picks, room, out);
	defer_operator(a, in, picks, out);
	if (str_is(in->pool->meta.name, "master"))
		action_log(a, out,
			   "Pool master: filtered to %zu candidate nodes for "
			   "update, capacity: %zu",
			   picks->n, room);
	for (size_t i = 0; i < picks->n; i++)
		if (!adopt(a, in, picks->v[i].n, out))
			picks->v[kept++] = picks->v[i];
	picks->n = kept;
	for (size_t i = 0; i < kept; i++)
		(void)labels_get(picks->v[i].n->labels, S(LABEL_ZONE), &picks->v[i].zone);
	if (kept > 1)
		qsort(picks->v, kept, sizeof(*picks->v), by_zone_and_age);
	if (picks->n > room)
		picks->n = room;
	for (size_t i = 0; i < picks->n; i++)
		action_log(a, out, "Pool %.*s: selected candidate node %.*s",
			   STRF(in->pool->meta.name), STRF(picks->v[i].n->name));
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
		 const struct picks *picks, struct actions *out)
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
	struct picks picks = { 0 };
	int64_t max;
	size_t room;
	int rc = mcp_max_unavailable(in->pool, in->n_nodes, &max, err);

	if (rc < 0)
		return rc;
	set_topology(a, in, out);
	set_taints(a, in, l, out);
	if (!target_exists(in))
		return 0;
	room = candidates(a, in, l, max, &picks);
	if (!room || !picks.n)
		return 0;
	choose(a, in, &picks, room, out);
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
		clear_stale_build(a, &l, out);
	if (l.unknown)
		ask_build(a, &l, out);
	if (!pool->deleting && !pool->paused) {
		bool ready = !l.config || image_ready(&l, &rc, err);

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
