/*
 * relr_entry: where a static program of x86-64 starts.
 *
 * The linker packs the relative relocations of constant tables into DT_RELR, a bitmap of
 * 1 KB instead of 60 KB of RELA entries. The start code of musl before 1.2.4 does not know
 * DT_RELR, so this entry point applies it and then jumps to musl's. It empties the table
 * afterwards: a start code that knows it must not apply it twice.
 *
 * Nothing is relocated yet and there is no thread pointer: no stack protector, no calls, and
 * only addresses relative to the instruction pointer.
 */
#ifdef __x86_64__
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

/* elf.h of musl 1.2.3 does not have them. */
enum { TAG_RELRSZ = 35, TAG_RELR = 36 };
enum { WORD_BITS = 8 * sizeof(uint64_t) };

/* Both are defined by the linker. The program is linked at address 0. */
extern Elf64_Dyn _DYNAMIC[] __attribute__((visibility("hidden")));
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* An even entry is an address; an odd one is a bitmap of the 63 words that follow. */
static __attribute__((used, no_stack_protector)) void relr_apply(void)
{
	uintptr_t base = (uintptr_t)__ehdr_start;
	const uint64_t *entry = NULL;
	uint64_t *where = (uint64_t *)base;
	size_t n = 0;

	for (Elf64_Dyn *d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == TAG_RELR)
			entry = (const uint64_t *)(__ehdr_start + d->d_un.d_ptr);
		if (d->d_tag == TAG_RELRSZ) {
			n = d->d_un.d_val / sizeof(*entry);
			d->d_un.d_val = 0;
		}
	}
	for (; entry && n; n--, entry++) {
		if (!(*entry & 1)) {
			where = (uint64_t *)(base + *entry);
			*where++ += base;
			continue;
		}
		for (size_t i = 0; *entry >> 1 >> i; i++)
			if (*entry >> 1 >> i & 1)
				where[i] += base;
		where += WORD_BITS - 1;
	}
}

/* The stack is as the kernel left it when musl's _start reads it. */
__asm__(".text\n"
	".globl relr_entry\n"
	".type relr_entry, @function\n"
	"relr_entry:\n"
	"	call relr_apply\n"
	"	jmp _start\n"
	".size relr_entry, . - relr_entry\n");
#endif
