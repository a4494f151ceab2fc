/*
 * url: http and https URLs, and the proxy for them by the rules of Go's net/http (HTTP_PROXY,
 * HTTPS_PROXY, NO_PROXY).
 */
#ifndef DATA_URL_H
#define DATA_URL_H

#include "base/err.h"

/* Views of the parsed text. */
struct url {
	bool https;
	struct str host; /* without brackets */
	uint16_t port; /* 80 or 443 when absent */
	struct str user; /* "name:password", still escaped; or "" */
	struct str path; /* with the query; "" when absent */
};

/* ERR_INVALID for other schemes, no host, a bad port, spaces or fragments. */
int url_parse(struct str text, struct url *out, struct err *err);

/* Appends "host:port", without the scheme's default port unless always_port; IPv6 in brackets. */
void url_add_host(struct buf *b, const struct url *u, bool always_port);

/*
 * The URL for messages and logs: without user, password, query, fragment, and the contents of a
 * data URL. It need not be valid.
 */
struct str url_public(struct arena *a, struct str text);

/* Whether the host is localhost, in 127.0.0.0/8 or ::1. */
bool url_loopback(const struct url *u);

struct proxy_conf {
	struct str http, https, no;
	bool always; /* also for loopback, even if `no` lists it */
};

/*
 * The proxy for u: 1 and *out, 0 for a direct connection, or -ERR_INVALID when the address of the
 * proxy is not an http URL. *out views p.
 */
int proxy_for(struct arena *a, const struct proxy_conf *p, const struct url *u, struct url *out,
	      struct err *err);

#endif
