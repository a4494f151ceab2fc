/*
 * arena: memory for one piece of work, freed all at once.
 *
 * Allocation fails only when memory runs out, and that aborts the program. With
 * ARENA_MALLOC each allocation is a separate malloc, so that sanitizers and valgrind
 * see every overrun; the behaviour is otherwise the same.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
	struct arena_block *head;
	char *at, *end; /* free room in the newest block */
};

/* An arena needs no other initialisation than this. */
#define ARENA_INIT ((struct arena){ 0 })

/* n bytes aligned for any type, set to zero. n may be 0. */
void *arena_alloc(struct arena *a, size_t n);

/* n * size zeroed bytes; aborts when the product overflows. */
void *arena_array(struct arena *a, size_t n, size_t size);

/* A copy of n bytes, followed by a NUL that is not counted. */
char *arena_dup(struct arena *a, const void *p, size_t n);

/*
 * Resizes old (old_n bytes from this arena, or NULL) to new_n bytes and keeps its
 * contents; in place when it is the newest allocation.
 */
void *arena_grow(struct arena *a, void *old, size_t old_n, size_t new_n);

/* Frees everything; the arena can be used again. */
void arena_free(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))

/* AUTO(arena) struct arena a = ARENA_INIT; frees itself at the end of scope. */
static inline void auto_arena(struct arena *a)
{
	arena_free(a);
}
#define AUTO(kind) __attribute__((cleanup(auto_##kind)))

#endif
