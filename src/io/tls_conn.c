/* The start of a connection: sets up BearSSL's engine with the settings of its owner. */
#include "tls_own.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "io/sock.h"

static void seed(struct tls *t)
{
	unsigned char bytes[32];
	size_t n = 0;

	while (n < sizeof(bytes)) {
		ssize_t got = getrandom(bytes + n, sizeof(bytes) - n, 0);

		if (got < 0 && errno != EINTR)
			abort(); /* without random numbers there is no TLS */
		n += got > 0 ? (size_t)got : 0;
	}
	br_ssl_engine_inject_entropy(t->eng, bytes, sizeof(bytes));
	memset(bytes, 0, sizeof(bytes));
}

static struct tls *make(struct tls_pair *pair, struct tls_roots *roots)
{
	/* not zeroed as a whole: that would make the buffers resident */
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

static void set_engine(struct tls *t, br_ssl_engine_context *e, const struct tls_settings *p)
{
	t->eng = e;
	tls_engine_setup(e, p);
	br_ssl_engine_set_buffers_bidi(e, t->in, sizeof(t->in), t->out, sizeof(t->out));
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
		br_ssl_server_set_single_rsa(
			c, p->chain, p->n, &p->rsa, BR_KEYTYPE_KEYX | BR_KEYTYPE_SIGN,
			br_rsa_private_get_default(), br_rsa_pkcs1_sign_get_default());
	else
		br_ssl_server_set_single_ec(c, p->chain, p->n, &p->ec, BR_KEYTYPE_SIGN,
					    p->issuer_type, &br_ec_all_m31, br_ecdsa_i31_sign_asn1);
	if (s->client_ca) {
		/* a resumed session has no client certificate */
		t->checks = true;
		t->verify.eku = X509_EKU_CLIENT;
		br_ssl_engine_set_x509(t->eng, &t->verify.vtable);
		br_ssl_server_set_trust_anchor_names(c, s->client_ca->names, s->client_ca->v.n);
		if (!s->client_required)
			br_ssl_engine_add_flags(t->eng, BR_OPT_TOLERATE_NO_CLIENT_AUTH);
	} else {
		br_ssl_server_set_cache(c, tls_cache_class(s->cache));
	}
	(void)br_ssl_server_reset(c);
	/* the version of the alert for a client that is too old; 0 is no TLS */
	c->eng.version_out = s->profile.min_version;
	return t;
}

static void set_host(struct tls *t, struct str host)
{
	struct sock_addr addr;

	if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
		host = str_sub(host, 1, host.n - 1);
	if (host.n > 1 && host.p[host.n - 1] == '.')
		host.n--; /* names are sent and matched without the final dot */
	/* too long for a name: it matches no certificate */
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
	struct tls_saved *old;

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
		br_ssl_client_set_single_ec(c, p->chain, p->n, &p->ec, BR_KEYTYPE_SIGN,
					    p->issuer_type, &br_ec_all_m31, br_ecdsa_i31_sign_asn1);
	old = tls_find_saved(owner, t->host);
	if (old) {
		br_ssl_engine_set_session_parameters(t->eng, &old->params);
		t->old_id_n = old->params.session_id_len;
		memcpy(t->old_id, old->params.session_id, sizeof(t->old_id));
	}
	/* SNI has names only, no addresses */
	(void)br_ssl_client_reset(c, t->verify.n_ip ? NULL : t->host, old != NULL);
	return t;
}

void tls_free(struct tls *t)
{
	if (!t)
		return;
	tls_pair_drop(t->pair);
	tls_roots_drop(t->roots);
	arena_free(&t->verify.a);
	/* session keys and the last plaintext */
	memset(&t->ctx, 0, sizeof(t->ctx));
	free(t);
}
