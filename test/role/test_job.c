/*
 * A job: its messages and its result reach the parent in order. The job fails
 * when the child dies or does not speak the protocol. The test defines its own
 * job_work.
 */
#include "../node/scratch.h"

#include <signal.h>

#include "io/log.h"
#include "role/daemon/daemon_job.h"

#define PIPE 3 /* the child's end */

static const struct strs no_logs;

/* What the child does, selected by its input text. */
int job_work(struct node *n, struct arena *a, const struct job_in *in, struct err *err)
{
	(void)n;
	if (str_is(in->text, "talk")) {
		job_event("Reboot", S("why"));
		for (int i = 0; i < 1000; i++)
			job_send_text(JOB_MSG_BOOTED, str_fmt(a, "image %d", i));
		job_send(&(struct job_msg){ .kind = JOB_MSG_SIZE,
					    .size = { .image = S("i"), .bytes = 7 } });
		return 0;
	}
	if (str_is(in->text, "large")) {
		char *p = arena_alloc(a, 1 << 20);

		memset(p, 'x', 1 << 20);
		job_send_text(JOB_MSG_BOOTED, (struct str){ p, 1 << 20 });
		return 0;
	}
	if (str_is(in->text, "fail"))
		return err_set(err, ERR_LIMIT, "too much");
	if (str_is(in->text, "exit"))
		_exit(0); /* without a result */
	if (str_is(in->text, "die"))
		(void)raise(SIGTERM);
	if (str_is(in->text, "babble")) {
		(void)!write(PIPE, "\377\377\377\377 no frame", 13);
		(void)pause(); /* the parent kills it */
	}
	if (str_is(in->text, "half"))
		(void)!write(PIPE, "\20\0\0\0\2", 5);
	return 0;
}

struct seen {
	struct arena a;
	struct loop *loop;
	struct buf told;
	struct str text;
	size_t n, longest;
	int rc;
	bool done;
};

static void on_told(void *ctx, const struct job_msg *m)
{
	struct seen *s = ctx;

	s->n++;
	if (m->kind == JOB_MSG_EVENT)
		buf_addf(&s->told, "%.*s: %.*s; ", STRF(m->event.reason), STRF(m->event.text));
	if (m->kind == JOB_MSG_BOOTED && m->text.n > s->longest)
		s->longest = m->text.n;
	if (m->kind == JOB_MSG_SIZE)
		buf_addf(&s->told, "%.*s %lld", STRF(m->size.image), (long long)m->size.bytes);
}

static void on_done(void *ctx, enum job_kind kind, int rc, struct str text)
{
	struct seen *s = ctx;

	s->done = kind == JOB_VERIFY;
	s->rc = rc;
	s->text = str_dup(&s->a, text);
	loop_stop(s->loop);
}

static void run_job(struct seen *s, const char *what)
{
	struct job_in in = { .kind = JOB_VERIFY, .logs = &no_logs, .text = str_of(what) };
	struct err err;
	struct job j = { .ctx = s, .on_msg = on_told, .done = on_done };

	*s = (struct seen){ .a = ARENA_INIT };
	err = ERR_INIT(&s->a);
	buf_init(&s->told, &s->a);
	s->loop = j.loop = loop_new(&err);
	j.root = scratch_new(&s->a);
	if (!j.loop || job_start(&j, &in, &err) < 0 || loop_run(s->loop, &err) < 0)
		abort();
	loop_free(s->loop);
	scratch_remove(j.root);
}

TEST results(void)
{
	static const struct {
		const char *what;
		int rc;
		const char *text, *told;
	} rows[] = {
		{ "nothing", 0, "", "" },
		{ "talk", 0, "", "Reboot: why; i 7" },
		{ "large", 0, "", "" },
		{ "fail", -ERR_LIMIT, "too much", "" },
		{ "exit", -ERR_SYS, "the job was interrupted: exit status 0", "" },
		{ "die", -ERR_SYS, "the job was interrupted: signal: terminated", "" },
		{ "babble", -ERR_SYS, "the job was interrupted: a message of 4294967295 bytes",
		  "" },
		{ "half", -ERR_SYS, "the job was interrupted: a malformed message of kind 2", "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct seen s;

		run_job(&s, rows[i].what);
		ASSERT(s.done);
		ASSERT_INT_M(rows[i].what, rows[i].rc, s.rc);
		ASSERT_STR_M(rows[i].what, str_of(rows[i].text), s.text);
		ASSERT_STR_M(rows[i].what, str_of(rows[i].told), buf_str(&s.told));
		if (str_is(str_of(rows[i].what), "talk"))
			ASSERT_INT(1002, s.n);
		if (str_is(str_of(rows[i].what), "large"))
			ASSERT_INT(1 << 20, s.longest);
		arena_free(&s.a);
	}
	PASS();
}

/* A cancelled job calls no callback and leaves no child. */
TEST cancelled(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	struct seen s = { .a = ARENA_INIT };
	struct job_in in = { .kind = JOB_VERIFY, .logs = &no_logs, .text = S("babble") };
	struct job j = { .ctx = &s, .on_msg = on_told, .done = on_done };
	pid_t pid;

	j.loop = loop_new(&err);
	j.root = scratch_new(&a);
	ASSERT_INT(0, job_start(&j, &in, &err));
	pid = j.child.pid;
	job_cancel(&j);
	ASSERT(!j.running && !s.done);
	ASSERT_INT(-1, kill(pid, 0));
	job_cancel(&j); /* a second call does nothing */
	loop_free(j.loop);
	scratch_remove(j.root);
	PASS();
}

SUITE(job)
{
	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	RUN_TEST(results);
	RUN_TEST(cancelled);
}

TEST_MAIN(job)
