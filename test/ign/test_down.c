/*
 * Down-conversion: what upstream serves for one config in every version, and
 * what it refuses to convert.
 */
#include "../test.h"

#include <unistd.h>

#include "ign/ign.h"

#define SERVED "test/golden/server/"

static struct str down(struct arena *a, struct str text, const char *to)
{
	struct err err = ERR_INIT(a);
	struct ign_obj *config;
	struct semver v;
	struct json *j;
	struct buf b;

	if (!semver_parse(str_of(to), &v))
		abort();
	if (ign_parse_35(a, text, &config, &err) < 0 || ign_down(a, config, v, &j, &err) < 0)
		return str_fmt(a, "Error: %.*s", STRF(err.msg));
	buf_init(&b, a);
	json_encode(&b, j, 0);
	return buf_str(&b);
}

TEST what_upstream_served(void)
{
	static const struct {
		const char *dir, *version;
	} cases[] = {
		{ "001-master-v3.5", "3.5.0" }, { "002-master-v3.4", "3.4.0" },
		{ "003-master-v3.3", "3.3.0" }, { "004-master-v3.2", "3.2.0" },
		{ "005-master-v3.1", "3.1.0" }, { "006-master-v2.2-no-accept", "2.2.0" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str newest;

	if (access(SERVED "001-master-v3.5/expected.body", R_OK) < 0)
		FAILm("no " SERVED);
	newest = test_file(&a, SERVED "001-master-v3.5/expected.body");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str want =
			test_file(&a, str_fmt(&a, SERVED "%s/expected.body", cases[i].dir).p);

		ASSERT_STR_M(cases[i].version, str_trim(want), down(&a, newest, cases[i].version));
	}
	PASS();
}

#define CONFIG(rest) "{\"ignition\":{\"version\":\"3.5.0\"}," rest "}"

TEST refusals(void)
{
	static const struct {
		const char *config, *to, *want;
	} cases[] = {
		{ CONFIG("\"kernelArguments\":{\"shouldExist\":[\"a\"]}"), "3.2.0",
		  "Error: KernelArguments is not supported on 3.2" },
		{ CONFIG("\"kernelArguments\":{\"shouldExist\":[\"a\"]}"), "3.3.0",
		  "{\"ignition\":{\"version\":\"3.3.0\"},\"kernelArguments\":{\"shouldExist\":[\"a\"]}}" },
		{ CONFIG("\"storage\":{\"luks\":[{\"name\":\"l\",\"device\":\"/d\",\"cex\":{\"enabled\":true}}]}"),
		  "3.4.0",
		  "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"luks\":[{\"device\":\"/d\",\"name\":\"l\"}]}}" },
		{ CONFIG("\"storage\":{\"luks\":[{\"name\":\"l\",\"device\":\"/d\"}]}"), "3.1.0",
		  "Error: LUKS is not supported on 3.1" },
		{ CONFIG("\"storage\":{\"luks\":[{\"name\":\"l\",\"device\":\"/d\",\"discard\":true}]}"),
		  "3.3.0",
		  "Error: Invalid input config: luks discard is not supported in spec v3.3" },
		{ CONFIG("\"storage\":{\"directories\":[{\"path\":\"/d\",\"mode\":1023}]}"),
		  "3.3.0",
		  "Error: Invalid input config: special mode bits are not supported in spec v3.3" },
		{ CONFIG("\"storage\":{\"files\":[{\"path\":\"/f\",\"contents\":{\"source\":\"arn:aws:s3:::b/k\"}}]}"),
		  "3.3.0",
		  "Error: Invalid input config: arn: scheme for s3 is not supported in spec v3.3" },
		{ CONFIG("\"passwd\":{\"users\":[{\"name\":\"u\",\"shouldExist\":false}]}"),
		  "2.2.0", "Error: ShouldExist in Passwd.Users is not supported on 2.2" },
		{ CONFIG("\"storage\":{\"filesystems\":[{\"device\":\"/d\",\"format\":\"none\"}]}"),
		  "3.2.0",
		  "Error: Converted spec has unexpected fatal error:\nerror at $.storage.filesystems.0.format: invalid filesystem format\n" },
		{ CONFIG("\"storage\":{\"files\":[{\"path\":\"/f\",\"append\":[{\"source\":\"data:,a\"}]}]}"),
		  "2.2.0",
		  "{\"ignition\":{\"version\":\"2.2.0\"},\"storage\":{\"files\":[{\"filesystem\":\"root\",\"overwrite\":false,\"path\":\"/f\",\"append\":true,\"contents\":{\"source\":\"data:,a\"}}]}}" },
		{ CONFIG("\"storage\":{}"), "3.0.0",
		  "Error: conversion for source version 3.5.0 to target version 3.0.0 is not supported the requested conversion is not supported" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ASSERT_STR_M(cases[i].config, str_of(cases[i].want),
			     down(&a, str_of(cases[i].config), cases[i].to));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(what_upstream_served);
	RUN_TEST(refusals);
}

TEST_MAIN(suite)
