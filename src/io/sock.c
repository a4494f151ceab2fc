/*
 * Addresses and listening sockets. No function here blocks; connecting is in dial.c.
 */
#include "io/sock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <unistd.h>

#include "io/file.h"

#define BACKLOG 1024

size_t sock_ip(const struct sock_addr *a, unsigned char out[16])
{
	const struct sockaddr_in6 *six = (const void *)&a->ss;
	const struct sockaddr_in *four = (const void *)&a->ss;

	if (a->ss.ss_family == AF_INET) {
		memcpy(out, &four->sin_addr, 4);
		return 4;
	}
	if (a->ss.ss_family != AF_INET6)
		return 0;
	if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
		memcpy(out, six->sin6_addr.s6_addr + 12, 4);
		return 4;
	}
	memcpy(out, &six->sin6_addr, 16);
	return 16;
}

uint64_t sock_owner(const struct sock_addr *a)
{
	/* no IPv6 network starts with 32 one bits: no clash with IPv4 */
	unsigned char ip[16] = { 0 }, key[8] = { 255, 255, 255, 255 };
	size_t n = sock_ip(a, ip);
	uint64_t v;

	if (n == 16)
		memcpy(key, ip, sizeof(key));
	else
		memcpy(key + 4, ip, 4);
	memcpy(&v, key, sizeof(v));
	return v;
}

static uint16_t port_of(const struct sock_addr *a)
{
	/* the port has the same offset in both */
	return ntohs(((const struct sockaddr_in *)(const void *)&a->ss)->sin_port);
}

void sock_text(const struct sock_addr *a, char out[SOCK_TEXT])
{
	unsigned char ip[16];
	char text[INET6_ADDRSTRLEN] = "?";
	size_t n = sock_ip(a, ip);

	if (n)
		(void)inet_ntop(n == 4 ? AF_INET : AF_INET6, ip, text, sizeof(text));
	(void)snprintf(out, SOCK_TEXT, n == 16 ? "[%s]:%u" : "%s:%u", text, port_of(a));
}

bool sock_parse(struct str text, uint16_t port, struct sock_addr *out)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons(port) };
	char z[INET6_ADDRSTRLEN + IF_NAMESIZE + 1], *zone;

	if (text.n >= 2 && text.p[0] == '[' && text.p[text.n - 1] == ']')
		text = str_sub(text, 1, text.n - 1);
	if (text.n >= sizeof(z) || (text.n && memchr(text.p, 0, text.n)))
		return false;
	if (text.n)
		memcpy(z, text.p, text.n);
	z[text.n] = '\0';
	*out = (struct sock_addr){ 0 };
	if (inet_pton(AF_INET, z, &four.sin_addr) == 1) {
		memcpy(&out->ss, &four, sizeof(four));
		out->len = sizeof(four);
		return true;
	}
	zone = strchr(z, '%');
	if (zone) {
		*zone = '\0';
		six.sin6_scope_id = if_nametoindex(zone + 1);
	}
	if (inet_pton(AF_INET6, z, &six.sin6_addr) != 1 || (zone && !six.sin6_scope_id))
		return false;
	memcpy(&out->ss, &six, sizeof(six));
	out->len = sizeof(six);
	return true;
}

int sock_place_parse(struct str text, struct sock_place *out, struct err *err)
{
	ptrdiff_t colon = str_rchr(text, ':');
	int64_t port;

	if (colon < 0 || !str_to_i64(str_from(text, (size_t)colon + 1), &port) || port < 0 ||
	    port > 65535)
		return err_set(
			err, ERR_INVALID,
			"invalid address \"%.*s\": use HOST:PORT, or :PORT for all addresses",
			STRF(text));
	*out = (struct sock_place){ str_sub(text, 0, (size_t)colon), (uint16_t)port };
	return 0;
}

static int listen_on(const struct sock_addr *at, int *out)
{
	int one = 1, zero = 0;
	int fd = socket(at->ss.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (at->ss.ss_family == AF_INET6)
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	if (bind(fd, (const void *)&at->ss, at->len) < 0 || listen(fd, BACKLOG) < 0) {
		int saved = errno;

		(void)close(fd);
		errno = saved;
		return -1;
	}
	*out = fd;
	return 0;
}

int sock_listen(struct str addr, uint16_t port, int *out, struct err *err)
{
	struct sock_addr at;
	char text[SOCK_TEXT];

	if (!sock_parse(addr.n ? addr : S("::"), port, &at))
		return err_set(err, ERR_INVALID, "listen: invalid address \"%.*s\"", STRF(addr));
	if (listen_on(&at, out) == 0)
		return 0;
	if (!addr.n && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL)) {
		(void)sock_parse(S("0.0.0.0"), port, &at);
		if (listen_on(&at, out) == 0)
			return 0;
	}
	sock_text(&at, text);
	if (!addr.n)
		return err_sys(err, "listen tcp :%u: bind", port);
	return err_sys(err, "listen tcp %s: bind", text);
}

uint16_t sock_port(int fd)
{
	struct sock_addr at = { .len = sizeof(at.ss) };

	if (getsockname(fd, (void *)&at.ss, &at.len) < 0)
		return 0;
	return port_of(&at);
}

static void no_delay(int fd)
{
	int one = 1;

	/* writes are complete messages: do not delay them */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

int sock_accept(int fd, struct sock_addr *peer)
{
	int c;

	*peer = (struct sock_addr){ .len = sizeof(peer->ss) };
	c = accept4(fd, (void *)&peer->ss, &peer->len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (c >= 0)
		no_delay(c);
	return c;
}
