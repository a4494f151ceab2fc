/*
 * Programs of the node. A child gets a process group of its own, so that a timeout kills all that
 * it has started; on a terminal it stays in ours, so that Ctrl-C reaches it.
 *
 * After a program has ended, its output is read for at most DRAIN_MS more: a process that it left
 * running may hold the pipes open for ever.
 */
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
#define DRAIN_MS 500 /* how long to read on after a program has ended */
#define LOOK_MS 100 /* the longest interval between checks whether it has ended */
#define SHOWN_MAX 256 /* characters of a program's output in an error */

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

/* The program's path inside the root where it will run; NULL when there is none. */
static char *find_program(struct arena *a, const struct host *h, const char *name)
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

	return find_program(&a, h, name) != NULL;
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

_Noreturn static void run_child(const struct host *h, const char *program, const char *const *argv,
				enum host_how how, const struct pipes *p)
{
	sigset_t none;

	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	/* a group of its own, to be killed with all that it starts; not on a terminal, where
	 * Ctrl-C does that, nor in a job, which has a group already */
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
	else /* our standard output is for results only */
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

/* Reads all that is available, and closes the pipe at the end of the stream. */
static void take_output(int fds[2], struct buf *b)
{
	char chunk[4096];
	ssize_t n = -1;

	if (fds[0] < 0)
		return;
	while (b->n < OUTPUT_MAX && (n = read(fds[0], chunk, sizeof(chunk))) > 0)
		buf_add(b, (struct str){ chunk, (size_t)n });
	if (b->n >= OUTPUT_MAX) /* discard the rest: the program must not block */
		n = read(fds[0], chunk, sizeof(chunk));
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		close_both(fds);
}

/* Writes what the program reads; drops the rest when it has closed its input. */
static void feed_input(int fd, struct str *in)
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

	/* where SIGCHLD is ignored the kernel has reaped it already */
	return rc < 0 || info.si_pid == pid;
}

/*
 * Feeds and reads until the program and both streams have ended, or DRAIN_MS after the program has.
 * False when the time limit has passed. Most programs close their streams when they end; for the
 * others waitid is polled, with an interval that doubles up to LOOK_MS while nothing comes.
 */
static bool pump_streams(pid_t pid, struct pipes *p, int64_t limit_ms, struct str in,
			 struct buf *out, struct buf *err)
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
		/* after the check: what it wrote last is in the pipe once it has ended */
		take_output(p->out, out);
		take_output(p->err, err);
		if (n > 0 && fds[2].revents)
			feed_input(p->in[1], &in);
	}
	return true;
}

/* Kills the program's process group, if it has one of its own. */
static void kill_all(pid_t pid)
{
	if (kill(-pid, SIGKILL) < 0)
		(void)kill(pid, SIGKILL);
}

static void attend_child(pid_t pid, struct pipes *p, int64_t limit_ms, struct str in,
			 struct buf *out, struct buf *said, int *status)
{
	int *ours[] = { &p->out[0], &p->err[0], &p->in[1] };
	int *its[] = { &p->out[1], &p->err[1], &p->in[0] };

	for (int i = 0; i < 3; i++) {
		(void)close(*its[i]);
		*its[i] = -1;
		(void)fcntl(*ours[i], F_SETFL, O_NONBLOCK);
	}
	if (!pump_streams(pid, p, limit_ms, in, out, said))
		kill_all(pid);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

static int spawn_program(const struct host *h, const char *program, const char *const *argv,
			 enum host_how how, struct str in, struct buf *out, struct buf *said,
			 int *status, struct err *err)
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
		run_child(h, program, argv, how, &p);
	if (pid > 0)
		attend_child(pid, &p, h->limit_ms, in, out, said, status);
	close_both(p.out);
	close_both(p.err);
	close_both(p.in);
	(void)signal(SIGPIPE, old_pipe);
	return rc;
}

static struct str join_words(struct arena *a, const char *const *argv)
{
	struct buf b;

	buf_init(&b, a);
	for (size_t i = 0; argv[i]; i++)
		buf_addf(&b, "%s%s", i ? " " : "", argv[i]);
	return buf_str(&b);
}

/* The first 256 characters and the number of the others. */
static struct str shorten_output(struct arena *a, struct str s)
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

static int set_failure(struct arena *a, enum host_how how, const char *const *argv, int status,
		       struct str said, struct err *err)
{
	struct str cmd = join_words(a, argv), text = host_status_text(a, status);

	if (how == HOST_SYNC)
		return err_set(err, ERR_SYS, "error running %.*s: %.*s: %.*s", STRF(cmd),
			       STRF(said), STRF(text));
	return err_set(err, ERR_SYS, "error running %.*s: %.*s\n%.*s", STRF(cmd), STRF(text),
		       STRF(shorten_output(a, said)));
}

static int set_refusal(struct err *err, const char *name)
{
	return err_set(err, ERR_SYS, "error running %s: refused", name);
}

int host_feed(struct arena *a, const struct host *h, enum host_how how, const char *const *argv,
	      struct str in, struct host_out *out, struct err *err)
{
	struct host_out none;
	struct buf text, said;
	char *program = find_program(a, h, argv[0]);
	int rc;

	if (how == HOST_SYNC)
		log_info("Running: %.*s", STRF(join_words(a, argv)));
	else if (how == HOST_CAPTURE)
		log_info("Running captured: %.*s", STRF(join_words(a, argv)));
	if (!program)
		return err_set(err, ERR_NOTFOUND,
			       "error running %.*s: %sexec: \"%s\": executable "
			       "file not found in $PATH",
			       STRF(join_words(a, argv)), how == HOST_SYNC ? ": " : "", argv[0]);
	if (!out)
		out = &none;
	*out = (struct host_out){ 0 };
	buf_init(&text, a);
	buf_init(&said, a);
	if (node_sys->command(argv[0]) != 0)
		return set_refusal(err, argv[0]);
	rc = spawn_program(h, program, argv, how, in, &text, &said, &out->status, err);
	if (rc < 0)
		return rc;
	if (node_sys->command(argv[0]) != 0)
		return set_refusal(err, argv[0]);
	out->text = buf_str(&text);
	if (how != HOST_SILENT && out->status != 0)
		return set_failure(a, how, argv, out->status, buf_str(&said), err);
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
	char *program = find_program(&a, h, "logger");
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
	if (spawn_program(h, program, (const char *const[]){ "logger", NULL }, HOST_SILENT,
			  buf_str(&in), &none, &none, &status, &err) < 0 ||
	    status != 0)
		log_error("failed to invoke logger: %.*s", STRF(err.msg));
}
