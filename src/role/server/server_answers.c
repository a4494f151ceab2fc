/*
 * Answers by pool and version, each with the stamps of the files it was made of. While
 * they hold, a request costs a few stat calls. Errors are kept, too: a broken file is not
 * parsed again for every machine that retries. They have entries of their own, because
 * clients can ask for any number of pools that do not exist.
 */
#include <stdlib.h>

#include "server_answers.h"

/* Least recently used entries are replaced. The last ERRORS entries are for errors. */
#define ENTRIES 72
#define ERRORS 8

struct entry {
	struct arena a; /* pool and files */
	struct str pool;
	size_t version;
	struct depends files;
	uint64_t generation, used;
	struct answer *answer; /* NULL: the entry is free */
};

struct answers {
	struct origin *origin;
	struct entry entries[ENTRIES];
	uint64_t clock;
};

void answer_ref(struct answer *a)
{
	a->refs++;
}

void answer_unref(struct answer *a)
{
	if (a && --a->refs == 0)
		free(a);
}

static struct answer *answer_new(int status, struct str body, struct str why)
{
	struct answer *a = malloc(sizeof(*a) + body.n + why.n);
	char *p;

	if (!a)
		abort();
	p = (char *)(a + 1);
	*a = (struct answer){ 1, status, { p, body.n }, { p + body.n, why.n } };
	memcpy(p, body.p, body.n);
	memcpy(p + body.n, why.p, why.n);
	return a;
}

static struct answer *failed(struct str pool, struct semver v, bool convert, struct err *err)
{
	if (err->code == ERR_NOTFOUND)
		return answer_new(404, S(""), S(""));
	(void)err_wrap(err,
		       "couldn't %s config for req: {machineConfigPool:%.*s "
		       "version:%lld.%lld.0}, error",
		       convert ? "convert" : "get", STRF(pool), (long long)v.major,
		       (long long)v.minor);
	return answer_new(500, S(""), err->msg);
}

static struct answer *make(struct answers *c, struct arena *a, struct str pool, struct semver v,
			   struct depends *files)
{
	struct err err = ERR_INIT(a);
	struct serve_in in = { 0 };
	struct str body;

	if (c->origin->load(c->origin, a, pool, &in, files, &err) < 0)
		return failed(pool, v, false, &err);
	if (serve_config(a, &in, v, &body, &err) < 0)
		return failed(pool, v, true, &err);
	return answer_new(200, body, S(""));
}

static void drop(struct entry *e)
{
	answer_unref(e->answer);
	arena_free(&e->a);
	*e = (struct entry){ 0 };
}

/* The entry of pool and version, or NULL. */
static struct entry *find(struct answers *c, struct str pool, size_t version)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		struct entry *e = &c->entries[i];

		if (e->answer && e->version == version && str_eq(e->pool, pool))
			return e;
	}
	return NULL;
}

/* A free entry, or the least recently used one, of those for this status. */
static struct entry *oldest_for(struct answers *c, int status)
{
	size_t i = status == 200 ? 0 : ENTRIES - ERRORS;
	size_t end = status == 200 ? ENTRIES - ERRORS : ENTRIES;
	struct entry *oldest = &c->entries[i];

	for (; i < end; i++)
		if (c->entries[i].used < oldest->used)
			oldest = &c->entries[i];
	return oldest;
}

static bool holds(const struct answers *c, const struct entry *e)
{
	if (e->generation != c->origin->generation)
		return false;
	for (size_t i = 0; i < e->files.n; i++)
		if (!stamp_holds(e->files.v[i].path, &e->files.v[i].stamp))
			return false;
	return true;
}

static struct entry *keep(struct answers *c, struct answer *answer, struct str pool, size_t version,
			  const struct depends *files)
{
	struct entry *e = oldest_for(c, answer->status);

	drop(e);
	e->answer = answer;
	e->generation = c->origin->generation;
	e->pool = str_dup(&e->a, pool);
	e->version = version;
	for (size_t i = 0; i < files->n; i++) {
		struct depend d = files->v[i];

		d.path = str_z(&e->a, str_of(d.path));
		VEC_PUSH(&e->a, &e->files, d);
	}
	return e;
}

struct answers *answers_new(struct origin *o)
{
	struct answers *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->origin = o;
	return c;
}

void answers_free(struct answers *c)
{
	for (size_t i = 0; i < ENTRIES; i++)
		drop(&c->entries[i]);
	free(c);
}

struct answer *answers_get(struct answers *c, struct str pool, struct semver version, bool *made)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	size_t index = serve_version_index(version);
	struct depends files = { 0 };
	struct entry *e;

	if (made)
		*made = true;
	if (c->origin->check(c->origin, pool, &err) < 0)
		return failed(pool, version, false, &err);
	e = find(c, pool, index);
	if (e && !holds(c, e)) {
		drop(e);
		e = NULL;
	}
	if (made)
		*made = !e;
	if (!e)
		e = keep(c, make(c, &a, pool, version, &files), pool, index, &files);
	e->used = ++c->clock;
	answer_ref(e->answer);
	return e->answer;
}
