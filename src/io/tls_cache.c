/*
 * Sessions of a server, in memory that forked workers share: a client that connects
 * to another worker is resumed, too. Each id has one slot, and the next session there
 * replaces it. A slot that another worker uses is skipped: no worker ever waits, and
 * a worker that is killed meanwhile costs one slot.
 */
#include "io/clock.h"
#include "tls_own.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SLOTS 2048u
#define LIFE_S 3600

struct slot {
	atomic_uint busy;
	uint32_t born; /* monotonic seconds; 0: empty */
	br_ssl_session_parameters params;
};

struct tls_cache {
	const br_ssl_session_cache_class *vtable;
	struct slot *slots;
};

static uint32_t seconds(void)
{
	return (uint32_t)(clock_ms() / 1000) + 1;
}

/* Ids are random: their first bytes are a good hash. */
static struct slot *slot_of(struct tls_cache *c, const unsigned char *id)
{
	return &c->slots[(id[0] | (unsigned)id[1] << 8) % SLOTS];
}

static bool enter(struct slot *s)
{
	unsigned free_ = 0;

	return atomic_compare_exchange_strong(&s->busy, &free_, 1);
}

static void leave(struct slot *s)
{
	atomic_store(&s->busy, 0);
}

static void save(const br_ssl_session_cache_class **ctx, br_ssl_server_context *server,
		 const br_ssl_session_parameters *params)
{
	struct slot *s = slot_of((struct tls_cache *)(void *)ctx, params->session_id);

	(void)server;
	if (!enter(s))
		return;
	s->params = *params;
	s->born = seconds();
	leave(s);
}

/*
 * BearSSL 0.6 marks a missing ALPN match with index 65534 and replaces the mark
 * only in a full handshake: in a resumed one it reads that element of the
 * protocol names. It calls load before it reads the extensions, so a resumed
 * handshake has no names here, and then BearSSL ignores the client's list. The
 * client sees no ALPN answer and speaks HTTP/1.1.
 */
static void ignore_alpn(br_ssl_server_context *server)
{
	br_ssl_engine_set_protocol_names(&server->eng, NULL, 0);
}

static int load(const br_ssl_session_cache_class **ctx, br_ssl_server_context *server,
		br_ssl_session_parameters *params)
{
	struct slot *s = slot_of((struct tls_cache *)(void *)ctx, params->session_id);
	int found;

	if (!enter(s))
		return 0;
	found = s->born && seconds() - s->born < LIFE_S &&
		memcmp(s->params.session_id, params->session_id, sizeof(params->session_id)) == 0;
	if (found)
		*params = s->params;
	leave(s);
	if (found)
		ignore_alpn(server);
	return found;
}

struct tls_cache *tls_cache_new(void)
{
	static const br_ssl_session_cache_class class = { sizeof(struct tls_cache), save, load };
	struct tls_cache *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->vtable = &class;
	c->slots = mmap(NULL, SLOTS * sizeof(struct slot), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->slots == MAP_FAILED)
		abort();
	return c;
}

void tls_cache_free(struct tls_cache *c)
{
	if (!c)
		return;
	(void)munmap(c->slots, SLOTS * sizeof(struct slot));
	free(c);
}

const br_ssl_session_cache_class **tls_cache_class(struct tls_cache *c)
{
	return &c->vtable;
}
