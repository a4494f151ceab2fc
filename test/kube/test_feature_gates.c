/*
 * Feature gates from the first list to a change, as scripts: objects and time in, a
 * result and the gates that are kept out.
 */
#include "../test.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "io/clock.h"
#include "kube/feature_gates.h"

/* The time of clock_ms is set by the test. */
static int64_t now_ms;

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (id != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, id, t);
	t->tv_sec = (time_t)(now_ms / 1000);
	t->tv_nsec = (long)(now_ms % 1000 * 1000000);
	return 0;
}

#define DUE 60000
#define ENTRY(version, on, off) \
	"{\"version\":\"" version "\",\"enabled\":[" on "],\"disabled\":[" off "]}"
#define FEATURE_GATE(entries) "{\"status\":{\"featureGates\":[" entries "]}}"
#define NAME(n) "{\"name\":\"" n "\"}"
#define VERSION(v) "{\"status\":{\"desired\":{\"version\":\"" v "\"}}}"

#define AB FEATURE_GATE(ENTRY("4.20.1", NAME("A"), NAME("B")))
#define BA FEATURE_GATE(ENTRY("4.20.1", NAME("B"), NAME("A")))
#define A_ONLY FEATURE_GATE(ENTRY("4.20.1", NAME("A"), ""))
#define OTHER FEATURE_GATE(ENTRY("4.19.0", NAME("B"), NAME("A")))
#define BOTH          \
	FEATURE_GATE( \
		ENTRY("4.19.0", NAME("B"), NAME("A")) "," ENTRY("4.20.1", NAME("A"), NAME("B")))

#define MISSING(version)                                                            \
	"unable to determine features: missing desired version \"" version "\" in " \
	"featuregates.config.openshift.io/cluster"

struct step {
	int64_t at; /* clock_ms */
	bool listed;
	const char *feature_gate, *cluster_version; /* NULL: none */
	enum kube_gates_result result;
	const char *kept; /* "+ON -OFF " */
	const char *said; /* the error message, or the gates in now */
};

static const struct gates_case {
	const char *name, *release;
	bool off_without;
	struct step steps[6]; /* ends with one that has no text kept */
} cases[] = {
	{ "known at the first list, then changed",
	  "4.20.1",
	  false,
	  { { 0, false, NULL, NULL, KUBE_GATES_WAITING, "", "" },
	    { 10, true, BOTH, NULL, KUBE_GATES_KNOWN, "+A -B ", "+A -B " },
	    { 20, true, AB, NULL, KUBE_GATES_SAME, "+A -B ", "" },
	    { 30, true, BA, NULL, KUBE_GATES_CHANGED, "+A -B ", "+B -A " },
	    { 40, true, A_ONLY, NULL, KUBE_GATES_CHANGED, "+A -B ", "+A " } } },
	{ "what is not listed is not read",
	  "4.20.1",
	  true,
	  { { 0, false, AB, NULL, KUBE_GATES_WAITING, "", "" },
	    { 10, true, AB, NULL, KUBE_GATES_KNOWN, "+A -B ", "+A -B " },
	    { 20, false, BA, NULL, KUBE_GATES_SAME, "+A -B ", "" } } },
	{ "an entry that comes later, in time",
	  "4.20.1",
	  true,
	  { { 0, true, OTHER, NULL, KUBE_GATES_WAITING, "", MISSING("4.20.1") },
	    { DUE - 1, true, OTHER, NULL, KUBE_GATES_WAITING, "", MISSING("4.20.1") },
	    { DUE, true, AB, NULL, KUBE_GATES_KNOWN, "+A -B ", "+A -B " } } },
	{ "an entry that does not come",
	  "4.20.1",
	  true,
	  { { DUE - 1, true, OTHER, NULL, KUBE_GATES_WAITING, "", MISSING("4.20.1") },
	    { DUE, true, OTHER, NULL, KUBE_GATES_LATE, "", MISSING("4.20.1") },
	    { DUE + 1, false, NULL, NULL, KUBE_GATES_LATE, "", "" } } },
	{ "an object that is missing: wait for it",
	  "4.20.1",
	  false,
	  { { 0, true, NULL, NULL, KUBE_GATES_WAITING, "", MISSING("4.20.1") },
	    { DUE, true, NULL, NULL, KUBE_GATES_LATE, "", MISSING("4.20.1") } } },
	{ "an object that is missing: all gates are off",
	  "4.20.1",
	  true,
	  { { 0, false, NULL, NULL, KUBE_GATES_WAITING, "", "" },
	    { 10, true, NULL, NULL, KUBE_GATES_ABSENT, "", MISSING("4.20.1") },
	    { DUE, true, NULL, NULL, KUBE_GATES_SAME, "", MISSING("4.20.1") },
	    { DUE, true, AB, NULL, KUBE_GATES_CHANGED, "", "+A -B " } } },
	{ "an entry or an object that is lost changes nothing, whatever the time",
	  "4.20.1",
	  true,
	  { { 0, true, AB, NULL, KUBE_GATES_KNOWN, "+A -B ", "+A -B " },
	    { DUE, true, OTHER, NULL, KUBE_GATES_SAME, "+A -B ", MISSING("4.20.1") },
	    { DUE, true, NULL, NULL, KUBE_GATES_SAME, "+A -B ", MISSING("4.20.1") } } },
	{ "a release does not ask ClusterVersion",
	  "4.20.1",
	  false,
	  { { 0, true, BOTH, VERSION("4.19.0"), KUBE_GATES_KNOWN, "+A -B ", "+A -B " } } },
	{ "a build without a release does",
	  MC_GATES_SNAPSHOT,
	  false,
	  { { 0, true, BOTH, NULL, KUBE_GATES_WAITING, "", MISSING(MC_GATES_SNAPSHOT) },
	    { 10, true, BOTH, VERSION("4.18.0"), KUBE_GATES_WAITING, "", MISSING("4.18.0") },
	    { 20, true, BOTH, VERSION("4.20.1"), KUBE_GATES_KNOWN, "+A -B ", "+A -B " },
	    { 30, true, BOTH, VERSION("4.19.0"), KUBE_GATES_CHANGED, "+A -B ", "+B -A " } } },
};

static struct str text_of(struct arena *a, const struct mc_gates *g)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < g->enabled.n; i++)
		buf_addf(&b, "+%.*s ", STRF(g->enabled.v[i]));
	for (size_t i = 0; i < g->disabled.n; i++)
		buf_addf(&b, "-%.*s ", STRF(g->disabled.v[i]));
	return buf_str(&b);
}

static const struct json *parse(struct arena *a, const char *text)
{
	struct err err = ERR_INIT(a);
	struct json *tree = NULL;

	if (text && json_parse(a, str_dup(a, str_of(text)), NULL, &tree, &err) < 0)
		abort();
	return tree;
}

/* The objects of each step are gone before the next. */
static bool take(struct kube_gates *g, const struct gates_case *t, const struct step *s)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_gates now = { 0 };
	struct kube_gates_in in = { .listed = s->listed };
	enum kube_gates_result result;
	struct str said;

	in.feature_gate = parse(&a, s->feature_gate);
	in.cluster_version = parse(&a, s->cluster_version);
	now_ms = s->at;
	result = kube_gates_read(g, &in, &a, &now, &err);
	said = result == KUBE_GATES_KNOWN || result == KUBE_GATES_CHANGED ? text_of(&a, &now)
									  : err.msg;
	if (result != s->result)
		(void)printf("step %td: expected %d, got %d\n", s - t->steps, s->result, result);
	return result == s->result && test_same("kept", str_of(s->kept), text_of(&a, &g->names)) &&
	       test_same("said", str_of(s->said), said) &&
	       g->known == (result != KUBE_GATES_WAITING && result != KUBE_GATES_LATE);
}

TEST scripts(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const struct gates_case *t = &cases[i];
		struct kube_gates g = { .a = &a,
					.release = str_of(t->release),
					.due = DUE,
					.off_without = t->off_without };

		for (const struct step *s = t->steps; s < t->steps + 6 && s->kept; s++)
			ASSERTm(t->name, take(&g, t, s));
	}
	PASS();
}

TEST the_release_whose_gates_apply(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct kube_gates g = { .a = &a, .release = S(MC_GATES_SNAPSHOT) };

	ASSERT_STR(MC_GATES_SNAPSHOT, kube_gates_release(&g, NULL));
	ASSERT_STR("4.20.1", kube_gates_release(&g, parse(&a, VERSION("4.20.1"))));
	g.release = S("4.19.0");
	ASSERT_STR("4.19.0", kube_gates_release(&g, parse(&a, VERSION("4.20.1"))));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(scripts);
	RUN_TEST(the_release_whose_gates_apply);
}

TEST_MAIN(suite)
