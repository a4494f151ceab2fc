/* Changes on a disk: a table of states before and after. */
#include "../test.h"

#include "view/disk_diff.h"

#define FILE_(mode, uid, gid, text)                \
	{                                          \
		DISK_FILE, mode, uid, gid, S(text) \
	}
#define LINK_(to)                            \
	{                                    \
		DISK_LINK, 0777, 0, 0, S(to) \
	}
#define NONE                        \
	{                           \
		.kind = DISK_ABSENT \
	}

static const struct {
	const char *name;
	struct disk_state from, to;
	const char *want;
} cases[] = {
	{ "the same", FILE_(0644, 0, 0, "a\n"), FILE_(0644, 0, 0, "a\n"), "" },
	{ "any owner, any mode", FILE_(0600, 3, 4, "a\n"), FILE_(-1, -1, -1, "a\n"), "" },
	{ "nothing, still", NONE, NONE, "" },
	{ "the same link", LINK_("x"), LINK_("x"), "" },
	{ "a directory stays", { .kind = DISK_OTHER }, { .kind = DISK_OTHER }, "" },
	{ "added", NONE, FILE_(0644, 0, 0, "a\n"),
	  "file /p (added)\n  + mode: 0644\n  --- /dev/null\n  +++ b/p\n  @@ "
	  "-0,0 +1,1 @@\n  +a\n" },
	{ "added with an owner", NONE, FILE_(04755, 1, 0, ""),
	  "file /p (added)\n  + mode: 4755\n  + owner: 1:0\n" },
	{ "removed", FILE_(0644, 1, 1, "a\n"), NONE,
	  "file /p (removed)\n  --- a/p\n  +++ /dev/null\n  @@ -1,1 +0,0 "
	  "@@\n  -a\n" },
	{ "mode", FILE_(0644, 0, 0, "a\n"), FILE_(0755, 0, 0, "a\n"),
	  "file /p (changed)\n  - mode: 0644\n  + mode: 0755\n" },
	{ "group", FILE_(0644, 0, 0, "a\n"), FILE_(0644, 0, 7, "a\n"),
	  "file /p (changed)\n  - owner: 0:0\n  + owner: 0:7\n" },
	{ "contents", FILE_(0644, 0, 0, "a\n"), FILE_(0644, 0, 0, "b\n"),
	  "file /p (changed)\n  --- a/p\n  +++ b/p\n  @@ -1,1 +1,1 @@\n  -a\n "
	  " +b\n" },
	{ "another target", LINK_("x"), LINK_("y"),
	  "link /p (changed)\n  - target: x\n  + target: y\n" },
	{ "a link goes", LINK_("x"), NONE, "link /p (removed)\n" },
	{ "masked", FILE_(0644, 0, 0, "a\n"), LINK_("/dev/null"),
	  "link /p (changed)\n  - mode: 0644\n  + target: /dev/null\n  --- "
	  "a/p\n  +++ /dev/null\n  @@ -1,1 +0,0 @@\n  -a\n" },
	{ "a file in a link's place", LINK_("x"), FILE_(0644, 0, 0, "a\n"),
	  "file /p (changed)\n  - target: x\n  + mode: 0644\n  --- "
	  "/dev/null\n  +++ b/p\n  @@ -0,0 +1,1 @@\n  +a\n" },
	{ "for root alone", FILE_(0600, 0, 0, "a\n"), FILE_(0600, 0, 0, "b\n"),
	  "file /p (changed)\n  contents differ, but look secret: "
	  "--show-secrets shows them\n" },
	{ "it was for root alone", FILE_(0600, 0, 0, "a\n"), FILE_(0644, 0, 0, "b\n"),
	  "file /p (changed)\n  - mode: 0600\n  + mode: 0644\n  contents "
	  "differ, but look secret: --show-secrets shows them\n" },
	{ "a value", FILE_(0644, 0, 0, "token: a\n"), FILE_(0644, 0, 0, "token: b\n"),
	  "file /p (changed)\n  --- a/p\n  +++ b/p\n  @@ -1,1 +1,1 @@\n  "
	  "-token: *** (before)\n  +token: *** (after)\n" },
};

TEST states(void)
{
	const struct contents_opts opts = { .indent = "  " };
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct disk_change c = { S("/p"), cases[i].from, cases[i].to };
		const struct disk_changes list = { &c, 1, 1 };
		struct buf b;

		buf_init(&b, &a);
		ASSERT_INT(*cases[i].want ? 1 : 0, (int)disk_diff(&b, &list, &opts));
		ASSERT_STR_M(cases[i].name, str_of(cases[i].want), buf_str(&b));
		ASSERT_EQm(cases[i].name, !*cases[i].want, disk_same(&c.from, &c.to));
	}
	PASS();
}

SUITE(disk)
{
	RUN_TEST(states);
}

TEST_MAIN(disk)
