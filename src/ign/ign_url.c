/*
 * Checks source URLs. Implements only the parts of Go's url.Parse that can fail or that the rules
 * need: scheme, authority, path escapes, query.
 */
#include "check.h"

#include "base/codec.h"
#include "base/scan.h"

const char *ign_has_nul(struct str name)
{
	return name.n && memchr(name.p, '\0', name.n) ? "contains a NUL character" : NULL;
}

const char *ign_bad_path(struct str p)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	if (!p.n)
		return "path not specified";
	if (p.p[0] != '/')
		return "path not absolute";
	if (!str_eq(ign_clean_path(&a, p), p))
		return "path is not fully simplified";
	return ign_has_nul(p);
}

struct str ign_clean_path(struct arena *a, struct str p)
{
	bool rooted = p.n && p.p[0] == '/';
	struct str rest = p, part;
	size_t floor; /* length of the part that ".." cannot remove */
	struct buf b;
	bool more = true;

	buf_init(&b, a);
	buf_reserve(&b, p.n + 1);
	if (rooted)
		buf_addc(&b, '/');
	floor = b.n;
	while (more) {
		more = str_cut(rest, '/', &part, &rest);
		if (!more)
			part = rest;
		if (!part.n || str_is(part, "."))
			continue;
		if (str_is(part, "..")) {
			if (b.n > floor) {
				ptrdiff_t at = str_rchr(buf_str(&b), '/');

				b.n = at < (ptrdiff_t)floor ? floor : (size_t)at;
				continue;
			}
			if (rooted)
				continue;
		}
		if (b.n > (size_t)rooted)
			buf_addc(&b, '/');
		buf_add(&b, part);
		if (str_is(part, ".."))
			floor = b.n;
	}
	return b.n ? buf_str(&b) : S(".");
}

/* ---- url.Parse ----------------------------------------------------------- */

static bool alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Splits "scheme:rest". False for an empty scheme; without a colon *scheme is "". */
static bool cut_scheme(struct str url, struct str *scheme, struct str *rest)
{
	*scheme = S("");
	*rest = url;
	for (size_t i = 0; i < url.n; i++) {
		char c = url.p[i];

		if (alpha(c))
			continue;
		if (digit(c) || c == '+' || c == '-' || c == '.') {
			if (i == 0)
				return true;
			continue;
		}
		if (c == ':') {
			if (i == 0)
				return false;
			*scheme = str_sub(url, 0, i);
			*rest = str_from(url, i + 1);
		}
		return true;
	}
	return true;
}

static bool hex(char c)
{
	return digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static bool escapes_ok(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '%' && (i + 2 >= s.n || !hex(s.p[i + 1]) || !hex(s.p[i + 2])))
			return false;
	return true;
}

/* "" or ":" and digits. */
static bool port_ok(struct str s)
{
	if (s.n && s.p[0] != ':')
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!digit(s.p[i]))
			return false;
	return true;
}

/* Percent escapes in a host stand for non-ASCII bytes only. */
static bool host_ok(struct str host)
{
	struct str name = host;
	ptrdiff_t at;

	if (host.n && host.p[0] == '[') {
		at = str_rchr(host, ']');
		if (at < 0 || !port_ok(str_from(host, (size_t)at + 1)))
			return false;
		name = str_sub(host, 1, (size_t)at);
	} else {
		at = str_rchr(host, ':');
		if (at >= 0) {
			if (!port_ok(str_from(host, (size_t)at)))
				return false;
			name = str_sub(host, 0, (size_t)at);
		}
	}
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (c == '%') {
			if (i + 2 >= name.n || !hex(name.p[i + 1]) || !hex(name.p[i + 2]))
				return false;
			if (name.p[i + 1] < '8' && !alpha(name.p[i + 1]) &&
			    !(name.p[i + 1] == '2' && name.p[i + 2] == '5'))
				return false;
			i += 2;
			continue;
		}
		if (c < 0x80 && strchr(" \"\\^`{}|#?/", c))
			return false;
	}
	return true;
}

static bool userinfo_ok(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!alpha(s.p[i]) && !digit(s.p[i]) && !strchr("-._:~!$&'()*+,;=%@", s.p[i]))
			return false;
	return escapes_ok(s);
}

/* What follows the scheme, without fragment and query. */
static bool hierarchy_ok(struct str scheme, struct str rest)
{
	struct str before, after, authority;
	ptrdiff_t at;

	if (!str_starts(rest, S("/"))) {
		if (scheme.n)
			return true; /* opaque */
		/* a first segment with a colon looks like a scheme */
		before = rest;
		(void)str_cut(rest, '/', &before, &after);
		if (str_chr(before, ':') >= 0)
			return false;
	}
	if (str_starts(rest, S("//")) && (scheme.n || !str_starts(rest, S("///")))) {
		authority = str_from(rest, 2);
		rest = S("");
		at = str_chr(authority, '/');
		if (at >= 0) {
			rest = str_from(authority, (size_t)at);
			authority = str_sub(authority, 0, (size_t)at);
		}
		at = str_rchr(authority, '@');
		if (at >= 0) {
			if (!userinfo_ok(str_sub(authority, 0, (size_t)at)))
				return false;
			authority = str_from(authority, (size_t)at + 1);
		}
		if (!host_ok(authority))
			return false;
	}
	return escapes_ok(rest);
}

struct url {
	struct str scheme; /* in lower case */
	struct str rest; /* after "scheme:", without query and fragment */
	struct str query;
};

/* The offset of the first control character, hash or question mark, or s.n. */
static size_t first_special(struct str s)
{
	size_t i = 0;

	for (; s.n - i >= SCAN; i += SCAN) {
		scan_v v = scan_load(s.p + i);
		size_t k = scan_first(scan_in(v, 0, 0x1F) | scan_is(v, 0x7F) | scan_is(v, '#') |
				      scan_is(v, '?'));

		if (k < SCAN)
			return i + k;
	}
	while (i < s.n && (unsigned char)s.p[i] >= 0x20 && s.p[i] != 0x7F && s.p[i] != '#' &&
	       s.p[i] != '?')
		i++;
	return i;
}

static bool has_control(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7F)
			return true;
	return false;
}

static bool parse(struct arena *a, struct str text, struct url *out)
{
	struct str rest = text, fragment = S("");
	size_t special = first_special(text);
	char *lower;

	if (special < text.n) {
		if (has_control(str_from(text, special)))
			return false;
		(void)str_cut(text, '#', &rest, &fragment);
		if (!escapes_ok(fragment))
			return false;
	}
	if (str_is(rest, "*")) {
		*out = (struct url){ .rest = rest };
		return true;
	}
	if (!cut_scheme(rest, &out->scheme, &rest))
		return false;
	lower = str_z(a, out->scheme);
	for (char *c = lower; *c; c++)
		if (alpha(*c))
			*c = (char)(*c | 0x20);
	out->scheme = str_of(lower);
	out->query = S("");
	out->rest = rest;
	if (special < text.n)
		(void)str_cut(rest, '?', &out->rest, &out->query);
	return hierarchy_ok(out->scheme, out->rest);
}

bool ign_url_scheme(struct arena *a, struct str text, struct str *scheme)
{
	struct url u;

	if (!parse(a, text, &u))
		return false;
	*scheme = u.scheme;
	return true;
}

/* Whether the first versionId in a query has no value. */
static bool empty_version_id(struct arena *a, struct str query)
{
	struct err ignored = ERR_INIT(a);
	bool more = true;

	while (more) {
		struct str pair, key, value = S(""), name;

		more = str_cut(query, '&', &pair, &query);
		if (!more)
			pair = query;
		if (str_chr(pair, ';') >= 0)
			continue;
		key = pair;
		(void)str_cut(pair, '=', &key, &value);
		if (percent_decode(a, key, &name, &ignored) == 0 && str_is(name, "versionId"))
			return !value.n;
	}
	return false;
}

static const char *bad_arn(struct str rest)
{
	struct str part[5], left = rest;
	size_t slashes = 0;

	/* "arn:" partition:service:region:account:resource */
	for (int i = 0; i < 4; i++)
		if (!str_cut(left, ':', &part[i], &left))
			return "invalid S3 ARN format";
	if (!str_is(part[1], "s3"))
		return "invalid S3 ARN format";
	for (size_t i = 0; i < rest.n; i++)
		slashes += rest.p[i] == '/';
	if (slashes < 1 || (str_starts(left, S("accesspoint/")) && slashes < 2))
		return "invalid S3 ARN format";
	return NULL;
}

const char *ign_bad_url(struct arena *a, struct str text, int minor)
{
	struct err err = ERR_INIT(a);
	const char *bad;
	struct url u;

	if (!parse(a, text, &u))
		return "unable to parse url";
	if (str_is(u.scheme, "http") || str_is(u.scheme, "https") || str_is(u.scheme, "tftp") ||
	    (minor >= 2 && str_is(u.scheme, "gs")))
		return NULL;
	if (str_is(u.scheme, "s3") || (minor >= 4 && str_is(u.scheme, "arn"))) {
		bad = str_is(u.scheme, "arn") ? bad_arn(u.rest) : NULL;
		if (!bad && empty_version_id(a, u.query))
			bad = "invalid S3 object VersionId";
		return bad;
	}
	if (str_is(u.scheme, "data"))
		return dataurl_check(text, &err) < 0 ? str_z(a, err.msg) : NULL;
	return "invalid url scheme";
}
