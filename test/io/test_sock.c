/* Addresses as text; listening and connecting on loopback. */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/sock.h"

TEST addresses_as_text(void)
{
	static const struct {
		const char *in, *want;
	} cases[] = {
		{ "1.2.3.4", "1.2.3.4:80" },
		{ "::1", "[::1]:80" },
		{ "[2001:db8::7]", "[2001:db8::7]:80" },
		{ "::ffff:10.0.0.1", "10.0.0.1:80" },
		{ "fe80::1%lo", "[fe80::1]:80" },
		{ "1.2.3", NULL },
		{ "1.2.3.4.5", NULL },
		{ "host", NULL },
		{ "", NULL },
		{ "[1.2.3.4", NULL },
		{ "fe80::1%nosuch", NULL },
		{ "0000000000000000000000000000000000000000000000000000001", NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sock_addr a;
		char text[SOCK_TEXT];
		bool ok = sock_parse(str_of(cases[i].in), 80, &a);

		ASSERT_INT_M(cases[i].in, cases[i].want != NULL, ok);
		if (!ok)
			continue;
		sock_text(&a, text);
		ASSERT_STR_M(cases[i].in, str_of(cases[i].want), str_of(text));
	}
	PASS();
}

struct result {
	bool over;
	int fd;
	char why[256];
};

static void on_dial(void *ctx, int fd, struct err *err)
{
	struct result *r = ctx;

	r->over = true;
	r->fd = fd;
	if (fd < 0)
		(void)snprintf(r->why, sizeof(r->why), "%.*s", STRF(err->msg));
}

static struct result dial(struct loop *l, struct str host, uint16_t port, int ms)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct result r = { .fd = -1 };

	(void)dial_start(l, host, port, clock_ms() + ms, on_dial, &r);
	while (!r.over && loop_turn(l, 5000, &err) == 0)
		;
	return r;
}

TEST connecting(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct sock_addr peer;
	struct result r;
	struct dial *d;
	uint16_t port;
	int fd, c, idle = 0;
	socklen_t idle_n = sizeof(idle);

	ASSERT_INT(0, sock_listen(S("127.0.0.1"), 0, &fd, &err));
	port = sock_port(fd);
	ASSERT(port);
	ASSERT_INT(-1, sock_accept(fd, &peer));
	ASSERT_INT(EAGAIN, errno);
	r = dial(l, S("127.0.0.1"), port, 60000);
	ASSERT(r.fd >= 0);
	ASSERT_INT(0, getsockopt(r.fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, &idle_n));
	ASSERT_INT(30, idle);
	c = sock_accept(fd, &peer);
	ASSERT(c >= 0);
	(void)close(c);
	(void)close(r.fd);
	r = dial(l, S("localhost"), port, 60000);
	ASSERT(r.fd >= 0);
	(void)close(r.fd);
	/* a second listener on one port is refused with the reason */
	ASSERT_INT(-ERR_SYS, sock_listen(S("127.0.0.1"), port, &c, &err));
	ASSERT_STR(str_fmt(&a, "listen tcp 127.0.0.1:%u: bind: %s", port, strerror(EADDRINUSE)).p,
		   err.msg);
	(void)close(fd);
	r = dial(l, S("127.0.0.1"), port, 60000);
	ASSERT_INT(-1, r.fd);
	ASSERT_STR(str_fmt(&a, "connect to 127.0.0.1 port %u: %s", port, strerror(ECONNREFUSED)).p,
		   str_of(r.why));
	/* a name in the reserved domain never has an address */
	r = dial(l, S("nowhere.invalid"), 1, 3000);
	ASSERT_INT(-1, r.fd);
	ASSERT(strstr(r.why, "nowhere.invalid port 1: "));
	r = dial(l, S(""), 1, 1000);
	ASSERT_INT(-1, r.fd);
	d = dial_start(l, S("nowhere.invalid"), 1, clock_ms() + 1000, on_dial, &r);
	dial_cancel(d);
	loop_free(l);
	PASS();
}

/* A resolver that blocks for a long time on one name and has no address for any other. */
int getaddrinfo(const char *restrict name, const char *restrict service,
		const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
	(void)service;
	(void)hints;
	(void)out;
	if (strcmp(name, "slow.invalid") == 0)
		(void)pause();
	return EAI_NONAME;
}

/* A running lookup holds no descriptor: the peer of a closed connection notices at once. */
TEST a_lookup_keeps_nothing_open(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct result r = { .fd = -1 };
	struct pollfd p = { -1, POLLIN, 0 };
	struct dial *d;
	int fds[2];

	ASSERT_INT(0, pipe2(fds, O_CLOEXEC));
	d = dial_start(l, S("slow.invalid"), 1, clock_ms() + 300000, on_dial, &r);
	(void)close(fds[1]);
	p.fd = fds[0];
	ASSERT_INT(1, poll(&p, 1, 60000));
	dial_cancel(d);
	(void)close(fds[0]);
	loop_free(l);
	PASS();
}

TEST every_address(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct loop *l = loop_new(&err);
	struct result r;
	int fd;

	ASSERT_INT(0, sock_listen(S(""), 0, &fd, &err));
	r = dial(l, S("127.0.0.1"), sock_port(fd), 60000);
	ASSERT(r.fd >= 0);
	(void)close(r.fd);
	(void)close(fd);
	ASSERT_INT(-ERR_INVALID, sock_listen(S("here"), 0, &fd, &err));
	ASSERT_STR("listen: invalid address \"here\"", err.msg);
	loop_free(l);
	PASS();
}

TEST places_to_listen(void)
{
	static const struct {
		const char *text, *host;
		int port; /* -1: refused */
	} cases[] = {
		{ "127.0.0.1:8797", "127.0.0.1", 8797 },
		{ ":0", "", 0 },
		{ ":65535", "", 65535 },
		{ "[::1]:80", "[::1]", 80 },
		{ "::1:80", "::1", 80 },
		{ "localhost:80", "localhost", 80 },
		{ "8797", NULL, -1 },
		{ "127.0.0.1", NULL, -1 },
		{ "127.0.0.1:", NULL, -1 },
		{ "127.0.0.1:65536", NULL, -1 },
		{ ":-1", NULL, -1 },
		{ ":http", NULL, -1 },
		{ "", NULL, -1 },
	};
	AUTO(arena) struct arena a = ARENA_INIT;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sock_place at = { .port = 1 };
		struct err err = ERR_INIT(&a);
		int rc = sock_place_parse(str_of(cases[i].text), &at, &err);

		ASSERT_INT_M(cases[i].text, cases[i].port < 0 ? -ERR_INVALID : 0, rc);
		ASSERT_INT_M(cases[i].text, cases[i].port < 0 ? 1 : cases[i].port, at.port);
		if (rc == 0)
			ASSERT_STR(cases[i].host, at.host);
		else
			ASSERT_STR(str_fmt(&a,
					   "invalid address \"%s\": use HOST:PORT, or :PORT for "
					   "all addresses",
					   cases[i].text)
					   .p,
				   err.msg);
	}
	PASS();
}

SUITE(suite)
{
	RUN_TEST(addresses_as_text);
	RUN_TEST(connecting);
	RUN_TEST(a_lookup_keeps_nothing_open);
	RUN_TEST(every_address);
	RUN_TEST(places_to_listen);
}

TEST_MAIN(suite)
