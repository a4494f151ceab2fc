/* Selectors and reconcilability, as tables. */
#include "../test.h"

#include "mc/contents.h"
#include "mc/load.h"
#include "mc/reconcile.h"
#include "mc/selector.h"
#include "mc/types.h"

static struct json *parse(struct arena *a, const char *text)
{
	struct err err = ERR_INIT(a);
	struct json *j;

	if (json_parse(a, str_of(text), NULL, &j, &err) < 0)
		abort();
	return j;
}

TEST selectors(void)
{
	static const struct {
		const char *selector, *labels, *text;
		bool match;
	} cases[] = {
		{ "{\"matchLabels\":{\"b\":\"2\",\"a\":\"1\"}}",
		  "{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"}", "a=1,b=2", true },
		{ "{\"matchLabels\":{\"a\":\"1\"}}", "{\"a\":\"2\"}", "a=1", false },
		{ "{\"matchExpressions\":[{\"key\":\"r\",\"operator\":\"In\",\"values\":[\"worker\",\"infra\"]}]}",
		  "{\"r\":\"infra\"}", "r in (infra,worker)", true },
		{ "{\"matchExpressions\":[{\"key\":\"r\",\"operator\":\"NotIn\",\"values\":[\"x\"]}]}",
		  "{}", "r notin (x)", true },
		{ "{\"matchExpressions\":[{\"key\":\"r\",\"operator\":\"Exists\"}]}",
		  "{\"r\":\"\"}", "r", true },
		{ "{\"matchExpressions\":[{\"key\":\"r\",\"operator\":\"DoesNotExist\"}]}",
		  "{\"r\":\"\"}", "!r", false },
		{ "{}", "{}", "", true },
		{ "{\"matchExpressions\":[{\"key\":\"r\",\"operator\":\"Near\"}]}", NULL,
		  "\"Near\" is not a valid label selector operator", false },
		{ "{\"matchExpressions\":[{\"key\":\"r\",\"operator\":\"In\"}]}", NULL,
		  "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
		  false },
		{ "{\"matchExpressions\":[{\"key\":\"r\",\"operator\":\"Exists\",\"values\":[\"x\"]}]}",
		  NULL,
		  "values: Invalid value: [\"x\"]: values set must be empty for exists and does not exist",
		  false },
		{ "{\"matchLabels\":{\"bad key!\":\"x\"}}", NULL,
		  "key: Invalid value: \"bad key!\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
		  false },
		{ "{\"matchLabels\":{\"a\":\"no spaces\"}}", NULL,
		  "values[0][a]: Invalid value: \"no spaces\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
		  false },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct selector s;
		int rc = selector_make(&a, parse(&a, cases[i].selector), &s, &err);

		if (!cases[i].labels) {
			ASSERT_INT_M(cases[i].selector, -ERR_INVALID, rc);
			ASSERT_STR_M(cases[i].selector, str_of(cases[i].text), err.msg);
			continue;
		}
		ASSERT_INT_M(cases[i].selector, 0, rc);
		ASSERT_STR_M(cases[i].selector, str_of(cases[i].text), selector_text(&a, &s));
		ASSERT_INT_M(cases[i].selector, cases[i].match,
			     selector_matches(&s, parse(&a, cases[i].labels)));
	}
	PASS();
}

static struct mc_merged merged(struct arena *a, const char *rest)
{
	struct err err = ERR_INIT(a);
	struct mc_merged m = { 0 };
	struct str text =
		str_fmt(a, "{\"ignition\":{\"version\":\"3.5.0\"}%s%s}", *rest ? "," : "", rest);

	if (ign_parse_35(a, text, &m.config, &err) < 0) {
		(void)printf("%s: %.*s\n", rest, STRF(err.msg));
		abort();
	}
	return m;
}

TEST what_running_nodes_refuse(void)
{
	static const struct {
		const char *name, *from, *to, *want;
	} cases[] = {
		{ "files", "", "\"storage\":{\"files\":[{\"path\":\"/a\"}]}", NULL },
		{ "groups", "", "\"passwd\":{\"groups\":[{\"name\":\"g\"}]}",
		  "invalid passwd change(s): ignition Passwd Groups section contains changes" },
		{ "another user", "", "\"passwd\":{\"users\":[{\"name\":\"bob\"}]}",
		  "invalid passwd change(s): ignition passwd user section contains unsupported changes: non-core user" },
		{ "core without keys", "", "\"passwd\":{\"users\":[{\"name\":\"core\"}]}",
		  "invalid passwd change(s): ignition passwd user section contains unsupported changes: user must be core and have 1 or more sshKeys" },
		{ "core's shell", "",
		  "\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"k\"],\"shell\":\"/bin/sh\"}]}",
		  "invalid passwd change(s): SSH keys and password hash are not reconcilable" },
		{ "core's keys", "",
		  "\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"k\"]}]}",
		  NULL },
		{ "all users go",
		  "\"passwd\":{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"k\"]}]}", "",
		  NULL },
		{ "kernel arguments in Ignition", "",
		  "\"kernelArguments\":{\"shouldExist\":[\"a\"]}",
		  "ignition kargs section contains changes" },
		{ "disks", "", "\"storage\":{\"disks\":[{\"device\":\"/d\"}]}",
		  "ignition disks section contains changes" },
		{ "directories", "\"storage\":{\"directories\":[{\"path\":\"/d\"}]}", "",
		  "ignition directories section contains changes" },
		{ "links come", "", "\"storage\":{\"links\":[{\"path\":\"/l\",\"target\":\"/t\"}]}",
		  "ignition links section contains changes" },
		{ "links go", "\"storage\":{\"links\":[{\"path\":\"/l\",\"target\":\"/t\"}]}", "",
		  NULL },
		{ "append", "",
		  "\"storage\":{\"files\":[{\"path\":\"/a\",\"append\":[{\"source\":\"data:,x\"}]}]}",
		  "ignition file /a includes append" },
		{ "the force file", "",
		  "\"storage\":{\"files\":[{\"path\":\"/run/machine-config-daemon-force\"}]}",
		  "cannot create /run/machine-config-daemon-force via Ignition" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_overrides none = { 0 }, disks;
	struct mc_merged from, to;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got;

		from = merged(&a, cases[i].from);
		to = merged(&a, cases[i].to);
		got = mc_irreconcilable(&a, &from, &to, &none);
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), str_of(got));
	}
	disks = mc_overrides_of(parse(
		&a,
		"{\"spec\":{\"irreconcilableValidationOverrides\":{\"storage\":[\"Disks\"]}}}"));
	from = merged(&a, "");
	to = merged(&a, "\"storage\":{\"disks\":[{\"device\":\"/d\"}]}");
	ASSERT(!mc_irreconcilable(&a, &from, &to, &disks));
	to.fips = true;
	ASSERT_STR("detected change to FIPS flag; refusing to modify FIPS on a "
		   "running cluster",
		   str_of(mc_irreconcilable(&a, &from, &to, &disks)));
	PASS();
}

static struct mc mc_of(struct arena *a, struct str name, const char *config)
{
	struct mc mc = { .meta.name = name };

	mc.doc.tree = parse(a, str_fmt(a, "{\"spec\":{\"config\":%s}}", config).p);
	mc.config_tree = json_at(mc.doc.tree, "spec.config");
	return mc;
}

TEST who_is_blamed(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_overrides none = { 0 };
	struct mc_merged from = merged(&a, "");
	struct mc_merged to = merged(&a, "\"storage\":{\"directories\":[{\"path\":\"/d\"}]}");
	struct mc fine = mc_of(&a, S("10-a"), "{\"ignition\":{\"version\":\"3.5.0\"}}");
	struct mc bad = mc_of(
		&a, S("20-b"),
		"{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"directories\":[{\"path\":\"/d\"}]}}");
	struct mc_list sources = { 0 };

	VEC_PUSH(&a, &sources, &fine);
	VEC_PUSH(&a, &sources, &bad);
	ASSERT_INT(-ERR_INVALID, mc_reconcile(&a, S("rendered-old"), &from, S("rendered-new"), &to,
					      &sources, &none, &err));
	ASSERT_STR("reconciliation failed between current config "
		   "\"rendered-old\" and base config \"20-b\": ignition "
		   "directories section contains changes",
		   err.msg);
	sources.n = 1;
	ASSERT_INT(-ERR_INVALID, mc_reconcile(&a, S("rendered-old"), &from, S("rendered-new"), &to,
					      &sources, &none, &err));
	ASSERT_STR("render reconciliation error: new machineconfig "
		   "\"rendered-old\" is not reconcilable against "
		   "\"rendered-new\": ignition directories section contains "
		   "changes; component errors: <nil>",
		   err.msg);
	PASS();
}

TEST how_large_a_config_may_be(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	ASSERT_INT(0, mc_check_size(S("r"), 1572864, &err));
	ASSERT_INT(-ERR_INVALID, mc_check_size(S("r"), 1572865, &err));
	ASSERT_STR("rendered MachineConfig r is too large (1572865 bytes, max "
		   "1572864 bytes). This will exceed etcd's size limit. "
		   "Consider reducing the number or size of MachineConfigs, "
		   "particularly large registry mirror configurations "
		   "(ImageDigestMirrorSet/ImageContentSourcePolicy)",
		   err.msg);
	PASS();
}

/* Names decide, not the order of the manifests. */
TEST the_order_of_manifests_does_not_matter(void)
{
	struct test_rng rng = { 9 };

	for (int round = 0; round < 200; round++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct mc list[8];
		struct mc_list order = { 0 };
		struct str first = S("");

		for (int i = 0; i < 8; i++) {
			struct str config = str_fmt(
				&a,
				"{\"ignition\":{\"version\":\"3.5.0\"},\"storage\":{\"files\":[{\"path\":\"/f%u\",\"mode\":%u}]}}",
				test_rand(&rng, 4), test_rand(&rng, 512));

			list[i] = mc_of(&a, str_fmt(&a, "%d-mc", 10 + i), config.p);
			list[i].meta.labels =
				parse(&a, test_rand(&rng, 2) ? "{\"" LABEL_ROLE "\":\"worker\"}"
							     : "{\"" LABEL_ROLE "\":\"x\"}");
			VEC_PUSH(&a, &order, &list[i]);
		}
		for (int shuffle = 0; shuffle < 4; shuffle++) {
			struct mc_merged m;
			struct str name;

			for (uint32_t i = 8; i > 1; i--) {
				uint32_t k = test_rand(&rng, i);
				struct mc *t = order.v[i - 1];

				order.v[i - 1] = order.v[k];
				order.v[k] = t;
			}
			ASSERT_INT(0, mc_sort(&order, &err));
			ASSERT_INT(0, mc_merge(&a, &order, S(""), S(""), &m, &err));
			ASSERT_INT(0, mc_rendered_name(&a, S("p"), mc_spec(&a, &m), &name, &err));
			if (!first.n)
				first = name;
			ASSERT_STR_M("name", first, name);
		}
	}
	PASS();
}

TEST laying_one_set_over_another(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_fault fault = { 0 };
	struct mc_set base = { 0 }, over = { 0 }, both;

#define MC(name, karg)                                                             \
	"---\napiVersion: " API_MC "\nkind: MachineConfig\nmetadata: {name: " name \
	"}\nspec: {kernelArguments: [" karg "]}\n"
	ASSERT_INT(0, mc_load(&a, S("b"), S(MC("a", "old") MC("b", "kept")), &base, &fault, &err));
	ASSERT_INT(0, mc_load(&a, S("o"), S(MC("c", "more") MC("a", "new")), &over, &fault, &err));
	both = mc_overlay(&a, &base, &over);
	ASSERT_INT(3, (long long)both.mcs.n);
	ASSERT_STR("new", both.mcs.v[0]->kargs.v[0]);
	ASSERT_STR("kept", both.mcs.v[1]->kargs.v[0]);
	ASSERT_STR("more", both.mcs.v[2]->kargs.v[0]);
	ASSERT_STR("old", base.mcs.v[0]->kargs.v[0]);
	PASS();
}

#define CONFIG_CRS "apiVersion: config.openshift.io/v1\n"

TEST every_kind_goes_to_its_place(void)
{
	static const char one[] = CONFIG_CRS "kind: Node\nmetadata: {name: cluster}\n"
					     "spec: {cgroupMode: v2, novelty: 1}\n---\n" CONFIG_CRS
					     "kind: FeatureGate\nmetadata: {name: cluster}\n"
					     "---\napiVersion: v1\nkind: Secret\n"
					     "data: {a: '12 bytes long'}\n"
					     "---\napiVersion: v1\nkind: Node\nspec: 7\n";
	static const char two[] =
		CONFIG_CRS "kind: Node\nmetadata: {name: cluster}\n"
			   "spec: {workerLatencyProfile: Default}\n---\n" CONFIG_CRS
			   "kind: Node\nmetadata: {name: other}\n---\n" CONFIG_CRS
			   "kind: ImagePolicy\nmetadata: {name: p, namespace: team}\n";
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_set base = { 0 }, over = { 0 }, both;
	struct mc_fault f;
	struct buf b;

	ASSERT_INT(0, mc_load(&a, S("b"), str_of(one), &base, &f, &err));
	ASSERT_INT(4, base.objects);
	ASSERT_INT(2, base.others.n);
	ASSERT_STR("b", mc_find(&base, MC_NODE_CONFIG, NULL)->file);
	ASSERT(!mc_find(&base, MC_NODE_CONFIG, "other"));
	buf_init(&b, &a);
	json_encode(&b,
		    shape_marshal(&a, &mc_shapes, mc_type(MC_NODE_CONFIG),
				  mc_find(&base, MC_NODE_CONFIG, NULL)->tree),
		    JSON_SORTED);
	ASSERT_STR("{\"apiVersion\":\"config.openshift.io/v1\",\"kind\":"
		   "\"Node\",\"metadata\":{\"name\":\"cluster\"},\"spec\":{"
		   "\"cgroupMode\":\"v2\",\"minimumKubeletVersion\":\"\"},"
		   "\"status\":{}}",
		   buf_str(&b));

	ASSERT_INT(0, mc_load(&a, S("o"), str_of(two), &over, &f, &err));
	ASSERT_STR("team", mc_find(&over, MC_IMAGE_POLICY, "p")->namespace);
	both = mc_overlay(&a, &base, &over);
	ASSERT_INT(4, both.others.n);
	ASSERT_STR("o", mc_find(&both, MC_NODE_CONFIG, "cluster")->file);
	ASSERT_STR("other", mc_find(&both, MC_NODE_CONFIG, NULL)->meta.name);

	ASSERT_INT(-ERR_INVALID,
		   mc_load(&a, S("x.yaml"), S(CONFIG_CRS "kind: Node\nspec: {cgroupMode: 2}\n"),
			   &over, &f, &err));
	ASSERT_STR("error parsing \"x.yaml\" [1] manifest: json: cannot "
		   "unmarshal number into Go struct field "
		   "NodeSpec.spec.cgroupMode of type v1.CgroupMode",
		   err.msg);
	ASSERT_INT(3, f.line);
	ASSERT_INT(20, f.col);
	/* a type with its own decoder ends decoding, even after earlier errors */
	ASSERT_INT(-ERR_INVALID, mc_load(&a, S("x.yaml"),
					 S(CONFIG_CRS "kind: Node\nmetadata:\n  labels: [1]\n"
						      "  creationTimestamp: soon\n"
						      "  generation: much\n"),
					 &over, &f, &err));
	ASSERT_STR("parsing time \"soon\" as \"2006-01-02T15:04:05Z07:00\": "
		   "cannot parse \"soon\" as \"2006\"",
		   f.problem);
	ASSERT_INT(5, f.line);
	ASSERT_INT(22, f.col);
	PASS();
}

TEST units_by_their_paths(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_merged m = merged(
		&a,
		"\"systemd\":{\"units\":[{\"name\":\"u.service\",\"contents\":\"[Unit]\\n\",\"dropins\":[{\"name\":\"d.conf\",\"contents\":\"[Service]\\n\"}]}]}");
	struct str text;

	ASSERT(mc_unit_text(&a, m.config, S("u.service"), &text));
	ASSERT_STR("[Unit]\n", text);
	ASSERT(mc_unit_text(&a, m.config, S("/etc/systemd/system/u.service.d/d.conf"), &text));
	ASSERT_STR("[Service]\n", text);
	ASSERT(!mc_unit_text(&a, m.config, S("/etc/systemd/system/x.service"), &text));
	PASS();
}

static const struct {
	const char *part;
	int rc;
	const char *path, *text; /* text: or the error */
} parts[] = {
	{ "/etc/a", 0, "/etc/a", "A" },
	{ "u.service", 0, "u.service", "[Unit]\n" },
	{ "unit/u.service", 0, "u.service", "[Unit]\n" },
	{ "dropin/u.service/d.conf", 0, "/etc/systemd/system/u.service.d/d.conf", "[Service]\n" },
	{ "/etc/b", -ERR_NOTFOUND, "", "c has no file or unit /etc/b (did you mean /etc/a?)" },
	{ "unit/x.service", -ERR_NOTFOUND, "",
	  "c has no file or unit x.service (did you mean u.service?)" },
	{ "/etc/far", -ERR_NOTFOUND, "", "/etc/far in c: contents are at http://x/" },
};

TEST parts_by_the_names_of_users(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_merged m = merged(
		&a,
		"\"storage\":{\"files\":[{\"path\":\"/etc/a\",\"contents\":{\"source\":\"data:,A\"}},{\"path\":\"/etc/far\",\"contents\":{\"source\":\"http://x/\"}}]},\"systemd\":{\"units\":[{\"name\":\"u.service\",\"contents\":\"[Unit]\\n\",\"dropins\":[{\"name\":\"d.conf\",\"contents\":\"[Service]\\n\"}]}]}");

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const char *name = parts[i].part;
		struct mc_part_bytes out = { .path = S("") };

		ASSERT_INT_M(name, parts[i].rc,
			     mc_part_contents(&a, S("c"), m.config, str_of(name), &out, &err));
		ASSERT_STR_M(name, str_of(parts[i].path), out.path);
		ASSERT_STR_M(name, str_of(parts[i].text), parts[i].rc < 0 ? err.msg : out.text);
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(selectors);
	RUN_TEST(what_running_nodes_refuse);
	RUN_TEST(who_is_blamed);
	RUN_TEST(how_large_a_config_may_be);
	RUN_TEST(the_order_of_manifests_does_not_matter);
	RUN_TEST(laying_one_set_over_another);
	RUN_TEST(every_kind_goes_to_its_place);
	RUN_TEST(units_by_their_paths);
	RUN_TEST(parts_by_the_names_of_users);
}

TEST_MAIN(suite)
