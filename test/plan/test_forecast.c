/* The forecast of a pool from manifests: one line for each outcome. */
#include "../test.h"

#include "plan/forecast.h"

#define API "apiVersion: machineconfiguration.openshift.io/v1\n"
#define ROLE "machineconfiguration.openshift.io/role: "

#define MC(name, role, spec)                                                              \
	"---\n" API "kind: MachineConfig\nmetadata: {name: " name ", labels: {" ROLE role \
	"}}\nspec: {" spec "}\n"
#define IGN "config: {ignition: {version: 3.5.0}"
#define FILE_AT(path, text)                                            \
	IGN ", storage: {files: [{path: " path ", contents: {source: " \
	    "'data:," text "'}}]}}"
#define POOL(name, roles, more)                                                 \
	"---\n" API "kind: MachineConfigPool\nmetadata: {name: " name           \
	"}\nspec: {machineConfigSelector: {matchExpressions: [{key: "           \
	"machineconfiguration.openshift.io/role, operator: In, values: [" roles \
	"]}]}, nodeSelector: {matchLabels: {" name ": ''}}" more "}\n"
#define NODE(name, labels) \
	"---\napiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {" labels "}}\n"

#define WORKERS                  \
	NODE("w1", "worker: ''") \
	NODE("w2", "worker: ''") \
	NODE("w3", "worker: ''") \
	NODE("w4", "worker: ''") NODE("i1", "worker: '', infra: ''")
#define BASE MC("00-w", "worker", FILE_AT("/etc/a", "a"))

static const struct {
	const char *name, *pool, *before, *change, *want;
} cases[] = {
	{ "nothing", "worker", BASE POOL("worker", "worker", ""),
	  MC("00-w", "worker", FILE_AT("/etc/a", "a")), "same" },
	{ "nodes that are not known", "worker", BASE POOL("worker", "worker", ""),
	  MC("50-b", "worker", FILE_AT("/etc/b", "b")), "differs drain reboot nodes=? max=1" },
	{ "nodes of the pool alone", "worker",
	  BASE POOL("worker", "worker", ", maxUnavailable: 50%") POOL("infra", "worker", "")
		  WORKERS,
	  MC("50-b", "worker", FILE_AT("/etc/b", "b")), "differs drain reboot nodes=4 max=2" },
	{ "a pool that is paused by the change", "worker",
	  BASE POOL("worker", "worker", "") WORKERS,
	  MC("50-b", "worker", FILE_AT("/etc/b", "b")) POOL("worker", "worker", ", paused: true"),
	  "differs drain reboot nodes=5 max=1 paused" },
	{ "a share of nodes that are not known", "worker",
	  BASE POOL("worker", "worker", ", maxUnavailable: 50%"),
	  MC("50-b", "worker", FILE_AT("/etc/b", "b")), "differs drain reboot nodes=? max=0" },
	{ "a config that does not parse", "worker", BASE POOL("worker", "worker", ""),
	  MC("50-b", "worker", FILE_AT("etc/b", "b")),
	  "differs nodes=? max=1 broken by MachineConfig 50-b (test)" },
	{ "one that did not parse before", "worker",
	  BASE POOL("worker", "worker", "") MC("50-b", "worker", FILE_AT("etc/b", "b")),
	  MC("60-c", "worker", FILE_AT("/etc/c", "c")),
	  "same nodes=? max=1 broken by MachineConfig 50-b (test) before" },
	{ "what no running node can follow", "worker", BASE POOL("worker", "worker", ""),
	  MC("50-b", "worker", "fips: true"),
	  "differs nodes=? max=1 refused: detected change to FIPS flag; "
	  "refusing to modify FIPS on a running cluster" },
	{ "what the daemon keeps for itself", "worker", BASE POOL("worker", "worker", ""),
	  MC("50-b", "worker", FILE_AT("/etc/machine-config-daemon/currentconfig", "b")),
	  "differs nodes=? max=1 refused: /etc/machine-config-daemon/"
	  "currentconfig is the daemon's own state: no MachineConfig may write "
	  "it" },
	{ "what is only found out when it is installed", "worker",
	  BASE POOL("worker", "worker", ""), MC("50-b", "worker", "extensions: [vim]"),
	  "differs drain nodes=? max=1 refused late: invalid extensions found: "
	  "[vim]" },
	{ "a selector that selects all", "worker", BASE POOL("worker", "worker", ""),
	  "---\n" API "kind: MachineConfigPool\nmetadata: {name: worker}\nspec: "
	  "{machineConfigSelector: {}}\n",
	  "differs nodes=? max=1 broken" },
	{ "a new pool takes nodes of another", "infra", BASE POOL("worker", "worker", "") WORKERS,
	  POOL("infra", "worker, infra", "") MC("50-i", "infra", FILE_AT("/etc/i", "i")),
	  "differs drain reboot nodes=1 max=1 new of worker" },
	{ "a new pool of nodes in none", "infra",
	  BASE POOL("worker", "worker", "") NODE("i", "infra: ''"), POOL("infra", "worker", ""),
	  "differs nodes=1 max=1 new" },
};

static void load(struct arena *a, const char *text, struct mc_set *set)
{
	struct err err = ERR_INIT(a);
	struct mc_fault fault = { 0 };

	if (mc_load(a, S("test"), str_of(text), set, &fault, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		abort();
	}
}

static struct str told(struct arena *a, bool differs, const struct forecast *f)
{
	struct buf b;

	buf_init(&b, a);
	buf_addz(&b, differs ? "differs" : "same");
	if (!differs && !f->render_error.n)
		return buf_str(&b);
	buf_addz(&b, forecast_drains(f) ? " drain" : "");
	buf_addz(&b, forecast_reboots(f) ? " reboot" : "");
	if (f->nodes.known)
		buf_addf(&b, " nodes=%zu", f->nodes.n);
	else
		buf_addz(&b, " nodes=?");
	buf_addf(&b, " max=%lld", (long long)f->nodes.max);
	buf_addz(&b, f->nodes.paused ? " paused" : "");
	if (f->render_error.n)
		buf_addf(&b, " broken%s%.*s%s", f->culprit.n ? " by " : "", STRF(f->culprit),
			 f->failed_before ? " before" : "");
	if (f->refused.n)
		buf_addf(&b, " refused%s: %.*s", f->refused_late ? " late" : "", STRF(f->refused));
	if (f->is_new)
		buf_addf(&b, " new%s%.*s", f->partner.n ? " of " : "", STRF(f->partner));
	return buf_str(&b);
}

TEST forecasts(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct mc_set before = { 0 }, change = { 0 }, after;
		struct forecast_in in = { .before = &before,
					  .after = &after,
					  .raw = S("v1"),
					  .hash = S("h"),
					  .adopt = true,
					  .keep = &a };
		struct forecast f;
		bool differs;

		load(&a, cases[i].before, &before);
		load(&a, cases[i].change, &change);
		after = mc_overlay(&a, &before, &change);
		differs = plan_forecast(&a, &in, str_of(cases[i].pool), &f);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), told(&a, differs, &f));
	}
	PASS();
}

static const struct {
	const char *name, *pools, *before, *change;
	bool caused;
	int rc;
	const char *want; /* the pools listed and how many differ; or the error */
} pool_cases[] = {
	{ "pools that change, but not the others", "",
	  BASE MC("00-o", "other", FILE_AT("/etc/o", "o")) POOL("worker", "worker", "")
		  POOL("same", "other", ""),
	  MC("50-b", "worker", FILE_AT("/etc/b", "b")) POOL("new", "worker", ""), false, 0,
	  "worker new differ=2" },
	{ "only the pools that are asked for", "new", BASE POOL("worker", "worker", ""),
	  MC("50-b", "worker", FILE_AT("/etc/b", "b")) POOL("new", "worker", ""), false, 0,
	  "new differ=1" },
	{ "a pool that neither side has", "typo", BASE POOL("worker", "worker", ""),
	  MC("50-b", "worker", FILE_AT("/etc/b", "b")), false, -ERR_NOTFOUND,
	  "no MachineConfigPool \"typo\" among the manifests: " },
	{ "no pool could be rendered before, and none can now", "",
	  POOL("worker", "worker", "") MC("50-b", "worker", FILE_AT("etc/b", "b")),
	  MC("60-c", "worker", FILE_AT("/etc/c", "c")), false, -ERR_INVALID, "pool worker: " },
	{ "the same, but the change has refusals to show", "",
	  POOL("worker", "worker", "") MC("50-b", "worker", FILE_AT("etc/b", "b")),
	  MC("60-c", "worker", FILE_AT("/etc/c", "c")), true, 0, "worker differ=0" },
};

TEST forecasts_of_pools(void)
{
	for (size_t i = 0; i < ARRAY_LEN(pool_cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct mc_set before = { 0 }, change = { 0 }, after;
		struct forecast_in in = { .before = &before,
					  .after = &after,
					  .raw = S("v1"),
					  .hash = S("h"),
					  .adopt = true,
					  .keep = &a };
		struct forecast_pools out;
		struct strs names = { 0 };
		struct buf b;

		load(&a, pool_cases[i].before, &before);
		load(&a, pool_cases[i].change, &change);
		after = mc_overlay(&a, &before, &change);
		if (*pool_cases[i].pools)
			VEC_PUSH(&a, &names, str_of(pool_cases[i].pools));
		ASSERT_INT_M(
			pool_cases[i].name, pool_cases[i].rc,
			plan_forecast_pools(&a, &in, &names, pool_cases[i].caused, &out, &err));
		if (pool_cases[i].rc < 0) {
			struct str want = str_of(pool_cases[i].want);

			ASSERT_STR_M(pool_cases[i].name, want, str_sub(err.msg, 0, want.n));
			continue;
		}
		buf_init(&b, &a);
		for (size_t k = 0; k < out.list.n; k++)
			buf_addf(&b, "%.*s ", STRF(out.list.v[k]->pool));
		buf_addf(&b, "differ=%zu", out.differ);
		ASSERT_STR_M(pool_cases[i].name, str_of(pool_cases[i].want), buf_str(&b));
	}
	PASS();
}

/* Too large for etcd: the change has no effect. */
TEST too_large(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set before = { 0 }, change = { 0 }, after;
	struct forecast_in in = { .before = &before, .after = &after, .adopt = true, .keep = &a };
	struct forecast f;
	struct buf b;

	load(&a, BASE POOL("worker", "worker", "") WORKERS, &before);
	buf_init(&b, &a);
	buf_addz(&b, "---\n" API "kind: MachineConfig\nmetadata: {name: 50-b, "
		     "labels: {" ROLE "worker}}\nspec: {" IGN ", storage: "
		     "{files: [{path: /etc/b, contents: {source: 'data:,");
	for (size_t i = 0; i < MC_SIZE_MAX; i++)
		buf_addc(&b, 'x');
	buf_addz(&b, "'}}]}}}\n");
	load(&a, str_z(&a, buf_str(&b)), &change);
	after = mc_overlay(&a, &before, &change);
	ASSERT(plan_forecast(&a, &in, S("worker"), &f));
	ASSERT(str_find(f.render_error, S(" is too large (")) > 0);
	ASSERT(f.plan && f.plan->reboot);
	ASSERT_FALSE(forecast_drains(&f) || forecast_reboots(&f));
	ASSERT_STR_M("nodes keep what they have", f.from_name, f.keeps);
	PASS();
}

/* Every object that the base lacks is reported, where it matters. */
TEST assumptions(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set set = { 0 }, change = { 0 };
	struct strs out = { 0 };

	load(&a, BASE POOL("worker", "worker", ""), &set);
	forecast_assumptions(&a, &set, &change, &out);
	ASSERT_INT(3, (long long)out.n);
	load(&a,
	     "apiVersion: operator.openshift.io/v1\nkind: "
	     "MachineConfiguration\nmetadata: {name: cluster}\n" WORKERS,
	     &set);
	load(&a,
	     "apiVersion: config.openshift.io/v1\nkind: Image\n"
	     "metadata: {name: cluster}\n---\n" API
	     "kind: KubeletConfig\nmetadata: {name: k}\nspec: {}\n",
	     &change);
	out.n = 0;
	forecast_assumptions(&a, &set, &change, &out);
	ASSERT_INT(6, (long long)out.n);
	ASSERT_STR("no Image config: no registry is restricted", out.v[3]);
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(forecasts);
	RUN_TEST(forecasts_of_pools);
	RUN_TEST(too_large);
	RUN_TEST(assumptions);
	GREATEST_MAIN_END();
}
