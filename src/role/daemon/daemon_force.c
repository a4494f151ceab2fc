/*
 * daemon_force: notices the force file when it is created. The node is degraded then, and its
 * administrator should not have to wait for the next retry.
 */
#include <sys/inotify.h>
#include <unistd.h>

#include "daemon_own.h"
#include "io/log.h"

#define DIRECTORY "/run"

static bool made(int fd, struct str name)
{
	_Alignas(struct inotify_event) char buf[4096];
	bool found = false;
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n;) {
			const struct inotify_event *e = (const struct inotify_event *)(void *)p;

			found |= e->len && str_eq(str_of(e->name), name);
			p += sizeof(*e) + e->len;
		}
	return found;
}

static void on_force(struct source *s, short events)
{
	struct daemon *d = s->ctx;

	(void)events;
	if (!made(s->fd, str_from(S(STEPS_FORCE), sizeof(DIRECTORY))) ||
	    !tree_exists(&d->node->tree, STEPS_FORCE))
		return;
	log_info("%s present: the next update skips validation and reboots", STEPS_FORCE);
	d->not_before = 0;
	daemon_wake(d, 0);
}

void daemon_force_begin(struct daemon *d)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const char *dir = tree_host_path(&a, &d->node->tree, DIRECTORY);
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (fd < 0)
		return; /* best effort: the next retry notices the file */
	if (inotify_add_watch(fd, dir, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0) {
		(void)close(fd);
		return;
	}
	d->force = (struct source){ .fd = fd, .want = POLLIN, .ready = on_force, .ctx = d };
	loop_add(d->loop, &d->force);
}

void daemon_force_end(struct daemon *d)
{
	if (!d->force.ready)
		return;
	loop_remove(d->loop, &d->force);
	(void)close(d->force.fd);
}
