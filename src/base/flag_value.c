/*
 * Values of flags: numbers, durations, choices, and the nearest known word for a
 * misspelt one.
 */
#include "base/flag.h"

#include "base/duration.h"

static bool mul_add(int64_t *v, int64_t by, int64_t add)
{
	return !__builtin_mul_overflow(*v, by, v) && !__builtin_add_overflow(*v, add, v);
}

static size_t whole(struct str s, int64_t *out)
{
	size_t i = 0;

	*out = 0;
	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9') {
		if (!mul_add(out, 10, s.p[i] - '0'))
			return 0;
		i++;
	}
	return i;
}

bool flag_duration(struct str s, int64_t *ns)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	return duration_parse(s, ns, &err) == 0;
}

bool flag_size(struct str s, int64_t *bytes)
{
	static const struct {
		const char *name;
		int64_t by;
	} units[] = {
		{ "", 1 },	   { "k", 1000 },     { "M", 1000000 },	 { "G", 1000000000 },
		{ "Ki", 1 << 10 }, { "Mi", 1 << 20 }, { "Gi", 1 << 30 },
	};
	int64_t n;
	size_t len = whole(s, &n);

	if (!len)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (str_is(str_from(s, len), units[i].name)) {
			if (!mul_add(&n, units[i].by, 0))
				return false;
			*bytes = n;
			return true;
		}
	return false;
}

bool flag_slip(struct str typed, struct str name)
{
	size_t i = 0;

	if (str_distance(typed, name) <= 1)
		return true;
	if (typed.n != name.n)
		return false;
	while (typed.p[i] == name.p[i])
		i++;
	return i + 1 < name.n && typed.p[i] == name.p[i + 1] && typed.p[i + 1] == name.p[i] &&
	       str_eq(str_from(typed, i + 2), str_from(name, i + 2));
}

/* Takes the first choice from *rest; false when none is left. */
static bool next_choice(struct str *rest, struct str *out)
{
	if (!rest->n)
		return false;
	if (!str_cut(*rest, '|', out, rest)) {
		*out = *rest;
		*rest = S("");
	}
	return true;
}

void flag_choices(struct buf *b, const char *choices)
{
	struct str rest = str_of(choices), one;

	while (next_choice(&rest, &one))
		buf_addf(b, "%.*s%s", STRF(one),
			 !rest.n		  ? ""
			 : str_chr(rest, '|') < 0 ? " or "
						  : ", ");
}

bool flag_choose(const char *choices, struct str v, struct str *near)
{
	struct str rest = str_of(choices), one;
	size_t best = 1 + v.n / 5; /* choices are short words, and alike */

	*near = S("");
	while (next_choice(&rest, &one)) {
		size_t d = str_distance(v, one);

		if (d == 0)
			return true;
		if ((d <= best && (!near->n || d < best)) || (!near->n && flag_slip(v, one))) {
			*near = one;
			best = d;
		}
	}
	return false;
}

/* How far a name may be from what was meant; farther is another word. */
static size_t reach(struct str word)
{
	size_t most = 1 + word.n / 3;

	/* of a word of one letter nothing would be left */
	return most < word.n ? most : word.n ? word.n - 1 : 0;
}

const char *flag_nearest(struct str word, const char *const *names)
{
	size_t best = reach(word) + 1;
	const char *near = NULL;

	for (; *names; names++) {
		size_t d = str_distance(word, str_of(*names));

		if (d < best) {
			near = *names;
			best = d;
		}
	}
	return near;
}

struct str flag_hint(struct arena *a, struct str word, const struct strs *names)
{
	size_t best = reach(word) + 1;
	struct str near = S("");

	for (size_t i = 0; i < names->n; i++) {
		size_t d = str_distance(word, names->v[i]);

		if (d < best) {
			near = names->v[i];
			best = d;
		}
	}
	return near.n ? str_fmt(a, " (did you mean %.*s?)", STRF(near)) : S("");
}
