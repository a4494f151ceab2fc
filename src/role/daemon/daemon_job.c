#include "daemon_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REPORT 3 /* the child's descriptor to tell by */
#define FRAME 5 /* a letter and four bytes of length */

/* ---- in the child -------------------------------------------------------- */

static void report(char type, struct str x, struct str y)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	size_t n = x.n + y.n;
	struct buf b;

	buf_init(&b, &a);
	buf_addc(&b, type);
	for (int i = 0; i < 4; i++)
		buf_addc(&b, (char)(n >> (8 * i)));
	buf_add(&b, x);
	buf_add(&b, y);
	for (size_t at = 0; at < b.n;) {
		ssize_t done = write(REPORT, b.p + at, b.n - at);

		if (done < 0 && errno != EINTR)
			return;
		at += done > 0 ? (size_t)done : 0;
	}
}

void job_tell(const char *reason, struct str text)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	report('E', str_fmt(&a, "%s\n", reason), text);
}

static void on_event(void *ctx, const char *reason, struct str message)
{
	(void)ctx;
	job_tell(reason, message);
}

static _Noreturn void child(const char *root, const struct job_in *in, int fd)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct node n;
	sigset_t none;
	int rc;

	(void)setpgid(0, 0);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGPIPE, SIG_DFL);
	if (fd != REPORT)
		(void)dup2(fd, REPORT);
	(void)fcntl(REPORT, F_SETFD, FD_CLOEXEC);
	/* a connection must not outlive the parent's end of it */
	(void)syscall(SYS_close_range, REPORT + 1, ~0U, 0);
	rc = node_open(&n, &a, root, &err);
	if (rc == 0) {
		n.event = on_event;
		if (in->retry_ms)
			n.retry_ms = in->retry_ms;
		n.booted_image = in->booted;
		n.pinned = in->pinned;
		for (size_t i = 0; i < in->logs->n; i++)
			host_log(&n.host, "%.*s", STRF(in->logs->v[i]));
		rc = job_work(&n, &a, in, &err);
		node_close(&n);
	}
	report('R', S(""), rc < 0 ? err.msg : S(""));
	arena_free(&a);
	_exit(rc < 0);
}

/* ---- in the parent ------------------------------------------------------- */

static uint32_t length(const char *p)
{
	uint32_t n = 0;

	for (int i = 0; i < 4; i++)
		n |= (uint32_t)(unsigned char)p[i] << (8 * i);
	return n;
}

/* Events are passed on at once. */
static void take(struct job *j)
{
	while (j->in.n - j->at >= FRAME) {
		const char *p = j->in.p + j->at;
		struct str body = { p + FRAME, length(p + 1) }, reason, text;

		if (j->in.n - j->at - FRAME < body.n)
			break;
		if (*p == 'E' && str_cut(body, '\n', &reason, &text))
			j->event(j->ctx, reason, text);
		else
			j->result = str_dup(&j->a, body);
		j->at += FRAME + body.n;
	}
}

static void on_pipe(struct source *s, short events)
{
	struct job *j = s->ctx;
	char part[4096];
	ssize_t n;

	(void)events;
	while ((n = read(s->fd, part, sizeof(part))) > 0)
		buf_add(&j->in, (struct str){ part, (size_t)n });
	if (n == 0)
		s->want = 0; /* its end is told by the process's */
	take(j);
}

static void stop(struct job *j)
{
	loop_remove(j->loop, &j->pipe);
	(void)close(j->pipe.fd);
	j->running = false;
}

static void ended(struct child *c, int status)
{
	struct job *j = c->ctx;
	struct str result;
	struct arena a;

	on_pipe(&j->pipe, 0);
	stop(j);
	result = j->result;
	a = j->a;
	j->a = ARENA_INIT; /* done may start the next one */
	if (status != 0 && !result.n)
		result = str_fmt(&a, "the work was cut short: %.*s",
				 STRF(host_status_text(&a, status)));
	j->done(j->ctx, j->kind, status == 0 ? 0 : -ERR_SYS, result);
	arena_free(&a);
}

int job_start(struct job *j, const struct job_in *in, struct err *err)
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(err, "pipe");
	(void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
	j->child = (struct child){ .pid = fork(), .done = ended, .ctx = j };
	if (j->child.pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		child(j->root, in, fds[1]);
	}
	(void)close(fds[1]);
	if (j->child.pid < 0) {
		(void)close(fds[0]);
		return err_sys(err, "fork");
	}
	j->kind = in->kind;
	j->running = true;
	j->a = ARENA_INIT;
	j->result = S("");
	j->at = 0;
	buf_init(&j->in, &j->a);
	j->pipe = (struct source){ .fd = fds[0], .want = POLLIN, .ready = on_pipe, .ctx = j };
	loop_add(j->loop, &j->pipe);
	loop_child(j->loop, &j->child);
	return 0;
}

void job_cancel(struct job *j)
{
	if (!j->running)
		return;
	(void)kill(-j->child.pid, SIGKILL); /* and the program it waits for */
	loop_kill(j->loop, &j->child);
	stop(j);
	arena_free(&j->a);
}
