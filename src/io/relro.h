/*
 * relro: makes constant tables of pointers read-only.
 *
 * In a position-independent executable such tables are written once, at start-up,
 * when the addresses are known. A dynamic loader write-protects them afterwards;
 * a static program has none, and musl's start-up code does not do it either.
 */
#ifndef IO_RELRO_H
#define IO_RELRO_H

#include "base/err.h"

/* Write-protects the segment PT_GNU_RELRO; call it first in main. */
int relro_protect(struct err *err);

#endif
