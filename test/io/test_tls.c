/* The client and server of io/tls on a socket pair, with certificates that openssl made. */
#include "../test.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/tls.h"

static char dir[] = "/tmp/mco-tls-XXXXXX";
static struct arena files = ARENA_INIT;

static struct str pem(const char *name)
{
	return test_file(&files, str_fmt(&files, "%s/%s", dir, name).p);
}

/* Both ends of a connection, and the outcome of each. */
struct ends {
	struct arena a;
	int fds[2];
	struct tls *t[2]; /* server, client */
	int rc[2];
	struct err err[2];
};

static void open_ends(struct ends *e, struct tls_server *s, struct tls_client *c, const char *host)
{
	*e = (struct ends){ 0 };
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, e->fds) < 0)
		abort();
	e->t[0] = tls_accept(s);
	e->t[1] = tls_connect(c, str_of(host));
	e->err[0] = e->err[1] = ERR_INIT(&e->a);
	e->rc[0] = e->rc[1] = -ERR_AGAIN;
	for (int i = 0; i < 100; i++)
		for (int k = 0; k < 2; k++)
			if (e->rc[k] == -ERR_AGAIN)
				e->rc[k] = tls_handshake(e->t[k], e->fds[k], &e->err[k]);
}

static void close_ends(struct ends *e)
{
	for (int k = 0; k < 2; k++) {
		tls_free(e->t[k]);
		(void)close(e->fds[k]);
	}
	arena_free(&e->a);
}

/* Sends n bytes from one end to the other; true when they arrive unchanged. */
static bool carry(struct ends *e, int from, size_t n)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	char *out = arena_alloc(&a, n + 1), *in = arena_alloc(&a, n + 1);
	size_t sent = 0, got = 0;
	int to = 1 - from;

	for (size_t i = 0; i < n; i++)
		out[i] = (char)(i * 7 + i / 251);
	for (int turns = 0; got < n && turns < 100000; turns++) {
		struct iovec v[2] = { { out + sent, (n - sent) / 3 },
				      { out + sent + (n - sent) / 3, n - sent - (n - sent) / 3 } };
		ssize_t rc = 0;

		if (sent < n)
			rc = tls_write(e->t[from], e->fds[from], v, 2, &e->err[from]);
		else
			(void)tls_flush(e->t[from], e->fds[from], &e->err[from]);
		sent += rc > 0 ? (size_t)rc : 0;
		rc = tls_read(e->t[to], e->fds[to], in + got, n - got, &e->err[to]);
		if (rc == 0 || (rc < 0 && rc != -ERR_AGAIN))
			return false;
		got += rc > 0 ? (size_t)rc : 0;
	}
	return got == n && memcmp(in, out, n) == 0;
}

static struct tls_server *server(const char *cert, const char *key)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct tls_server *s = tls_server_new(NULL);

	if (tls_server_set_pair(s, pem(cert), pem(key), &err) < 0) {
		(void)printf("%s: %.*s\n", cert, STRF(err.msg));
		abort();
	}
	return s;
}

static struct tls_client *client(const char *ca)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct tls_client *c = tls_client_new(NULL);

	if (tls_client_set_ca(c, pem(ca), &err) < 0)
		abort();
	return c;
}

TEST agreed_with(const char *cert, const char *key, const char *ca, const char *host,
		 const char *suite)
{
	struct tls_server *s = server(cert, key);
	struct tls_client *c = client(ca);
	struct ends e;

	open_ends(&e, s, c, host);
	ASSERT_STR("", e.err[0].msg);
	ASSERT_STR("", e.err[1].msg);
	ASSERT_INT(0, e.rc[0]);
	ASSERT_INT(0, e.rc[1]);
	ASSERT_STR(suite, str_of(tls_suite(e.t[0])));
	ASSERT_STR(suite, str_of(tls_suite(e.t[1])));
	ASSERT(!tls_resumed(e.t[1]));
	ASSERT(carry(&e, 1, 300));
	ASSERT(carry(&e, 0, 1000000));
	ASSERT(carry(&e, 1, 100000));
	/* an orderly close differs from a cut */
	tls_close(e.t[0], e.fds[0]);
	ASSERT_INT(0, tls_read(e.t[1], e.fds[1], &(char){ 0 }, 1, &e.err[1]));
	close_ends(&e);
	/* and a second time, by resuming the session */
	open_ends(&e, s, c, host);
	ASSERT_INT(0, e.rc[0]);
	ASSERT_INT(0, e.rc[1]);
	ASSERT(tls_resumed(e.t[1]));
	ASSERT(carry(&e, 0, 1000));
	(void)shutdown(e.fds[0], SHUT_RDWR);
	ASSERT_INT(-ERR_GONE, tls_read(e.t[1], e.fds[1], &(char){ 0 }, 1, &e.err[1]));
	close_ends(&e);
	tls_server_free(s);
	tls_client_free(c);
	PASS();
}

TEST refusals(void)
{
	static const struct {
		const char *cert, *key, *ca, *host, *want;
	} cases[] = {
		{ "rsa.pem", "rsa.key", "stranger.pem", "localhost",
		  "tls: certificate signed by unknown authority (CN=test CA)" },
		{ "self.pem", "p256.key", "ca.pem", "localhost",
		  "tls: certificate signed by unknown authority (CN=self, self-signed)" },
		{ "rsa.pem", "rsa.key", "ca.pem", "other.example",
		  "tls: certificate is valid for localhost, *.wild.example, mcs.example, not other.example" },
		{ "rsa.pem", "rsa.key", "ca.pem", "a.b.wild.example",
		  "tls: certificate is valid for localhost, *.wild.example, mcs.example, not a.b.wild.example" },
		{ "rsa.pem", "rsa.key", "ca.pem", "wild.example",
		  "tls: certificate is valid for localhost, *.wild.example, mcs.example, not wild.example" },
		{ "rsa.pem", "rsa.key", "ca.pem", "10.0.0.1",
		  "tls: certificate is valid for 127.0.0.1, 0:0:0:0:0:0:0:1, not 10.0.0.1" },
		{ "noip.pem", "p256.key", "ca.pem", "127.0.0.1",
		  "tls: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs" },
		{ "nosan.pem", "p256.key", "ca.pem", "localhost",
		  "tls: certificate is not valid for any names, but wanted to match localhost" },
		{ "client.pem", "p256.key", "ca.pem", "localhost",
		  "tls: certificate specifies an incompatible key usage" },
		{ "critical.pem", "p256.key", "ca.pem", "localhost",
		  "tls: certificate has a critical extension that is not supported" },
		{ "sha1.pem", "p256.key", "ca.pem", "localhost",
		  "tls: certificate is signed with an algorithm that is not supported (SHA-1)" },
		{ "leaf.pem", "p256.key", "ca.pem", "localhost",
		  "tls: certificate signed by unknown authority (CN=test intermediate,O=system:tests)" },
		{ "beyond-chain.pem", "p256.key", "ca.pem", "localhost",
		  "tls: certificate authority is not authorized to sign for this name: DNS name \"localhost\" is not permitted by any constraint" },
		{ "under-chain.pem", "p384.key", "ecca.pem", "localhost",
		  "tls: certificate signed by unknown authority (CN=server,O=system:tests, self-signed)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct tls_server *s = server(cases[i].cert, cases[i].key);
		struct tls_client *c = client(cases[i].ca);
		struct ends e;

		open_ends(&e, s, c, cases[i].host);
		ASSERT_STR_M(cases[i].cert, str_of(cases[i].want), e.err[1].msg);
		ASSERT_INT(-ERR_INVALID, e.rc[1]);
		ASSERT_INT(TLS_FAULT_UNTRUSTED, tls_fault(e.t[1]));
		ASSERT_INT(TLS_FAULT_OTHER, tls_fault(e.t[0]));
		ASSERT_STR_M(cases[i].cert,
			     str_starts(e.err[1].msg, S("tls: certificate signed by"))
				     ? S("tls: the peer does not know our certificate's authority")
				     : S("tls: the peer refused our certificate (bad certificate)"),
			     e.err[0].msg);
		close_ends(&e);
		/* an insecure client connects all the same */
		tls_client_set_insecure(c, true);
		open_ends(&e, s, c, cases[i].host);
		ASSERT_INT(0, e.rc[1]);
		ASSERT_INT(TLS_FAULT_NONE, tls_fault(e.t[1]));
		ASSERT(carry(&e, 0, 1000));
		close_ends(&e);
		tls_server_free(s);
		tls_client_free(c);
	}
	PASS();
}

TEST out_of_time(void)
{
	static const char *const certs[] = { "expired.pem", "future.pem" };
	static const char *const ends_in[] = {
		" is after 2021-01-01T00:00:00Z",
		" is before 2100-01-01T00:00:00Z (is this machine's clock right?)",
	};

	for (size_t i = 0; i < 2; i++) {
		struct tls_server *s = server(certs[i], "p256.key");
		struct tls_client *c = client("ca.pem");
		struct ends e;

		open_ends(&e, s, c, "localhost");
		ASSERT(str_starts(
			e.err[1].msg,
			S("tls: certificate has expired or is not yet valid: current time 20")));
		ASSERT(str_ends(e.err[1].msg, str_of(ends_in[i])));
		ASSERT_STR("tls: the peer says our certificate has expired, or its clock is off",
			   e.err[0].msg);
		close_ends(&e);
		tls_server_free(s);
		tls_client_free(c);
	}
	PASS();
}

TEST client_certificates(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct tls_server *s = server("rsa.pem", "rsa.key");
	struct tls_client *c = client("ca.pem");
	struct ends e;
	struct buf b;

	ASSERT_INT(0, tls_server_set_client_ca(s, pem("ca.pem"), false, &err));
	open_ends(&e, s, c, "localhost"); /* no client certificate: served, as an unknown client */
	ASSERT_INT(0, e.rc[0]);
	ASSERT(!tls_peer(e.t[0]));
	close_ends(&e);
	for (int rsa = 0; rsa < 2; rsa++) {
		ASSERT_INT(0, tls_client_set_pair(c, pem(rsa ? "rsaclient.pem" : "client.pem"),
						  pem(rsa ? "rsa.pk8" : "p256.key"), &err));
		open_ends(&e, s, c, "localhost");
		ASSERT_INT(0, e.rc[0]);
		ASSERT_INT(0, e.rc[1]);
		ASSERT(tls_peer(e.t[0]));
		buf_init(&b, &a);
		x509_add_name(&b, tls_peer(e.t[0])->subject);
		ASSERT_STR(rsa ? "CN=rsa-client,O=system:tests"
			       : "CN=system:node:worker-0,O=system:tests",
			   buf_str(&b));
		ASSERT_STR("system:tests", x509_attribute(tls_peer(e.t[0])->subject, 10));
		ASSERT(carry(&e, 1, 20000));
		close_ends(&e);
	}
	/* a server certificate is not valid for a client; neither is one of another authority */
	ASSERT_INT(0, tls_client_set_pair(c, pem("noip.pem"), pem("p256.pk8"), &err));
	open_ends(&e, s, c, "localhost");
	ASSERT_STR("tls: certificate specifies an incompatible key usage", e.err[0].msg);
	ASSERT(!tls_peer(e.t[0]));
	close_ends(&e);
	ASSERT_INT(0, tls_server_set_client_ca(s, pem("stranger.pem"), true, &err));
	ASSERT_INT(0, tls_client_set_pair(c, S(""), S(""), &err));
	open_ends(&e, s, c, "localhost");
	ASSERT_STR("tls: the client presented no certificate, which is required", e.err[0].msg);
	close_ends(&e);
	ASSERT_INT(0, tls_client_set_pair(c, pem("client.pem"), pem("p256.key"), &err));
	open_ends(&e, s, c, "localhost");
	ASSERT_STR("tls: certificate signed by unknown authority (CN=test CA)", e.err[0].msg);
	ASSERT(e.rc[1] < 0 || tls_read(e.t[1], e.fds[1], &(char){ 0 }, 1, &e.err[1]) < 0);
	close_ends(&e);
	tls_server_free(s);
	tls_client_free(c);
	PASS();
}

TEST pairs(void)
{
	static const struct {
		const char *cert, *key, *want;
	} cases[] = {
		{ "rsa.pem", "rsa.pk8", "" },
		{ "p256.pem", "p256.pk8", "" },
		{ "p521.pem", "p521.key", "" },
		{ "rsa.pem", "ca.key", "private key does not match public key" },
		{ "p256.pem", "p256.params", "private key does not match public key" },
		{ "p256.pem", "p384.key", "private key does not match public key" },
		{ "rsa.pem", "p256.key", "private key type does not match public key type" },
		{ "rsa.pem", "rsa.enc", "private key is encrypted: not supported" },
		{ "rsa.pem", "rsa.enc8", "private key is encrypted: not supported" },
		{ "rsa.pem", "ed.key", "private key is neither RSA nor EC: not supported" },
		{ "rsa.pem", "rsa.pem", "no private key found in PEM" },
		{ "rsa.key", "rsa.key", "certificate: no certificate found in PEM" },
	};
	struct tls_server *s = tls_server_new(NULL);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		int rc = tls_server_set_pair(s, pem(cases[i].cert), pem(cases[i].key), &err);

		ASSERT_STR_M(cases[i].key, str_of(cases[i].want), err.msg);
		ASSERT_INT(*cases[i].want ? -ERR_INVALID : 0, rc);
	}
	tls_server_free(s);
	PASS();
}

TEST rotation(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct tls_server *s = server("rsa.pem", "rsa.key");
	struct tls_client *c = client("ca.pem"), *new = client("ecca.pem");
	struct ends e, f;
	const char *cert = str_fmt(&a, "%s/p256.pem", dir).p;

	open_ends(&e, s, c, "localhost");
	ASSERT_INT(0, e.rc[1]);
	ASSERT_INT(0, tls_server_load(s, cert, str_fmt(&a, "%s/p256.key", dir).p, &err));
	ASSERT_INT(-ERR_INVALID, tls_server_load(s, cert, cert, &err));
	ASSERT_STR(str_fmt(&a, "%s, %s: no private key found in PEM", cert, cert).p, err.msg);
	ASSERT_INT(-ERR_NOTFOUND, tls_server_load(s, cert, "/no/key", &err));
	open_ends(&f, s, new, "localhost");
	ASSERT_INT(0, f.rc[1]);
	ASSERT(carry(&e, 1, 1000)); /* the open connection continues */
	ASSERT(carry(&e, 0, 200000));
	close_ends(&e);
	close_ends(&f);
	/* a certificate and key that do not match change nothing */
	ASSERT_INT(-ERR_INVALID, tls_server_set_pair(s, pem("rsa.pem"), pem("ca.key"), &err));
	open_ends(&f, s, new, "localhost");
	ASSERT_INT(0, f.rc[1]);
	close_ends(&f);
	/* other authorities: the session is not resumed */
	ASSERT_INT(0, tls_client_set_ca(new, pem("ca.pem"), &err));
	open_ends(&f, s, new, "localhost");
	ASSERT_STR("tls: certificate signed by unknown authority (CN=test EC CA)", f.err[1].msg);
	close_ends(&f);
	tls_server_free(s);
	tls_client_free(c);
	tls_client_free(new);
	PASS();
}

/* One worker negotiated the session, another resumes it. */
TEST resumed_by_another_process(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct tls_server *s = server("rsa.pem", "rsa.key");
	struct tls_client *c = client("ca.pem");
	struct tls *t = tls_connect(c, S("localhost"));
	struct ends e;
	int fds[2], rc;
	pid_t pid;

	ASSERT_INT(0, socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	pid = fork();
	if (pid == 0) {
		struct tls *worker = tls_accept(s);

		(void)close(fds[1]);
		rc = tls_handshake(worker, fds[0], &err);
		tls_free(worker);
		tls_free(t);
		tls_server_free(s);
		tls_client_free(c);
		arena_free(&a);
		_exit(rc != 0);
	}
	(void)close(fds[0]);
	ASSERT_INT(0, tls_handshake(t, fds[1], &err));
	ASSERT_INT(pid, waitpid(pid, &rc, 0));
	ASSERT_INT(0, rc);
	tls_free(t);
	(void)close(fds[1]);
	open_ends(&e, s, c, "localhost");
	ASSERT_INT(0, e.rc[1]);
	ASSERT(tls_resumed(e.t[1]));
	close_ends(&e);
	tls_server_free(s);
	tls_client_free(c);
	PASS();
}

TEST profiles(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct str two[] = { S("ECDHE-RSA-CHACHA20-POLY1305"),
			     S("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256") };
	struct str old[] = { S("TLS_RSA_WITH_AES_128_CBC_SHA"), S("TLS_RSA_WITH_RC4_128_SHA") };
	struct str odd[] = { S("TLS_AES_128_GCM_SHA256"), S("ECDHE-RSA-NONSENSE") };
	struct strs none = { 0 };
	struct tls_settings p;

	ASSERT_INT(0, tls_settings_parse(S(""), &none, &p, &err));
	ASSERT_INT(0x0303, p.min_version);
	ASSERT_INT(6, (long long)p.n);
	ASSERT_INT(0, tls_settings_parse(S("VersionTLS10"), &(struct strs){ two, 2, 2 }, &p, &err));
	ASSERT_INT(0x0301, p.min_version);
	ASSERT_INT(2, (long long)p.n);
	ASSERT_STR("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", str_of(tls_suite_name(p.suites[0])));
	ASSERT_STR("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
		   str_of(tls_suite_name(p.suites[1])));
	ASSERT_INT(-ERR_LIMIT, tls_settings_parse(S("VersionTLS13"), &none, &p, &err));
	ASSERT_INT(-ERR_LIMIT,
		   tls_settings_parse(S("VersionTLS13"), &(struct strs){ two, 2, 2 }, &p, &err));
	ASSERT_INT(0, tls_settings_parse(S(""), &(struct strs){ old, 2, 2 }, &p, &err));
	ASSERT_INT(1, (long long)p.n);
	ASSERT_INT(-ERR_LIMIT,
		   tls_settings_parse(S("VersionTLS12"), &(struct strs){ odd, 1, 1 }, &p, &err));
	ASSERT_STR(
		"none of the cipher suites asked for is supported: name one of TLS 1.2, such as TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
		err.msg);
	ASSERT_INT(-ERR_INVALID, tls_settings_parse(S(""), &(struct strs){ odd, 2, 2 }, &p, &err));
	ASSERT_STR("Cipher suite ECDHE-RSA-NONSENSE not supported or doesn't exist", err.msg);
	ASSERT_INT(-ERR_INVALID, tls_settings_parse(S("TLSv1.2"), &none, &p, &err));
	ASSERT_STR("unknown tls version \"TLSv1.2\"", err.msg);
	PASS();
}

/* Old suites and versions work only where they are enabled. */
TEST old_profile(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	static const char *const names[] = {
		"ECDHE-RSA-AES128-SHA256",
		"ECDHE-RSA-AES256-SHA",
		"AES128-SHA",
		"AES256-GCM-SHA384",
	};

	for (size_t i = 0; i < 4; i++) {
		struct str name = str_of(names[i]);
		struct tls_settings p;
		struct tls_client *c, *modern = client("ca.pem");
		struct tls_server *s;
		struct ends e;

		ASSERT_INT(0, tls_settings_parse(S("VersionTLS10"), &(struct strs){ &name, 1, 1 },
						 &p, &err));
		s = tls_server_new(&p);
		c = tls_client_new(&p);
		ASSERT_INT(0, tls_server_set_pair(s, pem("rsa.pem"), pem("rsa.key"), &err));
		ASSERT_INT(0, tls_client_set_ca(c, pem("ca.pem"), &err));
		open_ends(&e, s, c, "localhost");
		ASSERT_STR_M(names[i], S(""), e.err[1].msg);
		ASSERT(carry(&e, 0, 100000));
		close_ends(&e);
		open_ends(&e, s, modern, "localhost");
		ASSERT_STR("tls: no cipher suite in common with the client", e.err[0].msg);
		ASSERT_STR("tls: the peer refused: no cipher suite or other parameter in common",
			   e.err[1].msg);
		close_ends(&e);
		tls_server_free(s);
		tls_client_free(c);
		tls_client_free(modern);
	}
	PASS();
}

#define HELLO_START "\3\3" THIRTY_TWO
#define THIRTY_TWO "0123456789abcdef0123456789abcdef"

/* A faulty first message is answered with an alert in plain text. */
TEST alerts(void)
{
	static const struct {
		const char *name;
		bool to_server;
		struct str record;
		unsigned char alert;
	} cases[] = {
		{ "no TLS", true, { "\x80nonsense", 9 }, 70 },
		{ "a record too large", true, { "\x16\3\1\xff\xff", 5 }, 22 },
		{ "no handshake", true, { "\x17\3\3\0\1x", 6 }, 10 },
		{ "a message out of turn", true, { "\x16\3\3\0\4\x0e\0\0\0", 9 }, 10 },
		{ "a hello cut short", true, { "\x16\3\3\0\6\1\0\0\2\3\3", 11 }, 50 },
		{ "a hello of SSL 2.0",
		  true,
		  { "\x16\3\0\0\x2f\1\0\0\x2b\2\0" THIRTY_TWO "\0\0\2\xc0\x2f\1\0\0\0", 52 },
		  70 },
		{ "no compression in common",
		  true,
		  { "\x16\3\3\0\x2d\1\0\0\x29" HELLO_START "\0\0\2\xc0\x2f\1\1", 50 },
		  40 },
		{ "a server's version 1.0",
		  false,
		  { "\x16\3\1\0\x2a\2\0\0\x26\3\1" THIRTY_TWO "\0\xc0\x2f\0", 47 },
		  70 },
		{ "a suite that was not offered",
		  false,
		  { "\x16\3\3\0\x2a\2\0\0\x26" HELLO_START "\0\0\1\0", 47 },
		  47 },
		{ "an extension that was not offered",
		  false,
		  { "\x16\3\3\0\x30\2\0\0\x2c" HELLO_START "\0\xc0\x2f\0\0\4\x12\x34\0\0", 53 },
		  110 },
		{ "a server that is none", false, { "nonsense", 8 }, 70 },
	};
	struct tls_server *s = server("rsa.pem", "rsa.key");
	struct tls_client *c = client("ca.pem");

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena) struct arena a = ARENA_INIT;
		struct err err = ERR_INIT(&a);
		struct tls *t = cases[i].to_server ? tls_accept(s) : tls_connect(c, S("localhost"));
		unsigned char got[2048];
		ssize_t n;
		int fds[2];

		ASSERT_INT(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds));
		ASSERT_INT(-ERR_AGAIN, tls_handshake(t, fds[0], &err));
		ASSERT_INT(cases[i].to_server ? -1 : 1,
			   read(fds[1], got, sizeof(got)) > 0 ? 1 : -1);
		ASSERT_INT((long long)cases[i].record.n,
			   write(fds[1], cases[i].record.p, cases[i].record.n));
		ASSERT_INT_M(cases[i].name, -ERR_INVALID, tls_handshake(t, fds[0], &err));
		n = read(fds[1], got, sizeof(got));
		ASSERT_INT_M(cases[i].name, 7, (long long)n);
		ASSERT_INT_M(cases[i].name, 21, got[0]);
		ASSERT_INT_M(cases[i].name, 2, got[4]);
		ASSERT_INT_M(cases[i].name, 2, got[5]);
		ASSERT_INT_M(cases[i].name, cases[i].alert, got[6]);
		tls_free(t);
		(void)close(fds[0]);
		(void)close(fds[1]);
	}
	tls_server_free(s);
	tls_client_free(c);
	PASS();
}

TEST not_tls(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct tls_server *s = server("rsa.pem", "rsa.key");
	struct tls *t = tls_accept(s);
	int fds[2];

	ASSERT_INT(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds));
	ASSERT_INT(-ERR_AGAIN, tls_handshake(t, fds[0], &err));
	ASSERT_INT(POLLIN, tls_want(t, 0));
	ASSERT_INT(6, write(fds[1], "GET / ", 6));
	ASSERT_INT(-ERR_INVALID, tls_handshake(t, fds[0], &err));
	ASSERT(tls_saw_http(t));
	tls_free(t);
	(void)close(fds[0]);
	(void)close(fds[1]);
	ASSERT_INT(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds));
	t = tls_accept(s);
	ASSERT_INT(8, write(fds[1], "\x80nonsens", 8));
	ASSERT_INT(-ERR_INVALID, tls_handshake(t, fds[0], &err));
	ASSERT(!tls_saw_http(t));
	tls_free(t);
	(void)close(fds[0]);
	(void)close(fds[1]);
	tls_server_free(s);
	PASS();
}

SUITE(suite)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	if (!mkdtemp(dir) || system(str_fmt(&a, "bash test/io/certs.sh %s", dir).p) != 0) {
		(void)printf("test/io/certs.sh failed\n");
		abort();
	}
	RUN_TESTp(agreed_with, "rsa.pem", "rsa.key", "ca.pem", "localhost",
		  "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
	RUN_TESTp(agreed_with, "p256.pem", "p256.key", "ecca.pem", "127.0.0.1",
		  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
	RUN_TESTp(agreed_with, "p384.pem", "p384.key", "ca.pem", "[::1]",
		  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
	RUN_TESTp(agreed_with, "p521.pem", "p521.key", "ca.pem", "x.Wild.example",
		  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
	RUN_TESTp(agreed_with, "chain.pem", "p256.key", "ca.pem", "mcs.example.",
		  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
	RUN_TESTp(agreed_with, "jumbled.pem", "p256.key", "ca.pem", "localhost",
		  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
	RUN_TEST(refusals);
	RUN_TEST(out_of_time);
	RUN_TEST(client_certificates);
	RUN_TEST(pairs);
	RUN_TEST(rotation);
	RUN_TEST(resumed_by_another_process);
	RUN_TEST(profiles);
	RUN_TEST(old_profile);
	RUN_TEST(alerts);
	RUN_TEST(not_tls);
	(void)system(str_fmt(&a, "rm -rf %s", dir).p);
	arena_free(&files);
}

TEST_MAIN(suite)
