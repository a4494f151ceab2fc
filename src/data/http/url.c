/*
 * http and https URLs. Characters that are not allowed in a URL are refused here, so that a parsed
 * URL can be written into a request without escaping.
 */
#include "data/url.h"

static bool clean(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] == 0x7F)
			return false;
	return true;
}

/* "host", "host:port", "[::1]:port". */
static bool split_port(struct str s, struct str *host, struct str *port)
{
	ptrdiff_t end = str_rchr(s, ']'), colon = str_rchr(s, ':');

	*port = S("");
	*host = s;
	if (s.n && s.p[0] == '[') {
		if (end < 0 || (colon > end && colon != end + 1) ||
		    (colon < end && (size_t)end + 1 != s.n))
			return false;
		*host = str_sub(s, 1, (size_t)end);
	} else if (colon >= 0) {
		*host = str_sub(s, 0, (size_t)colon);
	}
	if (colon > end)
		*port = str_from(s, (size_t)colon + 1);
	return str_chr(*host, '[') < 0 && (end >= 0 || str_chr(*host, ':') < 0);
}

static bool parse_port(struct str s, uint16_t *out)
{
	int64_t v;

	if (!s.n)
		return true;
	if (s.p[0] == '-' || !str_to_i64(s, &v) || v < 1 || v > 65535)
		return false;
	*out = (uint16_t)v;
	return true;
}

int url_parse(struct str text, struct url *out, struct err *err)
{
	struct url u = { 0 };
	struct str rest, port;
	size_t end = 0;
	ptrdiff_t at;

	if (str_starts(text, S("https://"))) {
		u.https = true;
		rest = str_from(text, 8);
	} else if (str_starts(text, S("http://"))) {
		rest = str_from(text, 7);
	} else {
		return err_set(err, ERR_INVALID, "URL is neither http:// nor https://");
	}
	if (!clean(text) || str_chr(text, '#') >= 0)
		return err_set(err, ERR_INVALID, "URL has invalid characters");
	while (end < rest.n && rest.p[end] != '/' && rest.p[end] != '?')
		end++;
	u.path = str_from(rest, end);
	rest = str_sub(rest, 0, end);
	at = str_rchr(rest, '@');
	u.user = at < 0 ? S("") : str_sub(rest, 0, (size_t)at);
	rest = str_from(rest, (size_t)(at + 1));
	u.port = u.https ? 443 : 80;
	if (!split_port(rest, &u.host, &port) || !u.host.n || !parse_port(port, &u.port))
		return err_set(err, ERR_INVALID, "URL has an invalid host: %.*s", STRF(rest));
	*out = u;
	return 0;
}

void url_add_host(struct buf *b, const struct url *u, bool always_port)
{
	bool six = str_chr(u->host, ':') >= 0;

	buf_addf(b, six ? "[%.*s]" : "%.*s", STRF(u->host));
	if (always_port || u->port != (u->https ? 443 : 80))
		buf_addf(b, ":%u", u->port);
}

/* The index of the first of the characters, or the end. */
static size_t span(struct str s, const char *stops)
{
	size_t n = 0;

	while (n < s.n && (!s.p[n] || !strchr(stops, s.p[n])))
		n++;
	return n;
}

struct str url_public(struct arena *a, struct str text)
{
	ptrdiff_t slashes = str_find(text, S("://")), at;
	struct str scheme, rest;

	if (str_starts(text, S("data:")))
		return S("data:…");
	text = str_sub(text, 0, span(text, "?#"));
	if (slashes < 0 || (size_t)slashes >= text.n)
		return text;
	scheme = str_sub(text, 0, (size_t)slashes + 3);
	rest = str_from(text, scheme.n);
	at = str_rchr(str_sub(rest, 0, span(rest, "/")), '@');
	return at < 0 ? text
		      : str_fmt(a, "%.*s%.*s", STRF(scheme), STRF(str_from(rest, (size_t)at + 1)));
}
