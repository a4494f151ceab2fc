/*
 * Checks of clients: address, bearer token, rate. Of tokens only the SHA-256 sums are kept, and
 * comparing takes the same time for every token.
 */
#include <stdlib.h>
#include <sys/random.h>

#include "base/hash.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/repeat.h"
#include "io/stamp.h"
#include "server_gate.h"

#define TOKEN_FILE_MAX 65536
#define SUM 32

struct network {
	unsigned char ip[16];
	size_t n;
	int64_t bits;
};

struct gate {
	struct arena a, tokens_a;
	VEC(struct network) networks;
	const char *token_path; /* NULL: no token needed */
	struct stamp stamp;
	VEC(unsigned char *) sums; /* of tokens, which are not kept */
	struct rate rate;
};

/* ---- networks ------------------------------------------------------------ */

static int add_network(struct gate *g, struct str text, struct err *err)
{
	struct network w = { 0 };
	struct sock_addr addr;
	struct str ip = text, bits = S("");
	bool slash = str_cut(text, '/', &ip, &bits);

	if (sock_parse(ip, 0, &addr))
		w.n = sock_ip(&addr, w.ip);
	w.bits = (int64_t)w.n * 8;
	if (!w.n ||
	    (slash && (!str_to_i64(bits, &w.bits) || w.bits < 0 || w.bits > (int64_t)w.n * 8)))
		return err_set(err, ERR_INVALID,
			       "--allow-cidr: invalid network \"%.*s\": use a form like "
			       "10.0.0.0/16 or fd00::/48",
			       STRF(text));
	VEC_PUSH(&g->a, &g->networks, w);
	return 0;
}

static bool in_network(const struct network *w, const unsigned char *ip)
{
	size_t whole = (size_t)w->bits / 8;
	unsigned rest = (unsigned)w->bits % 8;

	return memcmp(w->ip, ip, whole) == 0 &&
	       (!rest || (w->ip[whole] ^ ip[whole]) >> (8 - rest) == 0);
}

bool gate_admits(const struct gate *g, const struct sock_addr *peer)
{
	unsigned char ip[16];
	size_t n = sock_ip(peer, ip);

	for (size_t i = 0; i < g->networks.n; i++)
		if (g->networks.v[i].n == n && in_network(&g->networks.v[i], ip))
			return true;
	return !g->networks.n;
}

/* ---- tokens -------------------------------------------------------------- */

static void token_sum(struct str token, unsigned char out[SUM])
{
	unsigned char sum[HASH_MAX];
	struct hash h;

	hash_init(&h, HASH_SHA256);
	hash_add(&h, token);
	(void)hash_sum(&h, sum);
	memcpy(out, sum, SUM);
}

static int read_tokens(struct gate *g, struct err *err)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct str rest, line;
	int rc;

	stamp_take(g->token_path, &g->stamp);
	rc = file_read(&scratch, g->token_path, TOKEN_FILE_MAX, &rest, err);
	if (rc < 0)
		return rc;
	if (!str_trim(rest).n)
		return err_set(err, ERR_INVALID, "%s: the file contains no token", g->token_path);
	arena_free(&g->tokens_a);
	memset(&g->sums, 0, sizeof(g->sums));
	while (str_line(&rest, &line)) {
		unsigned char *sum;

		line = str_trim(line);
		if (!line.n)
			continue;
		sum = arena_alloc(&g->tokens_a, SUM);
		token_sum(line, sum);
		VEC_PUSH(&g->tokens_a, &g->sums, sum);
	}
	return 0;
}

void gate_refresh(struct gate *g)
{
	AUTO(arena) struct arena scratch = ARENA_INIT;
	struct err err = ERR_INIT(&scratch);

	if (!g->token_path || stamp_holds(g->token_path, &g->stamp))
		return;
	if (read_tokens(g, &err) < 0)
		log_again(LOG_ERROR, S("tokens"),
			  "tokens: reload failed, keeping the old ones: %.*s", STRF(err.msg));
	else if (log_over(S("tokens")))
		log_info("tokens reloaded: %s", g->token_path);
}

bool gate_knows(struct gate *g, struct str authorization)
{
	unsigned char sum[SUM];
	struct str scheme = S(""), token = S("");
	unsigned known = 0;

	if (!g->token_path)
		return true;
	gate_refresh(g);
	(void)str_cut(authorization, ' ', &scheme, &token);
	token_sum(str_trim(token), sum);
	for (size_t i = 0; i < g->sums.n; i++) {
		unsigned differs = 0;

		for (size_t k = 0; k < SUM; k++)
			differs |= (unsigned)(sum[k] ^ g->sums.v[i][k]);
		known |= differs == 0;
	}
	return known && str_eq_fold(scheme, S("bearer"));
}

/* ---- rate ---------------------------------------------------------------- */

bool gate_paces(struct gate *g, const struct sock_addr *peer, int64_t *seconds)
{
	unsigned char ip[16];
	size_t n = sock_ip(peer, ip);
	uint64_t wait = 0;

	if (!g->rate.slots)
		return true;
	/* an IPv6 client has all addresses of its /64 */
	if (rate_allow(&g->rate, (struct str){ (char *)ip, n == 16 ? 8 : n }, (uint64_t)clock_us(),
		       &wait))
		return true;
	*seconds = (int64_t)(wait / 1000000) + 1;
	return false;
}

/* ---- the gate ------------------------------------------------------------ */

static int open_gate(struct gate *g, const struct gate_opts *o, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < o->allow->n && rc == 0; i++)
		rc = add_network(g, o->allow->v[i], err);
	if (rc == 0 && (o->per_minute < 0 || o->per_minute > 60000000))
		rc = err_set(err, ERR_INVALID, "--rate-limit: give a number up to 60000000");
	if (rc == 0 && o->token_file.n) {
		g->token_path = str_z(&g->a, o->token_file);
		rc = read_tokens(g, err);
		if (rc < 0)
			rc = err_wrap(err, "--require-token-file");
	}
	if (rc < 0 || !o->per_minute)
		return rc;
	g->rate = (struct rate){ .slots = o->slots,
				 .n = GATE_SLOTS,
				 .every = 60000000 / (uint64_t)o->per_minute,
				 .burst = (uint64_t)o->per_minute };
	if (getrandom(&g->rate.seed, sizeof(g->rate.seed), 0) < 0)
		return err_sys(err, "getrandom");
	return 0;
}

struct gate *gate_new(const struct gate_opts *o, struct err *err)
{
	struct gate *g = calloc(1, sizeof(*g));

	if (!g)
		abort();
	if (open_gate(g, o, err) < 0) {
		gate_free(g);
		return NULL;
	}
	return g;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	arena_free(&g->a);
	arena_free(&g->tokens_a);
	free(g);
}
