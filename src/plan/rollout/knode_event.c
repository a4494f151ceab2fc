/*
 * Events of nodes: the pools to plan, and the labels and taints of masters.
 *
 * A change of taints replaces the whole list, so the patch carries the node's
 * resourceVersion: if another taint was added meanwhile, the server answers with a
 * conflict and the node is planned again.
 */
#include "plan/pool.h"

/* ---- taints and master labels -------------------------------------------- */

static bool is_taint(const struct json *j, struct knode_taint t)
{
	return str_eq(json_str(j, "key"), t.key) && str_eq(json_str(j, "effect"), t.effect);
}

/*
 * The taints of n with t added or removed, as a list (null for none). False when nothing
 * changes.
 */
static bool taint_list(struct arena *a, const struct knode *n, struct knode_taint t, bool want,
		       struct json **out)
{
	struct json *list = NULL, *kept = json_new(a, JSON_ARRAY);
	struct err err = ERR_INIT(a);
	bool has = false;

	if (n->taints.n && json_parse(a, n->taints, NULL, &list, &err) < 0)
		return false;
	for (const struct json *j = json_first(list); j; j = json_next(j)) {
		if (is_taint(j, t))
			has = true;
		else
			json_push(kept, json_clone(a, j));
	}
	if (has == want)
		return false;
	if (want) {
		struct json *j = json_new(a, JSON_OBJECT);

		json_add_str(a, j, "effect", t.effect);
		json_add_str(a, j, "key", t.key);
		json_push(kept, j);
	}
	*out = json_len(kept) ? kept : json_new(a, JSON_NULL);
	return true;
}

/* A patch of n with its resourceVersion. */
static struct json *begin_patch(struct arena *a, const struct knode *n)
{
	struct json *patch = json_new(a, JSON_OBJECT);
	struct json *meta = json_make(a, patch, "metadata");

	if (n->version.n)
		json_add_str(a, meta, "resourceVersion", n->version);
	return patch;
}

bool knode_set_taint(struct arena *a, const struct knode *n, struct knode_taint t, bool want,
		     struct str reason, struct actions *out)
{
	struct action *act;
	struct json *list, *patch;

	if (!taint_list(a, n, t, want, &list))
		return false;
	patch = begin_patch(a, n);
	json_add(json_make(a, patch, "spec"), S("taints"), list);
	act = action_add(a, out, ACTION_STRATEGIC, action_knode_path(a, n->name),
			 json_format(a, patch, 0), reason);
	act->fail = ACTION_LATER; /* only a hint to the scheduler */
	act->wrap = str_fmt(a, "failed %s %.*s taint for node %.*s", want ? "applying" : "removing",
			    STRF(t.key), STRF(n->name));
	return true;
}

void plan_master(struct arena *a, const struct knode *n, bool has_scheduler,
		 bool masters_schedulable, struct actions *out)
{
	static const struct knode_taint taint = { { LABEL_MASTER, sizeof(LABEL_MASTER) - 1 },
						  S_INIT("NoSchedule") };
	struct json *list = NULL, *patch, *labels;
	struct str v;
	bool control = !labels_get(n->labels, S(LABEL_CONTROL_PLANE), &v);
	bool worker =
		has_scheduler && labels_get(n->labels, S(LABEL_WORKER), &v) != masters_schedulable;
	bool taints = has_scheduler && taint_list(a, n, taint, !masters_schedulable, &list);

	if (!knode_is_master(n) || !(control || worker || taints))
		return;
	patch = begin_patch(a, n);
	labels = control || worker ? json_make(a, patch, "metadata.labels") : NULL;
	if (control)
		json_add_str(a, labels, LABEL_CONTROL_PLANE, S(""));
	if (worker)
		json_add_opt(a, labels, LABEL_WORKER,
			     masters_schedulable ? S("") : (struct str){ 0 });
	if (taints)
		json_add(json_make(a, patch, "spec"), S("taints"), list);
	action_add(a, out, ACTION_STRATEGIC, action_knode_path(a, n->name),
		   json_format(a, patch, 0),
		   masters_schedulable ? S("make control plane nodes schedulable")
				       : S("make control plane nodes unschedulable"))
		->fail = ACTION_GO_ON;
}

/* ---- which pools a change of a node concerns ----------------------------- */

static void enqueue(struct arena *a, struct mcp_list *queue, const struct mcp *p)
{
	if (p && !mcp_find(queue, p->meta.name))
		VEC_PUSH(a, queue, (struct mcp *)(uintptr_t)p);
}

static void enqueue_all(struct arena *a, struct mcp_list *queue, const struct mcp_of_node *of)
{
	for (size_t i = 0; i < of->n; i++)
		enqueue(a, queue, of->v[i]);
}

static void alert(struct arena *a, const struct knode *n, const struct mcp_of_node *of,
		  struct actions *out)
{
	if (of->n)
		action_metric(a, out, "mcc_pool_alert", &n->name, 1, of->alert);
}

/* "Pool worker[zone=b]: node n: …", upstream's prefix. */
static void log_node(struct arena *a, struct actions *out, const struct mcp *pool,
		     const struct knode *n, struct str text)
{
	struct str zone = S("");
	bool has = labels_get(n->labels, S(LABEL_ZONE), &zone);

	action_log(a, out, "Pool %.*s%s%.*s%s: node %.*s: %.*s", STRF(pool->meta.name),
		   has ? "[zone=" : "", STRF(zone), has ? "]" : "", STRF(n->name), STRF(text));
}

static bool same_annotation(struct str x, struct str y)
{
	return (x.p == NULL) == (y.p == NULL) && str_eq(x, y);
}

static bool annotations_changed(struct arena *a, const struct knode_event_view *in,
				const struct mcp *pool, struct actions *out)
{
	const struct knode *o = in->old, *n = in->new;
	const struct {
		const char *key;
		struct str was, is;
	} list[] = {
		{ ANNO_CURRENT_CONFIG, o->current_config, n->current_config },
		{ ANNO_DESIRED_CONFIG, o->desired_config, n->desired_config },
		{ ANNO_STATE, o->state, n->state },
		{ ANNO_REASON, o->reason, n->reason },
		{ ANNO_CURRENT_IMAGE, o->current_image, n->current_image },
		{ ANNO_DESIRED_IMAGE, o->desired_image, n->desired_image },
	};
	bool changed = false;

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		struct str text;

		if (same_annotation(list[i].was, list[i].is))
			continue;
		changed = true;
		text = list[i].is.p ? str_fmt(a, "changed annotation %s = %.*s", list[i].key,
					      STRF(list[i].is))
				    : str_fmt(a, "lost annotation %s", list[i].key);
		log_node(a, out, pool, n, text);
		if (!str_is(pool->meta.name, POOL_MASTER))
			continue;
		if (list[i].is.p)
			text = str_fmt(a, "Node %.*s now has %s=%.*s", STRF(n->name), list[i].key,
				       STRF(list[i].is));
		else
			text = str_fmt(a, "Node %.*s no longer has %s", STRF(n->name), list[i].key);
		action_event(a, out, pool_event(pool, S("AnnotationChange")), text);
	}
	return changed;
}

/* Servers may write the members of a taint in any order. */
static bool same_taints(struct arena *a, struct str x, struct str y)
{
	struct json *was = NULL, *is = NULL;
	struct err ignored = ERR_INIT(a);

	return str_eq(x, y) || (x.n && y.n && json_parse(a, x, NULL, &was, &ignored) == 0 &&
				json_parse(a, y, NULL, &is, &ignored) == 0 && json_eq(was, is));
}

static bool pinning(const struct mcp *pool)
{
	const struct json *list = json_at(pool->tree, "status.poolSynchronizersStatus");

	for (const struct json *j = json_first(list); j; j = json_next(j))
		if (str_is(json_str(j, "poolSynchronizerType"), "PinnedImageSets") &&
		    json_i64(j, "updatedMachineCount", 0) != json_i64(j, "machineCount", 0))
			return true;
	return false;
}

static bool concerns(struct arena *a, const struct knode_event_view *in,
		     const struct mcp_of_node *of, struct actions *out)
{
	const struct knode *o = in->old, *n = in->new;
	const struct mcp *pool = of->v[0];
	struct str why = knode_unready_text(a, n);
	bool changed = !str_eq(knode_unready_text(a, o), why);

	if (changed)
		log_node(a, out, pool, n,
			 why.n ? str_fmt(a, "Reporting unready: %.*s", STRF(why))
			       : S("Reporting ready"));
	if (!str_eq(o->current_config, o->desired_config) && knode_done(n)) {
		log_node(a, out, pool, n,
			 str_fmt(a, "Completed update to %.*s", STRF(n->desired_config)));
		return true;
	}
	changed |= annotations_changed(a, in, pool, out);
	if (!str_eq(o->labels.bytes, n->labels.bytes)) {
		log_node(a, out, pool, n, S("changed labels"));
		changed = true;
	}
	if (!same_taints(a, o->taints, n->taints)) {
		log_node(a, out, pool, n, S("changed taints"));
		changed = true;
	}
	for (size_t i = 0; i < of->n; i++)
		changed |= pinning(of->v[i]);
	return changed;
}

/* Plans the pools that the node has left. */
static void left(struct arena *a, const struct knode_event_view *in, const struct mcp *now,
		 struct mcp_list *queue, struct actions *out)
{
	struct err err = ERR_INIT(a);
	struct mcp_of_node was = { 0 };

	if (mcp_of_node(in->pools, in->old, &was, &err) < 0) {
		struct mcp_list all = { 0 };

		mcp_matching(a, in->pools, in->old, &all);
		for (size_t i = 0; i < all.n; i++)
			enqueue(a, queue, all.v[i]);
	} else if (was.n && was.v[0] != now) {
		if (now)
			log_node(a, out, now, in->new,
				 str_fmt(a, "changed from pool %.*s", STRF(was.v[0]->meta.name)));
		enqueue(a, queue, was.v[0]);
	}
}

static void removed(struct arena *a, const struct knode_event_view *in, const struct knode *n,
		    struct mcp_list *queue, struct actions *out)
{
	struct err err = ERR_INIT(a);
	struct mcp_of_node of = { 0 };
	struct action *act;

	if (mcp_of_node(in->pools, n, &of, &err) < 0)
		return;
	act = action_metric(a, out, "mcc_drain_err", &n->name, 1, 0);
	act->kind = ACTION_UNMETRIC;
	enqueue_all(a, queue, &of);
}

void plan_knode_event(struct arena *a, const struct knode_event_view *in, struct mcp_list *queue,
		      struct actions *out)
{
	struct err err = ERR_INIT(a);
	struct mcp_of_node of = { 0 };
	const struct knode *n = in->new;

	if (!n || (!in->old && n->deleting)) {
		removed(a, in, n ? n : in->old, queue, out);
		return;
	}
	if (in->old && !knode_managed(n))
		return;
	plan_master(a, n, in->has_scheduler, in->masters_schedulable, out);
	if (mcp_of_node(in->pools, n, &of, &err) < 0) {
		struct action *act;

		/* in no pool now: plan the pools that had it */
		if (in->old)
			left(a, in, NULL, queue, out);
		act = action_log(a, out, "error finding pool for node: %.*s", STRF(err.msg));
		act->error = act->state = true;
		return;
	}
	if (in->old)
		left(a, in, of.n ? of.v[0] : NULL, queue, out);
	if (!of.n)
		return;
	alert(a, n, &of, out);
	if (!in->old || concerns(a, in, &of, out))
		enqueue_all(a, queue, &of);
}

void plan_skew_metric(struct arena *a, const struct json *configuration,
		      const struct json *infrastructure, struct actions *out)
{
	struct str mode = json_str(configuration, "status.bootImageSkewEnforcementStatus.mode");
	struct str topology = json_str(infrastructure, "status.controlPlaneTopology");
	struct str platform = json_str(infrastructure, "status.platformStatus.type");
	/* not worth a log line where that is normal */
	bool alarm = str_is(mode, "None") && infrastructure && !str_is(topology, "SingleReplica") &&
		     !str_is(platform, "BareMetal");

	action_metric(a, out, "mcc_boot_image_skew_enforcement_none", NULL, 0, alarm);
}
