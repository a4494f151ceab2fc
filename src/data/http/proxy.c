/*
 * The proxy for a URL, by the rules of golang.org/x/net/http/httpproxy. Error messages never
 * contain the address of the proxy, which may have a password.
 */
#include "data/url.h"

#include <arpa/inet.h>

/* The length of the address, 4 or 16 bytes; 0 for anything else. */
static size_t parse_ip(struct str s, unsigned char out[16])
{
	char z[64];

	if (s.n >= sizeof(z) || !s.n)
		return 0;
	memcpy(z, s.p, s.n);
	z[s.n] = '\0';
	if (inet_pton(AF_INET, z, out) == 1)
		return 4;
	return inet_pton(AF_INET6, z, out) == 1 ? 16 : 0;
}

static bool in_range(struct str cidr, const unsigned char *ip, size_t n)
{
	unsigned char net[16];
	struct str addr, bits;
	int64_t len;

	if (!str_cut(cidr, '/', &addr, &bits) || parse_ip(addr, net) != n ||
	    !str_to_i64(bits, &len) || len < 0 || len > (int64_t)n * 8)
		return false;
	for (size_t i = 0; i < n && len > 0; i++, len -= 8) {
		unsigned mask = len >= 8 ? 0xFF : 0xFF00u >> len & 0xFF;

		if ((net[i] ^ ip[i]) & mask)
			return false;
	}
	return true;
}

/* Removes ":443" from the end of a pattern; false when it names another port. */
static bool port_fits(struct str *pattern, uint16_t port)
{
	ptrdiff_t colon = str_rchr(*pattern, ':');
	int64_t v;

	if (colon < 0 || str_chr(*pattern, ':') != colon) {
		struct str p = *pattern; /* an IPv6 address, perhaps [::1]:443 */
		ptrdiff_t end = str_rchr(p, ']');

		if (!p.n || p.p[0] != '[' || end < 0)
			return true;
		*pattern = str_sub(p, 1, (size_t)end);
		if ((size_t)end + 1 == p.n)
			return true;
		return colon == end + 1 && str_to_i64(str_from(p, (size_t)colon + 1), &v) &&
		       v == port;
	}
	if (!str_to_i64(str_from(*pattern, (size_t)colon + 1), &v))
		return true;
	*pattern = str_sub(*pattern, 0, (size_t)colon);
	return v == port;
}

static bool domain_matches(struct str pattern, struct str host)
{
	bool itself = true;

	if (str_starts(pattern, S("*."))) {
		pattern = str_from(pattern, 1);
		itself = false;
	} else if (pattern.n && pattern.p[0] == '.') {
		itself = false;
	}
	if (itself && str_eq_fold(host, pattern))
		return true;
	if (itself && host.n > pattern.n && host.p[host.n - pattern.n - 1] != '.')
		return false;
	return pattern.n && host.n > pattern.n &&
	       str_eq_fold(str_from(host, host.n - pattern.n), pattern);
}

static bool excluded(struct str pattern, const struct url *u, const unsigned char *ip, size_t n_ip)
{
	unsigned char own[16];
	size_t n;

	pattern = str_trim(pattern);
	if (!pattern.n)
		return false;
	if (str_is(pattern, "*"))
		return true;
	if (str_chr(pattern, '/') >= 0)
		return n_ip && in_range(pattern, ip, n_ip);
	if (!port_fits(&pattern, u->port))
		return false;
	n = parse_ip(pattern, own);
	if (n)
		return n == n_ip && memcmp(own, ip, n) == 0;
	return !n_ip && domain_matches(pattern, u->host);
}

static bool loopback(struct str host, const unsigned char *ip, size_t n)
{
	static const unsigned char six[16] = { [15] = 1 };

	if (str_eq_fold(host, S("localhost")))
		return true;
	return (n == 4 && ip[0] == 127) || (n == 16 && !memcmp(ip, six, 16));
}

bool url_loopback(const struct url *u)
{
	unsigned char ip[16];

	return loopback(u->host, ip, parse_ip(u->host, ip));
}

static bool direct(const struct proxy_conf *p, const struct url *u)
{
	struct str rest = p->no, one;
	unsigned char ip[16];
	size_t n = parse_ip(u->host, ip);

	if (loopback(u->host, ip, n))
		return true;
	while (str_cut(rest, ',', &one, &rest))
		if (excluded(one, u, ip, n))
			return true;
	return excluded(rest, u, ip, n);
}

int proxy_for(struct arena *a, const struct proxy_conf *p, const struct url *u, struct url *out,
	      struct err *err)
{
	struct str proxy = u->https ? p->https : p->http;
	struct url found;

	if (!proxy.n || (!p->always && direct(p, u)))
		return 0;
	if (str_find(proxy, S("://")) < 0)
		proxy = str_fmt(a, "http://%.*s", STRF(proxy));
	/* it may contain a password: not in messages */
	if (url_parse(proxy, &found, err) < 0 || found.https)
		return err_set(err, ERR_INVALID,
			       "proxy address is not supported: give http://host:port");
	*out = found;
	return 1;
}
