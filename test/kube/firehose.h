/*
 * A process that serves one list and then a watch with the requested number of
 * node changes, as fast as the client reads them; and a client that counts what
 * it keeps.
 */
#ifndef TEST_KUBE_FIREHOSE_H
#define TEST_KUBE_FIREHOSE_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/sock.h"
#include "kube/cache.h"
#include "mc/knode.h"

struct firehose {
	size_t nodes, bytes, changes; /* bytes of one object; changes in all */
	pid_t pid;
	uint16_t port;
};

static inline void fire_write(int fd, struct str s)
{
	while (s.n) {
		ssize_t n = send(fd, s.p, s.n, MSG_NOSIGNAL);

		if (n <= 0)
			_exit(0);
		s = str_from(s, (size_t)n);
	}
}

#define FIRE_IMAGE                                                             \
	",{\"names\":[\"registry.example.net/team/image-%06zu@sha256:%064zu\"" \
	"],\"sizeBytes\":1000000}"

/* Sizes differ a little between changes, as real objects do. */
static inline void fire_watch(const struct firehose *f, int fd)
{
	struct arena a = ARENA_INIT;
	struct buf head, images;
	size_t one;

	buf_init(&head, &a);
	buf_init(&images, &a);
	buf_addf(&images, FIRE_IMAGE, (size_t)0, (size_t)0);
	one = images.n;
	for (size_t k = 1; images.n < 2 * f->bytes; k++)
		buf_addf(&images, FIRE_IMAGE, k, k);
	fire_write(fd, S("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
			 "Transfer-Encoding: chunked\r\n\r\n"));
	for (size_t i = 0; i < f->changes; i++) {
		size_t more = f->bytes - f->bytes / 8 + i * 7919 % (f->bytes / 4 + 1);
		struct str rest = str_sub(buf_str(&images), 0, more / one * one);
		struct str event;

		event = str_fmt(&a,
				"{\"type\":\"%s\",\"object\":{\"metadata\":{"
				"\"name\":\"node-%05zu\",\"resourceVersion\":"
				"\"%zu\",\"labels\":{\"" LABEL_WORKER
				"\":\"\",\"i\":\"%zu\"}},\"status\":{"
				"\"conditions\":[{\"type\":\"Ready\","
				"\"status\":\"True\"}],\"images\":[{}",
				i < f->nodes ? "ADDED" : "MODIFIED", i % f->nodes, i + 2, i);
		head.n = 0;
		buf_addf(&head, "%zx\r\n%.*s", event.n + rest.n + 5, STRF(event));
		fire_write(fd, buf_str(&head));
		fire_write(fd, rest);
		fire_write(fd, S("]}}}\n\r\n"));
	}
	(void)pause();
	_exit(0);
}

static inline _Noreturn void fire_serve(const struct firehose *f, int listening)
{
	static const char list[] = "{\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}";
	char in[4096];

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		int fd = accept(listening, NULL, NULL);
		ssize_t n;

		while (fd >= 0 && (n = read(fd, in, sizeof(in) - 1)) > 0) {
			in[n] = '\0';
			if (strstr(in, "watch=true"))
				fire_watch(f, fd);
			(void)snprintf(in, sizeof(in),
				       "HTTP/1.1 200 OK\r\nContent-Type: "
				       "application/json\r\nContent-Length: "
				       "%zu\r\n\r\n%s",
				       sizeof(list) - 1, list);
			fire_write(fd, str_of(in));
		}
		if (fd >= 0)
			(void)close(fd);
	}
}

static inline void fire_start(struct firehose *f)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int fd = -1;

	if (sock_listen(S("127.0.0.1"), 0, &fd, &err) < 0)
		abort();
	f->port = sock_port(fd);
	/* blocking here: the server does one thing at a time */
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	f->pid = fork();
	if (f->pid < 0)
		abort();
	if (f->pid == 0)
		fire_serve(f, fd);
	(void)close(fd);
	arena_free(&a);
}

static inline void fire_stop(struct firehose *f)
{
	(void)kill(f->pid, SIGKILL);
	(void)waitpid(f->pid, NULL, 0);
}

/* ---- the client ---------------------------------------------------------- */

static inline void *fire_make(const struct json *tree, void *ctx)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct knode n;
	void *mem;

	(void)ctx;
	knode_decode(&a, tree, &n);
	mem = malloc(knode_size(&n));
	return mem ? knode_copy(mem, &n) : NULL;
}

static inline size_t resident_kib(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long total = 0, resident = 0;

	if (f) {
		if (fscanf(f, "%ld %ld", &total, &resident) != 2)
			resident = 0;
		(void)fclose(f);
	}
	return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE) / 1024;
}

struct fire_result {
	size_t warm_kib, end_kib; /* resident after a tenth of the changes, and at the end */
	size_t changes; /* changes followed */
};

/* Follows all changes; gives up after ms without one. */
static inline struct fire_result fire_follow(const struct firehose *f, int ms)
{
	struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct kube_conf conf = { .server = str_fmt(&a, "http://127.0.0.1:%u", f->port) };
	struct kube_opts o = { .loop = loop_new(&err), .conf = &conf, .agent = "firehose" };
	struct kube_cache_opts co = { .path = "/api/v1/nodes", .what = "nodes", .make = fire_make };
	struct fire_result out = { 0 };
	int64_t last = clock_ms();
	struct kube_cache *c;

	if (!o.loop || kube_new(&o, &co.kube, &err) < 0)
		abort();
	c = kube_cache_start(&co);
	while (out.changes < f->changes && clock_ms() < last + ms) {
		size_t before = out.changes;

		(void)loop_turn(o.loop, 1000, &err);
		out.changes = kube_cache_events(c);
		if (out.changes != before)
			last = clock_ms();
		if (!out.warm_kib && out.changes >= f->changes / 10)
			out.warm_kib = resident_kib();
	}
	out.end_kib = resident_kib();
	kube_cache_free(c);
	kube_free(co.kube);
	loop_free(o.loop);
	arena_free(&a);
	return out;
}

#endif
