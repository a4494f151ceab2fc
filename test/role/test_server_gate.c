/* Access to configs: networks, bearer tokens, requests per minute. */
#include "../test.h"

#include <fcntl.h>
#include <unistd.h>

#include "io/file.h"
#include "io/log.h"
#include "role/server/server_gate.h"

static struct rate_slot slots[GATE_SLOTS];
static char token_file[] = "/tmp/mco-gate-XXXXXX";

static struct sock_addr addr(const char *text)
{
	struct sock_addr a;

	if (!sock_parse(str_of(text), 1, &a))
		abort();
	return a;
}

TEST networks(void)
{
	static const struct {
		const char *network, *peer;
		bool admits;
	} cases[] = {
		{ NULL, "192.0.2.1", true },
		{ "192.0.2.0/24", "192.0.2.255", true },
		{ "192.0.2.0/24", "192.0.3.0", false },
		{ "192.0.2.0/25", "192.0.2.127", true },
		{ "192.0.2.0/25", "192.0.2.128", false },
		{ "192.0.2.7", "192.0.2.7", true },
		{ "192.0.2.7", "192.0.2.6", false },
		{ "0.0.0.0/0", "198.51.100.1", true },
		{ "0.0.0.0/0", "::1", false },
		{ "192.0.2.0/24", "::ffff:192.0.2.1", true },
		{ "fd00::/48", "fd00:0:0:1::1", true },
		{ "fd00::/48", "fd00:0:1::1", false },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct strs allow = { 0 };
		struct gate_opts o = { .allow = &allow };
		struct sock_addr peer = addr(cases[i].peer);
		struct gate *g;

		if (cases[i].network)
			VEC_PUSH(&a, &allow, str_of(cases[i].network));
		g = gate_new(&o, &err);
		ASSERT(g);
		ASSERT_INT_M(cases[i].peer, cases[i].admits, gate_admits(g, &peer));
		gate_free(g);
	}
	PASS();
}

TEST options_that_make_no_sense(void)
{
	static const struct {
		const char *network, *tokens;
		int64_t per_minute;
		const char *why;
	} cases[] = {
		{ "10.0.0.0/33", NULL, 0,
		  "--allow-cidr: invalid network \"10.0.0.0/33\": use a form like 10.0.0.0/16 or "
		  "fd00::/48" },
		{ "here", NULL, 0,
		  "--allow-cidr: invalid network \"here\": use a form like 10.0.0.0/16 or fd00::/48" },
		{ NULL, "/dev/null", 0,
		  "--require-token-file: /dev/null: the file contains "
		  "no token" },
		{ NULL, NULL, -1, "--rate-limit: give a number up to 60000000" },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = ERR_INIT(&a);
		struct strs allow = { 0 };
		struct gate_opts o = { .allow = &allow,
				       .token_file = str_of(cases[i].tokens ? cases[i].tokens : ""),
				       .per_minute = cases[i].per_minute,
				       .slots = slots };

		if (cases[i].network)
			VEC_PUSH(&a, &allow, str_of(cases[i].network));
		ASSERT(!gate_new(&o, &err));
		ASSERT_INT(ERR_INVALID, err.code);
		ASSERT_STR(cases[i].why, err.msg);
	}
	PASS();
}

TEST tokens(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct strs none = { 0 };
	struct gate_opts o = { .allow = &none, .token_file = str_of(token_file) };
	struct gate *g;

	ASSERT_INT(0, file_replace(token_file, S("one\n\n  two \n"), 0600, &err));
	g = gate_new(&o, &err);
	ASSERT(g);
	ASSERT(gate_knows(g, S("Bearer one")));
	ASSERT(gate_knows(g, S("bearer two")));
	ASSERT(!gate_knows(g, S("Bearer three")));
	ASSERT(!gate_knows(g, S("Basic one")));
	ASSERT(!gate_knows(g, S("one")));
	ASSERT(!gate_knows(g, S("")));
	/* replaced, then unreadable: the last tokens stay valid */
	ASSERT_INT(0, file_replace(token_file, S("three\n"), 0600, &err));
	ASSERT(gate_knows(g, S("Bearer three")));
	ASSERT(!gate_knows(g, S("Bearer one")));
	ASSERT_INT(0, unlink(token_file));
	ASSERT(gate_knows(g, S("Bearer three")));
	gate_free(g);
	PASS();
}

TEST pace(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct strs none = { 0 };
	struct gate_opts o = { .allow = &none, .per_minute = 2, .slots = slots };
	struct sock_addr one = addr("2001:db8::1"), neighbour = addr("2001:db8::2"),
			 other = addr("2001:db8:0:1::1");
	struct gate *g = gate_new(&o, &err);
	int64_t seconds = 0;

	ASSERT(g);
	ASSERT(gate_paces(g, &one, &seconds));
	ASSERT(gate_paces(g, &neighbour, &seconds)); /* of the same /64: counted together */
	ASSERT(!gate_paces(g, &one, &seconds));
	ASSERT(seconds >= 1 && seconds <= 31);
	ASSERT(gate_paces(g, &other, &seconds));
	gate_free(g);
	PASS();
}

SUITE(suite)
{
	int fd = mkstemp(token_file);

	if (fd < 0)
		abort();
	(void)close(fd);
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(networks);
	RUN_TEST(options_that_make_no_sense);
	RUN_TEST(tokens);
	RUN_TEST(pace);
}

TEST_MAIN(suite)
