/* Child processes and file watches. */
#include "../test.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/file.h"
#include "io/follow.h"
#include "io/proc.h"

static struct loop *loop;

struct seen {
	struct arena a;
	bool over;
	struct proc_result r;
	struct buf live;
};

static void on_done(void *ctx, const struct proc_result *r)
{
	struct seen *s = ctx;

	s->over = true;
	s->r = *r;
	s->r.out = str_dup(&s->a, r->out);
	s->r.errors = str_dup(&s->a, r->errors);
}

static void on_output(void *ctx, int stream, struct str part)
{
	struct seen *s = ctx;

	buf_addf(&s->live, "%d:%.*s|", stream, STRF(part));
}

static void turn(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	if (loop_turn(loop, 1000, &err) < 0)
		abort();
}

static struct seen run(const char *script, struct proc_opts o)
{
	struct seen s = { 0 };
	struct err err = ERR_INIT(&s.a);
	const char *argv[] = { "sh", "-c", script, NULL };

	o.argv = argv;
	buf_init(&s.live, &s.a);
	if (!proc_start(loop, &o, on_done, &s, &err))
		abort();
	while (!s.over)
		turn();
	return s;
}

TEST what_it_says_and_how_it_ends(void)
{
	struct seen s = run("cat; echo no >&2; exit 3", (struct proc_opts){ .input = S("in") });

	ASSERT_STR("in", s.r.out);
	ASSERT_STR("no\n", s.r.errors);
	ASSERT_STR("exit status 3", proc_outcome(&s.a, &s.r));
	ASSERT(!s.r.cut && !s.r.timed_out);
	arena_free(&s.a);
	s = run("pwd; echo $X", (struct proc_opts){ .dir = "/",
						    .env = (const char *[]){ "X=y", NULL },
						    .on_output = on_output });
	ASSERT_STR("/\ny\n", s.r.out);
	ASSERT_STR("", proc_outcome(&s.a, &s.r));
	ASSERT(str_starts(buf_str(&s.live), S("1:/\n")));
	arena_free(&s.a);
	s = run("kill -9 $$", (struct proc_opts){ 0 });
	ASSERT_STR("signal 9", proc_outcome(&s.a, &s.r));
	arena_free(&s.a);
	PASS();
}

TEST input_that_nobody_reads(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct seen s;
	struct buf b;

	buf_init(&b, &a);
	buf_fill(&b, 'x', 1000000);
	s = run("exec 0<&-; echo done", (struct proc_opts){ .input = buf_str(&b) });
	ASSERT_STR("done\n", s.r.out);
	arena_free(&s.a);
	s = run("wc -c", (struct proc_opts){ .input = buf_str(&b) });
	ASSERT_STR("1000000\n", s.r.out);
	arena_free(&s.a);
	PASS();
}

TEST the_end_of_long_output_is_kept(void)
{
	struct seen s = run("seq 1 100000; echo the end", (struct proc_opts){ .max_out = 20 });

	ASSERT_STR("9\n100000\nthe end\n", str_from(s.r.out, s.r.out.n - 17));
	ASSERT_INT(20, (long long)s.r.out.n);
	ASSERT(s.r.cut);
	arena_free(&s.a);
	PASS();
}

TEST what_takes_too_long_is_ended(void)
{
	struct seen s = run("sleep 60 & sleep 60", (struct proc_opts){ .ms = 50 });

	ASSERT(s.r.timed_out);
	ASSERT_STR("signal 15 (took too long)", proc_outcome(&s.a, &s.r));
	arena_free(&s.a);
	PASS();
}

/* Valgrind replaces vfork by fork: a failed exec shows only as the child's exit status. */
static bool under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

TEST what_cannot_start(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	const char *argv[] = { "/no/such/program", NULL };
	struct proc_opts o = { .argv = argv };
	const char *sleeper[] = { "sleep", "60", NULL };
	struct seen s = { 0 };
	struct proc *p;

	p = proc_start(loop, &o, on_done, &s, &err);
	if (under_valgrind()) {
		while (!s.over)
			turn();
		ASSERT_STR("exit status 127", proc_outcome(&a, &s.r));
		s.over = false;
		arena_free(&s.a);
	} else {
		ASSERT(!p);
		ASSERT_INT(ERR_NOTFOUND, err.code);
		ASSERT_STR("run /no/such/program: No such file or directory", err.msg);
	}
	o.argv = sleeper;
	p = proc_start(loop, &o, on_done, &s, &err);
	ASSERT(p);
	proc_kill(p);
	ASSERT_INT(-1, waitpid(-1, NULL, WNOHANG)); /* no child process is left */
	ASSERT(!s.over);
	PASS();
}

static void on_change(void *ctx)
{
	(*(int *)ctx)++;
}

/* Runs the loop until the count is reached, and a little longer. */
static bool changes(int *n, int want)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	int64_t end = clock_ms() + 60000;

	while (*n < want && clock_ms() < end)
		(void)loop_turn(loop, 20, &err);
	end = clock_ms() + 120;
	while (clock_ms() < end)
		(void)loop_turn(loop, 20, &err);
	return *n == want;
}

TEST files_that_change(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	char dir[] = "/tmp/mco-follow-XXXXXX";
	const char *plain, *linked, *paths[2];
	struct follow *f;
	int n = 0;

	ASSERT(mkdtemp(dir));
	plain = str_fmt(&a, "%s/plain", dir).p;
	linked = str_fmt(&a, "%s/v/tls.crt", dir).p;
	paths[0] = plain;
	paths[1] = linked;
	/* the layout that kubelet uses for a secret */
	ASSERT_INT(
		0,
		system(str_fmt(&a,
			       "cd %s && mkdir -p v/..1 v/..2 && echo 1 >v/..1/tls.crt && echo 2 >v/..2/tls.crt && ln -s ..1 v/..data && ln -s ..data/tls.crt v/tls.crt",
			       dir)
			       .p));
	f = follow_start(loop, paths, 2, 60000, on_change, &n);
	ASSERT(changes(&n, 0));
	ASSERT_INT(0, file_replace(plain, S("x"), 0600, &err));
	ASSERT(changes(&n, 1));
	ASSERT_INT(0, file_replace(plain, S("x"), 0600, &err));
	ASSERT(changes(&n, 2));
	ASSERT_INT(0, file_replace(str_fmt(&a, "%s/other", dir).p, S("x"), 0600, &err));
	ASSERT(changes(&n, 2)); /* not a watched file */
	ASSERT_INT(0,
		   system(str_fmt(&a, "cd %s/v && ln -s ..2 ..tmp && mv -T ..tmp ..data", dir).p));
	ASSERT(changes(&n, 3));
	ASSERT_INT(0, unlink(plain));
	ASSERT(changes(&n, 4));
	follow_free(f);
	/* by polling alone: the directory does not exist yet */
	paths[0] = str_fmt(&a, "%s/later/file", dir).p;
	f = follow_start(loop, paths, 1, 30, on_change, &n);
	ASSERT_INT(0,
		   system(str_fmt(&a, "cd %s && mkdir l && echo x >l/file && mv l later", dir).p));
	ASSERT(changes(&n, 5));
	follow_free(f);
	ASSERT_INT(0, system(str_fmt(&a, "rm -rf %s", dir).p));
	PASS();
}

SUITE(suite)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);

	loop = loop_new(&err);
	RUN_TEST(what_it_says_and_how_it_ends);
	RUN_TEST(input_that_nobody_reads);
	RUN_TEST(the_end_of_long_output_is_kept);
	RUN_TEST(what_takes_too_long_is_ended);
	RUN_TEST(what_cannot_start);
	RUN_TEST(files_that_change);
	loop_free(loop);
}

TEST_MAIN(suite)
