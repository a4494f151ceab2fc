/* Changes that a node cannot apply, and how the difference is shown. */
#include "mc/changes.h"

#include "../test.h"

/* The output of upstream's library for these; "path: diff", one after the other. */
static const struct {
	const char *name, *was, *wanted, *want;
} cases[] = {
	{ "values",
	  "{\"disks\":[{\"device\":\"/dev/sda\",\"wipeTable\":true}],\"filesystems\":[{\"device\":\"/dev/sda1\",\"format\":\"ext4\"}]}",
	  "{\"disks\":[{\"device\":\"/dev/sdb\",\"wipeTable\":false}],\"filesystems\":[{\"device\":\"/dev/sdb1\",\"format\":\"xfs\"}]}",
	  "spec.config.storage.disks[0].device: - \"/dev/sda\"\n+ \"/dev/sdb\"\n"
	  "spec.config.storage.disks[0].wipeTable: - true\n+ false\n"
	  "spec.config.storage.filesystems[0].device: - \"/dev/sda1\"\n+ \"/dev/sdb1\"\n"
	  "spec.config.storage.filesystems[0].format: - \"ext4\"\n+ \"xfs\"\n" },
	{ "nothing", "{\"disks\":[{\"device\":\"/dev/sda\",\"wipeTable\":true}]}",
	  "{\"disks\":[{\"device\":\"/dev/sda\",\"wipeTable\":true}]}", "" },
	{ "a list that comes", "{}",
	  "{\"raid\":[{\"devices\":[\"/dev/a\",\"/dev/b\"],\"level\":\"raid1\",\"name\":\"r\"}]}",
	  "spec.config.storage.raid: + [{\"devices\":[\"/dev/a\",\"/dev/b\"],\"level\":\"raid1\",\"name\":\"r\"}]\n" },
	{ "a list that goes", "{\"luks\":[{\"device\":\"/dev/a\",\"name\":\"root\"}]}", "{}",
	  "spec.config.storage.luks: - [{\"device\":\"/dev/a\",\"name\":\"root\"}]\n" },
	{ "an element goes, between two",
	  "{\"disks\":[{\"device\":\"/dev/a\"},{\"device\":\"/dev/b\"},{\"device\":\"/dev/c\"}]}",
	  "{\"disks\":[{\"device\":\"/dev/a\"},{\"device\":\"/dev/c\"}]}",
	  "spec.config.storage.disks[1]:   {\"device\":\"/dev/a\"}\n- {\"device\":\"/dev/b\"}\n  {\"device\":\"/dev/c\"}\n" },
	{ "elements come: first, between, last",
	  "{\"disks\":[{\"device\":\"/dev/a\"},{\"device\":\"/dev/c\"}]}",
	  "{\"disks\":[{\"device\":\"/dev/0\"},{\"device\":\"/dev/a\"},{\"device\":\"/dev/b\"},{\"device\":\"/dev/c\"},{\"device\":\"/dev/d\"}]}",
	  "spec.config.storage.disks[0]: [\n+ {\"device\":\"/dev/0\"}\n  {\"device\":\"/dev/a\"}\n"
	  "spec.config.storage.disks[2]:   {\"device\":\"/dev/a\"}\n+ {\"device\":\"/dev/b\"}\n  {\"device\":\"/dev/c\"}\n"
	  "spec.config.storage.disks[4]:   {\"device\":\"/dev/c\"}\n+ {\"device\":\"/dev/d\"}\n]\n" },
	{ "elements that move",
	  "{\"raid\":[{\"devices\":[\"a\",\"b\",\"c\"],\"level\":\"raid1\",\"name\":\"r\"}]}",
	  "{\"raid\":[{\"devices\":[\"c\",\"x\",\"a<b>\"],\"level\":\"raid1\",\"name\":\"r\"}]}",
	  "spec.config.storage.raid[0].devices[0]: [\n- \"a\"\n- \"b\"\n  \"c\"\n"
	  "spec.config.storage.raid[0].devices[1]:   \"c\"\n+ \"x\"\n+ \"a\\u003cb\\u003e\"\n]\n" },
	{ "objects within lists",
	  "{\"disks\":[{\"device\":\"/dev/a\",\"partitions\":[{\"number\":1,\"sizeMiB\":10},{\"number\":2,\"sizeMiB\":20}]}]}",
	  "{\"disks\":[{\"device\":\"/dev/a\",\"partitions\":[{\"label\":\"x\",\"number\":1,\"sizeMiB\":11},{\"number\":3},{\"number\":2,\"sizeMiB\":20}]}]}",
	  "spec.config.storage.disks[0].partitions[0].sizeMiB: - 10\n+ 11\n"
	  "spec.config.storage.disks[0].partitions[0].label: + \"x\"\n"
	  "spec.config.storage.disks[0].partitions[1]:   {\"label\":\"x\",\"number\":1,\"sizeMiB\":11}\n+ {\"number\":3}\n  {\"number\":2,\"sizeMiB\":20}\n" },
};

static struct ign_obj *config(struct arena *a, const char *storage, const char *version,
			      const char *more)
{
	struct err err = ERR_INIT(a);
	struct ign_obj *out = NULL;

	(void)ign_parse_35(a,
			   str_fmt(a,
				   "{\"ignition\":{\"version\":\"%s\"},"
				   "\"storage\":%s%s}",
				   version, storage, more),
			   &out, &err);
	return out;
}

static struct str shown(struct arena *a, const struct json *list)
{
	struct buf b;

	buf_init(&b, a);
	for (const struct json *e = json_first(list); e; e = json_next(e))
		buf_addf(&b, "%.*s: %.*s", STRF(json_str_or(e, "fieldPath", S("?"))),
			 STRF(json_str_or(e, "diff", S("?"))));
	return buf_str(&b);
}

TEST storage_as_upstream(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct json *x, *y;

		ASSERT_INT(0, json_parse(&a, str_of(cases[i].was), NULL, &x, &err));
		ASSERT_INT(0, json_parse(&a, str_of(cases[i].wanted), NULL, &y, &err));
		ASSERT_STR(cases[i].want, shown(&a, changes_of(&a, "spec.config.storage", x, y)));
		arena_free(&a);
	}
	PASS();
}

/* Only parts that no node can change later count as differences; another Ignition
 * version does not. */
TEST nothing_else_counts(void)
{
	struct arena a = ARENA_INIT;
	const struct ign_obj *x =
		config(&a,
		       "{\"disks\":[{\"device\":\"/dev/sda\",\"wipeTable\":true}],"
		       "\"files\":[{\"path\":\"/x\",\"mode\":1}],"
		       "\"luks\":[{\"device\":\"/dev/l\",\"name\":\"l\"}]}",
		       "3.4.0", ",\"systemd\":{\"units\":[{\"name\":\"a.service\"}]}");
	const struct ign_obj *y =
		config(&a,
		       "{\"disks\":[{\"device\":\"/dev/sda\",\"wipeTable\":true}],"
		       "\"files\":[{\"path\":\"/x\",\"mode\":2}],"
		       "\"luks\":[{\"device\":\"/dev/m\",\"name\":\"l\"}]}",
		       "3.5.0", "");

	ASSERT(x);
	ASSERT(y);
	ASSERT_STR("spec.config.storage.luks[0].device: - \"/dev/l\"\n"
		   "+ \"/dev/m\"\n",
		   shown(&a, mc_changes(&a, x, y)));
	ASSERT_INT(0, json_len(mc_changes(&a, y, y)));
	arena_free(&a);
	PASS();
}

/* Lists that are too long for a pairwise comparison are still compared. */
TEST long_lists(void)
{
	struct arena a = ARENA_INIT;
	struct json *x = json_new(&a, JSON_ARRAY);
	struct json *y = json_new(&a, JSON_ARRAY), *list;

	for (int i = 0; i < 1500; i++) {
		json_push(x, json_new_i64(&a, i));
		json_push(y, json_new_i64(&a, i + (i == 1499)));
	}
	list = changes_of(&a, "l", x, y);
	ASSERT_INT(1, json_len(list));
	ASSERT_STR("l[0]", json_str_or(json_first(list), "fieldPath", S("?")));
	arena_free(&a);
	PASS();
}

SUITE(changes)
{
	RUN_TEST(storage_as_upstream);
	RUN_TEST(nothing_else_counts);
	RUN_TEST(long_lists);
}

TEST_MAIN(changes)
