/*
 * print: printf for the formats that are used here: d i u x X o c s p e f g, with
 * - 0 + # and blank, width, precision, and h hh l ll z t j. Locales, wide
 * characters, long doubles and %n are not.
 */
#ifndef BASE_PRINT_H
#define BASE_PRINT_H

#include <stdarg.h>
#include <stddef.h>

/* As vsnprintf. */
int print_va(char *to, size_t room, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

#endif
