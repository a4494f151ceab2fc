/*
 * Where the C library is linked in whole these few hundred lines stand for it:
 * its printf is ten times as large, most of it for what nobody asks for.
 */
#include "base/print.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

struct sink {
	char *p;
	size_t room, n; /* n counts what there is no room for, too */
};

struct spec {
	bool left, zero, sharp;
	int width, prec; /* prec -1: none given */
	char sign; /* or 0 */
	const char *prefix; /* "0x" */
};

static void put(struct sink *o, const char *p, size_t n)
{
	if (o->n < o->room)
		memcpy(o->p + o->n, p, n < o->room - o->n ? n : o->room - o->n);
	o->n += n;
}

static void fill(struct sink *o, char c, int64_t n)
{
	for (; n > 0; n--)
		put(o, &c, 1);
}

/* Sign, prefix, noughts to the precision or width, then the text; as wide as it
 * is asked for. */
static void put_field(struct sink *o, const struct spec *s, const char *p,
		      size_t n, int noughts)
{
	const char *prefix = s->prefix ? s->prefix : "";
	int64_t pad = s->width - (int64_t)(n + strlen(prefix)) - (s->sign != 0);

	if (noughts > 0)
		pad -= noughts;
	if (!s->left && !s->zero)
		fill(o, ' ', pad);
	if (s->sign)
		put(o, &s->sign, 1);
	put(o, prefix, strlen(prefix));
	fill(o, '0', noughts);
	if (s->zero && !s->left)
		fill(o, '0', pad);
	put(o, p, n);
	if (s->left)
		fill(o, ' ', pad);
}

static void put_int(struct sink *o, struct spec *s, uint64_t v, char how)
{
	unsigned base = how == 'o' ? 8 : how == 'u' ? 10 : 16;
	const char *digits =
		how == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	char text[24], *p = text + sizeof(text);
	bool none = v == 0;

	for (; v; v /= base)
		*--p = digits[v % base];
	/* of 0 there is one, unless none was asked for */
	if (none && s->prec)
		*--p = '0';
	if (s->sharp && base == 8 && (p == text + sizeof(text) || *p != '0'))
		*--p = '0';
	if (s->sharp && base == 16 && !none)
		s->prefix = how == 'X' ? "0X" : "0x";
	if (s->prec >= 0)
		s->zero = false;
	put_field(o, s, p, (size_t)(text + sizeof(text) - p),
		  s->prec - (int)(text + sizeof(text) - p));
}

/* ---- floats ------------------------------------------------------------------- */

struct digits {
	char v[NUM_DIGITS];
	int n, exp; /* of the first */
	int places; /* to be written behind the point */
	bool scientific, point;
};

/* The digit that counts 10^at. */
static char digit_at(const struct digits *d, int at)
{
	return at > d->exp || d->exp - at >= d->n ? '0' : d->v[d->exp - at];
}

static int last_place(const struct digits *d)
{
	return (d->scientific ? d->exp : 0) - d->places;
}

static void put_digits(struct sink *o, const struct digits *d)
{
	struct spec exp = { .prec = 2, .sign = d->exp < 0 ? '-' : '+' };
	int ones = d->scientific ? d->exp : 0;

	for (int at = d->exp > ones ? d->exp : ones; at >= last_place(d);
	     at--) {
		char c[2] = { digit_at(d, at), '.' };

		put(o, c, at == ones && d->point ? 2 : 1);
	}
	if (d->scientific) {
		put(o, "e", 1);
		put_int(o, &exp, (uint64_t)abs(d->exp), 'u');
	}
}

/* How %g decides. */
static void choose(struct digits *d, int prec, bool sharp)
{
	d->scientific = d->exp < -4 || d->exp >= prec;
	d->places = prec - 1 - (d->scientific ? 0 : d->exp);
	while (!sharp && d->places > 0 && digit_at(d, last_place(d)) == '0')
		d->places--;
}

static void put_float(struct sink *o, struct spec *s, double v, char how)
{
	struct digits d = { .scientific = how == 'e' };
	struct sink dry = { 0 };
	int prec = s->prec < 0 ? 6 : s->prec;

	if (how == 'g' && !prec)
		prec = 1;
	if (signbit(v))
		s->sign = '-';
	v = fabs(v);
	if (!isfinite(v)) {
		s->zero = false;
		put_field(o, s, isnan(v) ? "nan" : "inf", 3, 0);
		return;
	}
	if (v > 0)
		d.n = num_digits(v,
				 how == 'e' && prec < INT_MAX ? prec + 1 : prec,
				 how == 'f', d.v, &d.exp);
	d.places = prec;
	if (how == 'g')
		choose(&d, prec, s->sharp);
	d.point = d.places > 0 || s->sharp;
	put_digits(&dry, &d);
	/* the field, with nothing in it, is the rest */
	if (s->left) {
		put_field(o, &(struct spec){ .sign = s->sign }, "", 0, 0);
	} else {
		struct spec before = *s;

		before.width -= (int)dry.n;
		put_field(o, &before, "", 0, 0);
	}
	put_digits(o, &d);
	if (s->left)
		fill(o, ' ', s->width - (int)dry.n - (s->sign != 0));
}

/* ---- formats -------------------------------------------------------------------- */

static bool flag(struct spec *s, char c)
{
	switch (c) {
	case '-':
		s->left = true;
		return true;
	case '0':
		s->zero = true;
		return true;
	case '+':
		s->sign = '+';
		return true;
	case ' ':
		s->sign = s->sign ? s->sign : ' ';
		return true;
	case '#':
		s->sharp = true;
		return true;
	default:
		return false;
	}
}

static int number(const char **f)
{
	int n = 0;

	for (; **f >= '0' && **f <= '9'; ++*f)
		n = n < 100000000 ? n * 10 + **f - '0' : n;
	return n;
}

struct args {
	va_list ap;
};

static void read_spec(struct spec *s, const char **f, struct args *l)
{
	*s = (struct spec){ .prec = -1 };
	while (flag(s, **f))
		++*f;
	if (**f == '*') {
		s->width = va_arg(l->ap, int);
		++*f;
	} else {
		s->width = number(f);
	}
	if (s->width < 0) {
		s->left = true;
		s->width = -s->width;
	}
	if (**f != '.')
		return;
	++*f;
	if (**f == '*') {
		s->prec = va_arg(l->ap, int);
		++*f;
	} else {
		s->prec = number(f);
	}
}

/* The size of an integer by its letters: 1, 2, 4 or 8 bytes. */
static int read_size(const char **f)
{
	int size = 4;

	for (;; ++*f)
		switch (**f) {
		case 'h':
			size /= 2;
			break;
		case 'l':
		case 'z':
		case 't':
		case 'j':
			size = 8;
			break;
		default:
			return size;
		}
}

static int64_t cut(int64_t v, int size)
{
	return size == 8   ? v
	       : size == 4 ? (int32_t)v
	       : size == 2 ? (int16_t)v
			   : (int8_t)v;
}

static bool convert(struct sink *o, struct spec *s, char how, int size,
		    struct args *l)
{
	uint64_t mask =
		size == 8 ? UINT64_MAX : ((uint64_t)1 << (size * 8)) - 1;
	const char *text;
	int64_t v;
	char c;

	switch (how) {
	case 'd':
	case 'i':
		v = size == 8 ? va_arg(l->ap, int64_t) : va_arg(l->ap, int);
		v = cut(v, size);
		if (v < 0)
			s->sign = '-';
		put_int(o, s, v < 0 ? -(uint64_t)v : (uint64_t)v, 'u');
		return true;
	case 'p':
		s->sharp = true;
		how = 'x';
		size = 8;
		mask = UINT64_MAX;
		/* fall through */
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		s->sign = 0;
		put_int(o, s,
			mask & (size == 8 ? va_arg(l->ap, uint64_t)
					  : va_arg(l->ap, unsigned)),
			how);
		return true;
	case 'e':
	case 'f':
	case 'g':
		put_float(o, s, va_arg(l->ap, double), how);
		return true;
	case 'c':
	case '%':
		c = how == '%' ? '%' : (char)va_arg(l->ap, int);
		s->sign = 0;
		s->zero = false;
		put_field(o, s, &c, 1, 0);
		return true;
	case 's':
		text = va_arg(l->ap, const char *);
		if (!text)
			text = "(null)";
		s->sign = 0;
		s->zero = false;
		put_field(o, s, text,
			  s->prec < 0 ? strlen(text)
				      : strnlen(text, (size_t)s->prec),
			  0);
		return true;
	default:
		return false;
	}
}

int print_va(char *to, size_t room, const char *fmt, va_list ap)
{
	struct sink o = { .p = to, .room = room };
	struct args l;
	bool ok = true;

	va_copy(l.ap, ap);
	while (ok && *fmt) {
		size_t n = strcspn(fmt, "%");
		struct spec s;

		put(&o, fmt, n);
		fmt += n;
		if (!*fmt)
			break;
		fmt++;
		read_spec(&s, &fmt, &l);
		n = (size_t)read_size(&fmt);
		ok = convert(&o, &s, *fmt, (int)n, &l);
		fmt++;
	}
	va_end(l.ap);
	if (room)
		to[o.n < room ? o.n : room - 1] = '\0';
	if (!ok || o.n > INT_MAX) {
		errno = ok ? EOVERFLOW : EINVAL;
		return -1;
	}
	return (int)o.n;
}

#ifdef OWN_PRINTF
int vsnprintf(char *to, size_t room, const char *fmt, va_list ap)
{
	return print_va(to, room, fmt, ap);
}

int snprintf(char *to, size_t room, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = print_va(to, room, fmt, ap);
	va_end(ap);
	return n;
}
#endif
