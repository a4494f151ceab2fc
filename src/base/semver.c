/*
 * Versions as coreos/go-semver reads and orders them. Numbers must fit int64.
 */
#include "base/semver.h"

/* dot-separated, none empty, of [0-9A-Za-z-] */
static bool identifiers(struct str s)
{
	bool empty = true;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '.') {
			if (empty)
				return false;
			empty = true;
			continue;
		}
		if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		      c == '-'))
			return false;
		empty = false;
	}
	return !empty;
}

bool semver_parse(struct str s, struct semver *out)
{
	struct semver v = { 0 };
	struct str major, minor, patch, rest;

	if (!str_cut(s, '+', &rest, &v.meta))
		rest = s;
	s = rest;
	if (!str_cut(s, '-', &rest, &v.pre))
		rest = s;
	if (!str_cut(rest, '.', &major, &rest) || !str_cut(rest, '.', &minor, &patch))
		return false;
	if (!str_to_i64(major, &v.major) || !str_to_i64(minor, &v.minor) ||
	    !str_to_i64(patch, &v.patch))
		return false;
	if ((v.pre.n && !identifiers(v.pre)) || (v.meta.n && !identifiers(v.meta)))
		return false;
	*out = v;
	return true;
}

static int cmp_i64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Numbers below words, numbers by value, words bytewise. */
static int cmp_identifier(struct str a, struct str b)
{
	int64_t x, y;
	bool an = str_to_i64(a, &x) && a.p[0] != '-';
	bool bn = str_to_i64(b, &y) && b.p[0] != '-';

	if (an && bn)
		return cmp_i64(x, y);
	if (an != bn)
		return an ? -1 : 1;
	return str_cmp(a, b);
}

static int cmp_pre(struct str a, struct str b)
{
	if (!a.n || !b.n)
		return (a.n == 0) - (b.n == 0);
	for (;;) {
		struct str x = a, y = b;
		bool more_a = str_cut(a, '.', &x, &a);
		bool more_b = str_cut(b, '.', &y, &b);
		int c = cmp_identifier(x, y);

		if (c || (!more_a && !more_b))
			return c;
		if (more_a != more_b)
			return more_a ? 1 : -1;
	}
}

int semver_cmp(struct semver a, struct semver b)
{
	int c = cmp_i64(a.major, b.major);

	if (!c)
		c = cmp_i64(a.minor, b.minor);
	if (!c)
		c = cmp_i64(a.patch, b.patch);
	return c ? c : cmp_pre(a.pre, b.pre);
}

bool semver_eq(struct semver a, struct semver b)
{
	return semver_cmp(a, b) == 0 && str_eq(a.pre, b.pre) && str_eq(a.meta, b.meta);
}
