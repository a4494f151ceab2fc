/*
 * The serving certificate, reloaded when its files change. A broken pair never replaces a good
 * one.
 */
#include <stdlib.h>

#include "io/file.h"
#include "io/log.h"
#include "io/stamp.h"
#include "io/tls.h"
#include "server_pair.h"

#define PEM_MAX ((size_t)1 << 20)
#define LOOK_MS 100 /* between checks: not for each of a thousand connections */

struct pair {
	struct tls_server *tls;
	struct arena a;
	const char *cert, *key;
	struct stamp cert_stamp, key_stamp;
	int64_t looked;
	bool complained; /* the current error is logged */
};

static int read_pair(struct pair *p, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str cert, key;
	int rc;

	stamp_take(p->cert, &p->cert_stamp);
	stamp_take(p->key, &p->key_stamp);
	rc = file_read(&a, p->cert, PEM_MAX, &cert, err);
	if (rc == 0)
		rc = file_read(&a, p->key, PEM_MAX, &key, err);
	if (rc == 0)
		rc = tls_server_set_pair(p->tls, cert, key, err);
	return rc;
}

struct pair *pair_new(struct tls_server *tls, struct str cert, struct str key, struct err *err)
{
	struct pair *p = calloc(1, sizeof(*p));

	if (!p)
		abort();
	p->tls = tls;
	p->cert = str_z(&p->a, cert);
	p->key = str_z(&p->a, key);
	if (read_pair(p, err) == 0)
		return p;
	pair_free(p);
	return NULL;
}

void pair_free(struct pair *p)
{
	if (!p)
		return;
	arena_free(&p->a);
	free(p);
}

void pair_refresh(struct pair *p, int64_t now)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct stamp cert = p->cert_stamp, key = p->key_stamp;
	bool same;

	if (now - p->looked < LOOK_MS)
		return;
	p->looked = now;
	if (stamp_holds(p->cert, &cert) && stamp_holds(p->key, &key))
		return;
	if (read_pair(p, &err) == 0) {
		same = stamp_same(&cert, &p->cert_stamp) && stamp_same(&key, &p->key_stamp);
		if (!same || p->complained)
			log_info("serving certificate reloaded: %s", p->cert);
		p->complained = false;
		return;
	}
	/* perhaps only one of the two files is new: check again */
	if (!p->complained)
		log_error("serving certificate: reload failed, keeping the old one: %.*s",
			  STRF(err.msg));
	p->complained = true;
	p->cert_stamp.settled = false;
}
