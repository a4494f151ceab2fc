/*
 * The first run: loads manifests, generates MachineConfigs with the controllers' plans,
 * renders the pools and encodes the files.
 *
 * The first error ends the run, and nothing is returned.
 */
#include "plan/bootstrap.h"

#include "bootstrap_parts.h"
#include "base/codec.h"
#include "data/yml.h"
#include "mc/types.h"
#include "plan/render.h"
#include "plan/render/settle.h"

struct run {
	struct arena *a;
	const struct bootstrap_in *in;
	struct mc_set set;
	struct mcp_list pools;
	struct mc_list mcs; /* those of users, then the generated ones */
	struct bootstrap_out out;
	struct err *err;
};

static int load(struct run *r)
{
	const struct bootstrap_files *m = &r->in->manifests;

	r->set.bootstrap = true;
	for (size_t i = 0; i < m->n; i++) {
		struct mc_fault fault = { 0 };
		int rc = mc_load(r->a, m->v[i].path, m->v[i].text, &r->set, &fault, r->err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static int missing(struct run *r, const char *what)
{
	struct buf b;

	buf_init(&b, r->a);
	go_quote(&b, r->in->manifest_dir);
	return err_set(r->err, ERR_INVALID, "error: no %s found in dir: %s", what, b.p);
}

/* Refuses features for which upstream accesses registries or the network. */
static int refuse_gates(struct run *r, const struct mc_gates *gates)
{
	const struct json *cc = r->set.controller_config->tree;

	if (mc_gate(gates, "OSStreams") &&
	    !str_is(json_str(cc, "spec.infra.status.controlPlaneTopology"), "External"))
		return err_set(r->err, ERR_INVALID,
			       "feature gate OSStreams is on: choosing OS images needs "
			       "access to registries, which is not supported; turn it off or "
			       "render with upstream's controller");
	if (mc_gate(gates, "NoRegistryClusterInstall") &&
	    mc_find(&r->set, MC_INTERNAL_RELEASE, NAME_CLUSTER))
		return err_set(r->err, ERR_INVALID,
			       "feature gate NoRegistryClusterInstall is on and there is an "
			       "InternalReleaseImage: generating its MachineConfigs is not "
			       "supported");
	return 0;
}

/* Manifests may have several objects of one name. */
static void add_objects(struct settle *s, enum generate_kind kind,
			const struct mc_object_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct settle_key k = { .key = { kind, list->v[i]->meta.name, list->v[i] },
					.due = true };

		VEC_PUSH(s->a, &s->keys, k);
	}
}

/* The order of the keys gives the order of the MachineConfigs in upstream's pools. */
static void add_keys(struct settle *s)
{
	settle_add(s, GENERATE_TEMPLATES, s->cc.meta.name, false);
	settle_add(s, GENERATE_REGISTRIES, S(NAME_CLUSTER), false);
	add_objects(s, GENERATE_RUNTIME, &s->runtimes);
	settle_add(s, GENERATE_FEATURES, S(NAME_CLUSTER), false);
	settle_add(s, GENERATE_NODE, S(NAME_CLUSTER), false);
	add_objects(s, GENERATE_KUBELET, &s->kubelets);
}

/* Runs the plans of the controllers over all objects but the users' MachineConfigs. */
static int settle(struct run *r, const struct mc_gates *gates, struct str pull_secret)
{
	struct mc_set objects = r->set;
	struct settle s;

	objects.mcs = (struct mc_list){ 0 };
	objects.pools = r->pools;
	settle_init(&s, r->a, &objects);
	s.view.hash = r->in->hash;
	s.view.tree = r->in->templates;
	s.view.gates = *gates;
	s.view.first_run = s.view.every_pool = s.view.assume_image = true;
	s.view.first_secret = pull_secret;
	add_keys(&s);
	settle_run(&s);
	for (size_t i = 0; i < s.keys.n; i++)
		if (s.keys.v[i].rc < 0)
			return err_set(r->err, ERR_INVALID, "%.*s", STRF(s.keys.v[i].error));
	r->out.notes = s.warnings;
	r->mcs = r->set.mcs;
	for (size_t i = 0; i < s.mcs.n; i++)
		VEC_PUSH(r->a, &r->mcs, s.mcs.v[i]);
	return 0;
}

static int generate(struct run *r, struct str pull_secret)
{
	const struct mc_object *object = mc_find(&r->set, MC_FEATURE_GATE, NAME_CLUSTER);
	struct mc_gates gates = { 0 };
	int rc;

	if (!r->set.controller_config)
		return missing(r, "controllerconfig");
	if (!object)
		return missing(r, "featuregate");
	rc = mc_gates_read(r->a, object->tree, r->in->release, &gates, r->err);
	if (rc < 0)
		return err_wrap(r->err, "error creating feature gates handler");
	bootstrap_pools(r->a, &r->set.pools, &r->pools);
	rc = refuse_gates(r, &gates);
	if (rc == 0)
		rc = settle(r, &gates, pull_secret);
	if (rc < 0)
		return rc;
	return bootstrap_prebuilt(r->a, &r->set.others, &r->pools, &r->mcs, r->err);
}

/* ---- what is written ----------------------------------------------------- */

static int add_file(struct run *r, struct bootstrap_files *files, struct str path,
		    const struct json *object)
{
	struct bootstrap_file f = { .path = path };
	struct buf b;
	int rc;

	buf_init(&b, r->a);
	rc = yml_emit(&b, object, r->err);
	f.text = buf_str(&b);
	VEC_PUSH(r->a, files, f);
	return rc;
}

static int add_typed(struct run *r, struct str path, uint16_t type, const struct json *object)
{
	return add_file(r, &r->out.files, path, bootstrap_marshal(r->a, type, object));
}

/* All MachineConfigs, whether the pool selects them or not. */
static struct json *sources(struct run *r)
{
	struct json *list = json_new(r->a, JSON_ARRAY);

	for (size_t i = 0; i < r->mcs.n; i++) {
		struct json *ref = json_new(r->a, JSON_OBJECT);

		json_add(ref, S("apiVersion"), json_new_str(r->a, S(API_MC)));
		json_add(ref, S("kind"), json_new_str(r->a, S("MachineConfig")));
		json_add(ref, S("name"), json_new_str(r->a, r->mcs.v[i]->meta.name));
		json_push(list, ref);
	}
	return list;
}

/* The member of that name, created when absent. */
static struct json *object_at(struct run *r, struct json *j, struct str key)
{
	struct json *m = json_member(j, key);

	if (json_kind(m) != JSON_OBJECT) {
		m = json_new(r->a, JSON_OBJECT);
		json_set(j, key, m);
	}
	return m;
}

static int add_pool(struct run *r, const struct mcp *pool, struct str name)
{
	struct json *tree = json_clone(r->a, pool->tree);
	static const char *const parts[] = { "spec", "status" };
	struct str path = str_fmt(r->a, "machine-pools/%.*s.yaml", STRF(pool->meta.name));

	for (size_t i = 0; i < 2; i++) {
		struct json *c =
			object_at(r, object_at(r, tree, str_of(parts[i])), S("configuration"));

		json_set(c, S("name"), json_new_str(r->a, name));
		json_set(c, S("source"), sources(r));
	}
	return add_file(r, &r->out.files, path,
			shape_marshal(r->a, &mc_shapes, MC_T_MachineConfigPool, tree));
}

/* Files of pools come before those of configs. */
static int render(struct run *r)
{
	struct bootstrap_files configs = { 0 };
	struct str made_by = mc_annotation(&r->set.controller_config->meta, ANNO_BY_VERSION);
	struct str raw = r->in->adopt_raw && made_by.n ? made_by : r->in->raw;

	for (size_t i = 0; i < r->pools.n; i++) {
		struct render_in in = {
			.raw = raw,
			.hash = r->in->hash,
			.controller_config = r->set.controller_config,
			.pool = r->pools.v[i],
			.mcs = &r->mcs,
		};
		struct rendered m;
		int rc = plan_render(r->a, &in, &m, NULL, r->err);

		if (rc == 0)
			rc = add_pool(r, in.pool, m.name);
		if (rc == 0)
			rc = add_file(r, &configs,
				      str_fmt(r->a, "machine-configs/%.*s.yaml", STRF(m.name)),
				      m.object);
		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < configs.n; i++)
		VEC_PUSH(r->a, &r->out.files, configs.v[i]);
	return 0;
}

int plan_bootstrap(struct arena *a, const struct bootstrap_in *in, struct bootstrap_out *out,
		   struct err *err)
{
	struct run r = { .a = a, .in = in, .err = err };
	const struct mc_object *api;
	struct str secret = S("");
	int rc = bootstrap_pull_secret(a, in->pull_secret, &secret, err);

	if (rc == 0)
		rc = load(&r);
	if (rc == 0)
		rc = generate(&r, secret);
	if (rc == 0)
		rc = render(&r);
	api = mc_find(&r.set, MC_API_SERVER, NAME_CLUSTER);
	if (rc == 0 && api)
		rc = add_typed(&r, S("api-server/api-server.yaml"), MC_T_APIServer, api->tree);
	if (rc == 0)
		rc = add_typed(&r,
			       S("controller-config/"
				 "machine-config-controller.yaml"),
			       MC_T_ControllerConfig, r.set.controller_config->tree);
	if (rc == 0)
		*out = r.out;
	return rc;
}
