/*
 * Which EFI system partitions a boot loader is copied to.
 */
#include "../test.h"

#include "plan/esp.h"

#define ESP ",\"parttype\":\"c12a7328-f81f-11d2-ba4b-00a0c93ec93b\""
#define DISKS(...) "{\"blockdevices\":[" __VA_ARGS__ "]}"
#define DEV(name, more) "{\"name\":\"" name "\"" more "}"
#define WITH(...) ",\"children\":[" __VA_ARGS__ "]"
#define PLAIN(x, boot) DEV("/dev/" x, WITH(DEV("/dev/" x "1", ESP) "," boot))
#define MEMBER(x) \
	PLAIN(x, DEV("/dev/" x "3", ",\"fstype\":\"linux_raid_member\"" WITH(DEV("/dev/md0", ""))))

static const struct {
	const char *name, *lsblk, *boot, *want;
} cases[] = {
	{ "one disk", DISKS(PLAIN("sda", DEV("/dev/sda3", ""))), "/dev/sda3", "/dev/sda1" },
	{ "one disk, /boot unheard of", DISKS(PLAIN("sda", DEV("/dev/sda3", ""))), "/dev/dm-1",
	  "/dev/sda1" },
	{ "the disk that /boot is on",
	  DISKS(PLAIN("sda", DEV("/dev/sda3", "")) "," PLAIN("sdb", DEV("/dev/sdb3", ""))),
	  "/dev/sdb3", "/dev/sdb1" },
	{ "a second one without such a partition",
	  DISKS(DEV(
		  "/dev/sda",
		  WITH(DEV("/dev/sda1",
			   ",\"parttype\":null,\"fstype\":null"))) "," PLAIN("sdb",
									     DEV("/dev/sdb3", ""))),
	  "/dev/sda1", "/dev/sdb1" },
	{ "every disk of a RAID, and no other",
	  DISKS(MEMBER("sda") "," PLAIN("sdc", DEV("/dev/sdc3", "")) "," MEMBER("sdb")), "/dev/md0",
	  "/dev/sda1 /dev/sdb1" },
	{ "LVM is no RAID",
	  DISKS(PLAIN("sda",
		      DEV("/dev/sda3", ",\"fstype\":\"LVM2_member\"" WITH(DEV("/dev/dm-0", ""))))),
	  "/dev/dm-0", "/dev/sda1" },
	{ "LVM on one of two disks",
	  DISKS(PLAIN("sda", DEV("/dev/sda3", WITH(DEV("/dev/dm-0", "")))) "," PLAIN(
		  "sdb", DEV("/dev/sdb3", ""))),
	  "/dev/dm-0", "Error: could not find ESP on boot disk containing /dev/dm-0" },
	{ "a RAID without",
	  DISKS(DEV("/dev/sda", WITH(DEV("/dev/sda3", ",\"fstype\":\"linux_raid_member\"" WITH(
							      DEV("/dev/md0", "")))))),
	  "/dev/md0", "Error: no ESP replicas found for RAID device /dev/md0" },
	{ "none", DISKS(), "/dev/sda3", "Error: no EFI System Partition found" },
	{ "of another shape", "[1,{\"blockdevices\":7}]", "/dev/sda3",
	  "Error: no EFI System Partition found" },
	{ "what is no path is no device",
	  DISKS(DEV("/dev/sda", WITH(DEV("-t", ESP) "," DEV("/dev/sda2", ESP)))), "", "/dev/sda2" },
	{ "no JSON", "", "/dev/sda3",
	  "Error: parsing lsblk output: line 1, column 1: unexpected end of "
	  "JSON input" },
};

TEST choices(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct strs out = { 0 };
		struct str got = S("");

		if (esp_choose(&a, str_of(cases[i].lsblk), str_of(cases[i].boot), &out, &err) < 0)
			got = str_fmt(&a, "Error: %.*s", STRF(err.msg));
		for (size_t k = 0; k < out.n; k++)
			got = str_fmt(&a, "%.*s%s%.*s", STRF(got), k ? " " : "", STRF(out.v[k]));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), got);
	}
	PASS();
}

/* The accepted size of lsblk's output is limited. */
TEST too_much(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct strs out = { 0 };
	struct buf b;

	buf_init(&b, &a);
	while (b.n < 2 << 20)
		buf_addz(&b, "{\"blockdevices\":[");
	ASSERT_INT(-ERR_LIMIT, esp_choose(&a, buf_str(&b), S("/dev/sda3"), &out, &err));
	PASS();
}

SUITE(esp)
{
	RUN_TEST(choices);
	RUN_TEST(too_much);
}

TEST_MAIN(esp)
