/*
 * The plans: what each is shown of the cluster, and what becomes of it.
 */
#include <stdlib.h>
#include <time.h>

#include "controller.h"
#include "io/log.h"
#include "mc/tls_profile.h"
#include "plan/backoff.h"
#include "plan/kubelet_sync.h"
#include "plan/pool.h"
#include "plan/render_sync.h"
#include "plan/runtime_sync.h"
#include "plan/template_sync.h"

#define CC_NAME "machine-config-controller"

struct instant controller_now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_REALTIME, &t);
	return (struct instant){ t.tv_sec, (int32_t)t.tv_nsec };
}

/* ---- what plans see ---- */

/* Most of them see these. */
struct sight {
	struct mc_pools pools;
	struct mcs mcs;
	struct mc_objects objects;
	struct template_input templates;
	struct tls_profile tls;
	const struct mc_controller_config *cc;
};

static void see_objects(struct controller *c, struct arena *a,
			enum watched kind, struct mc_objects *out)
{
	struct kube_item *const *v;
	size_t n = known_all(c, kind, &v);

	for (size_t i = 0; i < n; i++)
		VEC_PUSH(a, out, &((struct object *)v[i]->value)->object);
}

static struct sight see(struct controller *c, struct arena *a)
{
	const struct object *cc = known(c, W_CONTROLLER, CC_NAME);
	const struct json *api = known_tree(c, W_API_SERVER, "cluster");
	struct kube_item *const *v;
	size_t n = known_all(c, W_MC, &v);
	struct sight s = { 0 };

	known_pools(c, a, NULL, &s.pools);
	for (size_t i = 0; i < n; i++)
		VEC_PUSH(a, &s.mcs, &((struct object *)v[i]->value)->mc);
	s.cc = cc ? &cc->controller : NULL;
	s.tls = mc_tls_profile(a, json_at(api, "spec.tlsSecurityProfile"));
	s.templates = (struct template_input){
		.tree = &c->templates,
		.controller_config = s.cc,
		.tls_min_version = s.tls.min_version,
		.tls_cipher_suites = s.tls.suites,
		.hash = c->hash,
	};
	return s;
}

static struct owned_view owned_by(struct controller *c, const struct sight *s,
				  const struct owned_kind *kind)
{
	return (struct owned_view){ .now = controller_now(),
				    .hash = c->hash,
				    .kind = kind,
				    .configs = &s->objects,
				    .pools = &s->pools,
				    .mcs = &s->mcs };
}

static struct mc_object *find_object(const struct mc_objects *list,
				     struct str name)
{
	for (size_t i = 0; i < list->n; i++)
		if (str_eq(list->v[i]->meta.name, name))
			return list->v[i];
	return NULL;
}

/* ---- the template controller ---- */

static void secret_changed(void *ctx, struct str key, const void *before,
			   const void *now)
{
	struct controller *c = ctx;

	(void)key;
	(void)before;
	(void)now;
	kube_queue_add(c->queue, SYNC_TEMPLATE, S(CC_NAME));
}

static void secret_synced(void *ctx)
{
	secret_changed(ctx, S(""), NULL, NULL);
}

/* The Secret that the ControllerConfig names is watched. False: not known yet. */
static bool see_secret(struct controller *c, const struct json *cc,
		       const struct json **out)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct json *ref = json_at(cc, "spec.pullSecret");
	struct str ns = json_str(ref, "namespace", S(""));
	struct str name = json_str(ref, "name", S(""));
	struct kube_cache_opts o = { .kube = c->kube,
				     .what = "the pull secret",
				     .make = kube_tree_make,
				     .drop = kube_tree_drop,
				     .changed = secret_changed,
				     .synced = secret_synced,
				     .ctx = c };
	struct str key = str_fmt(&a, "%.*s/%.*s", STRF(ns), STRF(name));
	const struct kube_tree *t;
	struct buf b;

	*out = NULL;
	if (json_kind(ref) != JSON_OBJECT)
		return true;
	if (!str_eq(key, c->secret_path)) {
		kube_cache_free(c->secret);
		arena_free(&c->secret_arena);
		c->secret_path = str_dup(&c->secret_arena, key);
		buf_init(&b, &c->secret_arena);
		buf_addz(&b, "fieldSelector=metadata.name%3D");
		kube_escape(&b, name);
		o.query = buf_str(&b);
		o.path = str_fmt(&c->secret_arena,
				 "/api/v1/namespaces/%.*s/secrets", STRF(ns))
				 .p;
		c->secret = kube_cache_start(&o);
	}
	if (!kube_cache_synced(c->secret))
		return false;
	t = kube_cache_get(c->secret, key);
	*out = t ? t->tree : NULL;
	return true;
}

static int sync_template(struct controller *c, struct str name, struct arena *a,
			 struct actions *out, struct err *err)
{
	struct sight s = see(c, a);
	struct template_view v = { .now = controller_now(),
				   .raw = c->raw,
				   .hash = c->hash,
				   .controller_config = s.cc,
				   .tree = &c->templates,
				   .mcs = &s.mcs,
				   .api_server = known_tree(c, W_API_SERVER,
							    "cluster"),
				   .failed = c->template_failed };

	(void)name;
	if (!s.cc || !see_secret(c, s.cc->tree, &v.pull_secret))
		return 0;
	if (!v.pull_secret)
		v.pull_secret_error =
			str_fmt(a, "secrets \"%.*s\" not found",
				STRF(json_str(s.cc->tree,
					      "spec.pullSecret.name", S(""))));
	return plan_template_sync(a, &v, out, err);
}

/* ---- kubelet and runtime controllers ---- */

static int see_kubelet(struct controller *c, struct arena *a, struct sight *s,
		       struct kubelet_view *v, struct err *err)
{
	*s = see(c, a);
	see_objects(c, a, W_KUBELET, &s->objects);
	*v = (struct kubelet_view){
		.owned = owned_by(c, s, &owned_kubelet),
		.controller_config = s->cc,
		.templates = &s->templates,
		.gates_on = c->gates.enabled,
		.gates_off = c->gates.disabled,
		.node = known_tree(c, W_NODE_CONFIG, "cluster"),
	};
	return controller_config_completed(a, s->cc ? s->cc->tree : NULL, err);
}

static int sync_kubelet(struct controller *c, struct str name, struct arena *a,
			struct actions *out, struct err *err)
{
	struct sight s;
	struct kubelet_view v;
	int rc = see_kubelet(c, a, &s, &v, err);

	v.owned.config = find_object(&s.objects, name);
	if (!v.owned.config)
		return 0;
	return rc < 0 ? rc : plan_kubelet_sync(a, &v, out, err);
}

static int sync_features(struct controller *c, struct str name, struct arena *a,
			 struct actions *out, struct err *err)
{
	struct sight s;
	struct kubelet_view v;
	int rc = see_kubelet(c, a, &s, &v, err);

	(void)name;
	return rc < 0 ? rc : plan_features_sync(a, &v, out, err);
}

static int sync_node_config(struct controller *c, struct str name,
			    struct arena *a, struct actions *out,
			    struct err *err)
{
	struct sight s;
	struct kubelet_view v;
	int rc = see_kubelet(c, a, &s, &v, err);

	(void)name;
	if (!v.node)
		return 0; /* it is planned when there is one */
	return rc < 0 ? rc : plan_node_sync(a, &v, out, err);
}

static int sync_runtime(struct controller *c, struct str name, struct arena *a,
			struct actions *out, struct err *err)
{
	struct sight s = see(c, a);
	struct runtime_view v = {
		.templates = &s.templates,
		.more_stores = mc_gate(&c->gates, "AdditionalStorageConfig")
	};

	see_objects(c, a, W_RUNTIME, &s.objects);
	v.owned = owned_by(c, &s, &owned_runtime);
	v.owned.config = find_object(&s.objects, name);
	if (!v.owned.config || !s.cc)
		return 0;
	return plan_runtime_sync(a, &v, out, err);
}

static int sync_registries(struct controller *c, struct str name,
			   struct arena *a, struct actions *out,
			   struct err *err)
{
	struct sight s = see(c, a);
	const struct json *version = known_tree(c, W_VERSION, "version");
	struct registries_in in = {
		.objects = &s.objects,
		.release_image =
			json_str(version, "status.desired.image", S("")),
		.sigstore = mc_gate(&c->gates, "SigstoreImageVerification"),
	};
	struct runtime_view v = { .templates = &s.templates,
				  .registries = &in,
				  .image = known_tree(c, W_IMAGE, "cluster") };

	(void)name;
	for (enum watched k = W_IMAGE; k <= W_POLICY; k++)
		see_objects(c, a, k, &s.objects);
	v.owned = owned_by(c, &s, &owned_runtime);
	return s.cc ? plan_registries_sync(a, &v, out, err) : 0;
}

/* ---- pools ---- */

static void see_trees(struct controller *c, struct arena *a, enum watched kind,
		      struct json_list *out)
{
	struct kube_item *const *v;
	size_t n = known_all(c, kind, &v);

	for (size_t i = 0; i < n; i++)
		VEC_PUSH(a, out, ((struct object *)v[i]->value)->doc.tree);
}

static int sync_render(struct controller *c, struct str name, struct arena *a,
		       struct actions *out, struct err *err)
{
	struct sight s = see(c, a);
	const struct object *pool =
		kube_cache_get(c->watches[W_POOL].cache, name);
	const struct object *worker = known(c, W_POOL, "worker");
	struct render_view v = {
		.now = controller_now(),
		.raw = c->raw,
		.hash = c->hash,
		.mcs = &s.mcs,
		.controller_config = s.cc,
		.os_streams = mc_gate(&c->gates, "OSStreams"),
		.os_image_stream = known_tree(c, W_STREAM, "cluster"),
		.worker_stream = worker ? worker->pool.os_image_stream : S(""),
	};

	if (!pool || json_at(pool->doc.tree, "metadata.deletionTimestamp"))
		return 0;
	v.pool = &pool->pool;
	see_trees(c, a, W_KUBELET, &v.kubelet_configs);
	see_trees(c, a, W_RUNTIME, &v.runtime_configs);
	if (mc_gate(&c->gates, "IrreconcilableMachineConfig"))
		v.configuration = known_tree(c, W_SETTINGS, "cluster");
	return plan_render_sync(a, &v, out, err);
}

static void see_configs(struct controller *c, struct arena *a,
			struct map *configs)
{
	struct kube_item *const *v;
	size_t n = known_all(c, W_MC, &v);
	struct pool_config *list = arena_array(a, n, sizeof(*list));

	map_init(configs, a);
	for (size_t i = 0; i < n; i++) {
		const struct object *o = v[i]->value;
		const struct json *owner = json_first(
			json_at(o->doc.tree, "metadata.ownerReferences"));

		list[i].owner = json_str(owner, "name", S(""));
		list[i].os_image = o->mc.os_image;
		map_put(configs, v[i]->key, &list[i]);
	}
}

/* The nodes whose first pool it is. */
static void see_nodes(struct controller *c, struct arena *a,
		      struct pool_view *v)
{
	struct kube_item *const *items;
	size_t n = known_all(c, W_NODE, &items);
	const struct mc_node **nodes = arena_array(a, n, sizeof(*nodes));
	struct err err = ERR_INIT(a);

	v->nodes = nodes;
	for (size_t i = 0; i < n; i++) {
		struct mcp_of_node of = { 0 };
		const struct mc_node *node = items[i]->value;

		if (mcp_of_node(v->pools, node, &of, &err) == 0 && of.n &&
		    of.v[0] == v->pool)
			nodes[v->n_nodes++] = node;
	}
}

static void see_layers(struct controller *c, struct arena *a,
		       struct pool_view *v)
{
	struct kube_item *const *items;
	size_t n = known_all(c, W_OS_CONFIG, &items);
	struct os_config *configs = arena_array(a, n, sizeof(*configs));
	struct os_build *builds;

	for (size_t i = 0; i < n; i++)
		configs[i] = ((struct object *)items[i]->value)->os_config;
	v->os_configs = configs;
	v->n_os_configs = n;
	n = known_all(c, W_OS_BUILD, &items);
	builds = arena_array(a, n, sizeof(*builds));
	for (size_t i = 0; i < n; i++)
		builds[i] = ((struct object *)items[i]->value)->os_build;
	v->os_builds = builds;
	v->n_os_builds = n;
}

static int sync_pool(struct controller *c, struct str name, struct arena *a,
		     struct actions *out, struct err *err)
{
	const struct object *pool =
		kube_cache_get(c->watches[W_POOL].cache, name);
	struct map mcns, configs;
	struct mcps pools = { 0 };
	struct kube_item *const *items;
	struct pool_view v = {
		.now = controller_now(),
		.pools = &pools,
		.mcns = &mcns,
		.configs = &configs,
		.controller_config = known_tree(c, W_CONTROLLER, CC_NAME),
		.os_image_stream = known_tree(c, W_STREAM, "cluster"),
		.image_mode = mc_gate(&c->gates, "ImageModeStatusReporting"),
		.os_streams = mc_gate(&c->gates, "OSStreams"),
	};
	size_t n;

	if (!pool)
		return 0;
	v.pool = &pool->mcp;
	known_pools(c, a, &pools, NULL);
	see_nodes(c, a, &v);
	map_init(&mcns, a);
	n = known_all(c, W_MCN, &items);
	for (size_t i = 0; i < n; i++)
		map_put(&mcns, items[i]->key, items[i]->value);
	see_configs(c, a, &configs);
	see_layers(c, a, &v);
	if (known_all(c, W_OPERATOR, &items) == 1)
		v.operator_node =
			json_str(((struct object *)items[0]->value)->doc.tree,
				 "spec.nodeName", S(""));
	v.fresh_metrics = !map_find(&c->counted, name);
	if (v.fresh_metrics)
		map_put(&c->counted, str_dup(&c->kept, name), NULL);
	return plan_pool(a, &v, out, err);
}

static int sync_master(struct controller *c, struct str name, struct arena *a,
		       struct actions *out, struct err *err)
{
	const struct mc_node *node =
		kube_cache_get(c->watches[W_NODE].cache, name);
	const struct json *s = known_tree(c, W_SCHEDULER, "cluster");

	(void)err;
	if (node)
		plan_master(a, node, s != NULL,
			    json_bool(s, "spec.mastersSchedulable", false),
			    out);
	return 0;
}

/* ---- carrying them out ---- */

#define SOURCE(name) "machineconfigcontroller-" name

static const struct {
	int (*plan)(struct controller *c, struct str name, struct arena *a,
		    struct actions *out, struct err *err);
	const char *what, *source;
	unsigned retries;
} syncs[SYNC_KINDS] = {
	[SYNC_TEMPLATE] = { sync_template, "ControllerConfig",
			    SOURCE("templatecontroller"), BACKOFF_RETRIES },
	[SYNC_KUBELET] = { sync_kubelet, "KubeletConfig",
			   SOURCE("kubeletconfigcontroller"),
			   BACKOFF_RETRIES_KUBELET },
	[SYNC_FEATURES] = { sync_features, "FeatureGate",
			    SOURCE("kubeletconfigcontroller"),
			    BACKOFF_RETRIES_KUBELET },
	[SYNC_NODE_CONFIG] = { sync_node_config, "Node config",
			       SOURCE("kubeletconfigcontroller"),
			       BACKOFF_RETRIES_KUBELET },
	[SYNC_RUNTIME] = { sync_runtime, "ContainerRuntimeConfig",
			   SOURCE("containerruntimeconfigcontroller"),
			   BACKOFF_RETRIES },
	[SYNC_REGISTRIES] = { sync_registries, "Image config",
			      SOURCE("containerruntimeconfigcontroller"),
			      BACKOFF_RETRIES },
	[SYNC_RENDER] = { sync_render, "rendering pool",
			  SOURCE("rendercontroller"), BACKOFF_RETRIES },
	[SYNC_POOL] = { sync_pool, "pool", SOURCE("nodecontroller"),
			BACKOFF_RETRIES },
	[SYNC_DRAIN] = { sync_drain, "drain of node", SOURCE("nodecontroller"),
			 BACKOFF_RETRIES },
	[SYNC_MASTER] = { sync_master, "master", SOURCE("nodecontroller"),
			  BACKOFF_RETRIES },
};

const char *controller_source(enum sync_kind kind)
{
	return syncs[kind].source;
}

struct task {
	struct kube_job job;
	struct controller *c;
	const struct kube_key *key;
	int rc;
};

static void replied(struct kube_job *j, const struct action *act,
		    const struct kube_answer *ans)
{
	struct task *t = j->ctx;

	drain_answered(t->c, t->key->name, act, ans);
}

/* The next plan of the template controller says in its status what failed. */
static void remember_failure(struct controller *c, struct str error)
{
	bool told = c->template_failed.n;

	arena_free(&c->failed_arena);
	c->template_failed = S("");
	if (!told && error.n)
		c->template_failed = str_dup(&c->failed_arena, error);
}

static void finished(struct kube_job *j)
{
	struct task *t = j->ctx;
	struct controller *c = t->c;
	const struct kube_key *key = t->key;
	bool failed = j->failed || (t->rc < 0 && t->rc != -ERR_INVALID);

	if (key->kind == SYNC_TEMPLATE)
		remember_failure(c, j->error);
	if (j->requeue >= 0)
		kube_queue_after(c->queue, key->kind, key->name, j->requeue);
	kube_queue_done(c->queue, key, failed, syncs[key->kind].retries);
	arena_free(&j->a);
	free(t);
}

/* What the plan was made from may change while it is carried out. Paths and bodies
 * are always made by the plan. */
static void own_strings(struct arena *a, struct actions *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct action *act = &list->v[i];
		struct action_event *e = &act->event;
		struct str *s[8] = { &act->reason, &act->wrap };
		size_t n = 2;

		if (act->kind == ACTION_EVENT) {
			s[n++] = &e->api;
			s[n++] = &e->kind;
			s[n++] = &e->name;
			s[n++] = &e->uid;
			s[n++] = &e->reason;
		} else if (act->kind == ACTION_METRIC ||
			   act->kind == ACTION_UNMETRIC) {
			for (size_t k = 0; k < ACTION_LABELS; k++)
				s[n++] = &act->metric.labels[k];
		}
		while (n-- > 0)
			if (s[n]->n)
				*s[n] = str_dup(a, *s[n]);
	}
}

void controller_work(void *ctx, const struct kube_key *key)
{
	struct task *t = calloc(1, sizeof(*t));
	struct err err;

	if (!t)
		abort();
	t->c = ctx;
	t->key = key;
	err = ERR_INIT(&t->job.a);
	t->rc = syncs[key->kind].plan(ctx, key->name, &t->job.a, &t->job.list,
				      &err);
	if (t->rc == -ERR_INVALID)
		log_error("%s %.*s: %.*s", syncs[key->kind].what,
			  STRF(key->name), STRF(err.msg));
	else if (t->rc < 0)
		log_v(2, "%s %.*s: %.*s", syncs[key->kind].what,
		      STRF(key->name), STRF(err.msg));
	own_strings(&t->job.a, &t->job.list);
	t->job.source = syncs[key->kind].source;
	t->job.reply = replied;
	t->job.done = finished;
	t->job.ctx = t;
	kube_exec(&t->c->exec, &t->job);
}
