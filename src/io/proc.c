/*
 * posix_spawn instead of fork: a large process starts a child without copying its
 * page tables, and a missing program is an error at once. done is called when the
 * process has ended and its outputs are closed, or DRAIN_MS after its end: its own
 * children may keep the outputs open.
 */
#include "io/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/clock.h"

#define MAX_OUT ((size_t)65536)
#define TERM_MS 3000 /* from SIGTERM to SIGKILL */
#define DRAIN_MS 500 /* from the end of the process to closing its outputs */

extern char **environ;

struct output {
	struct proc *proc;
	struct source src;
	char *bytes; /* a ring of max_out */
	size_t n; /* bytes written in total */
};

struct proc {
	struct loop *loop;
	struct proc_opts opts;
	proc_done *done;
	void *ctx;
	struct child child;
	bool ended, timed_out, killing;
	int status;
	struct source in, timer;
	struct output out[2];
};

static void stop_source(struct proc *p, struct source *s)
{
	if (s->fd < 0)
		return;
	loop_remove(p->loop, s);
	(void)close(s->fd);
	s->fd = -1;
}

static void drop(struct proc *p)
{
	stop_source(p, &p->in);
	stop_source(p, &p->out[0].src);
	stop_source(p, &p->out[1].src);
	loop_remove(p->loop, &p->timer);
	free(p->out[0].bytes);
	free(p->out[1].bytes);
	free(p);
}

/* The last bytes of an output, in order. */
static struct str tail(struct arena *a, const struct proc *p, int i)
{
	const struct output *o = &p->out[i];
	size_t max = p->opts.max_out, at = o->n % max;
	struct buf b;

	buf_init(&b, a);
	if (o->n > max)
		buf_add(&b, (struct str){ o->bytes + at, max - at });
	buf_add(&b, (struct str){ o->bytes, o->n > max ? at : o->n });
	return buf_str(&b);
}

static void finish(struct proc *p)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct proc_result r = { .status = p->status,
				 .timed_out = p->timed_out,
				 .cut = p->out[0].n > p->opts.max_out ||
					p->out[1].n > p->opts.max_out,
				 .out = tail(&a, p, 0),
				 .errors = tail(&a, p, 1) };
	proc_done *done = p->done;
	void *ctx = p->ctx;

	drop(p);
	done(ctx, &r);
}

static void on_child(struct child *c, int status)
{
	struct proc *p = c->ctx;

	p->ended = true;
	p->status = status;
	if (p->killing)
		(void)kill(-c->pid, SIGKILL); /* its remaining children */
	p->timer.due = clock_ms() + DRAIN_MS;
	if (p->out[0].src.fd < 0 && p->out[1].src.fd < 0)
		p->timer.due = 1;
	loop_update(p->loop, &p->timer);
}

static void on_timer(struct source *s, short events)
{
	struct proc *p = s->ctx;

	(void)events;
	if (p->ended) {
		finish(p);
		return;
	}
	p->timed_out = true;
	(void)kill(-p->child.pid, p->killing ? SIGKILL : SIGTERM);
	s->due = p->killing ? 0 : clock_ms() + TERM_MS;
	p->killing = true;
}

static void keep(struct output *o, struct str s)
{
	size_t max = o->proc->opts.max_out;

	if (s.n > max) {
		o->n += s.n - max;
		s = str_from(s, s.n - max);
	}
	for (size_t i = 0; i < s.n;) {
		size_t at = o->n % max;
		size_t n = s.n - i < max - at ? s.n - i : max - at;

		memcpy(o->bytes + at, s.p + i, n);
		o->n += n;
		i += n;
	}
}

static void on_output(struct source *s, short events)
{
	static char scratch[65536];
	struct output *o = s->ctx;
	struct proc *p = o->proc;
	ssize_t n = read(s->fd, scratch, sizeof(scratch));
	struct str part = { scratch, n > 0 ? (size_t)n : 0 };

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		keep(o, part);
		if (p->opts.on_output)
			p->opts.on_output(p->ctx, o == &p->out[0] ? 1 : 2, part);
		return;
	}
	stop_source(p, s);
	if (p->ended && p->out[0].src.fd < 0 && p->out[1].src.fd < 0)
		finish(p);
}

static void on_input(struct source *s, short events)
{
	struct proc *p = s->ctx;
	ssize_t n = write(s->fd, p->opts.input.p, p->opts.input.n);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		p->opts.input = str_from(p->opts.input, (size_t)n);
	if (n <= 0 || !p->opts.input.n)
		stop_source(p, s);
}

struct pipes {
	int fd[3][2];
};

static void close_pipes(struct pipes *q)
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 2; k++)
			if (q->fd[i][k] >= 0)
				(void)close(q->fd[i][k]);
}

static int open_pipes(struct pipes *q, struct err *err)
{
	*q = (struct pipes){ { { -1, -1 }, { -1, -1 }, { -1, -1 } } };
	for (int i = 0; i < 3; i++) {
		int mine = i == 0;

		if (pipe2(q->fd[i], O_CLOEXEC) < 0)
			return err_sys(err, "pipe");
		(void)fcntl(q->fd[i][mine], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static int spawn(struct proc *p, struct pipes *q, struct err *err)
{
	const struct proc_opts *o = &p->opts;
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int e = 0;

	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawnattr_init(&attr);
	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	(void)posix_spawnattr_setsigmask(&attr, &none);
	(void)posix_spawnattr_setsigdefault(&attr, &all);
	for (int i = 0; i < 3 && !e; i++)
		e = posix_spawn_file_actions_adddup2(&fa, q->fd[i][i != 0], i);
	if (!e && o->dir)
		e = posix_spawn_file_actions_addchdir_np(&fa, o->dir);
	if (!e)
		e = posix_spawnp(&p->child.pid, o->argv[0], &fa, &attr,
				 (char *const *)(uintptr_t)o->argv,
				 o->env ? (char *const *)(uintptr_t)o->env : environ);
	(void)posix_spawn_file_actions_destroy(&fa);
	(void)posix_spawnattr_destroy(&attr);
	errno = e;
	return e ? err_sys(err, "run %s", o->argv[0]) : 0;
}

static int take(int *fd)
{
	int v = *fd;

	*fd = -1;
	return v;
}

static void watch(struct proc *p, struct pipes *q)
{
	for (int i = 0; i < 2; i++) {
		struct output *o = &p->out[i];

		o->proc = p;
		o->bytes = malloc(p->opts.max_out);
		if (!o->bytes)
			abort();
		o->src = (struct source){
			.fd = take(&q->fd[i + 1][0]), .want = POLLIN, .ready = on_output, .ctx = o
		};
		loop_add(p->loop, &o->src);
	}
	p->in = (struct source){
		.fd = take(&q->fd[0][1]), .want = POLLOUT, .ready = on_input, .ctx = p
	};
	loop_add(p->loop, &p->in);
	if (!p->opts.input.n)
		stop_source(p, &p->in);
	p->timer = (struct source){ .fd = -1, .ready = on_timer, .ctx = p };
	if (p->opts.ms)
		p->timer.due = clock_ms() + p->opts.ms;
	loop_add(p->loop, &p->timer);
	p->child.done = on_child;
	p->child.ctx = p;
	loop_child(p->loop, &p->child);
}

struct proc *proc_start(struct loop *l, const struct proc_opts *opts, proc_done *done, void *ctx,
			struct err *err)
{
	struct proc *p = calloc(1, sizeof(*p));
	struct pipes q;

	if (!p)
		abort();
	p->loop = l;
	p->opts = *opts;
	p->opts.max_out = opts->max_out ? opts->max_out : MAX_OUT;
	p->done = done;
	p->ctx = ctx;
	if (open_pipes(&q, err) < 0 || spawn(p, &q, err) < 0) {
		close_pipes(&q);
		free(p);
		return NULL;
	}
	watch(p, &q);
	close_pipes(&q);
	return p;
}

void proc_kill(struct proc *p)
{
	if (!p)
		return;
	if (!p->ended) {
		(void)kill(-p->child.pid, SIGKILL);
		loop_kill(p->loop, &p->child);
	}
	drop(p);
}

struct str proc_outcome(struct arena *a, const struct proc_result *r)
{
	if (WIFSIGNALED(r->status))
		return str_fmt(a, "signal %d%s", WTERMSIG(r->status),
			       r->timed_out ? " (took too long)" : "");
	if (WEXITSTATUS(r->status))
		return str_fmt(a, "exit status %d", WEXITSTATUS(r->status));
	return S("");
}
