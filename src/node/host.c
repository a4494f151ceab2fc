#include "node/host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/codec.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/log.h"
#include "mc/api.h"
#include "node/args.h"

#define OUTPUT_MAX ((size_t)16 << 20)
#define WAIT_MAX_MS ((int64_t)2 * 3600 * 1000) /* an OS image may take long */
#define DRAIN_MS 500 /* from the end of a program to the end of listening */
#define LOOK_MS 100 /* at most, between looks whether it has ended */
#define SHOWN_MAX 256 /* of what a program said, in an error */

void host_init(struct host *h, const char *root)
{
	const char *stand_ins = getenv("MCO_HOST_PATH");
	const char *path = getenv("PATH");

	*h = (struct host){ .root = root };
	h->chroot = strcmp(root, "/") != 0 && !stand_ins;
	h->path = stand_ins	       ? stand_ins
		  : path && !h->chroot ? path
				       : "/usr/local/sbin:/usr/local/bin:"
					 "/usr/sbin:/usr/bin:/sbin:/bin";
}

/* The program's path, below the root where it will be run; NULL for none. */
static char *find(struct arena *a, const struct host *h, const char *name)
{
	struct str rest = str_of(h->path), dir;
	bool more = true;

	if (strchr(name, '/'))
		return str_z(a, str_of(name));
	while (more) {
		char *in, *full;

		more = str_cut(rest, ':', &dir, &rest);
		if (!more)
			dir = rest;
		in = str_z(a, str_fmt(a, "%.*s/%s", STRF(dir), name));
		full = h->chroot ? str_z(a, str_fmt(a, "%s%s", h->root, in)) : in;
		if (dir.n && access(full, X_OK) == 0)
			return in;
	}
	return NULL;
}

bool host_has(const struct host *h, const char *name)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	return find(&a, h, name) != NULL;
}

struct str host_status_text(struct arena *a, int status)
{
	if (WIFSIGNALED(status))
		return str_fmt(a, "signal: %s",
			       WTERMSIG(status) == SIGKILL   ? "killed"
			       : WTERMSIG(status) == SIGTERM ? "terminated"
							     : "abnormal end");
	return str_fmt(a, "exit status %d", WEXITSTATUS(status));
}

struct pipes {
	int out[2], err[2], in[2];
};

_Noreturn static void child(const struct host *h, const char *program, const char *const *argv,
			    enum host_how how, const struct pipes *p)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	/* to be ended with all that it starts; on a terminal Ctrl-C does that,
	 * and a job, which has a group of its own, ends with all that is in it */
	if (tcgetpgrp(STDERR_FILENO) < 0 && getpgrp() != getppid())
		(void)setpgid(0, 0);
	if (h->chroot && (chroot(h->root) < 0 || chdir("/") < 0))
		_exit(126);
	if (!h->chroot)
		(void)setenv("MCO_ROOT", h->root, 1);
	(void)setenv("PATH", h->path, 1);
	(void)setenv("RPMOSTREE_CLIENT_ID", NAME_OPERATOR, 1);
	(void)dup2(p->in[0], STDIN_FILENO);
	if (how != HOST_SYNC)
		(void)dup2(p->out[1], STDOUT_FILENO);
	else /* our own standard output is for what was asked for */
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	(void)dup2(how == HOST_SILENT ? p->out[1] : p->err[1], STDERR_FILENO);
	(void)execve(program, (char *const *)argv, environ);
	_exit(127);
}

static void close_both(int fds[2])
{
	for (int i = 0; i < 2; i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
	fds[0] = fds[1] = -1;
}

static int make_pipes(struct pipes *p, struct err *err)
{
	*p = (struct pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
	if (pipe2(p->out, O_CLOEXEC) < 0 || pipe2(p->err, O_CLOEXEC) < 0 ||
	    pipe2(p->in, O_CLOEXEC) < 0) {
		int rc = err_sys(err, "make a pipe");

		close_both(p->out);
		close_both(p->err);
		return rc;
	}
	return 0;
}

/* Takes all that has come, and closes the pipe at the end of the stream. */
static void take(int fds[2], struct buf *b)
{
	char chunk[4096];
	ssize_t n = -1;

	if (fds[0] < 0)
		return;
	while (b->n < OUTPUT_MAX && (n = read(fds[0], chunk, sizeof(chunk))) > 0)
		buf_add(b, (struct str){ chunk, (size_t)n });
	if (b->n >= OUTPUT_MAX) /* read over, lest the program waits */
		n = read(fds[0], chunk, sizeof(chunk));
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		close_both(fds);
}

/* Gives what the program takes; the rest is dropped when it takes no more. */
static void feed(int fd, struct str *in)
{
	ssize_t n = write(fd, in->p, in->n);

	if (n >= 0)
		*in = str_from(*in, (size_t)n);
	else if (errno != EINTR && errno != EAGAIN)
		*in = S("");
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };
	int rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);

	/* where SIGCHLD is ignored it is nobody's child any more */
	return rc < 0 || info.si_pid == pid;
}

/*
 * Feeds and reads until the program has ended and both streams too, or a moment
 * after it has: what it left running may hold them. False when time is up. Most
 * programs end with their streams; whether one has without is looked for, the
 * less often the longer nothing comes.
 */
static bool pump(pid_t pid, struct pipes *p, int64_t limit_ms, struct str in, struct buf *out,
		 struct buf *err)
{
	int64_t due = clock_ms() + (limit_ms ? limit_ms : WAIT_MAX_MS);
	unsigned idle = 0; /* looks since something came */
	bool ended = false;

	while (!ended || p->out[0] >= 0 || p->err[0] >= 0) {
		struct pollfd fds[3] = { { p->out[0], POLLIN, 0 },
					 { p->err[0], POLLIN, 0 },
					 { in.n ? p->in[1] : -1, POLLOUT, 0 } };
		int64_t left = due - clock_ms(), wait = backoff_ms(1, LOOK_MS, idle);
		int n;

		if (left <= 0)
			return ended;
		if (!in.n)
			close_both(p->in);
		n = poll(fds, 3, (int)(left < wait ? left : wait));
		if (n < 0 && errno != EINTR)
			return false;
		idle = n ? 0 : idle + 1;
		if (!ended && has_ended(pid)) {
			ended = true;
			due = left > DRAIN_MS ? clock_ms() + DRAIN_MS : due;
		}
		/* after that look: what it said last is there when it ended */
		take(p->out, out);
		take(p->err, err);
		if (n > 0 && fds[2].revents)
			feed(p->in[1], &in);
	}
	return true;
}

/* Where the program is the head of a group, all of that. */
static void kill_all(pid_t pid)
{
	if (kill(-pid, SIGKILL) < 0)
		(void)kill(pid, SIGKILL);
}

static void attend(pid_t pid, struct pipes *p, int64_t limit_ms, struct str in, struct buf *out,
		   struct buf *said, int *status)
{
	int *ours[] = { &p->out[0], &p->err[0], &p->in[1] };
	int *its[] = { &p->out[1], &p->err[1], &p->in[0] };

	for (int i = 0; i < 3; i++) {
		(void)close(*its[i]);
		*its[i] = -1;
		(void)fcntl(*ours[i], F_SETFL, O_NONBLOCK);
	}
	if (!pump(pid, p, limit_ms, in, out, said))
		kill_all(pid);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

static int spawn(const struct host *h, const char *program, const char *const *argv,
		 enum host_how how, struct str in, struct buf *out, struct buf *said, int *status,
		 struct err *err)
{
	void (*old_pipe)(int);
	struct pipes p;
	int rc = make_pipes(&p, err);
	pid_t pid;

	if (rc < 0)
		return rc;
	old_pipe = signal(SIGPIPE, SIG_IGN);
	pid = fork();
	if (pid < 0)
		rc = err_sys(err, "start %s", argv[0]);
	if (pid == 0)
		child(h, program, argv, how, &p);
	if (pid > 0)
		attend(pid, &p, h->limit_ms, in, out, said, status);
	close_both(p.out);
	close_both(p.err);
	close_both(p.in);
	(void)signal(SIGPIPE, old_pipe);
	return rc;
}

static struct str joined(struct arena *a, const char *const *argv)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; argv[i]; i++)
		buf_addf(&b, "%s%s", i ? " " : "", argv[i]);
	return buf_str(&b);
}

/* The first 256 characters, and how many more there are. */
static struct str shortened(struct arena *a, struct str s)
{
	size_t at = 0, runes = 0, shown;

	while (at < s.n && runes < SHOWN_MAX) {
		at++;
		while (at < s.n && ((unsigned char)s.p[at] & 0xC0) == 0x80)
			at++;
		runes++;
	}
	shown = at;
	for (runes = 0; at < s.n; at++)
		runes += ((unsigned char)s.p[at] & 0xC0) != 0x80;
	return runes ? str_fmt(a, "%.*s [%zu more chars]", (int)shown, s.p, runes) : s;
}

static int failed(struct arena *a, enum host_how how, const char *const *argv, int status,
		  struct str said, struct err *err)
{
	struct str cmd = joined(a, argv), text = host_status_text(a, status);

	if (how == HOST_SYNC)
		return err_set(err, ERR_SYS, "error running %.*s: %.*s: %.*s", STRF(cmd),
			       STRF(said), STRF(text));
	return err_set(err, ERR_SYS, "error running %.*s: %.*s\n%.*s", STRF(cmd), STRF(text),
		       STRF(shortened(a, said)));
}

static int refused(struct err *err, const char *name)
{
	return err_set(err, ERR_SYS, "error running %s: refused", name);
}

int host_feed(struct arena *a, const struct host *h, enum host_how how, const char *const *argv,
	      struct str in, struct host_out *out, struct err *err)
{
	struct host_out none;
	struct buf text, said;
	char *program = find(a, h, argv[0]);
	int rc;

	if (how == HOST_SYNC)
		log_info("Running: %.*s", STRF(joined(a, argv)));
	else if (how == HOST_CAPTURE)
		log_info("Running captured: %.*s", STRF(joined(a, argv)));
	if (!program)
		return err_set(err, ERR_NOTFOUND,
			       "error running %.*s: %sexec: \"%s\": executable "
			       "file not found in $PATH",
			       STRF(joined(a, argv)), how == HOST_SYNC ? ": " : "", argv[0]);
	if (!out)
		out = &none;
	*out = (struct host_out){ 0 };
	buf_init(&text, a);
	buf_init(&said, a);
	if (node_sys->command(argv[0]) != 0)
		return refused(err, argv[0]);
	rc = spawn(h, program, argv, how, in, &text, &said, &out->status, err);
	if (rc < 0)
		return rc;
	if (node_sys->command(argv[0]) != 0)
		return refused(err, argv[0]);
	out->text = buf_str(&text);
	if (how != HOST_SILENT && out->status != 0)
		return failed(a, how, argv, out->status, buf_str(&said), err);
	return 0;
}

int host_run(struct arena *a, const struct host *h, enum host_how how, const char *const *argv,
	     struct host_out *out, struct err *err)
{
	return host_feed(a, h, how, argv, S(""), out, err);
}

int host_cmd(struct arena *a, const struct host *h, enum host_how how, struct host_out *out,
	     struct err *err, const char *words, ...)
{
	struct args args = { .a = a };
	va_list ap;

	va_start(ap, words);
	args_vwords(&args, words, ap);
	va_end(ap);
	return host_run(a, h, how, args_end(&args), out, err);
}

void host_log(const struct host *h, const char *fmt, ...)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct buf text, quoted, none, in;
	char *program = find(&a, h, "logger");
	int status = 0;
	va_list ap;

	buf_init(&text, &a);
	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	buf_init(&quoted, &a);
	go_quote(&quoted, buf_str(&text));
	log_info("%s", quoted.p);
	if (!program)
		return;
	buf_init(&in, &a);
	buf_init(&none, &a);
	buf_addf(&in, "machine-config-daemon[%d]: %s", (int)getpid(), quoted.p);
	if (spawn(h, program, (const char *const[]){ "logger", NULL }, HOST_SILENT, buf_str(&in),
		  &none, &none, &status, &err) < 0 ||
	    status != 0)
		log_error("failed to invoke logger: %.*s", STRF(err.msg));
}
