/*
 * Template trees: the output for upstream's golden render data, byte for byte,
 * and the layout rules on small trees.
 */
#include "../test.h"

#include <dirent.h>
#include <unistd.h>

#include "mc/contents.h"
#include "plan/template.h"

#define CASES "test/golden/gotemplate"

/* ---- golden -------------------------------------------------------------- */

static int by_name(const struct dirent **x, const struct dirent **y)
{
	return strcmp((*x)->d_name, (*y)->d_name);
}

static bool run_case(const char *dir)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const char *want = str_fmt(&a, "%s/expected.txt", dir).p;
	struct json *j = NULL;
	struct str out = S("");

	if (access(want, R_OK) < 0)
		want = str_fmt(&a, "%s/error.txt", dir).p;
	if (json_parse(&a, test_file(&a, str_fmt(&a, "%s/renderconfig.json", dir).p), NULL, &j,
		       &err) < 0 ||
	    template_one(&a, "template.tmpl", test_file(&a, str_fmt(&a, "%s/template.tmpl", dir).p),
			 j, true, &out, &err) < 0)
		out = str_fmt(&a, "%.*s\n", STRF(err.msg));
	return test_same(dir, test_file(&a, want), out);
}

TEST golden_render_data(void)
{
	struct dirent **list = NULL;
	int n = scandir(CASES, &list, NULL, by_name), run = 0, bad = 0;

	if (n < 0)
		FAILm("no " CASES);
	for (int i = 0; i < n; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		const char *dir = str_fmt(&a, CASES "/%s", list[i]->d_name).p;

		if (access(str_fmt(&a, "%s/renderconfig.json", dir).p, R_OK) == 0) {
			run++;
			bad += !run_case(dir);
		}
		free(list[i]);
	}
	free(list);
	ASSERT_INT(0, bad);
	ASSERT_INT(15, run);
	PASS();
}

/* ---- one expression over the render data --------------------------------- */

static struct str eval(struct arena *a, const char *data, const char *source)
{
	struct err err = ERR_INIT(a);
	struct json *j = NULL;
	struct str out;

	if (json_parse(a, str_of(data), NULL, &j, &err) < 0 ||
	    template_one(a, "t", str_of(source), j, true, &out, &err) < 0)
		return err.msg;
	return out;
}

#define PLATFORM(json) "{\"spec\":{\"infra\":{\"status\":{\"platformStatus\":" json "}}}}"
#define AT(col, at) \
	"failed to execute template: template: t:1:" #col ": executing \"t\" at <" at ">: "

TEST values_are_gos(void)
{
	static const char none[] = PLATFORM("{\"type\":\"None\"}");
	static const struct {
		const char *data, *source, *want;
	} cases[] = {
		{ "{}", "{{.Infra}}", "<nil>" },
		{ "{}", "{{.Images.x}}", "<no value>" },
		{ "{}", "{{.Images}}", "map[]" },
		{ "{\"spec\":{\"images\":{\"b\":\"2\",\"a\":\"1\"}}}",
		  "{{range $k, $v := .Images}}{{$k}}={{$v}} {{end}}", "a=1 b=2 " },
		{ "{}", "{{cloudProvider .}}",
		  AT(2, "cloudProvider .") "error calling cloudProvider: runtime "
					   "error: invalid memory address or nil "
					   "pointer dereference" },
		{ "{}", "[{{credentialProviderConfigFlag .}}]", "[]" },
		{ none, "{{.Infra.Nope}}",
		  AT(8, ".Infra.Nope") "can't evaluate field Nope in type "
				       "*v1.Infrastructure" },
		{ none, "{{.Infra.Status.nope}}",
		  AT(8, ".Infra.Status.nope") "can't evaluate field nope in type "
					      "v1.InfrastructureStatus" },
		{ none, "{{.Infra.Status.PlatformStatus.AWS.Region}}",
		  AT(8, ".Infra.Status.PlatformStatus.AWS.Region") "nil pointer "
								   "evaluating "
								   "*v1."
								   "AWSPlatformSta"
								   "tus.Region" },
		{ none, "{{urlHost .Infra.Status.PlatformStatus.Type}}",
		  AT(16, ".Infra.Status.PlatformStatus.Type") "wrong type for "
							      "value; expected "
							      "string; got "
							      "v1.PlatformType" },
		{ none, "{{eq .Infra.Status.PlatformStatus.Type \"None\"}}", "true" },
		{ none, "{{cloudProvider \"x\"}}",
		  AT(16, "\"x\"") "can't handle \"x\" for arg of type "
				  "template.RenderConfig" },
		{ none, "{{join .Infra \"\"}}",
		  AT(7, ".Infra") "wrong type for value; expected []string; got "
				  "*v1.Infrastructure" },
		{ "{\"spec\":{\"network\":{\"mtuMigration\":{\"machine\":{"
		  "\"to\":0}}}}}",
		  "{{if .Network.MTUMigration.Machine.To}}set{{end}}", "set" },
		{ "{\"spec\":{\"dns\":{\"metadata\":{\"name\":\"cluster\"}}}}",
		  "{{.DNS.Name}} {{.DNS.ObjectMeta.Name}}", "cluster cluster" },
		{ "{\"spec\":{\"rootCAData\":\"QUI=\"}}",
		  "{{range .RootCAData}}{{.}},{{end}}{{index .RootCAData 1}}", "65,66,66" },
		{ PLATFORM("{\"type\":\"BareMetal\",\"baremetal\":{}}"),
		  "{{onPremPlatformIngressIP .}}",
		  AT(2, "onPremPlatformIngressIP .") "error calling "
						     "onPremPlatformIngressIP: "
						     "runtime error: index out of "
						     "range [0] with length 0" },
		{ PLATFORM("{\"type\":\"VSphere\",\"vsphere\":{"
			   "\"apiServerInternalIPs\":[\"192.0.2.1\"],"
			   "\"loadBalancer\":{\"type\":\"UserManaged\"}}}"),
		  "{{isOpenShiftManagedDefaultLB .}}", "false" },
		{ PLATFORM("{\"type\":\"External\",\"external\":{"
			   "\"cloudControllerManager\":{\"state\":"
			   "\"External\"}}}"),
		  "{{cloudProvider .}}", "external" },
		{ "{}", "{{len .Infra}}",
		  AT(2, "len .Infra") "error calling len: len of nil "
				      "pointer" },
		{ none, "{{len .Infra}}",
		  AT(2, "len .Infra") "error calling len: len of type "
				      "v1.Infrastructure" },
		{ "{}", "{{index .Infra 0}}",
		  AT(2, "index .Infra 0") "error calling index: index of nil "
					  "pointer" },
		{ none, "{{index .Infra 0}}",
		  AT(2, "index .Infra 0") "error calling index: can't index "
					  "item of type v1.Infrastructure" },
		{ PLATFORM("{\"type\":7}"), "x",
		  "json: cannot unmarshal number into Go struct field "
		  "PlatformStatus.infra.status.platformStatus.type of type "
		  "v1.PlatformType" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		ASSERT(test_same(cases[i].source, str_of(cases[i].want),
				 eval(&a, cases[i].data, cases[i].source)));
	}
	PASS();
}

/* urlHost and urlPort of URLs that Go's net/url accepts and refuses. */
TEST urls_are_gos(void)
{
	static const struct {
		const char *url, *want; /* "host port", or the end of the error */
	} cases[] = {
		{ "https://api.test:6443/x?a:b#c", "api.test 6443" },
		{ "HTTPS://api.test", "api.test 443" },
		{ "http://u:p@[2001:db8::1]:80", "2001:db8::1 80" },
		{ "http://[::1]", "::1 80" },
		{ "https:///path", " 443" },
		{ "https://a:", "a 443" },
		{ "//a:1", "a 1" },
		{ "https://a:b", "parse \"https://a:b\": invalid port \":b\" "
				 "after host" },
		{ "https://[::1", "parse \"https://[::1\": missing ']' in host" },
		{ "https://[::1]x", "parse \"https://[::1]x\": invalid port "
				    "\"x\" after host" },
		{ "192.0.2.1:6443", "parse \"192.0.2.1:6443\": first path "
				    "segment in URL cannot contain colon" },
		{ ":1", "parse \":1\": missing protocol scheme" },
		{ "https://a b", "parse \"https://a b\": invalid character "
				 "\" \" in host name" },
		{ "https://a%zz", "parse \"https://a%zz\": invalid URL escape "
				  "\"%zz\"" },
		{ "https://a\nb", "parse \"https://a\\nb\": net/url: invalid "
				  "control character in URL" },
		{ "a.test:1", "unknown scheme in a.test:1" },
		{ "plain", "unknown scheme in plain" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct json *j = json_new(&a, JSON_OBJECT);
		struct str out, want = str_of(cases[i].want);

		json_add(j, S("u"), json_new_str(&a, str_of(cases[i].url)));
		if (template_one(&a, "t", S("{{urlHost .u}} {{urlPort .u}}"), j, false, &out,
				 &err) < 0)
			out = str_from(err.msg, err.msg.n > want.n ? err.msg.n - want.n : 0);
		ASSERT_STR_M(cases[i].url, want, out);
	}
	PASS();
}

/* Every type of upstream's API, as spelled there; another case is another type. */
TEST platforms(void)
{
#define FLAG(name)                                            \
	"--image-credential-provider-bin-dir=/usr/libexec/"   \
	"kubelet-image-credential-provider-plugins "          \
	"--image-credential-provider-config=/etc/kubernetes/" \
	"credential-providers/" name "-credential-provider.yaml"
	static const struct {
		const char *type, *want; /* cloud provider, short name, flag */
	} cases[] = {
		{ "AWS", "external,,true," FLAG("ecr") },
		{ "Azure", "external,,true," FLAG("acr") },
		{ "GCP", "external,,true," FLAG("gcr") },
		{ "BareMetal", ",kni,false," },
		{ "oVirt", ",ovirt,false," },
		{ "OpenStack", "external,openstack,false," },
		{ "VSphere", "external,vsphere,false," },
		{ "Nutanix", "external,nutanix,false," },
		{ "KubeVirt", "external,,true," },
		{ "PowerVS", "external,,true," },
		{ "AlibabaCloud", "external,,true," },
		{ "IBMCloud", "external,,true," },
		{ "Libvirt", ",,true," },
		{ "External", ",,true," },
		{ "EquinixMetal", ",,true," },
		{ "None", ",,true," },
		{ "Kubevirt", ",,true," },
		{ "Ovirt", ",,true," },
	};
	static const char source[] = "{{cloudProvider .}},{{onPremPlatformShortName .}},"
				     "{{isOpenShiftManagedDefaultLB .}},"
				     "{{credentialProviderConfigFlag .}}";

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct str data = str_fmt(&a, PLATFORM("{\"type\":\"%s\"}"), cases[i].type);

		ASSERT(test_same(cases[i].type, str_of(cases[i].want), eval(&a, data.p, source)));
	}
	PASS();
#undef FLAG
}

/* ---- trees --------------------------------------------------------------- */

#define TREE_MAX 12

struct tree_case {
	const char *what;
	const char *platform, *topology;
	const char *files[TREE_MAX][2];
	const char *want; /* a line per MachineConfig, or the error */
};

static struct str source_of(struct arena *a, const struct ign_obj *file)
{
	struct err err = ERR_INIT(a);
	struct str bytes = S("");

	(void)mc_contents(a, file, &bytes, &err);
	return bytes;
}

static void describe(struct arena *a, struct buf *b, const struct mc *mc)
{
	const struct ign_objs *files = ign_files(mc->ignition), *units = ign_units(mc->ignition);

	buf_addf(b, "%.*s %.*s%s", STRF(mc_label(&mc->meta, LABEL_ROLE)), STRF(mc->meta.name),
		 mc->ignition ? "" : " invalid");
	for (size_t i = 0; i < files->n; i++)
		buf_addf(b, " %.*s=%.*s", STRF(ign_str(files->v[i], IGN_FILE_PATH)),
			 STRF(source_of(a, files->v[i])));
	for (size_t i = 0; i < units->n; i++)
		buf_addf(b, " %.*s", STRF(ign_str(units->v[i], IGN_UNIT_NAME)));
	for (size_t i = 0; i < mc->extensions.n; i++)
		buf_addf(b, " +%.*s", STRF(mc->extensions.v[i]));
	buf_addc(b, '\n');
}

/* The cached config equals the result of parsing the bytes. */
static bool is_remembered(struct arena *a, const struct mc *mc)
{
	struct err err = ERR_INIT(a);
	struct ign_obj *parsed;

	return !mc->ignition || (ign_parse_35(a, mc_config_text(a, mc), &parsed, &err) == 0 &&
				 ign_eq(parsed, mc->ignition));
}

static struct str run_tree(struct arena *a, const struct tree_case *c)
{
	struct err err = ERR_INIT(a);
	struct template_tree tree = { .dir = S("t") };
	struct mc_controller_config cc = { .meta = { .name = S("cc"), .uid = S("u") } };
	struct template_input in = { .tree = &tree,
				     .controller_config = &cc,
				     .pull_secret = S("{ \"a b\": 1 }"),
				     .hash = S("h") };
	struct mc_list mcs = { 0 };
	struct json *j = NULL;
	struct buf b;

	for (size_t i = 0; i < TREE_MAX && c->files[i][0]; i++) {
		struct template_file f = { str_of(c->files[i][0]), str_of(c->files[i][1]) };

		VEC_PUSH(a, &tree, f);
	}
	if (json_parse(a,
		       str_fmt(a,
			       "{\"spec\":{\"infra\":{\"status\":{"
			       "\"controlPlaneTopology\":\"%s\","
			       "\"platformStatus\":{\"type\":\"%s\"}}}}}",
			       c->topology ? c->topology : "HighlyAvailable",
			       c->platform ? c->platform : "None"),
		       NULL, &j, &err) < 0)
		return err.msg;
	cc.tree = j;
	if (plan_template(a, &in, &mcs, &err) < 0)
		return err.msg;
	buf_init(&b, a);
	for (size_t i = 0; i < mcs.n; i++) {
		if (!is_remembered(a, mcs.v[i]))
			return S("not what its bytes say");
		describe(a, &b, mcs.v[i]);
	}
	return buf_str(&b);
}

#define FILE_(path, text) "path: " path "\ncontents:\n  inline: " text "\n"

static const struct tree_case trees[] = {
	{ "roles by name, common in the first of each",
	  .files = { { "worker/01-w/_base/files/b", FILE_("/b", "b") },
		     { "worker/00-w/_base/files/a", FILE_("/a", "a") },
		     { "master/00-m/_base/units/u", "name: u.service\n" },
		     { "common/_base/files/c", FILE_("/c", "c") },
		     { "README", "not a role" } },
	  .want = "master 00-m /c=c u.service\nworker 00-w /a=a /c=c\n"
		  "worker 01-w /b=b\n" },
	{ "a later layer wins, by base name", .platform = "BareMetal", .topology = "SingleReplica",
	  .files = { { "worker/00/_base/files/deep/x", FILE_("/x", "base") },
		     { "worker/00/on-prem/files/x", FILE_("/x", "prem") },
		     { "worker/00/baremetal/files/x", FILE_("/x", "metal") },
		     { "worker/00/sno/files/x", FILE_("/x", "sno") },
		     { "worker/00/aws/files/x", FILE_("/x", "aws") } },
	  .want = "worker 00 /x=sno\n" },
	{ "what is common comes before the role's own",
	  .files = { { "worker/00/_base/files/x", FILE_("/x", "own") },
		     { "common/none/files/x", FILE_("/x", "common") } },
	  .want = "worker 00 /x=own\n" },
	{ "an empty file removes, a blank result does not",
	  .files = { { "worker/00/_base/files/a", FILE_("/a", "a") },
		     { "worker/00/_base/files/b", FILE_("/b", "b") },
		     { "worker/00/none/files/a", "" },
		     { "worker/00/none/files/b", " {{if false}}x{{end}}\n" } },
	  .want = "worker 00 /b=b\n" },
	{ "an unknown platform is none", .platform = "Moon",
	  .files = { { "worker/00/none/files/a", FILE_("/a", "a") } }, .want = "worker 00 /a=a\n" },
	{ "extensions, and only by their names", .topology = "DualReplica",
	  .files = { { "master/00/two-node-with-fencing/extensions/two-node-ha", "yes" },
		     { "master/00/_base/extensions/ipsec", "x" } },
	  .want = "master 00 invalid +ipsec +two-node-ha\n" },
	{ "arbiter only where there is one",
	  .files = { { "arbiter/00/_base/files/a", FILE_("/a", "a") } }, .want = "" },
	{ "arbiter where there is one", .topology = "HighlyAvailableArbiter",
	  .files = { { "arbiter/00/_base/files/a", FILE_("/a", "a") } },
	  .want = "arbiter 00 /a=a\n" },
	{ "a role of another name takes the worker's",
	  .files = { { "infra/", "" }, { "worker/00/_base/files/a", FILE_("/a", "a") } },
	  .want = "infra 00 /a=a\nworker 00 /a=a\n" },
	{ "names in any case, scalars as strings, the secret without blanks",
	  .files = { { "worker/00/_base/files/a", "PATH: /a\nMode: 0600\nwhat: ever\n"
						  "Contents: {INLINE: 1.5}\n" },
		     { "worker/00/_base/files/b",
		       "path: /b\ncontents: {inline: '{{.PullSecret}}'}\n" } },
	  .want = "worker 00 /a=1.5 /b={\"a b\":1}\n" },
	{ "the same path from two templates merges",
	  .files = { { "worker/00/_base/files/a", FILE_("/x", "a") },
		     { "worker/00/_base/files/b", FILE_("/x", "b") } },
	  .want = "worker 00 /x=b\n" },
	{ "an Ignition that is not valid is left to the renderer",
	  .files = { { "worker/00/_base/files/a", FILE_("relative", "a") } },
	  .want = "worker 00 invalid\n" },
	{ "no platform", .platform = "", .files = { { "worker/00/_base/files/a", "x" } },
	  .want = "failed to create MachineConfig for role worker: cannot "
		  "generate MachineConfigs when no platformStatus.type is "
		  "set" },
	{ "the platform that would be a layer", .platform = "_base",
	  .files = { { "worker/00/_base/files/a", "x" } },
	  .want = "failed to create MachineConfig for role worker: platform "
		  "_base unsupported" },
	{ "a file where a layer is expected", .files = { { "worker/00/_base", "x" } },
	  .want = "failed to create MachineConfig for role worker: expected "
		  "template directory, \"t/worker/00/_base\" is not a "
		  "directory" },
	{ "a template that does not parse", .files = { { "worker/00/_base/files/a", "\n{{if}}" } },
	  .want = "failed to create MachineConfig for role worker: failed to "
		  "parse template t/worker/00/_base/files/a: template: "
		  "t/worker/00/_base/files/a:2: missing value for if" },
	{ "a file that is no object", .files = { { "worker/00/_base/files/a", "- x" } },
	  .want = "failed to create MachineConfig for role worker: error "
		  "transpiling CoreOS config to Ignition config: failed to "
		  "unmarshal \"- x\" into struct: error unmarshaling JSON: "
		  "json: cannot unmarshal array into Go value of type "
		  "v0_1.File" },
	{ "a member of the wrong type",
	  .files = { { "worker/00/_base/files/a", "contents: {verification: {hash: [1]}}" } },
	  .want = "failed to create MachineConfig for role worker: error "
		  "transpiling CoreOS config to Ignition config: failed to "
		  "unmarshal \"contents: {verification: {hash: [1]}}\" into "
		  "struct: error unmarshaling JSON: json: cannot unmarshal "
		  "array into Go struct field "
		  "Verification.Contents.Verification.Hash of type string" },
	{ "a number that is none of that kind",
	  .files = { { "worker/00/_base/files/a", "mode: 1.5" } },
	  .want = "failed to create MachineConfig for role worker: error "
		  "transpiling CoreOS config to Ignition config: failed to "
		  "unmarshal \"mode: 1.5\" into struct: error unmarshaling "
		  "JSON: json: cannot unmarshal number 1.5 into Go struct field "
		  "File.Mode of type int" },
	{ "a unit that is no YAML", .files = { { "worker/00/_base/units/a", "a: b: c" } },
	  .want = "failed to create MachineConfig for role worker: error "
		  "transpiling CoreOS config to Ignition config: failed to "
		  "unmarshal systemd unit into struct: error converting YAML "
		  "to JSON: yaml: mapping values are not allowed in this "
		  "context" },
};

TEST the_layout(void)
{
	for (size_t i = 0; i < ARRAY_LEN(trees); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		ASSERT(test_same(trees[i].what, str_of(trees[i].want), run_tree(&a, &trees[i])));
	}
	PASS();
}

TEST the_layer_of_a_platform(void)
{
	static const struct {
		const char *type, *layer;
	} cases[] = {
		{ "AWS", "aws" },
		{ "Azure", "azure" },
		{ "BareMetal", "baremetal" },
		{ "GCP", "gcp" },
		{ "OpenStack", "openstack" },
		{ "Libvirt", "libvirt" },
		{ "oVirt", "ovirt" },
		{ "VSphere", "vsphere" },
		{ "KubeVirt", "kubevirt" },
		{ "PowerVS", "powervs" },
		{ "External", "external" },
		{ "Nutanix", "nutanix" },
		{ "None", "none" },
		{ "AlibabaCloud", "none" },
		{ "IBMCloud", "none" },
		{ "EquinixMetal", "none" },
		{ "Ovirt", "none" },
		{ "Kubevirt", "none" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct tree_case c = { .platform = cases[i].type };

		c.files[0][0] = str_fmt(&a, "worker/00/%s/files/a", cases[i].layer).p;
		c.files[0][1] = FILE_("/a", "a");
		ASSERT(test_same(cases[i].type, S("worker 00 /a=a\n"), run_tree(&a, &c)));
	}
	PASS();
}

/* The built-in tree has nothing for other platforms: it would omit files that its own
 * units refer to. */
TEST the_builtin_tree_refuses_other_platforms(void)
{
	static const struct {
		const char *type, *want;
	} cases[] = {
		{ "None", "" },
		{ "BareMetal", "" },
		{ "AWS", "the builtin templates support the platforms None, BareMetal, not "
			 "AWS: give upstream's templates with --templates=DIR" },
		{ "oVirt", "the builtin templates support the platforms None, BareMetal, not "
			   "oVirt: give upstream's templates with --templates=DIR" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct template_tree tree;
		struct mc_controller_config cc = { 0 };
		struct template_input in = { .tree = &tree,
					     .controller_config = &cc,
					     .pull_secret = S("{}") };
		struct mc_list mcs = { 0 };
		struct json *j = NULL;

		template_builtin(&a, &tree);
		ASSERT_INT(0, json_parse(&a,
					 str_fmt(&a,
						 "{\"spec\":{\"infra\":{\"status\":{"
						 "\"apiServerInternalURI\":"
						 "\"https://a.test:6443\","
						 "\"platformStatus\":{\"type\":\"%s\","
						 "\"baremetal\":{"
						 "\"apiServerInternalIPs\":"
						 "[\"192.0.2.1\"],\"ingressIPs\":"
						 "[\"192.0.2.2\"]}}}},\"dns\":{"
						 "\"spec\":{\"baseDomain\":\"t\"}}}}",
						 cases[i].type),
					 NULL, &j, &err));
		cc.tree = j;
		(void)plan_template(&a, &in, &mcs, &err);
		ASSERT(test_same(cases[i].type, str_of(cases[i].want), err.msg));
		ASSERT_INT(*cases[i].want ? -ERR_INVALID : 0,
			   template_serves(&a, &tree, &cc, &err));
		if (*cases[i].want)
			ASSERT_INT(-ERR_INVALID,
				   plan_template_role(&a, &in, S("worker"), &mcs, &err));
	}
	PASS();
}

static struct mc *mc_of(struct arena *a, const char *name, const char *config)
{
	struct err err = ERR_INIT(a);
	struct mc *mc = ARENA_NEW(a, struct mc);

	mc->meta.name = str_of(name);
	(void)json_parse(a, str_fmt(a, "{\"spec\":{\"config\":%s}}", config), NULL, &mc->doc.tree,
			 &err);
	return mc;
}

TEST what_another_tree_takes_away(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_list made = { 0 }, existing = { 0 };
	struct template_loss loss;

	VEC_PUSH(&a, &made,
		 mc_of(&a, "00-worker",
		       "{\"storage\":{\"files\":[{\"path\":\"/new\"},{"
		       "\"path\":\"/kept\"}]},\"systemd\":{\"units\":[{"
		       "\"name\":\"kept.service\"}]}}"));
	VEC_PUSH(&a, &made, mc_of(&a, "01-worker-kubelet", "{}"));
	VEC_PUSH(&a, &existing,
		 mc_of(&a, "00-worker",
		       "{\"storage\":{\"files\":[{\"path\":\"/kept\"}]},"
		       "\"systemd\":{\"units\":[{\"name\":"
		       "\"kept.service\"}]}}"));
	VEC_PUSH(&a, &existing,
		 mc_of(&a, "50-mine", "{\"storage\":{\"files\":[{\"path\":\"/mine\"}]}}"));
	template_loss(&a, &made, &existing, &loss);
	ASSERT_INT(0, (int)loss.lost.n);
	ASSERT_INT(0, (int)loss.configs.n);
	existing.v[0] = mc_of(&a, "00-worker",
			      "{\"storage\":{\"files\":[{\"path\":\"/a\"},{"
			      "\"path\":\"/kept\"}]},\"systemd\":{\"units\":[{"
			      "\"name\":\"kept.service\"},{\"name\":"
			      "\"b.service\"}]}}");
	template_loss(&a, &made, &existing, &loss);
	ASSERT_INT(4, (int)loss.had);
	ASSERT_INT(2, (int)loss.lost.n);
	ASSERT_STR("file /a", loss.lost.v[0]);
	ASSERT_STR("unit b.service", loss.lost.v[1]);
	ASSERT_INT(1, (int)loss.configs.n);
	ASSERT_STR("00-worker", loss.configs.v[0]);
	PASS();
}

TEST the_object(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct template_file files[] = {
		{ S("worker/00-w/_base/files/a"),
		  S("path: /a\nmode: 0644\ncontents:\n  inline: ''\n") },
		{ S("worker/00-w/_base/units/b"),
		  S("name: b.service\nenabled: true\ndropins:\n- name: c.conf\n"
		    "  contents: ''\n") },
	};
	struct template_tree tree = { .dir = S("t"), .v = files, .n = 2 };
	struct mc_controller_config cc = { .meta = { .name = S("cc"), .uid = S("u-1") } };
	struct template_input in = {
		.tree = &tree, .controller_config = &cc, .pull_secret = S("{}"), .hash = S("0123")
	};
	struct mc_list mcs = { 0 };
	struct json *j;
	struct buf b;

	ASSERT_INT(0, json_parse(&a,
				 S("{\"spec\":{\"infra\":{\"status\":{"
				   "\"platformStatus\":{\"type\":"
				   "\"None\"}}}}}"),
				 NULL, &j, &err));
	cc.tree = j;
	ASSERT_INT(0, plan_template(&a, &in, &mcs, &err));
	ASSERT_INT(1, (int)mcs.n);
	buf_init(&b, &a);
	json_encode(&b, mcs.v[0]->doc.tree, 0);
	ASSERT(test_same("the object",
			 S("{\"apiVersion\":\"machineconfiguration.openshift.io/v1\","
			   "\"kind\":\"MachineConfig\",\"metadata\":{\"name\":\"00-w\","
			   "\"labels\":{\"machineconfiguration.openshift.io/role\":"
			   "\"worker\"},\"annotations\":{"
			   "\"machineconfiguration.openshift.io/"
			   "generated-by-controller-version\":\"0123\"},"
			   "\"ownerReferences\":[{\"apiVersion\":"
			   "\"machineconfiguration.openshift.io/v1\",\"kind\":"
			   "\"ControllerConfig\",\"name\":\"cc\",\"uid\":\"u-1\","
			   "\"controller\":true,\"blockOwnerDeletion\":true}]},\"spec\":"
			   "{\"osImageURL\":\"\",\"baseOSExtensionsContainerImage\":"
			   "\"\",\"config\":{\"ignition\":{\"version\":\"3.5.0\"},"
			   "\"storage\":{\"files\":[{\"overwrite\":true,\"path\":"
			   "\"/a\",\"contents\":{\"source\":\"data:,\"},\"mode\":420}]}"
			   ",\"systemd\":{\"units\":[{\"dropins\":[{\"contents\":\"\","
			   "\"name\":\"c.conf\"}],\"enabled\":true,\"name\":"
			   "\"b.service\"}]}},\"kernelArguments\":null,\"extensions\":"
			   "null,\"fips\":false,\"kernelType\":\"\"}}"),
			 buf_str(&b)));
	PASS();
}

TEST a_role_alone(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct template_file file = { S("worker/00-w/_base/files/a"), S("path: /a\n") };
	struct template_tree tree = { .dir = S("t"), .v = &file, .n = 1 };
	struct mc_controller_config cc = { 0 };
	struct template_input in = { .tree = &tree,
				     .controller_config = &cc,
				     .pull_secret = S("{}") };
	struct mc_list mcs = { 0 };
	struct json *j;

	ASSERT_INT(0, json_parse(&a,
				 S("{\"spec\":{\"infra\":{\"status\":{"
				   "\"platformStatus\":{\"type\":"
				   "\"None\"}}}}}"),
				 NULL, &j, &err));
	cc.tree = j;
	ASSERT_INT(0, plan_template_role(&a, &in, S("infra"), &mcs, &err));
	ASSERT_INT(1, (int)mcs.n);
	ASSERT(str_is(mc_label(&mcs.v[0]->meta, LABEL_ROLE), "infra"));
	ASSERT(!mcs.v[0]->meta.annotations);
	ASSERT_INT(-ERR_NOTFOUND, plan_template_role(&a, &in, S("master"), &mcs, &err));
	ASSERT(test_same("no such role",
			 S("failed to read dir \"t/master\": open t/master: no "
			   "such file or directory"),
			 err.msg));
	in.pull_secret = S("{\"auths\": secret}");
	ASSERT_INT(0, plan_template_role(&a, &in, S("infra"), &mcs, &err));
	ASSERT_INT(-ERR_INVALID, plan_template(&a, &in, &mcs, &err));
	ASSERT(test_same("secrets stay secret",
			 S("couldn't compact pullsecret: invalid character 's' "
			   "looking for beginning of value"),
			 err.msg));
	PASS();
}

/* Only files that read the pull secret differ between MachineConfigs and base files. */
TEST a_cache_keeps_the_secret_out_of_base_files(void)
{
	struct template_file files[] = {
		{ S("common/_base/files/s"),
		  S("path: /s\ncontents:\n  inline: '{{.PullSecret}}'\n") },
		{ S("worker/00-w/_base/files/t"),
		  S("path: /t\ncontents:\n  inline: 'whole {{.}}'\n") },
		{ S("worker/01-w/_base/files/a"), S("path: /a\ncontents:\n  inline: 'a'\n") },
	};
	struct template_tree tree = { .dir = S("t"), .v = files, .n = 3 };

	for (int base_first = 0; base_first < 2; base_first++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct mc_controller_config cc = { 0 };
		struct template_cache cache;
		struct template_input in = { .tree = &tree,
					     .controller_config = &cc,
					     .pull_secret = S("{}"),
					     .cache = &cache };
		struct mc_list mcs = { 0 }, base = { 0 }, infra = { 0 };
		struct json *j;

		ASSERT_INT(0, json_parse(&a,
					 S("{\"spec\":{\"infra\":{\"status\":{"
					   "\"platformStatus\":{\"type\":"
					   "\"None\"}}}}}"),
					 NULL, &j, &err));
		cc.tree = j;
		template_cache_init(&cache, &a);
		if (base_first)
			ASSERT_INT(0, plan_template_role(&a, &in, S("worker"), &base, &err));
		ASSERT_INT(0, plan_template(&a, &in, &mcs, &err));
		if (!base_first)
			ASSERT_INT(0, plan_template_role(&a, &in, S("worker"), &base, &err));
		ASSERT_INT(0, plan_template_role(&a, &in, S("infra"), &infra, &err));
		ASSERT_INT(2, (int)mcs.n);
		ASSERT_INT(2, (int)base.n);
		ASSERT_INT(2, (int)infra.n);
		ASSERT_STR("{}", source_of(&a, ign_files(mcs.v[0]->ignition)->v[0]));
		ASSERT_STR("", source_of(&a, ign_files(base.v[0]->ignition)->v[0]));
		ASSERT_STR("whole {0xc000000000 {}  [] "
			   "map[APIServerURLFile:/etc/kubernetes/apiserver-url.env]}",
			   source_of(&a, ign_files(mcs.v[0]->ignition)->v[1]));
		ASSERT_STR("whole {0xc000000000   [] "
			   "map[APIServerURLFile:/etc/kubernetes/apiserver-url.env]}",
			   source_of(&a, ign_files(base.v[0]->ignition)->v[1]));
		/* one shared object where nothing reads the secret, and for other pools */
		ASSERT(mcs.v[1]->ignition == base.v[1]->ignition);
		ASSERT(infra.v[0]->ignition == base.v[0]->ignition);
		ASSERT(str_is(mc_label(&infra.v[0]->meta, LABEL_ROLE), "infra"));
		ASSERT(str_is(mc_label(&base.v[0]->meta, LABEL_ROLE), "worker"));
		template_cache_init(&cache, &a);
		infra.n = 0;
		ASSERT_INT(0, plan_template_role(&a, &in, S("infra"), &infra, &err));
		ASSERT(infra.v[0]->ignition != base.v[0]->ignition);
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(golden_render_data);
	RUN_TEST(values_are_gos);
	RUN_TEST(urls_are_gos);
	RUN_TEST(platforms);
	RUN_TEST(the_layout);
	RUN_TEST(the_layer_of_a_platform);
	RUN_TEST(the_builtin_tree_refuses_other_platforms);
	RUN_TEST(what_another_tree_takes_away);
	RUN_TEST(the_object);
	RUN_TEST(a_role_alone);
	RUN_TEST(a_cache_keeps_the_secret_out_of_base_files);
}

TEST_MAIN(suite)
