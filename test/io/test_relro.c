/*
 * Constant tables of pointers are read-only after relro_protect.
 */
#include "../test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "io/relro.h"

/* Large enough to fill whole pages, wherever the linker puts it. */
static const char *const table[4096] = { "first" };

static bool writable(const volatile void *at)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		*(volatile char *)at = 0;
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST constants(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	static char variable;

	ASSERT_INT(0, relro_protect(&err));
	ASSERT_FALSE(writable(&table[0]));
	ASSERT_FALSE(writable(&table[2048]));
	ASSERT(writable(&variable));
	/* a second call is harmless */
	ASSERT_INT(0, relro_protect(&err));
	ASSERT_STR("first", str_of(table[0]));
	PASS();
}

SUITE(relro)
{
	RUN_TEST(constants);
}

TEST_MAIN(relro)
