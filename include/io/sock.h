/*
 * sock: non-blocking TCP over IPv4 and IPv6, and non-blocking lookups of names.
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
 * Writes "1.2.3.4:80" or "[::1]:80". An IPv4 address from an IPv6 socket is written
 * as IPv4.
 */
void sock_text(const struct sock_addr *a, char out[SOCK_TEXT]);

/* The bytes of the address, 4 or 16; 4 for IPv4 mapped into IPv6, too. */
size_t sock_ip(const struct sock_addr *a, unsigned char out[16]);

/*
 * A number for the owner of the address: the address itself, or the /64 of an IPv6
 * address (a client has all 2^64 addresses of its network).
 */
uint64_t sock_owner(const struct sock_addr *a);

/* Parses "1.2.3.4", "::1", "[::1]", "fe80::1%eth0". False for anything else. */
bool sock_parse(struct str text, uint16_t port, struct sock_addr *out);

/* Where to listen. */
struct sock_place {
	struct str host; /* a view of the text; "" for every address */
	uint16_t port;
};

/*
 * Parses "HOST:PORT", or ":PORT" for every address. ERR_INVALID when there is no
 * colon or the port is not 0 to 65535; sock_listen checks the host.
 */
int sock_place_parse(struct str text, struct sock_place *out, struct err *err);

/*
 * Opens a listening socket on addr, or on every address when addr is empty (IPv6
 * and IPv4; IPv4 only on hosts without IPv6). With port 0 the kernel chooses the
 * port, and sock_port returns it.
 */
int sock_listen(struct str addr, uint16_t port, int *out, struct err *err);
uint16_t sock_port(int fd);

/* Accepts one connection: a descriptor, or -1 with the errno of accept4. */
int sock_accept(int fd, struct sock_addr *peer);

/* ---- connecting ---------------------------------------------------------- */

struct dial;

/*
 * The caller owns fd; -1: see err. Never called from within dial_start.
 */
typedef void dial_done(void *ctx, int fd, struct err *err);

/*
 * Connects to host (a name or an address, brackets allowed) before `due`. A child
 * process looks names up, because libc's resolver blocks. The addresses are tried
 * in turn; each gets an equal share of the time.
 */
struct dial *dial_start(struct loop *l, struct str host, uint16_t port, int64_t due,
			dial_done *done, void *ctx);

/* Cancels it; done is not called. */
void dial_cancel(struct dial *d);

#endif
