/*
 * bench_slow PORT READERS ADDRESSES: requests /config/master from
 * 127.0.0.1:PORT on READERS connections, from 127.0.0.2 and the following
 * addresses. Reads almost nothing of the answers, and reconnects when it is cut
 * off. Prints "ready" when all have sent their requests; ends on SIGTERM or
 * after a minute, and prints how many were cut off.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

#define REQUESTS 20 /* per connection: more than the buffers on the path hold */
#define AT_ONCE 40 /* how many reconnect every 20 ms */

static volatile sig_atomic_t over;

static void on_end(int signo)
{
	(void)signo;
	over = 1;
}

static int reader(uint16_t port, unsigned from)
{
	static const char ask[] = "GET /config/master HTTP/1.1\r\nHost: bench\r\n\r\n";
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in me = { .sin_family = AF_INET,
				  .sin_addr = { htonl(INADDR_LOOPBACK + 1 + from) } };
	int small = 4096, segment = 536;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &segment, sizeof(segment));
	if (bind(fd, (struct sockaddr *)&me, sizeof(me)) < 0 ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		(void)close(fd);
		return -1;
	}
	for (int i = 0; i < REQUESTS; i++)
		(void)!send(fd, ask, sizeof(ask) - 1, MSG_NOSIGNAL);
	return fd;
}

/* Returns whether the connection was cut; reads a few bytes, like a slow reader. */
static bool is_cut(struct pollfd *p)
{
	char some[16];

	if (p->fd < 0 || p->revents & (POLLERR | POLLHUP | POLLRDHUP))
		return true;
	if (p->revents & POLLIN)
		(void)!recv(p->fd, some, sizeof(some), MSG_DONTWAIT);
	return false;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	unsigned from = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	uint16_t port = argc > 1 ? (uint16_t)strtoul(argv[1], NULL, 10) : 0;
	struct rlimit files = { n + 64, n + 64 };
	struct pollfd *v = calloc(n, sizeof(*v));
	unsigned long cut = 0;

	if (!v || !port || !from)
		return 2;
	(void)getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	(void)signal(SIGTERM, on_end);
	(void)signal(SIGALRM, on_end);
	(void)alarm(60);
	for (unsigned i = 0; i < n && !over; i++)
		v[i] = (struct pollfd){ .fd = reader(port, i % from),
					.events = POLLIN | POLLRDHUP };
	(void)printf("ready\n");
	(void)fflush(stdout);
	while (!over) {
		int again = 0;

		(void)poll(v, n, 0);
		for (unsigned i = 0; i < n && again < AT_ONCE; i++) {
			if (!is_cut(&v[i]))
				continue;
			(void)close(v[i].fd);
			v[i].fd = reader(port, i % from);
			v[i].revents = 0;
			cut++;
			again++;
		}
		(void)poll(NULL, 0, 20);
	}
	(void)printf("%lu\n", cut);
	free(v);
	return 0;
}
