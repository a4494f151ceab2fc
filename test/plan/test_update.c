/*
 * The steps of an update: the daemon scenarios that need no node, as a table.
 * Configs are abbreviated: MachineConfig specs as JSON.
 */
#include "../test.h"

#include "base/codec.h"
#include "data/toml.h"
#include "plan/update.h"

static struct mc_merged merged(struct arena *a, const char *spec)
{
	struct err err = ERR_INIT(a);
	struct mc_list list = { 0 };
	struct docs docs = { 0 };
	struct mc_merged m;
	struct mc *mc = ARENA_NEW(a, struct mc);
	struct str text = str_fmt(a,
				  "{\"apiVersion\":\"" API_MC "\",\"kind\":\"MachineConfig\","
				  "\"metadata\":{\"name\":\"r\",\"labels\":{\"a\":\"b\"}},"
				  "\"spec\":%s}",
				  spec);

	if (docs_parse(a, text, &docs, NULL, &err) < 0 || mc_decode(a, &docs.v[0], mc, &err) < 0) {
		(void)printf("%s: %.*s\n", spec, STRF(err.msg));
		abort();
	}
	VEC_PUSH(a, &list, mc);
	if (mc_merge(a, &list, S("os"), S("ext"), &m, &err) < 0) {
		(void)printf("%s: %.*s\n", spec, STRF(err.msg));
		abort();
	}
	return m;
}

/* A config with these files: "path=contents path=contents". */
static const char *files(struct arena *a, const char *list)
{
	struct str rest = str_of(list), one;
	struct buf b;
	bool more = *list != '\0';

	buf_init(&b, a);
	buf_addz(&b, "{\"config\":{\"ignition\":{\"version\":\"3.5.0\"},"
		     "\"storage\":{\"files\":[");
	while (more) {
		struct str path, text;

		more = str_cut(rest, ' ', &one, &rest);
		if (!more)
			one = rest;
		if (!str_cut(one, '=', &path, &text))
			abort();
		if (b.p[b.n - 1] == '}')
			buf_addc(&b, ',');
		buf_addf(&b, "{\"path\":\"%.*s\",\"contents\":{\"source\":\"%.*s\"}}", STRF(path),
			 STRF(dataurl_text(a, text)));
	}
	buf_addz(&b, "]}}}");
	return b.p;
}

static struct str told(struct arena *a, const struct update_plan *p)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < p->n; i++) {
		buf_addf(&b, "%s", update_kind_name(p->v[i].kind));
		if (p->v[i].service.n)
			buf_addf(&b, " %.*s", STRF(p->v[i].service));
		buf_addf(&b, " [%.*s: %.*s]\n", STRF(p->v[i].cause), STRF(p->v[i].rule));
	}
	if (p->drain)
		buf_addf(&b, "drain: %.*s\n", STRF(p->drain_reason));
	return buf_str(&b);
}

static struct str decide(struct arena *a, const char *from, const char *to,
			 const char *machine_configuration, bool force)
{
	struct mc_merged f = merged(a, from), t = merged(a, to);
	struct err err = ERR_INIT(a);
	struct update_in in = { .from = &f, .to = &t, .force = force };
	struct update_plan plan;
	struct json *j;

	if (machine_configuration) {
		if (json_parse(a, str_of(machine_configuration), NULL, &j, &err) < 0)
			abort();
		in.policies = update_policies(a, j);
	}
	if (plan_update(a, &in, &plan, &err) < 0)
		return str_fmt(a, "Error: %.*s", STRF(err.msg));
	return told(a, &plan);
}

TEST what_always_reboots(void)
{
	static const struct {
		const char *name, *from, *to, *want;
	} cases[] = {
		{ "OS image", "{}", "{\"osImageURL\":\"new\"}",
		  "Reboot [osImageURL: a new OS image needs a reboot]\n" },
		{ "kernel arguments", "{\"kernelArguments\":[\"a\",\"b\"]}",
		  "{\"kernelArguments\":[\"b\",\"a\"]}",
		  "Reboot [kernelArguments: new kernel arguments need a reboot]\n" },
		{ "kernel type", "{}", "{\"kernelType\":\"realtime\"}",
		  "Reboot [kernelType: another kernel needs a reboot]\n" },
		{ "extensions and FIPS", "{}", "{\"extensions\":[\"usbguard\"],\"fips\":true}",
		  "Reboot [fips: FIPS mode needs a reboot]\n"
		  "Reboot [extensions: OS extensions need a reboot]\n" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_M(cases[i].name,
			     str_fmt(&a, "%sdrain: the node reboots\n", cases[i].want),
			     decide(&a, cases[i].from, cases[i].to, NULL, false));
	ASSERT_STR("None [nothing: no files, units or users differ]\n",
		   decide(&a, "{}", "{}", NULL, false));
	ASSERT_STR("Reboot [force file: the force file requests a reboot]\n"
		   "drain: the node reboots\n",
		   decide(&a, "{}", "{}", NULL, true));
	PASS();
}

TEST files_by_policy(void)
{
	static const struct {
		const char *from, *to, *want;
	} cases[] = {
		{ "", "/etc/foo=x",
		  "Reboot [file /etc/foo: no disruption policy for this path]\n"
		  "drain: the node reboots\n" },
		{ "/etc/kubernetes/kubelet-ca.crt=x", "",
		  "Reboot [file /etc/kubernetes/kubelet-ca.crt: no disruption policy for this path]\n"
		  "drain: the node reboots\n" },
		{ "/etc/containers/policy.json=a", "/etc/containers/policy.json=b",
		  "Reload crio.service [file /etc/containers/policy.json: policy for /etc/containers/policy.json]\n" },
		{ "",
		  "/etc/containers/registries.d/a.yaml=x /var/lib/kubelet/config.json=y /etc/nmstate/openshift/x.yml=z",
		  "Reload crio.service [file /etc/containers/registries.d/a.yaml: policy for /etc/containers/registries.d]\n" },
		{ "", "/etc/containers/registries.d/a=x /etc/containers/registries.d/b=y",
		  "Reload crio.service [file /etc/containers/registries.d/a: policy for /etc/containers/registries.d]\n"
		  "Reload crio.service [file /etc/containers/registries.d/b: policy for /etc/containers/registries.d]\n" },
		{ "", "/etc/containers/registries.dd/a=x",
		  "Reboot [file /etc/containers/registries.dd/a: no disruption policy for this path]\n"
		  "drain: the node reboots\n" },
		{ "", "/var/lib/kubelet/config.json=y /etc/nmstate/openshift/x=z",
		  "None [file /etc/nmstate/openshift/x: policy for /etc/nmstate/openshift]\n" },
		{ "", "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt=x",
		  "Restart coreos-update-ca-trust.service [file /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt: policy for /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt]\n"
		  "Restart crio.service [file /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt: policy for /etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt]\n" },
		/* only the order differs: nothing to do */
		{ "/a=1 /b=2", "/b=2 /a=1", "" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_M(
			cases[i].to, str_of(cases[i].want),
			decide(&a, files(&a, cases[i].from), files(&a, cases[i].to), NULL, false));
	PASS();
}

TEST policies_of_the_cluster(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const char *spec =
		"{\"spec\":{\"nodeDisruptionPolicy\":{\"files\":["
		"{\"path\":\"/etc/mco/f1\",\"actions\":[{\"type\":\"None\"}]},"
		"{\"path\":\"/etc/mco/f1/f2\",\"actions\":[{\"type\":\"Reboot\"}]},"
		"{\"path\":\"/etc/foo\",\"actions\":[{\"type\":\"Drain\"},{\"type\":\"Reload\",\"reload\":{\"serviceName\":\"a.service\"}}]},"
		"{\"path\":\"/etc/containers/policy.json\",\"actions\":[{\"type\":\"None\"}]}],"
		"\"units\":[{\"name\":\"u.service\",\"actions\":[{\"type\":\"DaemonReload\"},{\"type\":\"Restart\",\"restart\":{\"serviceName\":\"u.service\"}}]}],"
		"\"sshkey\":{\"actions\":[{\"type\":\"Drain\"}]}}}}";
	const char *odd = "{\"status\":{\"nodeDisruptionPolicyStatus\":{\"clusterPolicies\":{"
			  "\"files\":[{\"path\":\"/\",\"actions\":[{\"type\":\"None\"}]},"
			  "{\"path\":\"/etc/g/\",\"actions\":[{\"type\":\"None\"}]},"
			  "{\"path\":\"/etc/i\",\"actions\":[{\"type\":\"None\"}]},"
			  "{\"path\":\"/etc/i\",\"actions\":[{\"type\":\"Reboot\"}]}]}}}}";
	const char *with_unit = "{\"config\":{\"ignition\":{\"version\":\"3.5.0\"},\"systemd\":"
				"{\"units\":[{\"name\":\"u.service\",\"enabled\":true}]}}}";
	const char *with_key = "{\"config\":{\"ignition\":{\"version\":\"3.5.0\"},\"passwd\":"
			       "{\"users\":[{\"name\":\"core\",\"sshAuthorizedKeys\":[\"k\"]}]}}}";

	ASSERT_STR("Reboot [file /etc/mco/f1/f2/example: policy for /etc/mco/f1/f2]\n"
		   "drain: the node reboots\n",
		   decide(&a, "{}", files(&a, "/etc/mco/f1/f2/example=x"), spec, false));
	ASSERT_STR("None [file /etc/mco/f1/x: policy for /etc/mco/f1]\n",
		   decide(&a, "{}", files(&a, "/etc/mco/f1/x=x"), spec, false));
	ASSERT_STR("Drain [file /etc/foo: policy for /etc/foo]\n"
		   "Reload a.service [file /etc/foo: policy for /etc/foo]\n"
		   "drain: file /etc/foo: policy for /etc/foo\n",
		   decide(&a, "{}", files(&a, "/etc/foo=x"), spec, false));
	ASSERT_STR(
		"None [file /etc/containers/policy.json: policy for /etc/containers/policy.json]\n",
		decide(&a, "{}", files(&a, "/etc/containers/policy.json=x"), spec, false));
	ASSERT_STR("DaemonReload [unit u.service: policy for this unit]\n"
		   "Restart u.service [unit u.service: policy for this unit]\n",
		   decide(&a, "{}", with_unit, spec, false));
	ASSERT_STR("Reboot [unit u.service: no disruption policy for this unit]\n"
		   "drain: the node reboots\n",
		   decide(&a, "{}", with_unit, NULL, false));
	/* a policy for a directory is not one for a file; "/" is above nothing; the
	 * first of two wins */
	ASSERT_STR("Reboot [file /etc/g: no disruption policy for this path]\n"
		   "drain: the node reboots\n",
		   decide(&a, "{}", files(&a, "/etc/g=x"), odd, false));
	ASSERT_STR("None [file /etc/g/h: policy for /etc/g/]\n",
		   decide(&a, "{}", files(&a, "/etc/g/h=x"), odd, false));
	ASSERT_STR("None [file /etc/i: policy for /etc/i]\n",
		   decide(&a, "{}", files(&a, "/etc/i=x"), odd, false));
	ASSERT_STR("None [users: policy for SSH keys]\n", decide(&a, "{}", with_key, NULL, false));
	ASSERT_STR("Drain [users: policy for SSH keys]\n"
		   "drain: users: policy for SSH keys\n",
		   decide(&a, "{}", with_key, spec, false));
	PASS();
}

#define REG "[[registry]]\nlocation=\"r\"\n"
#define MIRROR(where, how) \
	"[[registry.mirror]]\nlocation=\"" where "\"\npull-from-mirror=\"" how "\"\n"

TEST registries_that_need_a_drain(void)
{
	static const struct {
		const char *name, *from, *to, *why;
	} cases[] = {
		{ "a registry with a digest-only mirror is added", "",
		  REG MIRROR("m", "digest-only"), "" },
		{ "a blocked registry without mirrors is added", "", REG "blocked=true\n",
		  "registry r: it was added without digest-only mirrors" },
		{ "a registry is added with a mirror for tags", "", REG MIRROR("m", "all"),
		  "registry r: it was added with a mirror that serves tags too" },
		{ "mirror-by-digest-only without mirrors is added", "",
		  REG "mirror-by-digest-only=true\n", "" },
		{ "a registry is removed", REG, "", "registry r was removed" },
		{ "the search list grows at its end", "unqualified-search-registries=['a']\n",
		  "unqualified-search-registries=['a', 'b']\n", "" },
		{ "the search list shrinks", "unqualified-search-registries=['a']\n", "",
		  "unqualified-search-registries shrank or changed" },
		{ "the search list is reordered", "unqualified-search-registries=['a','b']\n",
		  "unqualified-search-registries=['b','a']\n",
		  "unqualified-search-registries shrank or changed" },
		{ "blocked changes", REG, REG "blocked=true\n",
		  "registry r: blocked or insecure changed" },
		{ "a mirror goes", REG MIRROR("m", "digest-only"), REG,
		  "registry r: a mirror was removed" },
		{ "a digest-only mirror comes", REG, REG MIRROR("m", "digest-only"), "" },
		{ "a mirror comes under mirror-by-digest-only", REG "mirror-by-digest-only=true\n",
		  REG "mirror-by-digest-only=true\n[[registry.mirror]]\nlocation='m'\n", "" },
		{ "a mirror turns to tags", REG MIRROR("m", "digest-only"), REG MIRROR("m", "all"),
		  "registry r: a mirror is no longer used for digests only" },
		{ "registries are reordered",
		  REG MIRROR("m", "digest-only") "[[registry]]\nprefix='p'\n",
		  "[[registry]]\nprefix='p'\n" REG MIRROR("m", "digest-only"), "" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str spec[2];
		const char *texts[2] = { cases[i].from, cases[i].to };

		for (int k = 0; k < 2; k++)
			spec[k] = str_fmt(
				&a,
				"{\"config\":{\"ignition\":{\"version\":\"3.5.0\"},"
				"\"storage\":{\"files\":[{\"path\":\"/etc/containers/registries.conf\","
				"\"contents\":{\"source\":\"%.*s\"}}]}}}",
				STRF(dataurl_text(&a, str_of(texts[k]))));
		ASSERT_STR_M(
			cases[i].name,
			str_fmt(&a,
				"Special crio [file /etc/containers/registries.conf: policy for /etc/containers/registries.conf]\n%s%s%s",
				*cases[i].why ? "drain: " : "", cases[i].why,
				*cases[i].why ? "\n" : ""),
			decide(&a, spec[0].p, spec[1].p, NULL, false));
	}
	ASSERT_STR("Error: failed decoding TOML content from file "
		   "/etc/containers/registries.conf: toml: line 1 (last key "
		   "\"a\"): unexpected EOF; expected value",
		   decide(&a, files(&a, "/etc/containers/registries.conf=a=["),
			  files(&a, "/etc/containers/registries.conf=b=1"), NULL, false));
	PASS();
}

#define LAYERS "{\"kernelType\":\"realtime\",\"extensions\":[\"usbguard\"]}"
#define OTHER "{\"osImageURL\":\"new\",\"extensions\":[\"usbguard\"]}"

TEST hosts_without_rpm_ostree(void)
{
	static const struct {
		const char *name, *from, *to;
		bool built, refused;
	} cases[] = {
		{ "another image", "{}", "{\"osImageURL\":\"new\"}", false, false },
		{ "kernel arguments", "{}", "{\"kernelArguments\":[\"a\"]}", false, true },
		{ "none any more", "{\"kernelArguments\":[\"a\"]}", "{}", false, true },
		{ "layers", "{}", LAYERS, false, true },
		{ "no layers any more", LAYERS, "{}", false, true },
		{ "layers that are in the image", "{}", LAYERS, true, false },
		{ "kernel arguments never are", "{}", "{\"kernelArguments\":[\"a\"]}", true, true },
		{ "an image under extensions", "{\"extensions\":[\"usbguard\"]}", OTHER, false,
		  true },
		{ "extensions that stay", OTHER, OTHER, false, false },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mc_merged f = merged(&a, cases[i].from);
		struct mc_merged t = merged(&a, cases[i].to);
		struct update_in in = {
			.from = &f, .to = &t, .image_only = true, .built = cases[i].built
		};
		int want = cases[i].refused ? -ERR_INVALID : 0;
		struct err err = ERR_INIT(&a);
		struct update_plan plan;

		ASSERT_EQm(cases[i].name, want, plan_update(&a, &in, &plan, &err));
		ASSERT_EQm(cases[i].name, want, plan_update_legacy(&a, &in, &plan, &err));
		in.image_only = false;
		ASSERT_EQm(cases[i].name, 0, plan_update(&a, &in, &plan, &err));
	}
	PASS();
}

TEST toml(void)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "", "{}" },
		{ "a = 1 # c\nb.c = 'x\\y'\n\"d e\" = \"\\u0041\\n\"\n",
		  "{\"a\":1,\"b\":{\"c\":\"x\\\\y\"},\"d e\":\"A\\n\"}" },
		{ "[t]\nx=0x1F\ny=1_000\nz=1.5\n[t.u]\nw=true\n",
		  "{\"t\":{\"x\":31,\"y\":1000,\"z\":1.5,\"u\":{\"w\":true}}}" },
		{ "[[r]]\na=1\n[[r.m]]\nb=2\n[[r]]\na=3\n",
		  "{\"r\":[{\"a\":1,\"m\":[{\"b\":2}]},{\"a\":3}]}" },
		{ "a=[1,\n 2, # x\n]\nt={x=1, y='z'}\n",
		  "{\"a\":[1,2],\"t\":{\"x\":1,\"y\":\"z\"}}" },
		{ "s=\"\"\"\nx\\\n  y\"\"\"\nl='''a\nb'''\n", "{\"s\":\"xy\",\"l\":\"a\\nb\"}" },
		{ "d=1979-05-27 07:32:00\r\ne=07:32:00\r\n",
		  "{\"d\":\"1979-05-27 07:32:00\",\"e\":\"07:32:00\"}" },
		{ "a=1\na=2\n", "toml: line 2 (last key \"a\"): key has already been defined" },
		{ "[t]\n[t]\n", "toml: line 2 (last key \"t\"): table has already been defined" },
		{ "a=\"x\n", "toml: line 1 (last key \"a\"): strings cannot contain newlines" },
		{ "a=1 b=2",
		  "toml: line 1 (last key \"a\"): expected a top-level item to end with a newline, comment, or EOF" },
		{ "=1", "toml: line 1: expected a key" },
		{ "a",
		  "toml: line 1 (last key \"a\"): unexpected EOF; expected key separator '='" },
		{ "a=x", "toml: line 1 (last key \"a\"): expected value but found \"x\" instead" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct json *j;
		struct buf b;

		buf_init(&b, &a);
		if (toml_parse(&a, str_of(cases[i].in), &j, &err) < 0)
			buf_add(&b, err.msg);
		else
			json_encode(&b, j, 0);
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want), buf_str(&b));
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(what_always_reboots);
	RUN_TEST(files_by_policy);
	RUN_TEST(policies_of_the_cluster);
	RUN_TEST(registries_that_need_a_drain);
	RUN_TEST(hosts_without_rpm_ostree);
	RUN_TEST(toml);
}

TEST_MAIN(suite)
