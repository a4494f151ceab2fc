/*
 * Finds the segment in the program headers, as a dynamic loader does.
 */
#include "io/relro.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

static int protect_segment(uintptr_t start, uintptr_t end)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	/* The linker ends the segment at a page boundary; other data in its first page
	 * belongs to the same file mapping and is constant, too. */
	start &= ~(page - 1);
	end &= ~(page - 1);
	if (start == end)
		return 0;
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): dl_iterate_phdr has addresses as numbers */
	return mprotect((void *)start, end - start, PROT_READ);
}

/* The first object is the program itself. */
static int protect_program(struct dl_phdr_info *info, size_t size, void *ctx)
{
	int *rc = ctx;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_GNU_RELRO)
			*rc = protect_segment(start, start + h->p_memsz);
	}
	return 1;
}

int relro_protect(struct err *err)
{
	int rc = 0;

	(void)dl_iterate_phdr(protect_program, &rc);
	return rc == 0 ? 0 : err_sys(err, "write-protect constant tables");
}
