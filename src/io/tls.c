/*
 * BearSSL's engine as a pump between a socket and the caller. It never waits:
 * whatever would block returns -ERR_AGAIN, and tls_want names the direction.
 */
#include "tls_own.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "io/file.h"
#include "io/sock.h"

#define FILE_MAX ((size_t)1 << 20) /* of a certificate or key */
#define SAVED 8 /* sessions a client keeps */
/* Records are read whole, whatever their size; ours may be shorter. */
#define IN_BUF (16384 + 325)
#define OUT_BUF (16384 + 85)

struct saved {
	char host[HOST_MAX + 1];
	br_ssl_session_parameters params;
};

struct tls_server {
	struct tls_profile profile;
	struct tls_pair *pair;
	struct tls_roots *client_ca;
	bool client_required;
	struct tls_cache *cache;
};

struct tls_client {
	struct tls_profile profile;
	struct tls_pair *pair;
	struct tls_roots *roots;
	bool insecure;
	char name[256]; /* whom to expect instead of the host; or "" */
	struct saved saved[SAVED];
	size_t next_saved;
	unsigned generation; /* of what sessions were agreed under */
};

struct tls {
	union {
		br_ssl_server_context server;
		br_ssl_client_context client;
	} ctx;
	br_ssl_engine_context *eng;
	bool is_server, agreed, started, saw_http, resumed, checks;
	struct tls_pair *pair;
	struct tls_roots *roots;
	struct tls_client *owner; /* whose sessions to keep; a client's only */
	unsigned generation;
	struct tls_verify verify;
	struct x509 peer;
	char host[HOST_MAX + 1];
	unsigned char old_id[32];
	size_t old_id_n;
	unsigned char in[IN_BUF], out[OUT_BUF];
};

static void *zeroed(size_t n)
{
	void *p = calloc(1, n);

	if (!p)
		abort();
	return p;
}

/* ---- server and client ---------------------------------------------------------- */

static void set_profile(struct tls_profile *to, const struct tls_profile *from)
{
	if (from)
		*to = *from;
	else
		tls_profile_default(to);
}

struct tls_server *tls_server_new(const struct tls_profile *profile)
{
	struct tls_server *s = zeroed(sizeof(*s));

	set_profile(&s->profile, profile);
	s->cache = tls_cache_new();
	return s;
}

void tls_server_free(struct tls_server *s)
{
	if (!s)
		return;
	tls_pair_drop(s->pair);
	tls_roots_drop(s->client_ca);
	tls_cache_free(s->cache);
	free(s);
}

static int replace_pair(struct tls_pair **at, struct str cert, struct str key,
			struct err *err)
{
	struct tls_pair *p = NULL;
	int rc = cert.n ? tls_pair_load(cert, key, &p, err) : 0;

	if (rc < 0)
		return rc;
	tls_pair_drop(*at);
	*at = p;
	return 0;
}

static int replace_roots(struct tls_roots **at, struct str ca, struct err *err)
{
	struct tls_roots *r = NULL;
	int rc = ca.n ? tls_roots_load(ca, &r, err) : 0;

	if (rc < 0)
		return rc;
	tls_roots_drop(*at);
	*at = r;
	return 0;
}

int tls_server_set_pair(struct tls_server *s, struct str cert, struct str key,
			struct err *err)
{
	if (!cert.n)
		return err_set(err, ERR_INVALID, "certificate: empty");
	return replace_pair(&s->pair, cert, key, err);
}

int tls_server_load(struct tls_server *s, const char *cert, const char *key,
		    struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str cert_text = S(""), key_text = S("");
	int rc = file_read(&a, cert, FILE_MAX, &cert_text, err);

	if (rc == 0)
		rc = file_read(&a, key, FILE_MAX, &key_text, err);
	if (rc < 0)
		return rc;
	rc = tls_server_set_pair(s, cert_text, key_text, err);
	/* freed memory keeps no key */
	explicit_bzero((char *)(uintptr_t)key_text.p, key_text.n);
	return rc < 0 ? err_wrap(err, "%s, %s", cert, key) : 0;
}

int tls_server_set_client_ca(struct tls_server *s, struct str ca, bool required,
			     struct err *err)
{
	s->client_required = required;
	return replace_roots(&s->client_ca, ca, err);
}

struct tls_client *tls_client_new(const struct tls_profile *profile)
{
	struct tls_client *c = zeroed(sizeof(*c));

	set_profile(&c->profile, profile);
	return c;
}

/* What was agreed under other authorities or keys is not resumed. */
static void forget_sessions(struct tls_client *c)
{
	memset(c->saved, 0, sizeof(c->saved));
	c->generation++;
}

void tls_client_free(struct tls_client *c)
{
	if (!c)
		return;
	forget_sessions(c);
	tls_pair_drop(c->pair);
	tls_roots_drop(c->roots);
	free(c);
}

int tls_client_set_ca(struct tls_client *c, struct str ca, struct err *err)
{
	int rc = replace_roots(&c->roots, ca, err);

	if (rc == 0)
		forget_sessions(c);
	return rc;
}

int tls_client_set_pair(struct tls_client *c, struct str cert, struct str key,
			struct err *err)
{
	int rc = replace_pair(&c->pair, cert, key, err);

	if (rc == 0)
		forget_sessions(c);
	return rc;
}

void tls_client_set_insecure(struct tls_client *c, bool insecure)
{
	c->insecure = insecure;
	forget_sessions(c);
}

void tls_client_set_name(struct tls_client *c, struct str name)
{
	size_t n = name.n < sizeof(c->name) ? name.n : 0;

	if (n)
		memcpy(c->name, name.p, n);
	c->name[n] = '\0';
	forget_sessions(c);
}

/* ---- connections ---------------------------------------------------------------- */

static void seed(struct tls *t)
{
	unsigned char bytes[32];
	size_t n = 0;

	while (n < sizeof(bytes)) {
		ssize_t got = getrandom(bytes + n, sizeof(bytes) - n, 0);

		if (got < 0 && errno != EINTR)
			abort(); /* there is no going on without */
		n += got > 0 ? (size_t)got : 0;
	}
	br_ssl_engine_inject_entropy(t->eng, bytes, sizeof(bytes));
	memset(bytes, 0, sizeof(bytes));
}

static struct tls *make(struct tls_pair *pair, struct tls_roots *roots)
{
	/* not zeroed as a whole: the buffers would become resident */
	struct tls *t = malloc(sizeof(*t));

	if (!t)
		abort();
	memset(t, 0, offsetof(struct tls, in));
	t->pair = pair;
	t->roots = roots;
	if (pair)
		pair->refs++;
	if (roots)
		roots->refs++;
	tls_verify_init(&t->verify, roots);
	return t;
}

static void set_engine(struct tls *t, br_ssl_engine_context *e,
		       const struct tls_profile *p)
{
	t->eng = e;
	tls_engine_setup(e, p);
	br_ssl_engine_set_buffers_bidi(e, t->in, sizeof(t->in), t->out,
				       sizeof(t->out));
	seed(t);
}

struct tls *tls_accept(struct tls_server *s)
{
	struct tls *t = make(s->pair, s->client_ca);
	br_ssl_server_context *c = &t->ctx.server;
	struct tls_pair *p = s->pair;

	t->is_server = true;
	br_ssl_server_zero(c);
	set_engine(t, &c->eng, &s->profile);
	if (p->type == KEY_RSA)
		br_ssl_server_set_single_rsa(c, p->chain, p->n, &p->rsa,
					     BR_KEYTYPE_KEYX | BR_KEYTYPE_SIGN,
					     br_rsa_private_get_default(),
					     br_rsa_pkcs1_sign_get_default());
	else
		br_ssl_server_set_single_ec(
			c, p->chain, p->n, &p->ec, BR_KEYTYPE_SIGN,
			p->issuer_type, &br_ec_all_m31, br_ecdsa_i31_sign_asn1);
	if (s->client_ca) {
		/* a resumed session would not tell who the client is */
		t->checks = true;
		t->verify.eku = X509_EKU_CLIENT;
		br_ssl_engine_set_x509(t->eng, &t->verify.vtable);
		br_ssl_server_set_trust_anchor_names(c, s->client_ca->names,
						     s->client_ca->v.n);
		if (!s->client_required)
			br_ssl_engine_add_flags(t->eng,
						BR_OPT_TOLERATE_NO_CLIENT_AUTH);
	} else {
		br_ssl_server_set_cache(c, tls_cache_class(s->cache));
	}
	(void)br_ssl_server_reset(c);
	return t;
}

static struct saved *find_saved(struct tls_client *c, const char *host)
{
	for (size_t i = 0; i < SAVED; i++)
		if (c->saved[i].params.session_id_len &&
		    strcmp(c->saved[i].host, host) == 0)
			return &c->saved[i];
	return NULL;
}

static void save_session(struct tls *t)
{
	struct tls_client *c = t->owner;
	struct saved *s;

	if (!c || c->generation != t->generation)
		return;
	s = find_saved(c, t->host);
	if (!s)
		s = &c->saved[c->next_saved++ % SAVED];
	memcpy(s->host, t->host, sizeof(s->host));
	br_ssl_engine_get_session_parameters(t->eng, &s->params);
}

static void set_host(struct tls *t, struct str host)
{
	struct sock_addr addr;

	if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
		host = str_sub(host, 1, host.n - 1);
	if (host.n > 1 && host.p[host.n - 1] == '.')
		host.n--; /* as names are sent and matched */
	/* too long for a name: it will match none */
	if (host.n > HOST_MAX)
		host.n = HOST_MAX;
	memcpy(t->host, host.p, host.n);
	t->verify.host = (struct str){ t->host, host.n };
	if (sock_parse(t->verify.host, 0, &addr))
		t->verify.n_ip = sock_ip(&addr, t->verify.ip);
}

struct tls *tls_connect(struct tls_client *owner, struct str host)
{
	struct tls *t = make(owner->pair, owner->roots);
	br_ssl_client_context *c = &t->ctx.client;
	struct tls_pair *p = owner->pair;
	struct saved *old;

	t->owner = owner;
	t->generation = owner->generation;
	t->checks = true;
	t->verify.eku = X509_EKU_SERVER;
	t->verify.insecure = owner->insecure;
	set_host(t, *owner->name ? str_of(owner->name) : host);
	br_ssl_client_zero(c);
	set_engine(t, &c->eng, &owner->profile);
	br_ssl_client_set_rsapub(c, br_rsa_public_get_default());
	br_ssl_engine_set_x509(t->eng, &t->verify.vtable);
	if (p && p->type == KEY_RSA)
		br_ssl_client_set_single_rsa(c, p->chain, p->n, &p->rsa,
					     br_rsa_pkcs1_sign_get_default());
	else if (p)
		br_ssl_client_set_single_ec(
			c, p->chain, p->n, &p->ec, BR_KEYTYPE_SIGN,
			p->issuer_type, &br_ec_all_m31, br_ecdsa_i31_sign_asn1);
	old = find_saved(owner, t->host);
	if (old) {
		br_ssl_engine_set_session_parameters(t->eng, &old->params);
		t->old_id_n = old->params.session_id_len;
		memcpy(t->old_id, old->params.session_id, sizeof(t->old_id));
	}
	/* addresses are not told as names */
	(void)br_ssl_client_reset(c, t->verify.n_ip ? NULL : t->host,
				  old != NULL);
	return t;
}

void tls_free(struct tls *t)
{
	if (!t)
		return;
	tls_pair_drop(t->pair);
	tls_roots_drop(t->roots);
	arena_free(&t->verify.a);
	/* keys of the session and the last plaintext */
	memset(&t->ctx, 0, sizeof(t->ctx));
	free(t);
}

/* ---- the pump ------------------------------------------------------------------- */

static int failed(struct tls *t, struct err *err)
{
	int code = br_ssl_engine_last_error(t->eng);
	struct buf b;

	if (t->verify.failed)
		return err_set(err, ERR_INVALID, "tls: %.*s",
			       STRF(t->verify.why));
	if (code == 0)
		return err_set(err, ERR_GONE, "tls: closed by the peer");
	buf_init(&b, err->a);
	tls_explain(&b, code, t->is_server);
	return err_set(err, ERR_INVALID, "tls: %.*s", STRF(buf_str(&b)));
}

/* Sends what the engine has ready: 0, -ERR_AGAIN, or what broke. */
static int send_records(struct tls *t, int fd, struct err *err)
{
	while (br_ssl_engine_current_state(t->eng) & BR_SSL_SENDREC) {
		size_t n;
		unsigned char *p = br_ssl_engine_sendrec_buf(t->eng, &n);
		ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN)
			return -ERR_AGAIN;
		if (sent < 0)
			return err_sys(err, "write");
		br_ssl_engine_sendrec_ack(t->eng, (size_t)sent);
	}
	return 0;
}

/* As Go does: these five bytes are no TLS record. */
static bool looks_like_http(const unsigned char *p, size_t n)
{
	static const char starts[][6] = { "GET /", "HEAD ", "POST ", "PUT /",
					  "OPTIO" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (memcmp(p, starts[i], n < 5 ? n : 5) == 0)
			return true;
	return false;
}

/* Reads once: 1, 0 at the end, -ERR_AGAIN, or what broke. */
static int receive(struct tls *t, int fd, struct err *err)
{
	size_t n;
	unsigned char *p = br_ssl_engine_recvrec_buf(t->eng, &n);
	ssize_t got;

	do
		got = recv(fd, p, n, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno == EAGAIN)
		return -ERR_AGAIN;
	if (got < 0)
		return err_sys(err, "read");
	if (got == 0)
		return 0;
	if (!t->started && t->is_server && looks_like_http(p, (size_t)got)) {
		t->saw_http = true;
		return err_set(
			err, ERR_INVALID,
			"tls: client sent an HTTP request to an HTTPS server");
	}
	t->started = true;
	br_ssl_engine_recvrec_ack(t->eng, (size_t)got);
	return 1;
}

static void agreed(struct tls *t)
{
	br_ssl_session_parameters now;

	t->agreed = true;
	br_ssl_engine_get_session_parameters(t->eng, &now);
	t->resumed = t->old_id_n && now.session_id_len == t->old_id_n &&
		     memcmp(now.session_id, t->old_id, t->old_id_n) == 0;
	if (t->is_server) {
		if (t->verify.verified)
			t->peer = t->verify.chain.v[0];
		return;
	}
	if (now.session_id_len)
		save_session(t);
	t->owner = NULL;
	arena_free(&t->verify.a); /* the server's certificates */
}

/*
 * The engine falls silent when a certificate is refused. The peer is told: up
 * to here records are plain, so an alert is six bytes and its number.
 */
static void send_alert(const struct tls *t, int fd)
{
	unsigned char alert[] = { 21, 3, 3, 0, 2, 2, t->verify.alert };

	if (t->verify.failed)
		(void)!send(fd, alert, sizeof(alert), MSG_NOSIGNAL);
}

int tls_handshake(struct tls *t, int fd, struct err *err)
{
	while (!t->agreed) {
		unsigned state = br_ssl_engine_current_state(t->eng);
		int rc;

		if (state & BR_SSL_SENDREC && !t->verify.failed) {
			rc = send_records(t, fd, err);
			if (rc < 0)
				return rc;
		} else if (state & BR_SSL_CLOSED || t->verify.failed) {
			/* the engine would take a client with a certificate it
			 * could not check for one without */
			send_alert(t, fd);
			return failed(t, err);
		} else if (state & (BR_SSL_SENDAPP | BR_SSL_RECVAPP)) {
			agreed(t);
		} else {
			rc = receive(t, fd, err);
			if (rc < 0)
				return rc;
			if (rc == 0)
				return err_set(
					err, ERR_GONE,
					"tls: connection closed during the handshake");
		}
	}
	return 0;
}

ssize_t tls_read(struct tls *t, int fd, void *to, size_t n, struct err *err)
{
	int rc = tls_handshake(t, fd, err);

	while (rc == 0) {
		unsigned state = br_ssl_engine_current_state(t->eng);
		unsigned char *p;
		size_t have;

		if (state & BR_SSL_RECVAPP) {
			p = br_ssl_engine_recvapp_buf(t->eng, &have);
			n = have < n ? have : n;
			memcpy(to, p, n);
			br_ssl_engine_recvapp_ack(t->eng, n);
			return (ssize_t)n;
		}
		if (state & BR_SSL_CLOSED)
			return br_ssl_engine_last_error(t->eng) ? failed(t, err)
								: 0;
		rc = send_records(t, fd, err);
		if (rc < 0 && rc != -ERR_AGAIN)
			return rc;
		if (!(br_ssl_engine_current_state(t->eng) & BR_SSL_RECVREC)) {
			if (rc < 0)
				return rc;
			continue;
		}
		rc = receive(t, fd, err);
		if (rc == 0)
			return err_set(err, ERR_GONE,
				       "tls: connection cut by the peer");
		if (rc > 0)
			rc = 0;
	}
	return rc;
}

/* Gives the engine bytes of one part; how many it took. */
static size_t give(struct tls *t, const unsigned char *from, size_t n)
{
	size_t room;
	unsigned char *p = br_ssl_engine_sendapp_buf(t->eng, &room);

	if (!p)
		return 0;
	n = n < room ? n : room;
	memcpy(p, from, n);
	br_ssl_engine_sendapp_ack(t->eng, n);
	return n;
}

static int writable(struct tls *t, int fd, struct err *err)
{
	unsigned state;
	int rc = send_records(t, fd, err);

	if (rc < 0)
		return rc;
	state = br_ssl_engine_current_state(t->eng);
	if (state & BR_SSL_CLOSED)
		return failed(t, err);
	return state & BR_SSL_SENDAPP ? 0 : -ERR_AGAIN;
}

ssize_t tls_write(struct tls *t, int fd, const struct iovec *parts, int n_parts,
		  struct err *err)
{
	size_t taken = 0;
	int rc = tls_handshake(t, fd, err);

	for (int i = 0; i < n_parts && rc == 0; i++) {
		const unsigned char *p = parts[i].iov_base;
		size_t left = parts[i].iov_len;

		while (left && (rc = writable(t, fd, err)) == 0) {
			size_t n = give(t, p, left);

			p += n;
			left -= n;
			taken += n;
		}
	}
	if (rc == 0) {
		br_ssl_engine_flush(t->eng, 0);
		rc = send_records(t, fd, err);
	}
	/* what was taken counts, though it may still wait in the engine */
	return taken && rc == -ERR_AGAIN ? (ssize_t)taken
	       : rc < 0			 ? rc
					 : (ssize_t)taken;
}

int tls_flush(struct tls *t, int fd, struct err *err)
{
	return t->agreed ? send_records(t, fd, err) : 0;
}

short tls_want(const struct tls *t, short want)
{
	unsigned state = br_ssl_engine_current_state(t->eng);

	if (state & BR_SSL_SENDREC)
		want |= POLLOUT;
	else if (!t->agreed)
		want = POLLIN;
	return want;
}

void tls_close(struct tls *t, int fd)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (t->agreed)
		br_ssl_engine_close(t->eng);
	(void)send_records(t, fd, &err);
	arena_free(&a);
}

const struct x509 *tls_peer(const struct tls *t)
{
	return t->peer.der.n ? &t->peer : NULL;
}

bool tls_saw_http(const struct tls *t)
{
	return t->saw_http;
}

bool tls_resumed(const struct tls *t)
{
	return t->resumed;
}

const char *tls_suite(const struct tls *t)
{
	return tls_suite_name(t->eng->session.cipher_suite);
}
