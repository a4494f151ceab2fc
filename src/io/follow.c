/*
 * Files followed by inotify and by polling. A change is decided by stat(2) alone: inotify only
 * starts the comparison early, so a lost or foreign event costs nothing.
 */
#include "io/follow.h"

#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/clock.h"

#define EVERY_MS 10000
#define SETTLE_MS 50 /* a change is often several events */

/* The state of a file; all zero when it does not exist. */
struct mark {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
};

struct follow {
	struct loop *loop;
	struct source events, timer;
	int every_ms;
	void (*changed)(void *ctx);
	void *ctx;
	struct arena a;
	char **paths, **dirs;
	struct mark *marks;
	size_t n;
};

static struct mark look(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return (struct mark){ 0 };
	return (struct mark){ st.st_dev, st.st_ino, st.st_size, st.st_mtim, st.st_ctim };
}

static bool same(const struct mark *x, const struct mark *y)
{
	return x->dev == y->dev && x->ino == y->ino && x->size == y->size &&
	       x->mtime.tv_sec == y->mtime.tv_sec && x->mtime.tv_nsec == y->mtime.tv_nsec &&
	       x->ctime.tv_sec == y->ctime.tv_sec && x->ctime.tv_nsec == y->ctime.tv_nsec;
}

/* Directories may appear and be replaced; adding a watch again costs nothing. */
static void watch(struct follow *f)
{
	for (size_t i = 0; f->events.fd >= 0 && i < f->n; i++)
		(void)inotify_add_watch(f->events.fd, f->dirs[i],
					IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE |
						IN_DELETE | IN_ATTRIB | IN_MODIFY | IN_ONLYDIR);
}

static bool check(struct follow *f)
{
	bool any = false;

	for (size_t i = 0; i < f->n; i++) {
		struct mark now = look(f->paths[i]);

		any |= !same(&now, &f->marks[i]);
		f->marks[i] = now;
	}
	return any;
}

static void on_timer(struct source *s, short events)
{
	struct follow *f = s->ctx;

	(void)events;
	s->due = clock_ms() + f->every_ms;
	watch(f);
	if (check(f))
		f->changed(f->ctx);
}

static void on_events(struct source *s, short events)
{
	struct follow *f = s->ctx;
	_Alignas(struct inotify_event) char bytes[4096];
	int64_t soon = clock_ms() + SETTLE_MS;

	(void)events;
	while (read(s->fd, bytes, sizeof(bytes)) > 0)
		;
	if (f->timer.due > soon) {
		f->timer.due = soon;
		loop_update(f->loop, &f->timer);
	}
}

static char *dir_of(struct arena *a, const char *path)
{
	struct str p = str_of(path);
	ptrdiff_t slash = str_rchr(p, '/');

	return str_z(a, slash < 0 ? S(".") : slash == 0 ? S("/") : str_sub(p, 0, (size_t)slash));
}

struct follow *follow_start(struct loop *l, const char *const *paths, size_t n, int every_ms,
			    void (*changed)(void *ctx), void *ctx)
{
	struct follow *f = calloc(1, sizeof(*f));

	if (!f)
		abort();
	f->loop = l;
	f->every_ms = every_ms ? every_ms : EVERY_MS;
	f->changed = changed;
	f->ctx = ctx;
	f->n = n;
	f->paths = arena_array(&f->a, n, sizeof(char *));
	f->dirs = arena_array(&f->a, n, sizeof(char *));
	f->marks = arena_array(&f->a, n, sizeof(*f->marks));
	for (size_t i = 0; i < n; i++) {
		f->paths[i] = str_z(&f->a, str_of(paths[i]));
		f->dirs[i] = dir_of(&f->a, paths[i]);
	}
	f->events = (struct source){ .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
				     .want = POLLIN,
				     .ready = on_events,
				     .ctx = f };
	f->timer = (struct source){
		.fd = -1, .due = clock_ms() + f->every_ms, .ready = on_timer, .ctx = f
	};
	watch(f);
	(void)check(f);
	loop_add(l, &f->events);
	loop_add(l, &f->timer);
	return f;
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	loop_remove(f->loop, &f->events);
	loop_remove(f->loop, &f->timer);
	if (f->events.fd >= 0)
		(void)close(f->events.fd);
	arena_free(&f->a);
	free(f);
}
