#include "daemon_job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "node/ignite.h"
#include "node/verify.h"

#define REPORT 3 /* the child's descriptor to tell by */
#define PRESET "/etc/systemd/system-preset/20-ignition.preset"
#define FRAME 5 /* a letter and four bytes of length */

/* ---- in the child ------------------------------------------------------------ */

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

static void on_event(void *ctx, const char *reason, struct str message)
{
	AUTO(arena) struct arena a = ARENA_INIT;

	(void)ctx;
	report('E', str_fmt(&a, "%s\n", reason), message);
}

static int verify(struct node *n, struct arena *a, const struct job_in *in,
		  struct err *err)
{
	bool files_only = in->kind == JOB_DRIFT;
	const struct verify_opts o = { .first_only = true,
				       .files_only = files_only };
	const struct mc_current *c = in->update.from;
	struct mismatches list = { 0 };
	int rc = node_verify(n, a, c, in->update.from_image, &o, &list, err);

	if (rc < 0 || !list.n)
		return rc;
	return err_set(err, ERR_INVALID, "%.*s%.*s",
		       STRF(files_only ? S("")
				       : verify_prefix(a, c->name,
						       in->update.from_image)),
		       STRF(list.v[0].text));
}

/* What a killed process left undone of an update that holds. */
static int left_over(struct node *n, struct arena *a, struct err *err)
{
	struct node_journal_view v = { 0 };
	int rc = node_journal(n, a, &v, err);

	if (rc < 0 || v.state != JOURNAL_LAST || v.finished)
		return rc;
	rc = daemon_act(n, a, &v, v.to, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < v.actions.n; i++)
		if (str_is(v.actions.v[i], update_kind_name(UPDATE_REBOOT)))
			report('T', S("reboot"), S(""));
	return node_finished(n, a, err);
}

static int prepare(struct node *n, struct arena *a, struct err *err)
{
	struct tree *t = &n->tree;
	int rc = node_init(n, a, err);

	if (rc == 0)
		rc = left_over(n, a, err);
	if (rc == 0 && tree_exists(t, NODE_ENCAPSULATED))
		rc = tree_rename(t, NODE_ENCAPSULATED, NODE_ENCAPSULATED ".bak",
				 err);
	if (rc == 0) {
		rc = tree_remove(t, PRESET, err);
		if (rc < 0)
			return err_wrap(err, "failed to remove "
					     "Ignition-written systemd preset "
					     "file");
		rc = tree_sync(t, err);
	}
	if (rc == 0)
		rc = node_persist_nics(n, a, err);
	if (rc == 0 && n->os.core_os) {
		rc = HOST_RUN(a, &n->host, HOST_SYNC, NULL, err, "rpm-ostree",
			      "cleanup", "-r");
		if (rc < 0)
			return err_wrap(err, "failed to remove rollback");
	}
	return rc;
}

static int settle(struct node *n, struct arena *a, const struct job_in *in,
		  struct err *err)
{
	const struct mc_current *to = in->update.from;
	struct str image = in->update.from_image.n ? in->update.from_image
						   : to->spec.os_image;
	struct os_status s = { 0 };
	struct mc_current empty;
	int rc = 0;

	if (n->os.core_os)
		rc = node_os_status(n, a, &s, err);
	if (rc == 0 && n->os.core_os && !str_eq(s.image, image)) {
		host_log(&n->host, "Bootstrap pivot required to: %.*s",
			 STRF(image));
		mc_current_empty(a, &empty);
		rc = node_change_os(n, a,
				    (struct update_changes){ .os_image = true },
				    &empty, to, false, err);
		if (rc == 0)
			rc = node_reboot(n, a,
					 str_fmt(a,
						 "Node will reboot into config "
						 "%.*s",
						 STRF(to->name))
						 .p,
					 err);
		if (rc == 0)
			report('T', S("reboot"), S(""));
		return rc;
	}
	host_log(&n->host, "No bootstrap pivot required; unlinking bootstrap "
			   "node annotations");
	if (rc == 0)
		rc = tree_rename(&n->tree, JOB_FIRST_ANNOTATIONS,
				 NODE_STATE "/node-annotation.json.bak", err);
	return rc < 0 ? rc : tree_sync(&n->tree, err);
}

static int act(struct node *n, struct arena *a, const struct node_update *u,
	       struct err *err)
{
	struct err local = ERR_INIT(a);
	int rc = node_actions(n, a, u->plan, u->to->name, err);

	if (rc == 0)
		rc = node_finished(n, a, err);
	if (rc < 0 && node_rollback(n, a, err->msg, &local) < 0)
		return err_set(err, ERR_SYS, "%.*s", STRF(local.msg));
	if (rc == 0 && u->plan->reboot)
		report('T', S("reboot"), S(""));
	return rc;
}

static int carry_out(struct node *n, struct arena *a, const struct job_in *in,
		     struct err *err)
{
	const struct node_update *u = &in->update;
	int rc = 0;

	switch (in->kind) {
	case JOB_PREPARE:
		return prepare(n, a, err);
	case JOB_SETTLE:
		return settle(n, a, in, err);
	case JOB_VERIFY:
	case JOB_DRIFT:
		return verify(n, a, in, err);
	case JOB_STORE:
		rc = node_store_current(n, u->from, u->from_image, err);
		return rc < 0 ? rc : tree_sync(&n->tree, err);
	case JOB_APPLY:
		host_log(&n->host, "%.*s", STRF(in->text));
		return node_apply(n, a, u, err);
	case JOB_ACT:
		return act(n, a, u, err);
	case JOB_ROLL_BACK:
		return node_rollback(n, a, in->text, err);
	case JOB_CERTIFICATES:
		break;
	}
	return node_write_certificates(n, a, in->spec, err);
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
		rc = carry_out(&n, &a, in, &err);
		node_close(&n);
	}
	report('R', S(""), rc < 0 ? err.msg : S(""));
	arena_free(&a);
	_exit(rc < 0);
}

/* ---- in the parent ------------------------------------------------------------- */

static uint32_t length(const char *p)
{
	uint32_t n = 0;

	for (int i = 0; i < 4; i++)
		n |= (uint32_t)(unsigned char)p[i] << (8 * i);
	return n;
}

/* Events are passed on at once; of the rest the last one counts. */
static void take(struct job *j)
{
	while (j->in.n - j->at >= FRAME) {
		const char *p = j->in.p + j->at;
		struct str body = { p + FRAME, length(p + 1) }, reason, text;

		if (j->in.n - j->at - FRAME < body.n)
			break;
		if (*p == 'E' && str_cut(body, '\n', &reason, &text))
			j->event(j->ctx, reason, text);
		else if (body.n)
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
	j->pipe = (struct source){
		.fd = fds[0], .want = POLLIN, .ready = on_pipe, .ctx = j
	};
	loop_add(j->loop, &j->pipe);
	loop_child(j->loop, &j->child);
	return 0;
}

void job_cancel(struct job *j)
{
	if (!j->running)
		return;
	loop_kill(j->loop, &j->child);
	stop(j);
	arena_free(&j->a);
}
