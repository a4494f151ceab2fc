/*
 * What servers and clients share with their connections: pairs, authorities,
 * sessions. They are reference-counted: a connection keeps those it started with.
 * Connections are created in tls_conn.c and run in tls_pump.c.
 */
#include "tls_own.h"

#include <stdlib.h>

#include "io/file.h"

#define FILE_MAX ((size_t)1 << 20) /* the size of a certificate or key file */

static void *zeroed(size_t n)
{
	void *p = calloc(1, n);

	if (!p)
		abort();
	return p;
}

/* ---- server and client --------------------------------------------------- */

static void set_profile(struct tls_settings *to, const struct tls_settings *from)
{
	if (from)
		*to = *from;
	else
		tls_settings_default(to);
}

struct tls_server *tls_server_new(const struct tls_settings *profile)
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

static int replace_pair(struct tls_pair **at, struct str cert, struct str key, struct err *err)
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

int tls_server_set_pair(struct tls_server *s, struct str cert, struct str key, struct err *err)
{
	if (!cert.n)
		return err_set(err, ERR_INVALID, "certificate: empty");
	return replace_pair(&s->pair, cert, key, err);
}

int tls_server_load(struct tls_server *s, const char *cert, const char *key, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str cert_text = S(""), key_text = S("");
	int rc = file_read(&a, cert, FILE_MAX, &cert_text, err);

	if (rc == 0)
		rc = file_read(&a, key, FILE_MAX, &key_text, err);
	if (rc < 0)
		return rc;
	rc = tls_server_set_pair(s, cert_text, key_text, err);
	/* no key stays in freed memory */
	explicit_bzero((char *)(uintptr_t)key_text.p, key_text.n);
	return rc < 0 ? err_wrap(err, "%s, %s", cert, key) : 0;
}

int tls_server_set_client_ca(struct tls_server *s, struct str ca, bool required, struct err *err)
{
	s->client_required = required;
	return replace_roots(&s->client_ca, ca, err);
}

struct tls_client *tls_client_new(const struct tls_settings *profile)
{
	struct tls_client *c = zeroed(sizeof(*c));

	set_profile(&c->profile, profile);
	return c;
}

/* Sessions of other authorities or keys are not resumed. */
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

int tls_client_set_pair(struct tls_client *c, struct str cert, struct str key, struct err *err)
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

struct tls_saved *tls_find_saved(struct tls_client *c, const char *host)
{
	for (size_t i = 0; i < SAVED; i++)
		if (c->saved[i].params.session_id_len && strcmp(c->saved[i].host, host) == 0)
			return &c->saved[i];
	return NULL;
}
