/*
 * Values for the cells of tables: JSONPaths of CRDs, and durations in the form of kubectl.
 */
#include "sandbox/table.h"

#include "base/rfc3339.h"

/* ---- paths --------------------------------------------------------------- */

/* The next member name of a JSONPath, with "\." for a dot in it. */
static struct str path_name(struct arena *a, struct str *path)
{
	struct buf b;
	size_t i = 0;

	buf_init(&b, a);
	for (; i < path->n && path->p[i] != '.' && path->p[i] != '['; i++) {
		if (path->p[i] == '\\' && i + 1 < path->n)
			i++;
		buf_addc(&b, path->p[i]);
	}
	*path = str_from(*path, i);
	return buf_str(&b);
}

/* [?(@.key=="value")] or [n]: the first element that matches */
static const struct json *path_element(const struct json *list, struct str in)
{
	const struct json *v = json_first(list);
	struct str key, value;
	int64_t n;

	if (str_to_i64(in, &n)) {
		while (v && n-- > 0)
			v = json_next(v);
		return v;
	}
	if (!str_starts(in, S("?(@.")) || !str_cut(in, '=', &key, &value))
		return v;
	key = str_from(key, 4);
	value = str_from(value, 1); /* the second '=' */
	if (value.n < 3)
		return NULL;
	value = str_sub(value, 1, value.n - 2); /* quotes and ')' */
	while (v && !str_eq(json_text(json_member(v, key)), value))
		v = json_next(v);
	return v;
}

const struct json *cell_find(struct arena *a, const struct json *o, struct str path)
{
	while (o && path.n) {
		ptrdiff_t end;

		if (path.p[0] == '[') {
			end = str_chr(path, ']');
			if (end < 0)
				return NULL;
			o = path_element(o, str_sub(path, 1, (size_t)end));
			path = str_from(path, (size_t)end + 1);
		} else {
			path = str_from(path, path.p[0] == '.');
			o = json_member(o, path_name(a, &path));
		}
	}
	return o;
}

/* ---- times --------------------------------------------------------------- */

struct str cell_duration(struct arena *a, int64_t s)
{
	enum { MINUTE = 60, HOUR = 3600, DAY = 86400, YEAR = 365 * DAY };
	/* Below the limit: one unit, and the remainder in another. */
	static const struct {
		int64_t below;
		int32_t unit, rest;
		char name[2];
	} steps[] = {
		{ 2 * MINUTE, 1, 0, "s" },	    { 10 * MINUTE, MINUTE, 1, "ms" },
		{ 3 * HOUR, MINUTE, 0, "m" },	    { 8 * HOUR, HOUR, MINUTE, "hm" },
		{ 2 * DAY, HOUR, 0, "h" },	    { 8 * DAY, DAY, HOUR, "dh" },
		{ 2 * (int64_t)YEAR, DAY, 0, "d" }, { 8 * (int64_t)YEAR, YEAR, DAY, "yd" },
		{ INT64_MAX, YEAR, 0, "y" },
	};
	size_t i = 0;
	int64_t rest;

	if (s < -1)
		return S("<invalid>");
	s = s < 0 ? 0 : s;
	while (s >= steps[i].below)
		i++;
	rest = steps[i].rest ? s % steps[i].unit / steps[i].rest : 0;
	return rest ? str_fmt(a, "%lld%c%lld%c", (long long)s / steps[i].unit, steps[i].name[0],
			      (long long)rest, steps[i].name[1])
		    : str_fmt(a, "%lld%c", (long long)s / steps[i].unit, steps[i].name[0]);
}

struct str cell_age(struct arena *a, struct str since, int64_t now)
{
	struct instant t;

	if (!rfc3339_parse(since, &t))
		return S("<unknown>");
	return cell_duration(a, now - t.sec);
}
