/*
 * Functions of the template controller that need only their arguments.
 */
#include "base/codec.h"
#include "tmpl_node.h"

static bool f_to_string(struct tmpl_call *c, struct tmpl_value *out)
{
	struct buf b;

	buf_init(&b, c->a);
	if (c->args[0].kind == TMPL_BYTES)
		buf_add(&b, c->args[0].s);
	else
		tmpl_print(&b, &c->args[0]);
	*out = tmpl_str(buf_str(&b));
	return true;
}

static bool f_indent(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str s = c->args[1].s;
	size_t n = c->args[0].i > 0 ? (size_t)c->args[0].i : 0, lines = 1;
	struct buf b;

	for (size_t i = 0; i < s.n; i++)
		lines += s.p[i] == '\n';
	if (n > TEXT_MAX || tmpl_too_long(c, s.n + n * lines))
		return tmpl_refuse(c, S("produces too long a text"));
	buf_init(&b, c->a);
	buf_fill(&b, ' ', n);
	for (size_t i = 0; i < s.n; i++) {
		buf_addc(&b, s.p[i]);
		if (s.p[i] == '\n')
			buf_fill(&b, ' ', n);
	}
	*out = tmpl_str(buf_str(&b));
	return true;
}

static bool f_join(struct tmpl_call *c, struct tmpl_value *out)
{
	struct buf b;

	buf_init(&b, c->a);
	for (size_t i = 0; i < c->args[0].list->n; i++) {
		if (tmpl_too_long(c, b.n))
			return false;
		if (i)
			buf_add(&b, c->args[1].s);
		tmpl_print(&b, &c->args[0].list->v[i]);
	}
	*out = tmpl_str(buf_str(&b));
	return true;
}

/* {{skip "key"}} leaves {{.key}} for another program to fill in. */
static bool f_skip(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str key = c->args[0].s;
	bool ok = key.n && (key.p[0] == '_' || (key.p[0] >= 'a' && key.p[0] <= 'z'));

	for (size_t i = 1; i < key.n; i++)
		ok = ok &&
		     (key.p[i] == '_' || (key.p[i] >= '0' && key.p[i] <= '9') ||
		      (key.p[i] >= 'a' && key.p[i] <= 'z') || (key.p[i] >= 'A' && key.p[i] <= 'Z'));
	if (!ok)
		return tmpl_refuse(c, S("invalid key for skipKey"));
	*out = tmpl_str(str_fmt(c->a, "{{.%.*s}}", STRF(key)));
	return true;
}

/* ---- URLs, as Go's net/url takes them apart ------------------------------ */

static bool bad_url(struct tmpl_call *c, struct str url, const char *why)
{
	struct buf b;

	buf_init(&b, c->a);
	buf_addz(&b, "invalid url: parse ");
	go_quote(&b, url);
	buf_addf(&b, ": %s", why);
	return tmpl_refuse(c, buf_str(&b));
}

static bool is_letter(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
}

/* The length of the scheme; 0 when there is none. */
static size_t scheme_length(struct str url)
{
	for (size_t i = 0; i < url.n; i++) {
		char ch = url.p[i];

		if (ch == ':')
			return i;
		if (!is_letter(ch) &&
		    (i == 0 || !((ch >= '0' && ch <= '9') || (ch && strchr("+-.", ch)))))
			return 0;
	}
	return 0;
}

/* The fault of a host without its port; NULL when it is valid. */
static const char *host_fault(struct arena *a, struct str host)
{
	for (size_t i = 0; i < host.n; i++) {
		if (host.p[i] == '%')
			return str_fmt(a, "invalid URL escape \"%.*s\"",
				       STRF(str_sub(host, i, i + 3 < host.n ? i + 3 : host.n)))
				.p;
		if (strchr(" \\^`{|}", host.p[i]))
			return str_fmt(a,
				       "invalid character \"%s%c\" in host "
				       "name",
				       host.p[i] == '\\' ? "\\" : "", host.p[i])
				.p;
	}
	return NULL;
}

/* "host:port", "[v6]:port" */
static bool split_host(struct tmpl_call *c, struct str url, struct str all, struct str *host,
		       struct str *port)
{
	bool v6 = str_starts(all, S("["));
	ptrdiff_t close = v6 ? str_rchr(all, ']') : -1, colon;
	const char *why;

	if (v6 && close < 0)
		return bad_url(c, url, "missing ']' in host");
	colon = v6 ? close + 1 : str_rchr(all, ':');
	*host = all;
	*port = S("");
	if (colon >= 0 && (size_t)colon < all.n) {
		*host = str_sub(all, 0, (size_t)colon);
		*port = str_from(all, (size_t)colon);
		for (size_t i = 0; i < port->n; i++)
			if (i ? port->p[i] < '0' || port->p[i] > '9' : port->p[i] != ':')
				return bad_url(c, url,
					       str_fmt(c->a,
						       "invalid port \"%.*s\" after "
						       "host",
						       STRF(*port))
						       .p);
		*port = str_from(*port, 1);
	}
	if (v6)
		*host = str_sub(*host, 1, (size_t)close);
	why = host_fault(c->a, *host);
	return why ? bad_url(c, url, why) : true;
}

static struct str up_to(struct str s, char ch)
{
	ptrdiff_t at = str_chr(s, ch);

	return at < 0 ? s : str_sub(s, 0, (size_t)at);
}

/* Scheme, host and port; host and port are empty when absent. */
static bool host_port(struct tmpl_call *c, struct str *scheme, struct str *host, struct str *port)
{
	struct str url = up_to(c->args[0].s, '#'), rest;
	size_t n = scheme_length(url);
	ptrdiff_t at;

	*scheme = *host = *port = S("");
	for (size_t i = 0; i < url.n; i++)
		if ((unsigned char)url.p[i] < 0x20 || url.p[i] == 0x7F)
			return bad_url(c, url,
				       "net/url: invalid control character in "
				       "URL");
	if (str_starts(url, S(":")))
		return bad_url(c, url, "missing protocol scheme");
	*scheme = str_sub(url, 0, n);
	rest = up_to(str_from(url, n ? n + 1 : 0), '?');
	if (!str_starts(rest, S("/"))) {
		if (!n && str_chr(up_to(rest, '/'), ':') >= 0)
			return bad_url(c, url,
				       "first path segment in URL cannot "
				       "contain colon");
		return true;
	}
	if (!str_starts(rest, S("//")) || (!n && str_starts(rest, S("///"))))
		return true;
	rest = up_to(str_from(rest, 2), '/');
	at = str_rchr(rest, '@');
	return split_host(c, url, str_from(rest, (size_t)(at + 1)), host, port);
}

static bool f_url_host(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str scheme, host, port;

	if (!host_port(c, &scheme, &host, &port))
		return false;
	*out = tmpl_str(host);
	return true;
}

static bool f_url_port(struct tmpl_call *c, struct tmpl_value *out)
{
	struct str scheme, host, port;

	if (!host_port(c, &scheme, &host, &port))
		return false;
	if (!port.n && str_eq_fold(scheme, S("https")))
		port = S("443");
	else if (!port.n && str_eq_fold(scheme, S("http")))
		port = S("80");
	else if (!port.n)
		return tmpl_refuse(c, str_fmt(c->a, "unknown scheme in %.*s", STRF(c->args[0].s)));
	*out = tmpl_str(port);
	return true;
}

const struct tmpl_func tmpl_common_funcs[] = {
	{ "toString", "a", f_to_string },
	{ "indent", "is", f_indent },
	{ "join", "ls", f_join },
	{ "skip", "s", f_skip },
	{ "urlHost", "s", f_url_host },
	{ "urlPort", "s", f_url_port },
	{ 0 },
};
