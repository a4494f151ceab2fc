/*
 * memcpy for the release build (the linker's --wrap puts it there). musl's begins every copy, however short, with an
 * instruction that takes dozens of cycles to get going, and most copies here are
 * of a few bytes: hash blocks, words, keys. Short ones are two overlapping moves;
 * long ones are left to the machine.
 */
#include <stddef.h>

#ifdef OWN_MEMCPY

void *__wrap_memcpy(void *restrict to, const void *restrict from, size_t n);

/* Moves the first and the last of n bytes; what is between is moved twice. */
#define ENDS(type)                                                           \
	do {                                                                 \
		type head, tail;                                             \
                                                                             \
		__builtin_memcpy(&head, p, sizeof(type));                    \
		__builtin_memcpy(&tail, p + n - sizeof(type), sizeof(type)); \
		__builtin_memcpy(q, &head, sizeof(type));                    \
		__builtin_memcpy(q + n - sizeof(type), &tail, sizeof(type)); \
	} while (0)

typedef unsigned char wide __attribute__((vector_size(16)));

#define LONG 512

/* The C library copies before it has set the stack protector up. */
__attribute__((no_stack_protector)) void *
__wrap_memcpy(void *restrict to, const void *restrict from, size_t n)
{
	const unsigned char *p = from;
	unsigned char *q = to;

	if (n >= LONG) {
		void *d = to;

		__asm__ volatile("rep movsb"
				 : "+D"(d), "+S"(from), "+c"(n)
				 :
				 : "memory");
		return to;
	}
	if (n >= 16) {
		wide last;

		__builtin_memcpy(&last, p + n - 16, 16);
		for (size_t i = 0; i + 16 < n; i += 16) {
			wide w;

			__builtin_memcpy(&w, p + i, 16);
			/* or the compiler makes this loop a memcpy */
			__asm__("" : "+x"(w));
			__builtin_memcpy(q + i, &w, 16);
		}
		__builtin_memcpy(q + n - 16, &last, 16);
	} else if (n >= 8) {
		ENDS(unsigned long long);
	} else if (n >= 4) {
		ENDS(unsigned int);
	} else if (n >= 2) {
		ENDS(unsigned short);
	} else if (n) {
		*q = *p;
	}
	return to;
}

#else

/* A file has to have something in it. */
typedef size_t copy_is_the_librarys;

#endif
