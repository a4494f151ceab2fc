/*
 * daemon_job: forks the child, and reads its messages in the loop. The child has its own process
 * group, so that a cancelled job ends the program that it waits for, too.
 */
#include "daemon_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REPORT 3 /* the child's end of the pipe */

/* ---- in the child -------------------------------------------------------- */

void job_send(const struct job_msg *m)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct buf b;

	buf_init(&b, &a);
	job_msg_encode(&b, m);
	for (size_t at = 0; at < b.n;) {
		ssize_t done = write(REPORT, b.p + at, b.n - at);

		if (done < 0 && errno != EINTR)
			return;
		at += done > 0 ? (size_t)done : 0;
	}
}

void job_send_text(enum job_msg_kind kind, struct str text)
{
	job_send(&(struct job_msg){ .kind = kind, .text = text });
}

static void on_event(void *ctx, const struct node_event *e)
{
	(void)ctx;
	job_send(&(struct job_msg){ .kind = JOB_MSG_EVENT, .event = *e });
}

void job_event(const char *reason, struct str text)
{
	const struct node_event e = { .kind = NODE_EVENT_CLUSTER,
				      .reason = str_of(reason),
				      .text = text };

	on_event(NULL, &e);
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
	/* close the parent's connections: they must end with the parent */
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
	job_send(&(struct job_msg){
		.kind = JOB_MSG_RESULT,
		.result = { .rc = rc < 0 ? rc : 0, .text = rc < 0 ? err.msg : S("") } });
	arena_free(&a);
	_exit(rc < 0);
}

/* ---- in the parent ------------------------------------------------------- */

/* Ends the child and the program it waits for. */
static void kill_job(struct job *j)
{
	(void)kill(-j->child.pid, SIGKILL);
}

/* A child that does not speak the protocol is ended: nothing it says can be relied on. */
static void refuse(struct job *j, struct str why)
{
	j->ended = true;
	j->rc = -ERR_SYS;
	j->result = str_fmt(&j->a, "the job was interrupted: %.*s", STRF(why));
	kill_job(j);
}

/* Passes complete messages on, and keeps the start of the next one. */
static void take(struct job *j)
{
	struct str rest = buf_str(&j->in);
	struct err err = ERR_INIT(&j->a);
	struct job_msg m;
	int rc = 0;

	while (!j->ended && (rc = job_msg_decode(&rest, &m, &err)) > 0) {
		if (m.kind == JOB_MSG_RESULT) {
			j->ended = true;
			j->rc = m.result.rc;
			j->result = str_dup(&j->a, m.result.text);
		} else {
			j->on_msg(j->ctx, &m);
		}
	}
	if (rc < 0)
		refuse(j, err.msg);
	memmove(j->in.p, rest.p, rest.n);
	j->in.n = rest.n;
}

static void on_pipe(struct source *s, short events)
{
	struct job *j = s->ctx;
	char part[4096];
	ssize_t n;

	(void)events;
	while ((n = read(s->fd, part, sizeof(part))) > 0) {
		buf_add(&j->in, (struct str){ part, (size_t)n });
		take(j);
	}
	if (n == 0)
		s->want = 0; /* the end of the child ends the job */
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
	if (!j->ended)
		result = str_fmt(&a, "the job was interrupted: %.*s",
				 STRF(host_status_text(&a, status)));
	j->done(j->ctx, j->kind, j->ended ? j->rc : -ERR_SYS, result);
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
	j->rc = 0;
	j->ended = false;
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
	kill_job(j);
	loop_kill(j->loop, &j->child);
	stop(j);
	arena_free(&j->a);
}
