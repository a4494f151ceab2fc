/*
 * The contents of files, streamed from their source through decompression and hash check into the
 * spool.
 *
 * A download that starts over truncates the spool to where its piece began. The spool may fill at
 * most half of the free disk space: the other half is for the files themselves.
 */
#include "ignite_contents.h"

#include <errno.h>
#include <unistd.h>

#include "base/hash.h"
#include "mc/contents.h"
#include "node/ignite.h"

#define SPOOL "/etc/.mco-firstboot.contents"
#define TEXT_MAX ((size_t)64 << 20)

/* ---- the spool ----------------------------------------------------------- */

void spool_close(struct spool *s)
{
	if (s->fd >= 0)
		(void)close(s->fd);
	s->fd = -1;
}

/* Spooled bytes are written again, as files: they get half of the free space. */
static int spool_open(struct spool *s, struct err *err)
{
	uint64_t room;

	if (s->fd >= 0)
		return 0;
	s->fd = tree_scratch(s->tree, SPOOL, err);
	if (s->fd < 0)
		return s->fd;
	room = tree_free(s->tree, SPOOL);
	s->max = room ? room / 2 : UINT64_MAX;
	return 0;
}

static int spool_put(void *ctx, struct str part, struct err *err)
{
	struct spool *s = ctx;

	if (part.n > s->max - s->n)
		return err_set(err, ERR_LIMIT,
			       "the contents of the config's files need more "
			       "than %llu bytes, half of the free disk space: "
			       "nothing has been written",
			       (unsigned long long)s->max);
	while (part.n) {
		ssize_t n = pwrite(s->fd, part.p, part.n, (off_t)s->n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(err, ERR_SYS, "spool it to the disk: %s", go_errno(errno));
		s->n += (uint64_t)n;
		part = str_from(part, (size_t)n);
	}
	return 0;
}

static int spool_pump(const struct spool *s, const struct piece *p, const struct sink *to,
		      struct err *err)
{
	char part[16384];
	uint64_t done = 0;

	while (done < p->n) {
		size_t want = p->n - done < sizeof(part) ? (size_t)(p->n - done) : sizeof(part);
		ssize_t n = pread(s->fd, part, want, (off_t)(p->at + done));
		int rc;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(err, ERR_SYS, "read the spool: %s",
				       n < 0 ? go_errno(errno) : "it is short");
		rc = to->put(to->ctx, (struct str){ part, (size_t)n }, err);
		if (rc < 0)
			return rc;
		done += (uint64_t)n;
	}
	return 0;
}

/* ---- checking ------------------------------------------------------------ */

/* A sink that hashes the bytes it passes on. */
struct check {
	struct hash hash;
	struct str kind, want;
	const struct sink *to;
};

static int check_start(struct check *c, const struct ign_obj *r, const struct sink *to,
		       struct err *err)
{
	struct str want = ign_str(ign_sub(r, IGN_RESOURCE_VERIFICATION), IGN_VERIFICATION_HASH);

	*c = (struct check){ .to = to };
	if (want.n && !str_cut(want, '-', &c->kind, &c->want))
		return err_set(err, ERR_INVALID, "unknown hash %.*s", STRF(want));
	hash_init(&c->hash, str_is(c->kind, "sha256") ? HASH_SHA256 : HASH_SHA512);
	return 0;
}

static int check_put(void *ctx, struct str part, struct err *err)
{
	struct check *c = ctx;

	if (c->want.n)
		hash_add(&c->hash, part);
	return c->to->put(c->to->ctx, part, err);
}

static int check_restart(void *ctx, struct err *err)
{
	struct check *c = ctx;

	hash_init(&c->hash, c->hash.kind);
	return c->to->restart(c->to->ctx, err);
}

static int check_end(struct check *c, struct err *err)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str have;

	if (!c->want.n)
		return 0;
	have = hash_hex(&a, &c->hash);
	return str_eq_fold(have, c->want) ? 0
					  : err_set(err, ERR_INVALID, "its %.*s is %.*s, not %.*s",
						    STRF(c->kind), STRF(have), STRF(c->want));
}

/* The bytes of a resource from their source, decompressed and checked. */
static int pump_resource(const struct ign_obj *r, const struct ignite_source *from,
			 const struct sink *to, struct err *err)
{
	struct check c;
	struct sink checked = { check_put, check_restart, &c }, packed;
	struct mc_unpack u;
	int rc = check_start(&c, r, to, err);

	if (rc == 0)
		rc = mc_pump(r, &checked, err);
	if (rc == -ERR_NOTFOUND) {
		rc = mc_unpack_start(&u, ign_str(r, IGN_RESOURCE_COMPRESSION), &checked, err);
		packed = mc_unpack_sink(&u);
		if (rc == 0)
			rc = from->get(from->ctx, r, &packed, err);
		rc = mc_unpack_end(&u, rc, err);
	}
	return rc < 0 ? rc : check_end(&c, err);
}

/* ---- contents ------------------------------------------------------------ */

static bool is_inline(const struct ign_obj *r)
{
	return !ign_str(r, IGN_RESOURCE_COMPRESSION).n &&
	       str_eq_fold(str_sub(ign_str(r, IGN_RESOURCE_SOURCE), 0, 5), S("data:"));
}

struct spooling {
	struct spool *spool;
	uint64_t from;
};

static int spooling_put(void *ctx, struct str part, struct err *err)
{
	return spool_put(((struct spooling *)ctx)->spool, part, err);
}

static int spooling_restart(void *ctx, struct err *err)
{
	struct spooling *s = ctx;

	(void)err;
	s->spool->n = s->from;
	return 0;
}

int ignite_contents(struct arena *a, struct spool *s, const struct ign_obj *r,
		    const struct ignite_source *from, struct pieces *out, struct err *err)
{
	struct spooling w = { s, s->n };
	const struct sink to = { spooling_put, spooling_restart, &w };
	struct piece p = { .at = s->n };
	int rc;

	out->spool = s;
	if (!ign_str(r, IGN_RESOURCE_SOURCE).n)
		return 0;
	if (is_inline(r)) {
		rc = ignite_text(a, r, from, &p.mem, err);
	} else {
		rc = spool_open(s, err);
		if (rc == 0)
			rc = pump_resource(r, from, &to, err);
		p.n = s->n - p.at;
	}
	if (rc == 0)
		VEC_PUSH(a, out, p);
	return rc;
}

int ignite_text(struct arena *a, const struct ign_obj *r, const struct ignite_source *from,
		struct str *out, struct err *err)
{
	struct sink_buf b = { .max = TEXT_MAX };
	const struct sink to = sink_to_buf(&b);
	int rc;

	buf_init(&b.b, a);
	rc = pump_resource(r, from, &to, err);
	*out = buf_str(&b.b);
	return rc;
}

static int pump_pieces(void *ctx, const struct sink *to, struct err *err)
{
	const struct pieces *p = ctx;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n; i++)
		rc = p->v[i].mem.n ? to->put(to->ctx, p->v[i].mem, err)
				   : spool_pump(p->spool, &p->v[i], to, err);
	return rc;
}

struct producer pieces_producer(struct pieces *p)
{
	return (struct producer){ pump_pieces, p };
}

uint64_t pieces_size(const struct pieces *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += p->v[i].mem.n + p->v[i].n;
	return n;
}
