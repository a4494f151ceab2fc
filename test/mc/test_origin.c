/* Which MachineConfigs contribute to each part of a config, and where they come from. */
#include "mc/made_from.h"
#include "mc/origin.h"
#include "../test.h"

#define MC(name, more)                                            \
	"---\napiVersion: machineconfiguration.openshift.io/v1\n" \
	"kind: MachineConfig\nmetadata:\n  name: " name           \
	"\n  labels: {machineconfiguration.openshift.io/role: worker}\n" more
#define IGN "spec:\n  config: {ignition: {version: 3.5.0}, "

static const char three[] = MC("a", IGN "storage: {files: [{path: /etc/x, mode: 420, contents: "
					"{source: 'data:,1'}}, {path: /etc/y, contents: {source: "
					"'data:,1'}}], directories: [{path: /etc/d}]},\n"
					"    systemd: {units: [{name: u.service, enabled: true, "
					"contents: '[Unit]', dropins: [{name: 10.conf, contents: "
					"a}]}, {name: v.service, dropins: [{name: 1.conf, "
					"contents: b}]}]},\n"
					"    passwd: {users: [{name: core, sshAuthorizedKeys: "
					"[ssh-rsa AAAAB3NzaC1yc2E= me, nonsense]}]}}\n"
					"  kernelArguments: [quiet, a=b]\n"
					"  kernelType: realtime\n"
					"  osImageURL: os1\n")
	MC("b", IGN "storage: {files: [{path: /etc/x, contents: {source: "
		    "'data:,2'}}, {path: /etc/y, contents: {source: "
		    "'data:,2'}}]},\n"
		    "    systemd: {units: [{name: u.service, mask: true}]},\n"
		    "    passwd: {users: [{name: core, passwordHash: h, "
		    "sshAuthorizedKeys: [ssh-rsa AAAAB3NzaC1yc2E= you]}]}}\n"
		    "  kernelArguments: [a=b, luks.key=hunter2]\n"
		    "  kernelType: 64k-pages\n"
		    "  extensions: [usbguard]\n"
		    "  fips: true\n"
		    "  osImageURL: os2\n") MC("c", "spec: {kernelType: default}\n");

static void load(struct arena *a, const char *text, struct mc_set *set)
{
	struct err err = ERR_INIT(a);
	struct mc_fault fault = { 0 };

	if (mc_load(a, S("x"), str_of(text), set, &fault, &err) < 0)
		(void)printf("load: %.*s\n", STRF(fault.problem));
}

/* "part: a- b(fields)" per line; - marks an overridden one. */
static struct str show(struct arena *a, const struct mc_origins *list)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < list->n; i++) {
		const struct mc_origin *o = list->v[i];

		buf_addf(&b, "%.*s:", STRF(mc_part_text(a, o)));
		for (size_t k = 0; k < o->n; k++) {
			struct strs sets = mc_setting_fields(a, &o->v[k]);

			buf_addf(&b, " %.*s%s(",
				 STRF(o->v[k].mc ? o->v[k].mc->meta.name : S("base")),
				 o->v[k].overridden ? "-" : "");
			for (size_t s = 0; s < sets.n; s++)
				buf_addf(&b, "%s%.*s", s ? " " : "", STRF(sets.v[s]));
			buf_addz(&b, ")");
		}
		buf_addz(&b, "\n");
	}
	return buf_str(&b);
}

TEST who_sets_what(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_set set = { 0 };
	struct mc_merged m;
	struct mc_origins out;
	struct mc_origins_in in = { &m, &set.mcs, true };

	load(&a, three, &set);
	ASSERT_EQ(3, set.mcs.n);
	ASSERT_INT(0, mc_merge(&a, &set.mcs, S("base"), S("ext"), &m, &err));
	mc_origins(&a, &in, &out);
	ASSERT_STR("/etc/x: a(contents mode) b(contents)\n"
		   "/etc/y: a-(contents) b(contents)\n"
		   "/etc/d: a()\n"
		   "unit/u.service: a(contents enabled) b(mask)\n"
		   "dropin/u.service/10.conf: a(contents)\n"
		   "dropin/v.service/1.conf: a(contents)\n"
		   "user/core: b(passwordHash)\n"
		   "sshkey/core/SHA256:zBURJC4mpQ6j/DLIDJakTQANmGP4cn9OftElBH5W"
		   "Brg: a(ssh-rsa me) b(ssh-rsa you)\n"
		   "sshkey/core/invalid-999aaa8645bb72ff: a(-)\n"
		   "kernelArguments=quiet: a(quiet)\n"
		   "kernelArguments=a=b: a(a=b) b(a=b)\n"
		   "kernelArguments=luks.key=***: b(luks.key=***)\n"
		   "extensions=usbguard: b(usbguard)\n"
		   "kernelType=64k-pages: a-(realtime) b(64k-pages) "
		   "c-(default)\n"
		   "fips=true: b(true)\n"
		   "osImageURL: a-(os1) b(os2)\n"
		   "baseOSExtensionsContainerImage: base(ext)\n",
		   show(&a, &out));
	ASSERT_EQ(0, out.unknown);
	ASSERT_EQ(0, out.unread.n);
	PASS();
}

TEST what_was_edited_since(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_set old = { 0 }, now = { 0 };
	struct mc_merged m;
	struct mc_origins out;
	struct mc_origins_in in = { &m, &now.mcs, false };

	load(&a,
	     MC("a", IGN "storage: {files: [{path: /etc/x, contents: {source: "
			 "'data:,1'}}, {path: /etc/y}]}}\n"
			 "  kernelArguments: [one]\n"
			 "  kernelType: realtime\n")
		     MC("bad", IGN "storage: {files: [{path: /etc/z}]}}\n"),
	     &old);
	load(&a,
	     MC("a", IGN "storage: {files: [{path: /etc/x, contents: {source: "
			 "'data:,2'}}, {path: /etc/y}]}}\n"
			 "  kernelArguments: [two]\n"
			 "  kernelType: realtime\n")
		     MC("bad", IGN "storage: {files: [{path: relative}]}}\n"),
	     &now);
	ASSERT_INT(0, mc_merge(&a, &old.mcs, S("base"), S(""), &m, &err));
	mc_origins(&a, &in, &out);
	ASSERT_STR("/etc/x:\n/etc/y: a()\n/etc/z:\nkernelArguments=one:\n"
		   "kernelType=realtime: a(realtime)\nosImageURL: base(base)\n",
		   show(&a, &out));
	ASSERT_EQ(3, out.unknown);
	ASSERT_EQ(1, out.unread.n);
	ASSERT_STR("bad", out.unread.v[0]->meta.name);
	PASS();
}

#define KEYS                                                              \
	"sshkey:core/SHA256:zBURJC4mpQ6j/DLIDJakTQANmGP4cn9OftElBH5WBrg " \
	"sshkey:core/invalid-999aaa8645bb72ff "

static const struct {
	const char *selector, *found; /* kinds and keys, each followed by ' ' */
} selectors[] = {
	{ "/etc/x", "file:/etc/x " },
	{ "/etc/d", "directory:/etc/d " },
	{ "/etc/systemd/system/u.service", "unit:u.service " },
	{ "/etc/systemd/system/u.service.d/10.conf", "dropin:u.service/10.conf " },
	{ "u.service", "unit:u.service dropin:u.service/10.conf " },
	{ "unit/u.service", "unit:u.service dropin:u.service/10.conf " },
	{ "v.service", "dropin:v.service/1.conf " },
	{ "dropin/u.service/10.conf", "dropin:u.service/10.conf " },
	{ "units", "unit:u.service " },
	{ "dropins", "dropin:u.service/10.conf dropin:v.service/1.conf " },
	{ "directories", "directory:/etc/d " },
	{ "files", "file:/etc/x file:/etc/y " },
	{ "user/core", "user:core " KEYS },
	{ "sshkeys", KEYS },
	{ "sshkey/core", KEYS },
	{ "sshkey/core/invalid-999aaa8645bb72ff", "sshkey:core/invalid-999aaa8645bb72ff " },
	{ "users", "user:core " },
	{ "kernelArguments", "kernelArguments:quiet kernelArguments:a=b "
			     "kernelArguments:luks.key=hunter2 " },
	{ "kernelArguments=a=b", "kernelArguments:a=b " },
	{ "kernelarguments=quiet", "kernelArguments:quiet " },
	{ "kernelType", "kernelType: " },
	{ "extensions=usbguard", "extensions:usbguard " },
	{ "osImageURL", "osImageURL: " },
	{ "unit", "unit:u.service " },
	{ "u", "" },
	{ "unit/u", "" },
	{ "user/root", "" },
	{ "kernelArguments=b", "" },
	{ "etc/x", "" },
};

TEST parts_by_name(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct mc_set set = { 0 };
	struct mc_origins out = { 0 };

	load(&a, three, &set);
	mc_settings_of(&a, &set.mcs, &out);
	for (size_t i = 0; i < ARRAY_LEN(selectors); i++) {
		struct str selector = str_of(selectors[i].selector);
		struct buf b;

		buf_init(&b, &a);
		for (size_t k = 0; k < out.n; k++)
			if (mc_part_matches(&a, out.v[k], selector))
				buf_addf(&b, "%s:%.*s ", mc_part_kind(out.v[k]->part),
					 STRF(out.v[k]->key));
		ASSERT_STR(selectors[i].found, buf_str(&b));
	}
	PASS();
}

static const struct {
	const char *selector, *error; /* of "no MachineConfig of worker sets " */
} unknown_parts[] = {
	{ "kernelArgument", "kernelArgument (did you mean kernelArguments?)" },
	{ "uni/a.service", "uni/a.service (did you mean unit?)" },
	{ "unit/x.service", "unit/x.service (did you mean unit/u.service?)" },
	{ "w.service", "w.service (did you mean u.service?)" },
	{ "/srv/nothing-like-it", "/srv/nothing-like-it" },
};

TEST parts_are_selected(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct mc_set set = { 0 };
	struct mc_origins out = { 0 };
	size_t all;

	load(&a, three, &set);
	mc_settings_of(&a, &set.mcs, &out);
	all = out.n;
	for (size_t i = 0; i < ARRAY_LEN(unknown_parts); i++) {
		ASSERT_INT_M(unknown_parts[i].selector, -ERR_NOTFOUND,
			     mc_parts_select(&a, S("worker"), str_of(unknown_parts[i].selector),
					     &out, &err));
		ASSERT_STR(
			str_fmt(&a, "no MachineConfig of worker sets %s", unknown_parts[i].error).p,
			err.msg);
	}
	ASSERT_INT(0, mc_parts_select(&a, S("worker"), S(""), &out, &err));
	ASSERT_INT(all, out.n);
	ASSERT_INT(0, mc_parts_select(&a, S("worker"), S("kernelArguments"), &out, &err));
	ASSERT_INT(3, out.n);
	ASSERT_STR("quiet", out.v[0]->key);
	PASS();
}

#define BY                                                 \
	"annotations: {machineconfiguration.openshift.io/" \
	"generated-by-controller-version: h}"
#define OWNER(kind, name) "ownerReferences: [{kind: " kind ", name: " name "}]"

static const struct {
	const char *name, *meta, *path, *want;
} made_from[] = {
	{ "50-mine", "", "/etc/x", "" },
	{ "99-w-generated-kubelet", OWNER("KubeletConfig", "pods"), "", "KubeletConfig/pods " },
	{ "99-w-generated-kubelet-1", "", "", "KubeletConfig/other " },
	{ "00-worker", OWNER("ControllerConfig", "machine-config-controller"), "",
	  "ControllerConfig/machine-config-controller " },
	{ "99-w-generated-containerruntime", OWNER("ContainerRuntimeConfig", "''"), "",
	  "ContainerRuntimeConfig/pids " },
	{ "97-w-generated-kubelet", BY, "", "Node/cluster " },
	{ "98-w-generated-kubelet", BY, "", "FeatureGate/cluster " },
	{ "98-w-generated-kubelet", "", "", "" },
	{ "99-w-generated-registries", OWNER("Image", "cluster"), "/etc/containers/registries.conf",
	  "ImageDigestMirrorSet/lab ImageTagMirrorSet/tags " },
	{ "99-w-generated-registries", OWNER("Image", "cluster"), "/etc/containers/policy.json",
	  "ClusterImagePolicy/all " },
	{ "99-w-generated-registries", OWNER("Image", "cluster"), "/etc/crio/policies/team.json",
	  "ImagePolicy/team/one " },
	{ "99-w-generated-registries", OWNER("Image", "cluster"),
	  "/etc/containers/registries.conf.d/01-image-searchRegistries.conf", "Image/cluster " },
	{ "99-w-generated-registries", BY, "/etc/containers/registries.conf",
	  "ImageDigestMirrorSet/lab ImageTagMirrorSet/tags " },
	{ "rendered-w-1", OWNER("MachineConfigPool", "w"), "", "" },
};

static const char objects[] =
	"apiVersion: machineconfiguration.openshift.io/v1\n"
	"kind: KubeletConfig\n"
	"metadata: {name: pods}\n---\n"
	"apiVersion: machineconfiguration.openshift.io/v1\n"
	"kind: KubeletConfig\n"
	"metadata: {name: other, finalizers: [99-w-generated-kubelet-1]}\n---\n"
	"apiVersion: machineconfiguration.openshift.io/v1\n"
	"kind: ContainerRuntimeConfig\n"
	"metadata: {name: pids}\n---\n"
	"apiVersion: config.openshift.io/v1\n"
	"kind: Image\n"
	"metadata: {name: cluster}\nspec: {}\n---\n"
	"apiVersion: config.openshift.io/v1\n"
	"kind: ImageDigestMirrorSet\n"
	"metadata: {name: lab}\n---\n"
	"apiVersion: config.openshift.io/v1\n"
	"kind: ImageTagMirrorSet\n"
	"metadata: {name: tags}\n---\n"
	"apiVersion: config.openshift.io/v1\n"
	"kind: ClusterImagePolicy\n"
	"metadata: {name: all}\n---\n"
	"apiVersion: config.openshift.io/v1\n"
	"kind: ImagePolicy\n"
	"metadata: {name: one, namespace: team}\n---\n"
	"apiVersion: config.openshift.io/v1\n"
	"kind: ImagePolicy\n"
	"metadata: {name: two, namespace: teams}\n";

TEST sources_of_generated_configs(void)
{
	for (size_t i = 0; i < ARRAY_LEN(made_from); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct mc_set set = { 0 };
		struct strs got;
		struct buf b;

		load(&a, objects, &set);
		load(&a,
		     str_fmt(&a,
			     "apiVersion: machineconfiguration.openshift.io/"
			     "v1\nkind: MachineConfig\nmetadata:\n  name: "
			     "%s\n  %s\n",
			     made_from[i].name, made_from[i].meta)
			     .p,
		     &set);
		got = mc_made_from(&a, &set, set.mcs.v[0], str_of(made_from[i].path));
		buf_init(&b, &a);
		for (size_t k = 0; k < got.n; k++)
			buf_addf(&b, "%.*s ", STRF(got.v[k]));
		ASSERT_STR(made_from[i].want, buf_str(&b));
	}
	PASS();
}

static const struct {
	const char *line, *fingerprint, *label;
} keys[] = {
	/* as ssh-keygen -l prints it */
	{ "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9"
	  "okWi0dh2l9GKJl me@example.net",
	  "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU", "ssh-ed25519 me@example.net" },
	{ "command=\"echo AAAA x\",no-pty  ssh-rsa  AAAAB3NzaC1yc2E=  two words",
	  "SHA256:zBURJC4mpQ6j/DLIDJakTQANmGP4cn9OftElBH5WBrg", "ssh-rsa two words" },
	{ "AAAAB3NzaC1yc2E=", "invalid-8ee46d3a3aec1f52", "-" },
	{ "ssh-dss AAAAB3NzaC1yc2E=", "invalid-c0897e3178fda249", "-" },
	{ "nonsense", "invalid-999aaa8645bb72ff", "-" },
	{ "", "invalid-e3b0c44298fc1c14", "-" },
};

TEST ssh_keys(void)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;

		ASSERT_STR(keys[i].fingerprint, mc_ssh_fingerprint(&a, str_of(keys[i].line)));
		ASSERT_STR(keys[i].label, mc_ssh_label(&a, str_of(keys[i].line)));
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(who_sets_what);
	RUN_TEST(what_was_edited_since);
	RUN_TEST(parts_by_name);
	RUN_TEST(parts_are_selected);
	RUN_TEST(sources_of_generated_configs);
	RUN_TEST(ssh_keys);
}

TEST_MAIN(suite)
