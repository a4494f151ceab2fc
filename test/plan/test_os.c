/*
 * os-release, kernel arguments, and the arguments for rpm-ostree.
 */
#include "../test.h"

#include "plan/os.h"

static struct str joined(struct arena *a, const struct strs *l)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; i < l->n; i++)
		buf_addf(&b, "%s%.*s", i ? "|" : "", STRF(l->v[i]));
	return buf_str(&b);
}

static struct strs words(struct arena *a, const char *text)
{
	struct strs out = { 0 };
	struct str rest = str_of(text), one;
	bool more = *text != '\0';

	while (more) {
		more = str_cut(rest, '|', &one, &rest);
		VEC_PUSH(a, &out, more ? one : rest);
	}
	return out;
}

TEST releases(void)
{
	static const struct {
		const char *name, *text, *version;
		bool el, fcos, core_os, new_keys;
		int major, minor;
	} cases[] = {
		{ "RHEL CoreOS 9", "ID=\"rhel\"\nVARIANT_ID=coreos\nRHEL_VERSION=9.6\n", "9.6",
		  true, false, true, true, 9, 6 },
		{ "before it was RHEL",
		  "ID=rhcos\nVERSION=\"413.92.2023\"\nOPENSHIFT_VERSION=\"4.13\"\n"
		  "VERSION_ID=\"4.13\"\n",
		  "92.2023", true, false, true, false, 92, 2023 },
		{ "RHEL 8", "ID=rhel\nVERSION_ID=8.9\n", "8.9", false, false, false, false, 8, 9 },
		{ "Fedora CoreOS", "ID=fedora\nVARIANT_ID=coreos\nVERSION_ID=40\n", "40", false,
		  true, true, true, 40, -1 },
		{ "CentOS Stream CoreOS", "ID=scos\nVERSION_ID=4.2\n", "8.2", true, false, true,
		  true, 8, 2 },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct os_release r;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		ASSERT_INT(0, os_release_parse(&a, str_of(cases[i].text), &r, &err));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].version), r.version);
		ASSERT_INT_M(cases[i].name, cases[i].el, r.el);
		ASSERT_INT_M(cases[i].name, cases[i].fcos, r.fcos);
		ASSERT_INT_M(cases[i].name, cases[i].core_os, r.core_os);
		ASSERT_INT_M(cases[i].name, cases[i].new_keys, r.new_keys);
		ASSERT_INT_M(cases[i].name, cases[i].major, r.major);
		ASSERT_INT_M(cases[i].name, cases[i].minor, r.minor);
	}
	ASSERT_INT(-ERR_INVALID, os_release_parse(&a, S(" \n"), &r, &err));
	ASSERT_STR("No content available from os-release files", err.msg);
	PASS();
}

TEST kernel_arguments(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct strs from = words(&a, "foo|bar=1 hello=world|baz");
	struct strs to = words(&a, "foo|bar=1|hello=world");
	struct strs quoted = words(&a, " baz=test bar=\"hello world\"");
	struct strs out = { 0 }, missing = { 0 };

	os_kargs_args(&a, &from, &to, &out);
	ASSERT_STR("--delete-if-present=foo|--delete-if-present=bar=1|"
		   "--delete-if-present=hello=world|--delete-if-present=baz|"
		   "--append=foo|--append=bar=1|--append=hello=world",
		   joined(&a, &out));
	out.n = 0;
	os_kargs_args(&a, &out, &quoted, &out);
	ASSERT_STR("--append=baz=test|--append=bar=\"hello world\"", joined(&a, &out));
	os_kargs_missing(&a, &from, S("root=x foo hello=world\n"), &missing);
	ASSERT_STR("[bar=1 baz]", os_list(&a, &missing));
	PASS();
}

TEST extensions(void)
{
	static const struct {
		const char *have, *want, *args;
	} cases[] = {
		{ "pacemaker|sysstat", "two-node-ha|usbguard",
		  "update|--install|fence-agents-all|--install|pcs|--install|"
		  "usbguard|--uninstall|sysstat" },
		{ "usbguard|hotfix", "usbguard", "" },
		{ "", "ipsec",
		  "update|--install|NetworkManager-libreswan|--install|"
		  "libreswan" },
		{ "kernel-rt-core", "", "" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct strs none = { 0 }, bad = words(&a, "sysstat|x|y"), out = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strs have = words(&a, cases[i].have);
		struct strs want = words(&a, cases[i].want), args = { 0 };

		ASSERT_INT(0, os_extension_args(&a, &have, &want, &args, &err));
		ASSERT_STR_M(cases[i].want, str_of(cases[i].args), joined(&a, &args));
	}
	ASSERT_INT(-ERR_INVALID, os_extension_args(&a, &none, &bad, &out, &err));
	ASSERT_STR("invalid extensions found: [x y]", err.msg);
	PASS();
}

TEST images(void)
{
	static const struct {
		const char *ref, *want;
	} cases[] = {
		{ "ostree-unverified-registry:q/os@sha256:a", "q/os@sha256:a" },
		{ "ostree-image-signed:docker://q/os:1", "q/os:1" },
		{ "ostree-unverified-image:registry:q/os:1", "q/os:1" },
		{ "ostree-unverified-image:containers-storage:q/os@sha256:a", "q/os@sha256:a" },
		{ "ostree-remote-registry:fedora:q/os:1", "q/os:1" },
		{ "ostree-remote-image:fedora:docker://q/os:1", "q/os:1" },
		{ "oci:q", "Error: invalid ostree image reference (unmatched "
			   "scheme): oci:q" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct os_status s;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str text = str_fmt(&a,
					  "{\"deployments\":[{\"booted\":false},{\"booted\":true,"
					  "\"custom-origin\":[\"pivot://old\"],"
					  "\"container-image-reference\":\"%s\"}]}",
					  cases[i].ref);

		ASSERT_STR_M(cases[i].ref, str_of(cases[i].want),
			     os_status_parse(&a, text, &s, &err) == 0
				     ? s.image
				     : str_fmt(&a, "Error: %.*s", STRF(err.msg)));
	}
	ASSERT_INT(0, os_status_parse(&a,
				      S("{\"deployments\":[{\"booted\":true,"
					"\"custom-origin\":[\"pivot://old\"]}]}"),
				      &s, &err));
	ASSERT_STR("old", s.image);
	ASSERT_INT(-ERR_INVALID, os_status_parse(&a, S("{}"), &s, &err));
	ASSERT_STR("no booted deployment found", err.msg);
	PASS();
}

TEST bootc_tells(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct os_status s;

	ASSERT_INT(0, os_bootc_parse(&a,
				     S("{\"status\":{\"staged\":null,\"booted\":{"
				       "\"image\":{\"image\":{\"image\":\"q/os:1\","
				       "\"transport\":\"registry\"},\"version\":\"9\"},"
				       "\"ostree\":{\"checksum\":\"c\"}}}}"),
				     &s, &err));
	ASSERT_STR("q/os:1", s.image);
	ASSERT_STR("9", s.version);
	ASSERT_STR("c", s.checksum);
	ASSERT(!s.staged);
	ASSERT_INT(0, os_bootc_parse(&a,
				     S("{\"status\":{\"booted\":{},"
				       "\"staged\":{\"image\":null}}}"),
				     &s, &err));
	ASSERT_STR("", s.image);
	ASSERT(s.staged);
	ASSERT_INT(-ERR_INVALID, os_bootc_parse(&a, S("{\"status\":{\"booted\":null}}"), &s, &err));
	ASSERT_STR("no booted deployment found", err.msg);
	ASSERT_INT(-ERR_INVALID, os_bootc_parse(&a, S("{"), &s, &err));
	PASS();
}

TEST local_images(void)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
		{ "there",
		  "[{\"Id\":\"i\",\"Digest\":\"sha256:b\",\"RepoDigests\":["
		  "\"q/os@sha256:b\",\"q/os@sha256:a\"]}]",
		  "i q/os@sha256:a" },
		{ "there by another name", "[{\"Id\":\"i\",\"RepoDigests\":[\"q/os@sha256:b\"]}]",
		  "i " },
		{ "not named at all", "[{\"Id\":\"i\",\"RepoDigests\":null}]", "i " },
		{ "none", "[]", "none" },
		{ "none, in a word", "null", "none" },
		{ "no JSON", "{",
		  "failed to decode podman image ls output: line 1, column 2: "
		  "unexpected end of JSON input" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct os_image image = { 0 };
	struct str scope;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int rc =
			os_image_parse(&a, str_of(cases[i].text), S("q/os@sha256:a"), &image, &err);

		ASSERT_STR_M(cases[i].name, str_of(cases[i].want),
			     rc < 0	    ? err.msg
			     : !image.there ? S("none")
					    : str_fmt(&a, "%.*s %.*s", STRF(image.id),
						      STRF(image.digest)));
	}
	image = (struct os_image){ true, S("i"), S("q/os@sha256:a") };
	ASSERT_INT(0, os_image_scope(&a,
				     S("{\"store\":{\"graphDriverName\":\"overlay\","
				       "\"graphRoot\":\"/var/lib/containers/storage\"}}"),
				     &image, &scope, &err));
	ASSERT_STR("[overlay@/var/lib/containers/storage]q/os@sha256:a@i", scope);
	ASSERT_INT(-ERR_INVALID, os_image_scope(&a, S("nope"), &image, &scope, &err));
	PASS();
}

SUITE(os)
{
	RUN_TEST(releases);
	RUN_TEST(bootc_tells);
	RUN_TEST(kernel_arguments);
	RUN_TEST(extensions);
	RUN_TEST(images);
	RUN_TEST(local_images);
}

TEST_MAIN(os)
