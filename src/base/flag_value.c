#include "base/flag.h"

#include "base/duration.h"

static bool mul_add(int64_t *v, int64_t by, int64_t add)
{
	return !__builtin_mul_overflow(*v, by, v) &&
	       !__builtin_add_overflow(*v, add, v);
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
		{ "", 1 },	     { "k", 1000 },	{ "M", 1000000 },
		{ "G", 1000000000 }, { "Ki", 1 << 10 }, { "Mi", 1 << 20 },
		{ "Gi", 1 << 30 },
	};
	int64_t n;
	size_t len = whole(s, &n);

	if (!len)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (str_is(str_from(s, len), units[i].name)) {
			if (!mul_add(&n, units[i].by, 0))
				return false;
			*bytes = n;
			return true;
		}
	return false;
}

const char *flag_nearest(struct str word, const char *const *names)
{
	const char *best = NULL;
	size_t best_d = 1 + word.n / 3; /* farther is another word */

	for (; *names; names++) {
		size_t d = str_distance(word, str_of(*names));

		if (d <= best_d && (!best || d < best_d)) {
			best = *names;
			best_d = d;
		}
	}
	return best;
}
