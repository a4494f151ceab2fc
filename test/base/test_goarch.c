#include "../test.h"

#include "base/goarch.h"

#include <sys/utsname.h>

/* The kernel, or qemu, names the machine that runs this program. */
TEST it_is_the_machine(void)
{
	static const struct {
		const char *machine, *goarch;
	} names[] = {
		{ "x86_64", "amd64" },
		{ "aarch64", "arm64" },
		{ "ppc64le", "ppc64le" },
		{ "s390x", "s390x" },
	};
	const char *want = "none";
	struct utsname u;

	ASSERT_INT(0, uname(&u));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(u.machine, names[i].machine) == 0)
			want = names[i].goarch;
	ASSERT_STR_EQ(want, GOARCH);
	PASS();
}

SUITE(suite)
{
	RUN_TEST(it_is_the_machine);
}

TEST_MAIN(suite)
