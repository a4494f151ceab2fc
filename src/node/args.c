/*
 * args_add keeps room for one more pointer, so args_end can always append the NULL.
 */
#include "node/args.h"

#include "base/vec.h"

void args_add(struct args *l, const char *word)
{
	if (l->n + 1 >= l->cap)
		l->v = vec_grow(l->a, l->v, &l->cap, sizeof(*l->v));
	l->v[l->n++] = word;
}

void args_addf(struct args *l, const char *fmt, ...)
{
	struct buf b;
	va_list ap;

	buf_init(&b, l->a);
	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	args_add(l, b.p);
}

void args_vwords(struct args *l, const char *words, va_list ap)
{
	struct str rest = str_of(words), word;
	bool more = true;

	while (more) {
		more = str_cut(rest, ' ', &word, &rest);
		if (!more)
			word = rest;
		if (!str_is(word, "%s")) {
			args_add(l, str_z(l->a, word));
		} else {
			const char *arg = va_arg(ap, const char *);

			if (arg)
				args_add(l, arg);
		}
	}
}

void args_words(struct args *l, const char *words, ...)
{
	va_list ap;

	va_start(ap, words);
	args_vwords(l, words, ap);
	va_end(ap);
}

const char *const *args_end(struct args *l)
{
	args_add(l, NULL);
	l->n--;
	return l->v;
}
