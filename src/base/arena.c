/*
 * Blocks double up to a limit, so that small work needs one small malloc and large work
 * few. Sizes below the limit are powers of two, so that freed blocks can be reused; a
 * request above the limit gets a block of its own.
 *
 * One block of each of the smaller sizes is cached when it is freed: otherwise repeated
 * work would return its pages to the kernel and fault them in again each time.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN 16u
#define BLOCK_MIN 1024u
#define BLOCK_MAX (1u << 20)

struct arena_block {
	struct arena_block *next;
	size_t size;
};

static size_t round_up(size_t n)
{
	if (n > SIZE_MAX / 2)
		abort();
	return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static struct arena_block *new_block(size_t size)
{
	struct arena_block *b = calloc(1, round_up(sizeof(*b)) + size);

	if (!b)
		abort();
	b->size = size;
	return b;
}

static char *block_data(struct arena_block *b)
{
	return (char *)b + round_up(sizeof(*b));
}

#ifdef ARENA_MALLOC

void *arena_alloc(struct arena *a, size_t n)
{
	struct arena_block *b = new_block(n);

	b->next = a->head;
	a->head = b;
	return block_data(b);
}

void *arena_grow(struct arena *a, void *old, size_t old_n, size_t new_n)
{
	char *p;

	if (old && new_n <= old_n)
		return old;
	p = arena_alloc(a, new_n);
	if (old && old_n)
		memcpy(p, old, old_n);
	return p;
}

void arena_free(struct arena *a)
{
	struct arena_block *b = a->head;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	*a = ARENA_INIT;
}

#else

#define KEPT 9 /* sizes: BLOCK_MIN << 0 to << 8 */

static struct arena_block *kept[KEPT];

/* The cache slot for a block of that size, or NULL: not cached. */
static struct arena_block **place_of(size_t size)
{
	for (int i = 0; i < KEPT; i++)
		if (size == (size_t)BLOCK_MIN << i)
			return &kept[i];
	return NULL;
}

static struct arena_block *get_block(size_t size)
{
	struct arena_block **at = place_of(size), *b = at ? *at : NULL;

	if (!b)
		return new_block(size);
	*at = NULL;
	return b;
}

/* used: how many of its bytes are no longer zero. */
static void put_block(struct arena_block *b, size_t used)
{
	struct arena_block **at = place_of(b->size);

	if (!at || *at) {
		free(b);
		return;
	}
	memset(block_data(b), 0, used);
	*at = b;
}

void arena_free(struct arena *a)
{
	struct arena_block *b = a->head, *next;

	for (; b; b = next) {
		next = b->next;
		put_block(b, b == a->head ? (size_t)(a->at - block_data(b)) : b->size);
	}
	*a = ARENA_INIT;
}

static void add_block(struct arena *a, size_t need)
{
	size_t last = a->head ? a->head->size : 0, size = BLOCK_MIN;
	struct arena_block *b;

	while (size < BLOCK_MAX && (size < need || size <= last))
		size *= 2;
	if (size < need)
		size = need;
	b = get_block(size);
	b->next = a->head;
	a->head = b;
	a->at = block_data(b);
	a->end = a->at + size;
}

void *arena_alloc(struct arena *a, size_t n)
{
	char *p;

	n = round_up(n);
	if (!a->at || (size_t)(a->end - a->at) < n)
		add_block(a, n);
	p = a->at;
	a->at += n;
	return p;
}

void *arena_grow(struct arena *a, void *old, size_t old_n, size_t new_n)
{
	char *p = old;
	size_t have = round_up(old_n), want = round_up(new_n);

	if (p && want <= have)
		return p;
	if (p && p + have == a->at && (size_t)(a->end - a->at) >= want - have) {
		a->at += want - have;
		return p;
	}
	p = arena_alloc(a, new_n);
	if (old && old_n)
		memcpy(p, old, old_n);
	return p;
}

#endif

void *arena_array(struct arena *a, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / 2 / size)
		abort();
	return arena_alloc(a, n * size);
}

char *arena_dup(struct arena *a, const void *p, size_t n)
{
	char *q = arena_alloc(a, n + 1);

	if (n)
		memcpy(q, p, n);
	return q;
}
