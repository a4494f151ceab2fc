/*
 * KubeletConfigs, ContainerRuntimeConfigs, feature gates and the Node config over
 * upstream's golden cases: the files they make, and the texts of what is refused.
 */
#include "../test.h"

#include <dirent.h>
#include <unistd.h>

#include "mc/contents.h"
#include "mc/load.h"
#include "mc/selector.h"
#include "mc/tls_profile.h"
#include "plan/kubelet.h"
#include "plan/runtime.h"
#include "plan/template.h"

#define GOLDEN "../shared/golden/"
#define CASES GOLDEN "controllers"
#define TREE GOLDEN "templates-controllers"
#define HASH S("0123456789abcdef0123456789abcdef01234567")

static int by_name(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

/* ---- a case's input -------------------------------------------------------- */

static void read_tree(struct arena *a, const char *below,
		      struct template_tree *out)
{
	struct dirent **list = NULL;
	int n = scandir(str_fmt(a, TREE "/%s", below).p, &list, NULL, by_name);

	for (int i = 0; i < n; i++) {
		struct template_file f = { .path = str_fmt(a, "%s%s", below,
							   list[i]->d_name) };

		if (list[i]->d_name[0] != '.' && list[i]->d_type == DT_DIR) {
			f.path = str_fmt(a, "%.*s/", STRF(f.path));
			VEC_PUSH(a, out, f);
			read_tree(a, f.path.p, out);
		} else if (list[i]->d_name[0] != '.') {
			f.text = test_file(
				a, str_fmt(a, TREE "/%.*s", STRF(f.path)).p);
			VEC_PUSH(a, out, f);
		}
		free(list[i]);
	}
	free(list);
}

struct run {
	struct arena *a;
	struct template_tree tree;
	struct mc_set set;
	struct strs on, off; /* gates */
	struct mcs made; /* for one pool, in order of their names */
	struct err err;
};

static bool load(struct run *r, const char *dir)
{
	struct dirent **list = NULL;
	int n = scandir(dir, &list, NULL, by_name);
	bool ok = n > 0;

	for (int i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		struct mc_fault f;

		if (name[0] != '.')
			ok = ok &&
			     mc_load(r->a, str_of(name),
				     test_file(r->a,
					       str_fmt(r->a, "%s/%s", dir, name)
						       .p),
				     &r->set, &f, &r->err) == 0;
		free(list[i]);
	}
	free(list);
	return ok;
}

static void read_gates(struct run *r)
{
	const struct mc_object *o =
		mc_find(&r->set, MC_FEATURE_GATE, "cluster");
	const struct json *entry =
		o ? json_first(json_at(o->tree, "status.featureGates")) : NULL;
	const char *lists[] = { "enabled", "disabled" };
	struct strs *outs[] = { &r->on, &r->off };

	for (size_t k = 0; k < 2; k++)
		for (const struct json *e =
			     json_first(json_at(entry, lists[k]));
		     e; e = json_next(e))
			VEC_PUSH(r->a, outs[k], json_str(e, "name", S("")));
}

static struct str base_file(struct run *r, struct str role, const char *path)
{
	const struct mc_object *api =
		mc_find(&r->set, MC_API_SERVER, "cluster");
	struct tls_profile tls = mc_tls_profile(
		r->a,
		api ? json_at(api->tree, "spec.tlsSecurityProfile") : NULL);
	struct template_input in = {
		.tree = &r->tree,
		.controller_config = r->set.controller_config,
		.tls_min_version = tls.min_version,
		.tls_cipher_suites = tls.suites,
		.hash = HASH,
	};
	struct mcs mcs = { 0 };
	struct str out;

	if (plan_template_role(r->a, &in, role, &mcs, &r->err) < 0)
		return S("");
	for (size_t i = 0; i < mcs.n; i++) {
		const struct ign_obj *f;

		if (mc_validate(r->a, mcs.v[i], &r->err) < 0)
			continue;
		f = mc_find_file(mcs.v[i]->ignition, str_of(path));
		if (f && mc_contents(r->a, f, &out, &r->err) == 0)
			return out;
	}
	return S("");
}

static bool targets(struct run *r, const struct mc_object *o,
		    const struct mc_pool *pool)
{
	struct selector s = { 0 };

	return selector_make(r->a,
			     json_at(o->tree, "spec.machineConfigPoolSelector"),
			     &s, &r->err) == 0 &&
	       s.n && selector_matches(&s, pool->meta.labels);
}

/* ---- what is made of it ------------------------------------------------------ */

static int make_kubelet(struct run *r, const struct mc_pool *pool)
{
	static const struct strs none;
	const struct mc_object *node =
		mc_find(&r->set, MC_NODE_CONFIG, "cluster");
	struct kubelet_in in = {
		.pool = pool->meta.name,
		.base = base_file(r, pool->meta.name, KUBELET_CONF),
		.gates_on = r->on,
		.gates_off = r->off,
		.node = node ? node->tree : NULL,
		.hash = HASH,
	};
	struct mc *mc;
	int rc = kubelet_node(r->a, &in, &none, &mc, &r->err);

	if (rc < 0)
		return rc;
	VEC_PUSH(r->a, &r->made, mc);
	rc = kubelet_features(r->a, &in, &mc, &r->err);
	if (rc < 0)
		return rc;
	VEC_PUSH(r->a, &r->made, mc);
	for (size_t i = 0; i < r->set.others.n && rc == 0; i++) {
		const struct mc_object *kc = r->set.others.v[i];

		if (kc->kind != MC_KUBELET_CONFIG)
			continue;
		rc = kubelet_validate(r->a, kc, &r->err);
		if (rc < 0 || !targets(r, kc, pool))
			continue;
		rc = kubelet_config(r->a, &in, kc, S("99-x"), &mc, &r->err);
		if (rc == 0)
			VEC_PUSH(r->a, &r->made, mc);
	}
	return rc;
}

static int make_runtime(struct run *r, const struct mc_pool *pool)
{
	struct runtime_in in = {
		.pool = pool->meta.name,
		.storage = base_file(r, pool->meta.name, STORAGE_CONF),
		.hash = HASH,
	};
	int rc = 0;

	for (size_t i = 0; i < r->on.n; i++)
		if (str_is(r->on.v[i], "AdditionalStorageConfig"))
			in.more_stores = true;
	for (size_t i = 0; i < r->set.others.n && rc == 0; i++) {
		const struct mc_object *crc = r->set.others.v[i];
		struct str note;
		struct mc *mc;

		if (crc->kind != MC_RUNTIME_CONFIG)
			continue;
		rc = runtime_validate(r->a, crc, &r->err);
		if (rc < 0 || !targets(r, crc, pool))
			continue;
		rc = runtime_config(r->a, &in, crc, S("99-y"), &mc, &note,
				    &r->err);
		if (rc == 0 && note.n)
			rc = err_set(&r->err, ERR_INVALID, "%.*s", STRF(note));
		if (rc == 0)
			VEC_PUSH(r->a, &r->made, mc);
	}
	return rc;
}

/* ---- what upstream made of it --------------------------------------------------- */

static struct mc *rendered(struct run *r, const char *dir, struct str pool)
{
	struct str prefix = str_fmt(r->a, "rendered-%.*s-", STRF(pool));
	struct mc_set set = { 0 };
	struct dirent **list = NULL;
	int n = scandir(dir, &list, NULL, by_name);

	for (int i = 0; i < n; i++) {
		struct mc_fault f;

		if (str_starts(str_of(list[i]->d_name), prefix) &&
		    mc_load(r->a, S("rendered"),
			    test_file(r->a, str_fmt(r->a, "%s/%s", dir,
						    list[i]->d_name)
						    .p),
			    &set, &f, &r->err) < 0)
			set.mcs.n = 0;
		free(list[i]);
	}
	free(list);
	if (!set.mcs.n || mc_validate(r->a, set.mcs.v[0], &r->err) < 0)
		return NULL;
	return set.mcs.v[0];
}

static struct str source_of(const struct mc *mc, struct str path)
{
	const struct ign_obj *f = mc_find_file(mc->ignition, path);
	struct str out = S("(absent)");
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	static char copy[1 << 16];

	if (f && mc_contents(&a, f, &out, &err) < 0)
		out = err.msg;
	if (out.n > sizeof(copy))
		out.n = sizeof(copy);
	if (out.n)
		memcpy(copy, out.p, out.n);
	return (struct str){ copy, out.n };
}

/* Every file that one of ours sets is, of the last that does, upstream's. */
static bool same_files(struct run *r, const char *name, const struct mc *want)
{
	static const char *const always[] = {
		KUBELET_CONF,
		STORAGE_CONF,
		"/etc/node-sizing-enabled.env",
		"/etc/systemd/system/kubelet.service.d/20-logging.conf",
		"/etc/crio/crio.conf.d/01-ctrcfg-logLevel",
		"/etc/crio/crio.conf.d/01-ctrcfg-pidsLimit",
		"/etc/crio/crio.conf.d/01-ctrcfg-logSizeMax",
		"/etc/crio/crio.conf.d/01-ctrcfg-defaultRuntime",
		"/etc/crio/crio.conf.d/01-ctrcfg-additionalArtifactStores"
	};
	bool ok = true;

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
		struct str path = str_of(always[i]), mine = S("(absent)");

		for (size_t k = 0; k < r->made.n; k++) {
			struct mc *mc = r->made.v[k];

			if (mc_validate(r->a, mc, &r->err) == 0 &&
			    mc_find_file(mc->ignition, path))
				mine = str_dup(r->a, source_of(mc, path));
		}
		if (!r->made.n ||
		    (str_is(mine, "(absent)") && str_is(path, STORAGE_CONF)))
			continue;
		ok = test_same(str_fmt(r->a, "%s %s", name, always[i]).p,
			       str_dup(r->a, source_of(want, path)), mine) &&
		     ok;
	}
	return ok;
}

static bool about_us(struct str error)
{
	static const char *const texts[] = {
		"KubeletConfig", "invalid merged",	   "invalid PidsLimit",
		"invalid Log",	 "invalid overlay",	   "invalid Default",
		"invalid Add",	 "unknown worker latency", "unknown cgroup",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (str_starts(error, str_of(texts[i])))
			return true;
	return false;
}

struct tally {
	int files, errors, bad;
};

static int make_pool(struct run *r, const struct mc_pool *pool)
{
	int rc;

	r->made = (struct mcs){ 0 };
	rc = make_kubelet(r, pool);
	return rc < 0 ? rc : make_runtime(r, pool);
}

/* What is refused is refused for one pool at least, and for no other reason. */
static bool all_refused(struct run *r, const char *name, struct str want)
{
	bool refused = false;

	for (size_t i = 0; i < r->set.pools.n; i++) {
		if (make_pool(r, r->set.pools.v[i]) == 0)
			continue;
		if (!test_same(name, want, r->err.msg))
			return false;
		refused = true;
	}
	return refused || test_same(name, want, S("(nothing refused)"));
}

static bool all_made(struct run *r, const char *name, const char *dir,
		     struct tally *t)
{
	for (size_t i = 0; i < r->set.pools.n; i++) {
		const struct mc_pool *pool = r->set.pools.v[i];
		const struct mc *theirs;

		if (make_pool(r, pool) < 0)
			return test_same(name, S(""), r->err.msg);
		theirs = rendered(
			r, str_fmt(r->a, "%s/expected/machine-configs", dir).p,
			pool->meta.name);
		if (!theirs || !same_files(r, name, theirs))
			return false;
		t->files++;
	}
	return true;
}

static void one_case(const char *name, struct tally *t)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct run r = { .a = &a, .err = ERR_INIT(&a) };
	const char *dir = str_fmt(&a, CASES "/%s", name).p;
	const char *error = str_fmt(&a, "%s/expected/error.txt", dir).p;
	bool fails = access(error, R_OK) == 0;
	struct str want = S("");

	if (fails) {
		want = str_trim(str_from(test_file(&a, error),
					 strlen("error running "
						"MCC[BOOTSTRAP]: ")));
		if (!about_us(want))
			return;
		t->errors++;
	}
	read_tree(&a, "", &r.tree);
	if (!load(&r, str_fmt(&a, "%s/input", dir).p)) {
		t->bad += !test_same(name, S(""), r.err.msg);
		return;
	}
	read_gates(&r);
	t->bad += !(fails ? all_refused(&r, name, want)
			  : all_made(&r, name, dir, t));
}

TEST golden_cases(void)
{
	struct tally t = { 0 };
	struct dirent **list = NULL;
	int n = scandir(CASES, &list, NULL, by_name);

	if (n < 0)
		SKIPm("no " CASES " here");
	for (int i = 0; i < n; i++) {
		if (list[i]->d_name[0] >= '0' && list[i]->d_name[0] <= '9')
			one_case(list[i]->d_name, &t);
		free(list[i]);
	}
	free(list);
	ASSERT_INT(0, t.bad);
	ASSERT_INT(21, t.errors);
	ASSERT(t.files >= 104);
	PASS();
}

SUITE(generators)
{
	RUN_TEST(golden_cases);
}

TEST_MAIN(generators)
