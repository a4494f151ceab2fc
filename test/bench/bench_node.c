/*
 * bench_node: a node's work on a scratch root: an update of many files, their
 * verification, and the delay until a changed file is noticed.
 */
#include "../node/scratch.h"

#include <poll.h>
#include <time.h>

#include "io/log.h"
#include "node/drift.h"
#include "node/node_update.h"
#include "node/node_verify.h"

static long fsyncs, writes;

static int counted_fsync(int fd)
{
	fsyncs++;
	return fsync(fd);
}

static ssize_t counted_write(int fd, const void *p, size_t n)
{
	writes++;
	return write(fd, p, n);
}

static double now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1000 + (double)t.tv_nsec / 1e6;
}

/* n files of 200 bytes in 20 directories. */
static struct mc_current config(struct arena *a, const char *name, int n, char fill)
{
	char text[201] = { 0 };
	struct buf b;

	memset(text, fill, 200);
	buf_init(&b, a);
	buf_addz(&b, "\"storage\":{\"files\":[");
	for (int i = 0; i < n; i++)
		buf_addf(&b,
			 "%s{\"path\":\"/etc/bench/d%d/f%d\",\"contents\":{"
			 "\"source\":\"data:,%s\"}}",
			 i ? "," : "", i % 20, i, text);
	buf_addz(&b, "]}");
	return scratch_mc(a, name, b.p, "");
}

static double applied(struct node *n, struct arena *a, const struct mc_current *from,
		      const struct mc_current *to)
{
	struct node_update u = { .from = from, .to = to };
	struct err err = ERR_INIT(a);
	double start = now_ms();

	if (node_update_apply(n, a, &u, &err) < 0) {
		(void)printf("%.*s\n", STRF(err.msg));
		exit(1);
	}
	return now_ms() - start;
}

static void bench_apply(struct node *n, struct arena *a, struct mc_current *last)
{
	struct node_sys sys = node_sys_real;
	struct mc_current none, r1 = config(a, "r1", 1000, 'a');
	struct mc_current r2 = config(a, "r2", 1000, 'b');
	double t;

	sys.fsync = counted_fsync;
	sys.write = counted_write;
	node_sys = &sys;
	mc_current_empty(a, &none);
	t = applied(n, a, &none, &r1);
	(void)printf("  apply 1,000 new files      %9.1f ms %6ld fsyncs %6ld "
		     "writes\n",
		     t, fsyncs, writes);
	fsyncs = writes = 0;
	t = applied(n, a, &r1, &r2);
	(void)printf("  change all of them         %9.1f ms %6ld fsyncs %6ld "
		     "writes\n",
		     t, fsyncs, writes);
	fsyncs = writes = 0;
	t = applied(n, a, &r2, &r2);
	(void)printf("  apply what is there        %9.1f ms %6ld fsyncs %6ld "
		     "writes\n",
		     t, fsyncs, writes);
	node_sys = &node_sys_real;
	*last = r2;
}

static void bench_verify(struct node *n, struct arena *a, const struct mc_current *from)
{
	const struct verify_opts all = { .files_only = true };
	struct mc_current c = config(a, "r3", 10000, 'c');
	struct mismatches list = { 0 };
	struct err err = ERR_INIT(a);
	double t;

	(void)applied(n, a, from, &c);
	t = now_ms();
	if (node_verify(n, a, &c, S(""), &all, &list, &err) < 0 || list.n)
		exit(1);
	(void)printf("  verify 10,000 files        %9.1f ms\n", now_ms() - t);
}

static void bench_drift(struct node *n, struct arena *a, const char *root)
{
	struct mc_current c = config(a, "r3", 10000, 'c');
	const struct verify_opts all = { .files_only = true, .first_only = true };
	struct mismatches list = { 0 };
	struct err err = ERR_INIT(a);
	struct pollfd p;
	struct drift d;
	double t;

	if (drift_open(&d, n, &c, &err) < 0)
		exit(1);
	p = (struct pollfd){ d.fd, POLLIN, 0 };
	t = now_ms();
	scratch_put(a, root, "/etc/bench/d3/f9983", "drift", 0644);
	if (poll(&p, 1, 1000) != 1 || !drift_read(&d))
		exit(1);
	(void)printf("  drift among 10,000 files   %9.2f ms to notice", now_ms() - t);
	if (node_verify(n, a, &c, S(""), &all, &list, &err) < 0 || list.n != 1)
		exit(1);
	(void)printf(", %.1f ms to tell which\n", now_ms() - t);
	drift_close(&d);
}

int main(void)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err err = ERR_INIT(&a);
	char dir[] = "/tmp/mco-bench-XXXXXX"; /* on a disk, so that fsync counts */
	struct mc_current last;
	struct node n;

	log_init(0, open("/dev/null", O_WRONLY | O_CLOEXEC));
	if (!mkdtemp(dir))
		return 1;
	scratch_put(&a, dir, STEPS_KUBECONFIG, "k", 0600);
	if (node_open(&n, &a, dir, &err) < 0)
		return 1;
	n.offline = true;
	bench_apply(&n, &a, &last);
	bench_verify(&n, &a, &last);
	bench_drift(&n, &a, dir);
	node_close(&n);
	scratch_remove(dir);
	return 0;
}
