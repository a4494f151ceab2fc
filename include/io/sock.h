/*
 * sock: TCP over IPv4 and IPv6 without blocking, and names looked up likewise.
 */
#ifndef IO_SOCK_H
#define IO_SOCK_H

#include <sys/socket.h>

#include "io/loop.h"

struct sock_addr {
	struct sockaddr_storage ss;
	socklen_t len;
};

#define SOCK_TEXT 64

/*
 * "1.2.3.4:80", "[::1]:80". An IPv4 address that came through an IPv6 socket
 * is written as IPv4.
 */
void sock_text(const struct sock_addr *a, char out[SOCK_TEXT]);

/* The bytes of the address alone, 4 or 16; IPv4 also when mapped into IPv6. */
size_t sock_ip(const struct sock_addr *a, unsigned char out[16]);

/*
 * Who the address belongs to, as a number: the address itself, of IPv6 the /64 that
 * it is in (who has one address has the 2^64 beside it).
 */
uint64_t sock_owner(const struct sock_addr *a);

/* Reads "1.2.3.4", "::1", "[::1]", "fe80::1%eth0". False for anything else. */
bool sock_parse(struct str text, uint16_t port, struct sock_addr *out);

/* Where to listen. */
struct sock_place {
	struct str host; /* a view of the text; "" for every address */
	uint16_t port;
};

/*
 * Reads "HOST:PORT", or ":PORT" for every address. ERR_INVALID when there is no
 * colon or the port is not 0 to 65535; sock_listen checks the host.
 */
int sock_place_parse(struct str text, struct sock_place *out, struct err *err);

/*
 * A listening socket on addr, or on every address (IPv6 and IPv4 at once; IPv4
 * alone where there is no IPv6) when addr is empty. Port 0 lets the kernel
 * choose: sock_port tells.
 */
int sock_listen(struct str addr, uint16_t port, int *out, struct err *err);
uint16_t sock_port(int fd);

/* Takes one connection: a descriptor, or -1 with errno as accept4 leaves it. */
int sock_accept(int fd, struct sock_addr *peer);

/* ---- connecting ---------------------------------------------------------- */

struct dial;

/*
 * fd is the caller's from here on; or it is -1 and err says why. Never called
 * from within dial_start.
 */
typedef void dial_done(void *ctx, int fd, struct err *err);

/*
 * Connects to host (a name or an address, brackets allowed) before `due`. Names
 * are looked up by a child process, for no resolver is without waits; their
 * addresses are tried in turn, each with its share of the time.
 */
struct dial *dial_start(struct loop *l, struct str host, uint16_t port, int64_t due,
			dial_done *done, void *ctx);

/* Gives up; done is not called. */
void dial_cancel(struct dial *d);

#endif
