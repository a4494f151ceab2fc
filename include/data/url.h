/*
 * url: http and https addresses, and which proxy leads to them by the rules of
 * Go's net/http (HTTP_PROXY, HTTPS_PROXY, NO_PROXY).
 */
#ifndef DATA_URL_H
#define DATA_URL_H

#include "base/err.h"

/* Views of the text it was read from. */
struct url {
	bool https;
	struct str host; /* without brackets */
	uint16_t port; /* 80 or 443 when absent */
	struct str user; /* "name:password", still escaped; or "" */
	struct str path; /* with the query; "" when absent */
};

/* ERR_INVALID for other schemes, no host, a bad port, blanks or fragments. */
int url_parse(struct str text, struct url *out, struct err *err);

/* "host:port", the port left out when it is the scheme's; brackets put back. */
void url_add_host(struct buf *b, const struct url *u, bool always_port);

/*
 * The text for messages, which go into logs: without name, password, query and
 * fragment, and without the contents of a data URL. It need not be a valid URL.
 */
struct str url_public(struct arena *a, struct str text);

/* Whether it is this machine's own: localhost, 127.0.0.0/8 or ::1. */
bool url_loopback(const struct url *u);

struct proxy_conf {
	struct str http, https, no;
	bool always; /* for this machine too, whatever `no` says */
};

/*
 * The proxy for u: 1 and *out, 0 when u is reached directly, or -ERR_INVALID
 * when the proxy's own address is no http URL. out's views last as p's.
 */
int proxy_for(struct arena *a, const struct proxy_conf *p, const struct url *u, struct url *out,
	      struct err *err);

#endif
