#include "../test.h"

#include "plan/managed.h"

#define KC(name, more)                                                  \
	"apiVersion: machineconfiguration.openshift.io/v1\n"            \
	"kind: KubeletConfig\nmetadata: {name: " name more "}\nspec:\n" \
	"  machineConfigPoolSelector: {matchLabels: {p: w}}\n---\n"
#define CRC(name, more)                                                   \
	"apiVersion: machineconfiguration.openshift.io/v1\n"              \
	"kind: ContainerRuntimeConfig\nmetadata: {name: " name more "}\n" \
	"spec:\n  machineConfigPoolSelector: {matchLabels: {p: w}}\n---\n"
#define SUFFIX(s)                                                               \
	", annotations: {machineconfiguration.openshift.io/mc-name-suffix: '" s \
	"'}"
#define MADE(day) ", creationTimestamp: '2026-11-" day "T00:00:00Z'"
#define POOL                                                           \
	"apiVersion: machineconfiguration.openshift.io/v1\n"           \
	"kind: MachineConfigPool\nmetadata: {name: worker, uid: u-1, " \
	"labels: {p: w}}\n---\n"

/* The object named x asks; the answer is "name old_name annotate:suffix". */
static const struct {
	const char *name, *manifests, *mcs, *want;
} cases[] = {
	{ "the only one has no number", KC("x", ""), "",
	  "99-worker-generated-kubelet 99-worker-u-1-kubelet :" },
	{ "one of another kind does not count", KC("x", "") CRC("z", ""), "",
	  "99-worker-generated-kubelet 99-worker-u-1-kubelet :" },
	{ "a runtime config has names of its own", CRC("x", ""), "",
	  "99-worker-generated-containerruntime "
	  "99-worker-u-1-containerruntime :" },
	{ "the annotation decides", KC("x", SUFFIX("4")) KC("z", ""), "",
	  "99-worker-generated-kubelet-4  -" },
	{ "an empty annotation decides too",
	  KC("x", SUFFIX("")) KC("z", SUFFIX("2")), "",
	  "99-worker-generated-kubelet 99-worker-u-1-kubelet -" },
	{ "a new one gets the next number",
	  KC("a", SUFFIX("")) KC("b", SUFFIX("3")) KC("x", MADE("02")), "",
	  "99-worker-generated-kubelet-4  :4" },
	{ "the second is number one", KC("a", SUFFIX("")) KC("x", ""), "",
	  "99-worker-generated-kubelet-1  :1" },
	{ "the eleventh is one too many", KC("a", SUFFIX("9")) KC("x", ""), "",
	  "max number of supported kubelet config (10) has been reached. "
	  "Please delete old kubelet configs before retrying" },
	{ "the eleventh runtime config", CRC("a", SUFFIX("9")) CRC("x", ""), "",
	  "max number of supported ctrcfgs (10) has been reached. Please "
	  "delete old ctrcfgs before retrying" },
	{ "a suffix that is no number", KC("a", SUFFIX("one")) KC("x", ""), "",
	  "error converting one to int: strconv.Atoi: parsing \"one\": invalid "
	  "syntax" },
	{ "an old one without annotation is known by its finalizers",
	  KC("x", MADE("01") ", finalizers: [99-worker-generated-kubelet, "
			     "99-worker-generated-kubelet-2, "
			     "99-worker-generated-kubelet-7, other]")
		  KC("z", MADE("02")),
	  "99-worker-generated-kubelet 99-worker-generated-kubelet-2 other",
	  "99-worker-generated-kubelet-2  :2" },
	{ "finalizers without a MachineConfig say nothing",
	  KC("x", MADE("01") ", finalizers: [99-worker-generated-kubelet-2]")
		  KC("z", MADE("02")),
	  "", "99-worker-generated-kubelet-1  :1" },
	{ "the newest is not known by its finalizers",
	  KC("x", MADE("03") ", finalizers: [99-worker-generated-kubelet-2]")
		  KC("z", MADE("02")),
	  "99-worker-generated-kubelet-2",
	  "99-worker-generated-kubelet-1  :1" },
};

TEST names(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = ERR_INIT(&a);
		struct mc_set set = { 0 };
		struct mc_fault f;
		struct map mcs;
		struct managed m = { 0 };
		struct str rest = str_of(cases[i].mcs), got = S("");
		struct managed_in in = { .mcs = &mcs };

		map_init(&mcs, &a);
		while (rest.n) {
			struct str one = rest;

			if (!str_cut(rest, ' ', &one, &rest))
				rest = S("");
			(void)map_put(&mcs, one, &mcs);
		}
		ASSERT_INT_M(cases[i].name, 0,
			     mc_load(&a, S("f"),
				     str_fmt(&a, POOL "%s", cases[i].manifests),
				     &set, &f, &err));
		in.pool = set.pools.v[0];
		in.all = &set.others;
		for (size_t k = 0; k < set.others.n; k++)
			if (str_is(set.others.v[k]->meta.name, "x"))
				in.config = set.others.v[k];
		if (managed_name(&a, &in, &m, &err) < 0)
			got = err.msg;
		else
			got = str_fmt(&a, "%.*s %.*s %s%.*s", STRF(m.name),
				      STRF(m.old_name), m.annotate ? ":" : "-",
				      STRF(m.suffix));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), got);
	}
	PASS();
}

#define C(type, time, message)                        \
	"{\"type\":\"" type "\",\"status\":\"True\"," \
	"\"lastTransitionTime\":\"" time "\",\"message\":\"" message "\"}"
#define OLD "2026-11-01T00:00:00Z"
#define NOW "2026-11-16T10:00:00Z"

TEST statuses(void)
{
	static const struct {
		const char *name;
		enum mc_kind kind;
		const char *conditions, *failure, *want;
	} table[] = {
		{ "the first", MC_KUBELET_CONFIG, "", NULL,
		  C("Success", NOW, "Success") },
		{ "the same again only gets a new time", MC_KUBELET_CONFIG,
		  C("Failure", OLD, "Success"), NULL,
		  C("Failure", NOW, "Success") },
		{ "of a runtime config all of it", MC_RUNTIME_CONFIG,
		  C("Failure", OLD, "Success"), NULL,
		  C("Success", NOW, "Success") },
		{ "another message is another condition", MC_KUBELET_CONFIG,
		  C("Success", OLD, "Success"), "no such luck",
		  C("Success", OLD, "Success") "," C("Failure", NOW,
						     "no such luck") },
		{ "a KubeletConfig keeps three", MC_KUBELET_CONFIG,
		  C("Failure", OLD, "a") "," C("Failure", OLD,
					       "b") "," C("Failure", OLD, "c"),
		  NULL,
		  C("Failure", OLD, "b") "," C("Failure", OLD, "c") "," C(
			  "Success", NOW, "Success") },
		{ "a runtime config keeps all", MC_RUNTIME_CONFIG,
		  C("Failure", OLD, "a") "," C("Failure", OLD,
					       "b") "," C("Failure", OLD, "c"),
		  NULL,
		  C("Failure", OLD, "a") "," C("Failure", OLD, "b") "," C(
			  "Failure", OLD, "c") "," C("Success", NOW,
						     "Success") },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct instant now;

	ASSERT(rfc3339_parse(S(NOW), &now));
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct err err = ERR_INIT(&a);
		struct mc_object o = { .kind = table[i].kind };
		struct buf b;

		ASSERT_INT_M(
			table[i].name, 0,
			json_parse(&a,
				   str_fmt(&a,
					   "{\"metadata\":{\"generation\":7},"
					   "\"status\":{\"conditions\":[%s]}}",
					   table[i].conditions),
				   NULL, &o.tree, &err));
		buf_init(&b, &a);
		json_encode(&b, managed_status(&a, &o, table[i].failure, now),
			    0);
		ASSERT_STR_M(table[i].name,
			     str_fmt(&a,
				     "{\"observedGeneration\":7,"
				     "\"conditions\":[%s]}",
				     table[i].want),
			     buf_str(&b));
	}
	PASS();
}

SUITE(managed)
{
	RUN_TEST(names);
	RUN_TEST(statuses);
}

TEST_MAIN(managed)
