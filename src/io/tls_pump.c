/*
 * Moves bytes between a socket, BearSSL's engine and the caller. It never blocks: a
 * step that would block returns -ERR_AGAIN, and tls_want has the direction.
 */
#include "tls_own.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

static void save_session(struct tls *t)
{
	struct tls_client *c = t->owner;
	struct tls_saved *s;

	if (!c || c->generation != t->generation)
		return;
	s = tls_find_saved(c, t->host);
	if (!s)
		s = &c->saved[c->next_saved++ % SAVED];
	memcpy(s->host, t->host, sizeof(s->host));
	br_ssl_engine_get_session_parameters(t->eng, &s->params);
}

static int failed(struct tls *t, struct err *err)
{
	int code = br_ssl_engine_last_error(t->eng);
	struct buf b;

	if (t->verify.failed)
		return err_set(err, ERR_INVALID, "tls: %.*s", STRF(t->verify.why));
	if (code == 0)
		return err_set(err, ERR_GONE, "tls: closed by the peer");
	buf_init(&b, err->a);
	tls_explain(&b, code, t->is_server);
	return err_set(err, ERR_INVALID, "tls: %.*s", STRF(buf_str(&b)));
}

/* Sends the records that are ready: 0, -ERR_AGAIN, or an error. */
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

/* Go's check: whether the first five bytes are an HTTP request. */
static bool looks_like_http(const unsigned char *p, size_t n)
{
	static const char starts[][6] = { "GET /", "HEAD ", "POST ", "PUT /", "OPTIO" };

	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (memcmp(p, starts[i], n < 5 ? n : 5) == 0)
			return true;
	return false;
}

/* Reads once: 1, 0 at the end, -ERR_AGAIN, or an error. */
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
		return err_set(err, ERR_INVALID,
			       "tls: client sent an HTTP request to an HTTPS server");
	}
	if (!t->started && !t->is_server && got > 4 && !memcmp(p, "HTTP/", 5))
		return err_set(err, ERR_INVALID, "tls: the server speaks plain HTTP here");
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
 * BearSSL sends an alert for few of its errors and cannot send anything after the
 * others. As long as records are not encrypted, this file sends the alert itself: six
 * bytes and its number. Later no alert can be sent.
 */
static void send_alert(const struct tls *t, int fd)
{
	unsigned char why =
		t->verify.failed ? t->verify.alert : tls_alert_of(br_ssl_engine_last_error(t->eng));
	unsigned char alert[] = { 21, 3, 3, 0, 2, 2, why };

	if (why && t->eng->out.vtable == &br_sslrec_out_clear_vtable)
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
			/* the engine would treat a client whose certificate it could
			 * not check as one without a certificate */
			send_alert(t, fd);
			return failed(t, err);
		} else if (state & (BR_SSL_SENDAPP | BR_SSL_RECVAPP)) {
			agreed(t);
		} else {
			rc = receive(t, fd, err);
			if (rc < 0)
				return rc;
			if (rc == 0)
				return err_set(err, ERR_GONE,
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
			return br_ssl_engine_last_error(t->eng) ? failed(t, err) : 0;
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
			return err_set(err, ERR_GONE, "tls: connection cut by the peer");
		if (rc > 0)
			rc = 0;
	}
	return rc;
}

/* Passes bytes of one part to the engine; returns how many it accepted. */
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

ssize_t tls_write(struct tls *t, int fd, const struct iovec *parts, int n_parts, struct err *err)
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
	/* accepted bytes count, though the engine may still hold them */
	return taken && rc == -ERR_AGAIN ? (ssize_t)taken : rc < 0 ? rc : (ssize_t)taken;
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

enum tls_fault tls_fault(const struct tls *t)
{
	if (t->verify.failed)
		return TLS_FAULT_UNTRUSTED;
	return br_ssl_engine_last_error(t->eng) ? TLS_FAULT_OTHER : TLS_FAULT_NONE;
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
