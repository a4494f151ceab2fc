/*
 * Functions that the template controller adds and that need nothing but their
 * arguments.
 */
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
		return tmpl_refuse(c, S("makes too long a text"));
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
	bool ok = key.n &&
		  (key.p[0] == '_' || (key.p[0] >= 'a' && key.p[0] <= 'z'));

	for (size_t i = 1; i < key.n; i++)
		ok = ok &&
		     (key.p[i] == '_' || (key.p[i] >= '0' && key.p[i] <= '9') ||
		      (key.p[i] >= 'a' && key.p[i] <= 'z') ||
		      (key.p[i] >= 'A' && key.p[i] <= 'Z'));
	if (!ok)
		return tmpl_refuse(c, S("invalid key for skipKey"));
	*out = tmpl_str(str_fmt(c->a, "{{.%.*s}}", STRF(key)));
	return true;
}

/* The host and port of a URL; false when the port is none. */
static bool host_port(struct tmpl_call *c, struct str *scheme, struct str *host,
		      struct str *port)
{
	struct str url = c->args[0].s, rest;
	ptrdiff_t at = str_find(url, S("://"));

	*scheme = at < 0 ? S("") : str_sub(url, 0, (size_t)at);
	*host = *port = S("");
	if (at < 0)
		return true;
	rest = str_from(url, (size_t)at + 3);
	for (size_t i = 0; i < rest.n; i++)
		if (strchr("/?#", rest.p[i])) {
			rest = str_sub(rest, 0, i);
			break;
		}
	at = str_rchr(rest, '@');
	if (at >= 0)
		rest = str_from(rest, (size_t)at + 1);
	*host = rest;
	at = str_rchr(rest, ':');
	if (at >= 0 && at > str_rchr(rest, ']')) {
		*host = str_sub(rest, 0, (size_t)at);
		*port = str_from(rest, (size_t)at + 1);
	}
	for (size_t i = 0; i < port->n; i++)
		if (port->p[i] < '0' || port->p[i] > '9')
			return tmpl_refuse(
				c, str_fmt(c->a,
					   "invalid url: parse \"%.*s\": "
					   "invalid port \":%.*s\" after "
					   "host",
					   STRF(url), STRF(*port)));
	if (str_starts(*host, S("[")) && str_ends(*host, S("]")))
		*host = str_sub(*host, 1, host->n - 1);
	return true;
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
	if (!port.n && str_is(scheme, "https"))
		port = S("443");
	else if (!port.n && str_is(scheme, "http"))
		port = S("80");
	else if (!port.n)
		return tmpl_refuse(c, str_fmt(c->a, "unknown scheme in %.*s",
					      STRF(c->args[0].s)));
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
