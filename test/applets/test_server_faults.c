/*
 * mco-server with clients that are slow, faulty or gone, and workers that die:
 * the real binary over real sockets.
 */
#include "../test.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/file.h"
#include "io/loop.h"

#define TREE "test/golden/server/tree/base"
#define HALF_OPEN 1000
#define MALFORMED 3000
#define LATE_MS 45000 /* limit for what should end after ten seconds */
#define SLOW 1600 /* twice as many as --max-connections */
#define PATIENCE_MS 300000 /* limit for a slow machine; only to end the test */
#define TURNS (PATIENCE_MS / 10)

static char scratch[] = "/tmp/mco-test-XXXXXX";
static pid_t server;
static uint16_t port, secure;
static int log_fd = -1;
static char log_text[1 << 20];
static size_t log_n;

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	(void)nanosleep(&t, NULL);
}

/* The mco-server next to the directory of this test. */
static const char *binary(struct arena *a)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
	struct str path = { self, n > 0 ? (size_t)n : 0 };

	for (int i = 0; i < 3; i++)
		path = str_sub(path, 0,
			       (size_t)(str_rchr(path, '/') < 0 ? 0 : str_rchr(path, '/')));
	return str_fmt(a, "%.*s/mco-server", STRF(path)).p;
}

static void read_log(void)
{
	ssize_t n;

	while (log_n < sizeof(log_text) - 1 &&
	       (n = read(log_fd, log_text + log_n, sizeof(log_text) - 1 - log_n)) > 0)
		log_n += (size_t)n;
	if (log_n == sizeof(log_text) - 1)
		log_n /= 2; /* only new text is searched */
}

/* Waits for text in the log; returns the text after it. */
static const char *in_log(const char *text, int times)
{
	for (int i = 0; i < TURNS; i++) {
		const char *at = log_text;
		int seen = 0;

		read_log();
		log_text[log_n] = '\0';
		while ((at = strstr(at, text))) {
			at += strlen(text);
			if (++seen == times && strchr(at, '\n'))
				return at;
		}
		pause_ms(10);
	}
	return NULL;
}

static bool make_pair(struct arena *a)
{
	return mkdtemp(scratch) && system(str_fmt(a,
						  "openssl req -x509 -nodes -days 2 -subj /CN=x "
						  "-newkey ec -pkeyopt ec_paramgen_curve:P-256 "
						  "-keyout %s/tls.key -out %s/tls.crt 2>/dev/null",
						  scratch, scratch)
						  .p) == 0;
}

/* A port without a listener, below the kernel's ephemeral range. */
static unsigned free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	unsigned n = 10000 + (unsigned)(getpid() * 7919) % 20000;
	bool found = false;

	while (!found) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		n = n < 30000 ? n + 1 : 10000;
		at.sin_port = htons((uint16_t)n);
		found = bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
		(void)close(fd);
	}
	return n;
}

static bool start_server(struct arena *a, const char *bin)
{
	const char *const args[] = {
		bin,
		"bootstrap",
		"--server-basedir",
		TREE,
		"--bootstrap-kubeconfig",
		TREE "/kubeconfig",
		"--bind-address",
		"127.0.0.1",
		"--secure-port",
		"0",
		"--insecure-port",
		str_fmt(a, "%u", free_port()).p,
		"--workers",
		"2",
		"--max-connections",
		"800",
		"--cert",
		str_fmt(a, "%s/tls.crt", scratch).p,
		"--key",
		str_fmt(a, "%s/tls.key", scratch).p,
		NULL,
	};
	/* a file: a full pipe would block the server */
	const char *log = str_fmt(a, "%s/log", scratch).p, *text;
	int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	log_fd = open(log, O_RDONLY | O_CLOEXEC);
	if (out < 0 || log_fd < 0)
		return false;
	server = fork();
	if (server == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
		(void)dup2(out, STDERR_FILENO);
		(void)execv(bin, (char *const *)(uintptr_t)args);
		_exit(127);
	}
	(void)close(out);
	text = in_log("Launching server on :", 1);
	secure = text ? (uint16_t)strtoul(text, NULL, 10) : 0;
	text = in_log("Launching server on :", 2);
	port = text ? (uint16_t)strtoul(text, NULL, 10) : 0;
	return port && secure;
}

/* ---- a client ------------------------------------------------------------ */

static int dial_from(int fd, uint32_t from, uint16_t to_port)
{
	struct sockaddr_in me = { .sin_family = AF_INET, .sin_addr = { htonl(from) } };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(to_port),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (bind(fd, (struct sockaddr *)&me, sizeof(me)) == 0 &&
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	(void)close(fd);
	return -1;
}

static int dial(uint16_t to_port)
{
	return dial_from(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), INADDR_LOOPBACK, to_port);
}

/* Sends, half-closes when requested, and reads all bytes up to the end. */
static struct str talk_from(uint32_t from, struct arena *a, struct str request, bool half_close)
{
	AUTO(fd)
	int fd = dial_from(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), from, port);
	struct buf b;
	ssize_t n;

	buf_init(&b, a);
	if (fd < 0)
		return S("");
	if (send(fd, request.p, request.n, MSG_NOSIGNAL) < 0 && !half_close)
		return S("");
	if (half_close)
		(void)shutdown(fd, SHUT_WR);
	do {
		buf_reserve(&b, 65536);
		n = recv(fd, b.p + b.n, 65536, 0);
		b.n += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return buf_str(&b);
}

static struct str talk(struct arena *a, struct str request, bool half_close)
{
	return talk_from(INADDR_LOOPBACK, a, request, half_close);
}

static bool served_from(uint32_t from)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str got = talk_from(from, &a,
				   S("GET /config/master HTTP/1.1\r\nHost: x\r\n"
				     "Connection: close\r\n\r\n"),
				   false);

	return str_starts(got, S("HTTP/1.1 200 OK\r\n")) && got.n > 10000 &&
	       got.p[got.n - 1] == '}';
}

static bool served(void)
{
	return served_from(INADDR_LOOPBACK);
}

/* ---- the server's processes ---------------------------------------------- */

struct pids {
	pid_t v[16];
	size_t n;
};

static struct pids workers(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str rest = test_file(&a, str_fmt(&a, "/proc/%d/task/%d/children", server, server).p);
	struct pids p = { 0 };
	struct str word;
	int64_t v;

	rest = str_trim(rest);
	while (rest.n && p.n < 16) {
		struct str after = S("");

		if (!str_cut(rest, ' ', &word, &after))
			word = rest;
		if (str_to_i64(word, &v))
			p.v[p.n++] = (pid_t)v;
		rest = after;
	}
	return p;
}

static int descriptors(pid_t pid)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	DIR *d = opendir(str_fmt(&a, "/proc/%d/fd", pid).p);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		(void)closedir(d);
	return n;
}

static int all_descriptors(void)
{
	struct pids p = workers();
	int n = descriptors(server);

	for (size_t i = 0; i < p.n; i++)
		n += descriptors(p.v[i]);
	return n;
}

static bool comes_down_to(int want)
{
	for (int i = 0; i < TURNS && all_descriptors() > want; i++)
		pause_ms(10);
	return all_descriptors() <= want;
}

/* The number of descriptors when all workers run and are idle. A worker that is still
 * starting has fewer than the others. */
static int quiet_descriptors(void)
{
	int n = -1, same = 0;

	for (int i = 0; i < TURNS / 5 && same < 10; i++) {
		struct pids p = workers();
		int now = p.n == 2 && descriptors(p.v[0]) == descriptors(p.v[1]) ? all_descriptors()
										 : -1;

		same = now >= 0 && now == n ? same + 1 : 0;
		n = now;
		pause_ms(50);
	}
	return n;
}

/* ---- faults -------------------------------------------------------------- */

static int quiet; /* descriptors when idle */

TEST half_open_connections_keep_nobody_out(void)
{
	static int held[HALF_OPEN];
	static const char head[] = "GET /config/master HTTP/1.1\r\nHost: x\r\nA";
	int open = 0;

	quiet = quiet_descriptors();
	for (int i = 0; i < HALF_OPEN; i++) {
		held[i] = dial(i % 2 ? port : secure);
		if (held[i] < 0)
			continue;
		open++;
		/* some send nothing, some stop in the middle, and some send bytes that
		 * are not TLS */
		if (i % 3)
			(void)send(held[i], head, sizeof(head) - 1 - i % 30u, MSG_NOSIGNAL);
		if (i % 50 == 49)
			ASSERT(served());
	}
	ASSERT_INT(HALF_OPEN, open);
	for (int i = 0; i < 50; i++)
		ASSERT(served());
	for (int i = 0; i < HALF_OPEN; i++)
		(void)close(held[i]);
	ASSERT(comes_down_to(quiet));
	PASS();
}

/* From 127.0.0.2, requesting more than all buffers on the path hold. */
static int slow_reader(struct str requests)
{
	int small = 4096, segment = 536;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof(segment));
	fd = dial_from(fd, INADDR_LOOPBACK + 1, port);
	if (fd >= 0)
		(void)send(fd, requests.p, requests.n, MSG_NOSIGNAL);
	return fd;
}

/* Requests from 127.0.0.3 on both ports; returns curl's output. */
static bool both_answer(const char *path)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const char *curl = "curl -sk --interface 127.0.0.3 --max-time 60 -o "
			   "/dev/null -w '%{http_code}' ";
	const char *test = str_fmt(&a,
				   "test \"$(%s http://127.0.0.1:%u%s)\" = 200 "
				   "&& test \"$(%s https://127.0.0.1:%u%s)\" = "
				   "200",
				   curl, port, path, curl, secure, path)
				   .p;

	return system(test) == 0;
}

static bool is_cut(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };

	return fd < 0 || (poll(&p, 1, 0) > 0 && p.revents);
}

/*
 * One host reads slowly on more connections than there are slots: other hosts
 * are served, on this port and on the other, and it loses connections.
 */
TEST slow_readers_keep_nobody_out(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	/* the beginning of a ClientHello of 16 KB */
	static const char hello[] = "\x16\x03\x01\x40\x00\x01\x00\x3f\xfc\x03\x03";
	static int held[SLOW];
	int64_t began = clock_ms();
	int open = 0, tls, plain;
	struct buf ask;

	buf_init(&ask, &a);
	for (int i = 0; i < 400; i++)
		buf_addz(&ask, "GET /config/master HTTP/1.1\r\nHost: x\r\n\r\n");
	for (int i = 0; i < SLOW; i++) {
		held[i] = slow_reader(buf_str(&ask));
		if (i % 400 == 399) {
			ASSERT(both_answer("/config/master"));
			ASSERT(both_answer("/healthz"));
		}
	}
	for (int i = 0; i < SLOW; i++)
		open += !is_cut(held[i]);
	/* half of the 800, and the spare slots */
	ASSERT(open > 200);
	ASSERT(open <= 400 + 52);
	ASSERT(str_find(test_file(&a, str_fmt(&a, "%s/log", scratch).p),
			S("no free connection slot: ")) > 0);
	/* and from the same address, once the slow connections are known */
	pause_ms(600);
	for (int i = 0; i < 20; i++)
		ASSERT(served_from(INADDR_LOOPBACK + 1));
	/* ten seconds without progress; single bytes are no progress */
	tls = dial(secure);
	plain = dial(port);
	(void)send(tls, hello, sizeof(hello) - 1, MSG_NOSIGNAL);
	(void)send(plain, "GET /healthz HTTP/1.1\r\nX: ", 26, MSG_NOSIGNAL);
	do {
		pause_ms(100);
		(void)send(tls, "\2", 1, MSG_NOSIGNAL); /* byte of a long list */
		(void)send(plain, "x", 1, MSG_NOSIGNAL);
		open = !is_cut(tls) + !is_cut(plain);
		for (int i = 0; i < SLOW; i++)
			open += !is_cut(held[i]);
	} while (open && clock_ms() < began + LATE_MS);
	ASSERT_INT(0, open);
	(void)close(tls);
	(void)close(plain);
	for (int i = 0; i < SLOW; i++)
		if (held[i] >= 0)
			(void)close(held[i]);
	ASSERT(comes_down_to(quiet));
	PASS();
}

/* A faulty request, or bytes that are not a request. */
static struct str malformed(struct arena *a, struct test_rng *r)
{
	static const char *const heads[] = {
		"GET /config/master HTTP/1.1\r\n\r\n",
		"GET /config/master HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
		"GET  /config/master HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /config/master HTTP/3.0\r\nHost: a\r\n\r\n",
		"GET /config/master\r\n\r\n",
		"GET /config/master HTTP/1.1\nHost: a\n\n",
		"GET /config/master HTTP/1.1\r\nHost : a\r\n\r\n",
		"GET /config/master HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
		"Content-Length: 2\r\n\r\nxx",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n"
		"\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
		"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
		"\r\nzz\r\n",
		"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n"
		"\r\n",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	};
	struct buf b;
	uint32_t pick = test_rand(r, 18);

	buf_init(&b, a);
	if (pick < 15) {
		buf_addz(&b, heads[pick]);
	} else if (pick == 15) {
		for (uint32_t n = test_rand(r, 400); n; n--)
			buf_addc(&b, (char)test_rand(r, 256));
	} else if (pick == 16) {
		buf_addz(&b, "GET /");
		buf_fill(&b, 'a', 20000);
	} else {
		buf_addz(&b, "GET / HTTP/1.1\r\n");
		for (int i = 0; i < 300; i++)
			buf_addf(&b, "F%d: x\r\n", i);
	}
	/* sometimes also with one other byte changed */
	if (b.n && test_rand(r, 3) == 0)
		b.p[test_rand(r, (uint32_t)b.n)] = (char)test_rand(r, 256);
	return buf_str(&b);
}

TEST malformed_requests_are_refused(void)
{
	struct test_rng r = { 7 };
	int answered = 0, wrong = 0;

	for (int i = 0; i < MALFORMED; i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct str got = talk(&a, malformed(&a, &r), true);

		answered += got.n > 0;
		/* with one byte changed it may still be a valid request */
		wrong += got.n && !str_starts(got, S("HTTP/1.1 4")) &&
			 !str_starts(got, S("HTTP/1.1 50")) &&
			 !str_starts(got, S("HTTP/1.1 200 OK"));
		if (i % 500 == 499)
			ASSERT(served());
	}
	ASSERT_INT(0, wrong);
	ASSERT(answered > MALFORMED / 2);
	ASSERT(comes_down_to(quiet));
	PASS();
}

TEST a_worker_that_is_killed_is_replaced(void)
{
	for (int round = 1; round <= 3; round++) {
		struct pids before = workers();

		ASSERT_INT(2, before.n);
		ASSERT_INT(0, kill(before.v[round % 2], SIGKILL));
		ASSERT(in_log("was killed by signal 9; starting another", round));
		for (int i = 0; i < 20; i++)
			ASSERT(served());
		for (int i = 0; i < TURNS && workers().n != 2; i++)
			pause_ms(10);
	}
	ASSERT(comes_down_to(quiet));
	PASS();
}

/* The server has read everything that this connection sent: the kernel has no unread
 * bytes left. */
static bool taken(int fd)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct sockaddr_in me = { 0 };
	socklen_t n = sizeof(me);
	struct str row;

	if (getsockname(fd, (struct sockaddr *)&me, &n) < 0)
		return false;
	row = str_fmt(&a, ":%04X 0100007F:%04X 01 00000000:00000000 ", port, ntohs(me.sin_port));
	for (int i = 0; i < TURNS; i++) {
		AUTO(arena) struct arena b = ARENA_INIT;

		if (str_find(test_file(&b, "/proc/net/tcp"), row) >= 0)
			return true;
		pause_ms(10);
	}
	return false;
}

/* Waits until the port has no listener. */
static bool closed(int64_t within_ms)
{
	int64_t end = clock_ms() + within_ms;

	while (clock_ms() < end) {
		int fd = dial(port);

		if (fd < 0)
			return true;
		(void)close(fd);
		pause_ms(10);
	}
	return false;
}

/* A request that began before SIGTERM is finished; no new one is accepted. The request
 * ends well within the server's time limit, also on a slow machine. */
TEST a_graceful_end(void)
{
	static const char head[] = "GET /config/master HTTP/1.1\r\nHost: x\r\n";
	AUTO(fd) int fd = dial(port);
	char got[64] = { 0 };
	int status = -1;
	ssize_t n;

	ASSERT(fd >= 0);
	ASSERT(send(fd, head, sizeof(head) - 1, MSG_NOSIGNAL) > 0);
	ASSERT(taken(fd));
	ASSERT_INT(0, kill(server, SIGTERM));
	ASSERT(in_log("stopping: running requests", 1));
	(void)closed(5000);
	ASSERT_INT(2, send(fd, "\r\n", 2, MSG_NOSIGNAL));
	n = recv(fd, got, sizeof(got) - 1, MSG_WAITALL);
	ASSERT(n > 15);
	ASSERT(strncmp(got, "HTTP/1.1 200 OK", 15) == 0);
	while (recv(fd, got, sizeof(got), 0) > 0)
		;
	ASSERT(closed(PATIENCE_MS));
	ASSERT_INT(server, waitpid(server, &status, 0));
	ASSERT(WIFEXITED(status));
	ASSERT_INT(0, WEXITSTATUS(status));
	server = 0;
	PASS();
}

SUITE(suite)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const char *bin = binary(&a);
	struct rlimit files = { 4096, 4096 };

	(void)alarm(2000); /* fail instead of waiting for ever */
	(void)getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	if (access(TREE, R_OK) < 0) {
		(void)fprintf(stderr, "there is no %s to serve\n", TREE);
		exit(1);
	}
	if (!make_pair(&a)) {
		(void)fprintf(stderr, "openssl makes no certificate\n");
		exit(1);
	}
	if (!start_server(&a, bin)) {
		(void)fprintf(stderr, "%s does not start\n%s", bin, log_text);
		exit(1);
	}
	RUN_TEST(half_open_connections_keep_nobody_out);
	RUN_TEST(slow_readers_keep_nobody_out);
	RUN_TEST(malformed_requests_are_refused);
	RUN_TEST(a_worker_that_is_killed_is_replaced);
	RUN_TEST(a_graceful_end);
	if (server)
		(void)kill(server, SIGKILL);
	(void)close(log_fd);
	(void)unlink(str_fmt(&a, "%s/log", scratch).p);
	(void)unlink(str_fmt(&a, "%s/tls.key", scratch).p);
	(void)unlink(str_fmt(&a, "%s/tls.crt", scratch).p);
	(void)rmdir(scratch);
}

TEST_MAIN(suite)
