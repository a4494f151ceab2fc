/*
 * One generator: a preview promises exactly what the live controller makes, and
 * keeps what bootstrap made. Every golden case of the controllers and a few
 * hundred generated clusters go through all three; names and bytes are
 * compared.
 */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live.h"
#include "plan/bootstrap.h"
#include "plan/preview.h"
#include "plan/render.h"

#define GOLDEN "test/golden/"

/* ---- files --------------------------------------------------------------- */

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static bool is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void read_tree(struct arena *a, const char *dir, struct str below, struct template_tree *out)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, visible, alphasort);

	for (int i = 0; i < n; i++) {
		const char *p = str_fmt(a, "%s/%s", dir, list[i]->d_name).p;
		struct template_file f = { .path = str_fmt(a, "%.*s%s", STRF(below),
							   list[i]->d_name) };

		if (is_dir(p)) {
			f.path = str_fmt(a, "%.*s/", STRF(f.path));
			VEC_PUSH(a, out, f);
			read_tree(a, p, f.path, out);
		} else {
			f.text = test_file(a, p);
			VEC_PUSH(a, out, f);
		}
		free(list[i]);
	}
	free(list);
}

static void read_manifests(struct arena *a, const char *dir, struct bootstrap_files *out)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, visible, alphasort);

	for (int i = 0; i < n; i++) {
		struct bootstrap_file f = {
			str_fmt(a, "input/%s", list[i]->d_name),
			test_file(a, str_fmt(a, "%s/%s", dir, list[i]->d_name).p)
		};

		VEC_PUSH(a, out, f);
		free(list[i]);
	}
	free(list);
}

/* ---- preview and live ---------------------------------------------------- */

struct pair {
	struct arena *a;
	struct str name;
	struct live l;
	struct preview p;
	struct settle_keys before; /* keys that failed before the change */
	size_t rendered, refused; /* comparisons made */
};

static bool is_rendered(const struct mc *mc)
{
	return str_starts(mc->meta.name, S("rendered-"));
}

static const struct mc *find_mc(const struct mc_list *mcs, struct str name)
{
	for (size_t i = 0; i < mcs->n; i++)
		if (str_eq(mcs->v[i]->meta.name, name))
			return mcs->v[i];
	return NULL;
}

static bool fail(const struct pair *t, struct str what, const char *why)
{
	(void)printf("%.*s: %.*s: %s\n", STRF(t->name), STRF(what), why);
	for (size_t i = 0; i < t->l.failed.n; i++)
		(void)printf("  failed: %.*s: %.*s\n", STRF(t->l.failed.v[i].key.name),
			     STRF(t->l.failed.v[i].error));
	for (size_t i = 0; i < t->p.refused.n; i++)
		(void)printf("  refused: %.*s: %.*s\n", STRF(t->p.refused.v[i].object),
			     STRF(t->p.refused.v[i].message));
	return false;
}

static struct str text_of(struct arena *a, const struct json *j)
{
	struct buf b;

	buf_init(&b, a);
	if (j)
		json_encode(&b, j, JSON_SORTED);
	return buf_str(&b);
}

static bool same_part(const struct pair *t, const struct mc *live, const struct mc *promised,
		      const char *path)
{
	const struct json *x = json_at(live->doc.tree, path);
	const struct json *y = json_at(promised->doc.tree, path);

	if ((!x && !y) || json_eq(x, y))
		return true;
	(void)test_same(path, text_of(t->a, x), text_of(t->a, y));
	return fail(t, live->meta.name, path);
}

/* The server sets the uid of an owner. */
static bool same_owner(const struct pair *t, const struct mc *live, const struct mc *promised)
{
	static const char *const parts[] = { "kind", "name", "controller" };
	const char *list = "metadata.ownerReferences";
	const struct json *x = json_first(json_at(live->doc.tree, list));
	const struct json *y = json_first(json_at(promised->doc.tree, list));

	for (size_t i = 0; i < 3; i++)
		if (!json_eq(json_at(x, parts[i]), json_at(y, parts[i])) &&
		    (json_at(x, parts[i]) || json_at(y, parts[i])))
			return fail(t, live->meta.name, "another owner");
	return true;
}

static bool same_mcs(const struct pair *t)
{
	const struct mc_list *live = &t->l.set.mcs, *promised = &t->p.set.mcs;

	for (size_t i = 0; i < live->n; i++) {
		const struct mc *x = live->v[i];
		const struct mc *y = find_mc(promised, x->meta.name);

		if (is_rendered(x))
			continue;
		if (!y)
			return fail(t, x->meta.name, "not promised");
		if (!same_part(t, x, y, "spec") || !same_part(t, x, y, "metadata.labels") ||
		    !same_part(t, x, y, "metadata.annotations") || !same_owner(t, x, y))
			return false;
	}
	for (size_t i = 0; i < promised->n; i++)
		if (!is_rendered(promised->v[i]) && !find_mc(live, promised->v[i]->meta.name))
			return fail(t, promised->v[i]->meta.name, "promised, and not made");
	return true;
}

static bool is_held(const struct preview *p, struct str pool)
{
	for (size_t i = 0; i < p->refused.n; i++)
		for (size_t k = 0; k < p->refused.v[i].pools.n; k++)
			if (str_eq(p->refused.v[i].pools.v[k], pool))
				return true;
	return false;
}

static struct str render(struct pair *t, const struct mcp *pool)
{
	struct render_in in = { .raw = S(LIVE_RAW),
				.hash = S(LIVE_HASH),
				.controller_config = t->p.set.controller_config,
				.pool = pool,
				.mcs = &t->p.set.mcs };
	struct err err = ERR_INIT(t->a);
	struct rendered out;

	return plan_render(t->a, &in, &out, NULL, &err) < 0 ? S("") : out.name;
}

static struct str target_in(const struct mc_set *set, struct str pool)
{
	for (size_t i = 0; i < set->pools.n; i++)
		if (str_eq(set->pools.v[i]->meta.name, pool))
			return json_str(set->pools.v[i]->tree, "spec.configuration.name");
	return S("");
}

static bool same_targets(struct pair *t, const struct mc_set *before)
{
	for (size_t i = 0; i < t->p.set.pools.n; i++) {
		const struct mcp *pool = t->p.set.pools.v[i];
		struct str name = pool->meta.name;
		struct str live = live_target(&t->l, name), want;

		want = is_held(&t->p, name) ? target_in(before, name) : render(t, pool);
		if (!str_eq(want, live)) {
			(void)test_same("target", live, want);
			return fail(t, name, "another rendered config");
		}
		t->rendered += !is_held(&t->p, name);
	}
	return true;
}

static struct str error_in(const struct settle_keys *list, const struct settle_key *k)
{
	for (size_t i = list->n; i-- > 0;)
		if (list->v[i].key.kind == k->key.kind && str_eq(list->v[i].key.name, k->key.name))
			return list->v[i].error;
	return S("");
}

/* Everything refused failed with the same message, and the other way round. */
static bool same_refusals(struct pair *t)
{
	struct settle_keys before = t->before;

	for (size_t i = 0; i < t->p.refused.n; i++) {
		const struct preview_refusal *r = &t->p.refused.v[i];
		struct str kind, name;
		bool kubelet;

		if (r->known || !str_cut(r->object, ' ', &kind, &name))
			continue;
		kubelet = str_is(kind, "KubeletConfig");
		if (!kubelet && !str_is(kind, "ContainerRuntimeConfig"))
			continue;
		if (!str_eq(live_error(&t->l, kubelet ? GENERATE_KUBELET : GENERATE_RUNTIME, name),
			    r->message))
			return fail(t, r->object, "refused otherwise");
		t->refused++;
	}
	for (size_t i = 0; i < t->l.failed.n; i++) {
		const struct settle_key *k = &t->l.failed.v[i];
		/* a key that failed before may be retried */
		bool told =
			k->key.kind == GENERATE_RENDER || str_eq(error_in(&before, k), k->error);

		for (size_t n = 0; n < t->p.refused.n; n++)
			told |= str_eq(t->p.refused.v[n].message, k->error);
		for (size_t n = 0; n < t->p.notes.n; n++)
			told |= str_ends(t->p.notes.v[n], k->error);
		/* a config that selects no pool yet is reported when it is applied */
		told |= str_starts(k->error, S("could not find any "));
		if (!told)
			return fail(t, k->key.name, "failed, not refused");
	}
	return true;
}

static bool compare(struct pair *t, const struct mc_set *before)
{
	return same_refusals(t) && same_mcs(t) && same_targets(t, before);
}

/* Previews the change in the text, applies it, and compares. */
static bool change(struct pair *t, struct str text)
{
	struct mc_set before = t->l.set, given = { 0 }, again = { 0 }, after;
	struct preview_in in = { .base = &before, .hash = S(LIVE_HASH) };

	live_objects(t->a, &given, text);
	live_objects(t->a, &again, text);
	given = mc_applied(t->a, &before, &given);
	after = mc_overlay(t->a, &before, &given);
	in.set = &after;
	in.touched = &given;
	plan_preview(t->a, &in, &t->p);
	for (size_t i = 0; i < t->l.failed.n; i++)
		VEC_PUSH(t->a, &t->before, t->l.failed.v[i]);
	live_apply(&t->l, &again);
	if (compare(t, &before))
		return true;
	(void)printf("%.*s\n", STRF(text));
	return false;
}

static bool remove_one(struct pair *t, struct mc_object *o)
{
	struct mc_set before = t->l.set, after = before, gone = { 0 };
	struct preview_in in = {
		.set = &after, .touched = &gone, .base = &before, .hash = S(LIVE_HASH)
	};

	VEC_PUSH(t->a, &gone.others, o);
	after.others = (struct mc_object_list){ 0 };
	for (size_t i = 0; i < before.others.n; i++)
		if (before.others.v[i] != o)
			VEC_PUSH(t->a, &after.others, before.others.v[i]);
	plan_preview(t->a, &in, &t->p);
	for (size_t i = 0; i < t->l.failed.n; i++)
		VEC_PUSH(t->a, &t->before, t->l.failed.v[i]);
	live_delete(&t->l, o->kind, o->meta.name);
	if (compare(t, &before))
		return true;
	(void)printf("deleted %.*s\n", STRF(o->meta.name));
	return false;
}

/* ---- golden cases -------------------------------------------------------- */

#define CONFIG(kind, spec)                                                     \
	"---\n{apiVersion: config.openshift.io/v1, kind: " kind ", metadata: " \
	"{name: cluster}, spec: {" spec "}}\n"

static void name_secret(struct arena *a, struct mc_set *set)
{
	struct json *tree = json_clone(a, set->controller_config->tree);
	struct json *ref = json_new(a, JSON_OBJECT);

	json_add(ref, S("namespace"), json_new_str(a, S("openshift-config")));
	json_add(ref, S("name"), json_new_str(a, S("pull-secret")));
	json_set(json_at(tree, "spec"), S("pullSecret"), ref);
	json_set(json_at(tree, "metadata"), S("generation"), json_new_i64(a, 1));
	set->controller_config->tree = tree;
}

/* Objects that every running cluster has. */
static bool golden_set(struct arena *a, const struct bootstrap_files *files, struct mc_set *set)
{
	struct err err = ERR_INIT(a);
	struct mc_fault fault = { 0 };

	for (size_t i = 0; i < files->n; i++)
		if (mc_load(a, files->v[i].path, files->v[i].text, set, &fault, &err) < 0)
			return false;
	if (!set->controller_config)
		return false;
	if (!mc_find(set, MC_NODE_CONFIG, "cluster"))
		live_objects(a, set, S(CONFIG("Node", "")));
	if (!mc_find(set, MC_IMAGE, "cluster"))
		live_objects(a, set, S(CONFIG("Image", "")));
	name_secret(a, set);
	return true;
}

/* The cluster without one object, then with it. */
static bool without_one(struct pair *t, const struct bootstrap_files *files, size_t at)
{
	struct mc_set all = { 0 }, base, one = { 0 };
	struct mc_object *o;
	struct str text;

	(void)golden_set(t->a, files, &all);
	o = all.others.v[at];
	base = all;
	base.others = (struct mc_object_list){ 0 };
	for (size_t i = 0; i < all.others.n; i++)
		if (i != at)
			VEC_PUSH(t->a, &base.others, all.others.v[i]);
	VEC_PUSH(t->a, &one.others, o);
	t->l.set = base;
	t->l.templated = false;
	live_start(&t->l);
	/* the case tests that controllers wait without templates or gates */
	if (live_error(&t->l, GENERATE_TEMPLATES, S("machine-config-controller")).n ||
	    str_starts(t->name, S("070")))
		return true;
	t->l.templated = true;
	/* as text: each side parses it itself */
	text = text_of(t->a, o->doc.tree);
	return change(t, text);
}

/* Whether the object can be the change. */
static bool can_change(const struct mc_object *o)
{
	switch (o->kind) {
	case MC_KUBELET_CONFIG:
	case MC_RUNTIME_CONFIG:
	case MC_NODE_CONFIG:
	case MC_CONTENT_POLICY:
	case MC_DIGEST_MIRRORS:
	case MC_TAG_MIRRORS:
	case MC_CLUSTER_IMAGE_POLICY:
	case MC_IMAGE_POLICY:
		return true;
	default:
		return false;
	}
}

struct counts {
	size_t cases, changes, bad, first_runs;
};

/* The rendered config that bootstrap made for a pool, or "". */
static struct str first_target(struct arena *a, const struct bootstrap_out *out, struct str pool)
{
	struct str start = str_fmt(a, "machine-configs/rendered-%.*s-", STRF(pool));

	for (size_t i = 0; i < out->files.n; i++)
		if (str_starts(out->files.v[i].path, start))
			return str_sub(out->files.v[i].path, 16, out->files.v[i].path.n - 5);
	return S("");
}

/*
 * Where upstream's bootstrap differs from its controllers by design: only
 * bootstrap makes registries and kernel arguments for custom pools, writes the
 * allowed registries into policy.json twice, and knows pre-built images. An
 * empty selector of a KubeletConfig selects nothing in bootstrap; in a cluster
 * no pool is rendered with one.
 */
static bool same_by_design(const char *name, struct str pool)
{
	static const char *const other[] = { "018", "046", "060", "084" };

	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		if (!strncmp(name, other[i], 3))
			return false;
	return str_is(pool, "master") || str_is(pool, "worker") || str_is(pool, "arbiter");
}

static bool same_first_run(struct pair *t, const struct bootstrap_files *files, const char *dir,
			   const char *name, struct counts *counts)
{
	struct bootstrap_in in = { .manifest_dir = S("input"),
				   .manifests = *files,
				   .templates = t->l.tree,
				   .raw = S(LIVE_RAW),
				   .hash = S(LIVE_HASH),
				   .release = S("4.22.0") };
	struct bootstrap_out out = { 0 };
	struct err err = ERR_INIT(t->a);
	bool same = true;

	in.pull_secret = test_file(t->a, str_fmt(t->a, "%s/input/pull-secret.yaml", dir).p);
	if (plan_bootstrap(t->a, &in, &out, &err) < 0)
		return true; /* test_bootstrap checks the messages */
	t->l.set = (struct mc_set){ 0 };
	t->l.templated = false;
	(void)golden_set(t->a, files, &t->l.set);
	live_start(&t->l);
	for (size_t i = 0; i < t->l.set.pools.n; i++) {
		struct str pool = t->l.set.pools.v[i]->meta.name;
		struct str first = first_target(t->a, &out, pool);

		if (!same_by_design(name, pool))
			continue;
		counts->first_runs++;
		same &= test_same(str_fmt(t->a, "%s: pool %.*s", name, STRF(pool)).p, first,
				  live_target(&t->l, pool));
	}
	return same;
}

static void golden_case(const struct template_tree *tree, const char *name, struct counts *counts)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct pair t = { .a = &a, .name = str_of(name), .l = { .a = &a } };
	const char *dir = str_fmt(&a, GOLDEN "controllers/%s", name).p;
	struct bootstrap_files files = { 0 };
	struct mc_set set = { 0 };

	t.l.tree = tree;
	read_manifests(&a, str_fmt(&a, "%s/input", dir).p, &files);
	if (!golden_set(&a, &files, &set))
		return; /* the case tests input that cannot be parsed */
	counts->cases++;
	counts->bad += !same_first_run(&t, &files, dir, name, counts);
	for (size_t i = 0; i < set.others.n; i++) {
		if (!can_change(set.others.v[i]))
			continue;
		counts->changes++;
		counts->bad += !without_one(&t, &files, i);
	}
}

static struct template_tree *tree(struct arena *a)
{
	struct template_tree *t = ARENA_NEW(a, struct template_tree);

	t->dir = S("../../templates-controllers");
	read_tree(a, GOLDEN "templates-controllers", S(""), t);
	return t;
}

TEST golden_cases(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct dirent **list = NULL;
	int n = scandir(GOLDEN "controllers", &list, visible, alphasort);
	const struct template_tree *t = tree(&a);
	struct counts counts = { 0 };

	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] >= '0' && list[i]->d_name[0] <= '9')
			golden_case(t, list[i]->d_name, &counts);
		free(list[i]);
	}
	free(list);
	(void)printf("%zu golden cases, %zu changes, %zu first runs: %zu "
		     "differ\n",
		     counts.cases, counts.changes, counts.first_runs, counts.bad);
	ASSERT_INT(0, counts.bad);
	ASSERT(counts.cases > 80 && counts.changes > 100 && counts.first_runs > 80);
	PASS();
}

/* ---- generated clusters -------------------------------------------------- */

#define CLUSTERS 250
#define CHANGES 4

struct maker {
	struct arena *a;
	struct test_rng rng;
	struct buf b;
	unsigned latency; /* of the Node config; 3: there is none */
	bool too_far; /* the Node config was refused: no more changes */
};

static unsigned roll(struct maker *m, unsigned below)
{
	return test_rand(&m->rng, below);
}

#define CUSTOM 3
static const char *const custom[CUSTOM] = { "infra", "edge", "gpu" };

/* Pools have labels to select them: their own name, and team a or b. */
static void add_pool(struct maker *m, const char *name, bool built_in)
{
	buf_addf(&m->b,
		 "---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: "
		 "MachineConfigPool, metadata: {name: %s, uid: pool-%s, labels: "
		 "{pool: %s, team: %s%s}}, spec: {machineConfigSelector: "
		 "{matchExpressions: [{key: machineconfiguration.openshift.io/"
		 "role, operator: In, values: [%s%s]}]}}}\n",
		 name, name, name, roll(m, 2) ? "a" : "b",
		 built_in ? ", machineconfiguration.openshift.io/mco-built-in: "
			    "''"
			  : "",
		 built_in ? "" : "worker, ", name);
}

/* A selector of one pool, of a team, or of nothing. */
static void add_selector(struct maker *m)
{
	static const char *const pools[] = { "master", "worker", "infra", "edge" };
	unsigned n = roll(m, 12);

	if (n == 0)
		buf_addz(&m->b, "{}");
	else if (n == 1)
		buf_addz(&m->b, "{matchLabels: {pool: none}}");
	else if (n < 5)
		buf_addf(&m->b, "{matchLabels: {team: %s}}", n == 2 ? "a" : "b");
	else
		buf_addf(&m->b, "{matchLabels: {pool: %s}}", pools[roll(m, 4)]);
}

static void add_kubelet(struct maker *m, unsigned n)
{
	buf_addf(&m->b,
		 "---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: "
		 "KubeletConfig, metadata: {name: k%u}, spec: "
		 "{machineConfigPoolSelector: ",
		 n);
	add_selector(m);
	buf_addz(&m->b, ", kubeletConfig: {");
	switch (roll(m, 8)) {
	case 0:
		buf_addz(&m->b, "clusterDomain: refused.example");
		break;
	case 1:
		buf_addz(&m->b, "systemReserved: {cpu: 500m, memory: 1Gi}");
		break;
	default:
		buf_addf(&m->b, "maxPods: %u", 10 + roll(m, 200));
		break;
	}
	buf_addz(&m->b, "}}}\n");
}

static void add_runtime(struct maker *m, unsigned n)
{
	buf_addf(&m->b,
		 "---\n{apiVersion: machineconfiguration.openshift.io/v1, kind: "
		 "ContainerRuntimeConfig, metadata: {name: r%u}, spec: "
		 "{machineConfigPoolSelector: ",
		 n);
	add_selector(m);
	buf_addf(&m->b, ", containerRuntimeConfig: {pidsLimit: %u}}}\n",
		 roll(m, 6) ? 100 + roll(m, 1000) : 7);
}

static void add_image(struct maker *m)
{
	buf_addf(&m->b, CONFIG("Image", "registrySources: {%s: [r%u.example]}"),
		 roll(m, 2) ? "blockedRegistries" : "insecureRegistries", roll(m, 5));
}

static void add_mirrors(struct maker *m, unsigned n)
{
	bool tag = roll(m, 2);

	buf_addf(&m->b,
		 "---\n{apiVersion: config.openshift.io/v1, kind: %s, metadata: "
		 "{name: m%u}, spec: {%s: [{source: s%u.example/x, "
		 "mirrorSourcePolicy: %s, mirrors: [m%u.example/x]}]}}\n",
		 tag ? "ImageTagMirrorSet" : "ImageDigestMirrorSet", n,
		 tag ? "imageTagMirrors" : "imageDigestMirrors", roll(m, 3),
		 roll(m, 6) ? "AllowContactingSource" : "NeverContactSource", roll(m, 9));
}

static void add_policy(struct maker *m, unsigned n)
{
	buf_addf(&m->b,
		 "---\n{apiVersion: config.openshift.io/v1, kind: "
		 "ClusterImagePolicy, metadata: {name: p%u}, spec: {scopes: "
		 "[s%u.example/p], policy: {rootOfTrust: {policyType: PublicKey, "
		 "publicKey: {keyData: Zm9vIGJhcg==}}}}}\n",
		 n, roll(m, 4));
}

static void add_node_config(struct maker *m)
{
	static const char *const latency[] = { "Default", "MediumUpdateAverageReaction",
					       "LowUpdateSlowReaction" };
	unsigned to = roll(m, 3);

	m->too_far = (m->latency == 0 && to == 2) || (m->latency == 2 && to == 0);
	if (!m->too_far)
		m->latency = to;
	buf_addf(&m->b, CONFIG("Node", "cgroupMode: '%s', workerLatencyProfile: %s"),
		 roll(m, 2) ? "v2" : "", latency[to]);
}

static void add_gates(struct maker *m)
{
	buf_addf(&m->b,
		 "---\n{apiVersion: config.openshift.io/v1, kind: FeatureGate, "
		 "metadata: {name: cluster}, spec: {}, status: {featureGates: "
		 "[{version: 4.22.0, enabled: [{name: Gate%u}, {name: "
		 "CRIOCredentialProviderConfig}%s], disabled: "
		 "[{name: GateOff}]}]}}\n",
		 roll(m, 3), roll(m, 2) ? ", {name: SigstoreImageVerification}" : "");
}

static void add_secret(struct maker *m)
{
	static const char *const data[] = { "eyJhdXRocyI6e319", "eyJhdXRocyI6eyJhIjp7fX19",
					    "eyJhdXRocyI6eyJiIjp7fX19" };

	buf_addf(&m->b,
		 "---\n{apiVersion: v1, kind: Secret, type: kubernetes.io/"
		 "dockerconfigjson, metadata: {name: pull-secret, namespace: "
		 "openshift-config}, data: {.dockerconfigjson: %s}}\n",
		 data[roll(m, 3)]);
}

static void add_credentials(struct maker *m)
{
	buf_addf(&m->b,
		 "---\n{apiVersion: config.openshift.io/v1alpha1, kind: "
		 "CRIOCredentialProviderConfig, metadata: {name: cluster}, spec: "
		 "{matchImages: [r%u.example]}}\n",
		 roll(m, 5));
}

static struct str taken(struct maker *m)
{
	struct str text = str_dup(m->a, buf_str(&m->b));

	buf_init(&m->b, m->a);
	return text;
}

/* Up to 13 KubeletConfigs: more than a pool accepts. */
static struct str make_cluster(struct maker *m)
{
	unsigned kubelets = roll(m, 4) ? roll(m, 4) : 9 + roll(m, 5);
	unsigned pools = roll(m, 3);

	add_pool(m, "master", true);
	add_pool(m, "worker", true);
	for (unsigned i = 0; i < pools && i < CUSTOM; i++)
		add_pool(m, custom[i], false);
	for (unsigned i = 0; i < kubelets; i++)
		add_kubelet(m, i);
	for (unsigned i = roll(m, 3); i-- > 0;)
		add_runtime(m, i);
	for (unsigned i = roll(m, 3); i-- > 0;)
		add_mirrors(m, i);
	for (unsigned i = roll(m, 2); i-- > 0;)
		add_policy(m, i);
	add_image(m);
	if (roll(m, 2))
		add_node_config(m);
	add_gates(m);
	add_secret(m);
	return taken(m);
}

static struct str make_change(struct maker *m)
{
	switch (roll(m, 12)) {
	case 0:
		add_runtime(m, roll(m, 4));
		break;
	case 1:
		add_image(m);
		break;
	case 2:
		add_mirrors(m, roll(m, 4));
		break;
	case 3:
		add_policy(m, roll(m, 3));
		break;
	case 4:
	case 5:
		add_node_config(m);
		break;
	case 6:
		add_gates(m);
		break;
	case 7:
		add_secret(m);
		break;
	case 8:
		add_pool(m, custom[roll(m, CUSTOM)], false);
		break;
	case 9:
		add_kubelet(m, roll(m, 14));
		add_kubelet(m, 20);
		break;
	case 10:
		add_credentials(m);
		break;
	default:
		add_kubelet(m, roll(m, 14));
		break;
	}
	return taken(m);
}

static struct mc_object *any_config(struct maker *m, const struct mc_set *set)
{
	struct mc_object_list list = { 0 };

	for (size_t i = 0; i < set->others.n; i++)
		if (set->others.v[i]->kind == MC_KUBELET_CONFIG ||
		    set->others.v[i]->kind == MC_RUNTIME_CONFIG)
			VEC_PUSH(m->a, &list, set->others.v[i]);
	return list.n ? list.v[roll(m, (unsigned)list.n)] : NULL;
}

/* State that older versions left: no annotation, or a name that belongs to another config. */
static void age(struct maker *m, struct live *l)
{
	struct mc_object *o = any_config(m, &l->set);
	struct json *notes = o ? json_at(o->doc.tree, "metadata.annotations") : NULL;
	struct err err = ERR_INIT(m->a);
	struct mc_object again;

	if (!notes || roll(m, 3))
		return;
	if (roll(m, 2))
		(void)json_remove(notes, S("machineconfiguration.openshift.io/"
					   "mc-name-suffix"));
	else
		(void)json_remove(json_at(o->doc.tree, "metadata"), S("finalizers"));
	again = *o;
	if (mc_object_decode(m->a, &again.doc, again.kind, o, &err) < 0)
		abort();
	o->file = again.file;
}

struct base {
	struct mc_list mcs; /* of the templates */
	struct mc_controller_config cc;
};

#define BASELINE GOLDEN "controllers/001-baseline/input/"

/* Compares with what bootstrap renders from the same manifests, where it accepts all
 * of them and the cluster renders the pool. Without a Node config a cluster has no
 * 97-*. */
static bool same_installed(struct pair *t, struct str text, size_t *compared)
{
	struct bootstrap_file files[] = {
		{ S("cc"), test_file(t->a, BASELINE "controllerconfig.yaml") },
		{ S("t"), text },
	};
	struct bootstrap_in in = { .manifest_dir = S("input"),
				   .manifests = { files, 2, 2 },
				   .pull_secret = test_file(t->a, BASELINE "pull-secret.yaml"),
				   .templates = t->l.tree,
				   .raw = S(LIVE_RAW),
				   .hash = S(LIVE_HASH),
				   .release = S("4.22.0") };
	struct bootstrap_out out = { 0 };
	struct err err = ERR_INIT(t->a);
	static const char *const pools[] = { "master", "worker" };

	if (plan_bootstrap(t->a, &in, &out, &err) < 0 || !t->l.node)
		return true;
	for (size_t i = 0; i < 2; i++) {
		struct str live = live_target(&t->l, str_of(pools[i]));

		if (!live.n)
			continue;
		++*compared;
		if (!test_same(pools[i], first_target(t->a, &out, str_of(pools[i])), live))
			return fail(t, str_of(pools[i]), "another first run");
	}
	return true;
}

static bool generated_cluster(struct arena *a, const struct template_tree *t,
			      const struct base *base, unsigned seed, size_t *rendered,
			      size_t *refused, size_t *installed)
{
	struct maker m = { .a = a, .rng = { seed }, .latency = 3 };
	struct pair p = { .a = a,
			  .name = str_fmt(a, "seed %u", seed),
			  .l = { .a = a, .tree = t, .templated = true } };
	bool same = true;

	struct str text;

	buf_init(&m.b, a);
	text = make_cluster(&m);
	live_objects(a, &p.l.set, text);
	for (size_t i = 0; i < base->mcs.n; i++) {
		struct mc *mc = ARENA_NEW(a, struct mc);

		/* its parsed form is freed with the cluster */
		*mc = *base->mcs.v[i];
		mc->ignition = NULL;
		VEC_PUSH(a, &p.l.set.mcs, mc);
	}
	p.l.set.controller_config = ARENA_NEW(a, struct mc_controller_config);
	*p.l.set.controller_config = base->cc;
	live_start(&p.l);
	if (seed % 4 == 0)
		same = same_installed(&p, text, installed);
	age(&m, &p.l);
	for (unsigned i = 0; same && !m.too_far && i < CHANGES; i++) {
		struct mc_object *o = any_config(&m, &p.l.set);

		same = o && !roll(&m, 6) ? remove_one(&p, o) : change(&p, make_change(&m));
	}
	*rendered += p.rendered;
	*refused += p.refused;
	return same;
}

/* All clusters share the templates. */
static void make_base(struct arena *a, const struct template_tree *t, struct base *out)
{
	struct bootstrap_files files = { 0 };
	struct live l = { .a = a, .tree = t };

	read_manifests(a, GOLDEN "controllers/001-baseline/input", &files);
	(void)golden_set(a, &files, &l.set);
	live_start(&l);
	out->cc = *l.set.controller_config;
	for (size_t i = 0; i < l.set.mcs.n; i++)
		if (!is_rendered(l.set.mcs.v[i]) &&
		    str_find(l.set.mcs.v[i]->meta.name, S("-generated-")) < 0)
			VEC_PUSH(a, &out->mcs, l.set.mcs.v[i]);
}

TEST generated_clusters(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct template_tree *t = tree(&a);
	size_t rendered = 0, refused = 0, installed = 0, bad = 0;
	struct base base = { 0 };

	make_base(&a, t, &base);
	for (unsigned i = 0; i < CLUSTERS; i++) {
		AUTO(arena) struct arena one = ARENA_INIT;

		bad += !generated_cluster(&one, t, &base, i, &rendered, &refused, &installed);
	}
	(void)printf("%d clusters, %zu rendered names, %zu refusals, %zu "
		     "first runs: %zu differ\n",
		     CLUSTERS, rendered, refused, installed, bad);
	ASSERT_INT(0, bad);
	ASSERT(rendered > 1000 && refused > 50 && installed > 20);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(golden_cases);
	RUN_TEST(generated_clusters);
}

TEST_MAIN(suite)
