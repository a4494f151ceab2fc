/*
 * The controller in the loop of a sandbox: how it begins, waits for feature gates, and
 * ends. Each case is a process of its own, as controller_run wants it: a script acts on
 * the cluster when the log has a text.
 */
#include "../test.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/log.h"
#include "mc/api.h"
#include "role/controller.h"
#include "sandbox/server.h"

#define GATES PATH_CONFIG "featuregates"
#define TICK_MS 5
#define LIMIT_S 120 /* of a case that hangs */

/* The clock can be moved on: the deadline of the gates is a minute. */
static int64_t skipped_s;

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (syscall(SYS_clock_gettime, id, t) < 0)
		return -1;
	if (id == CLOCK_MONOTONIC)
		t->tv_sec += (time_t)skipped_s;
	return 0;
}

struct step {
	const char *after; /* a text in the log; NULL: the end of the script */
	const char *method, *path, *body; /* a request; NULL: none */
	int64_t skip_s; /* moves the clock on */
	int signo; /* raised; 0: none */
};

struct world {
	struct arena a;
	struct err err;
	struct loop *loop;
	struct sandbox sb;
	struct kube_conf conf;
	struct source timer;
	const struct step *next;
	int log;
};

static struct str read_log(struct arena *a, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *bytes = arena_alloc(a, (size_t)size + 1);
	ssize_t n = pread(fd, bytes, (size_t)size, 0);

	return (struct str){ bytes, n > 0 ? (size_t)n : 0 };
}

/* One request to the sandbox, without the network. */
static struct str ask(struct world *w, const struct step *s)
{
	struct sb_request r = { .method = str_of(s->method),
				.path = str_of(s->path),
				.body = str_of(s->body),
				.now = 1 };
	struct sb_reply out;

	if (str_is(r.method, "PATCH"))
		r.content_type = S("application/merge-patch+json");
	sandbox_handle(&w->sb, &w->a, &r, &out);
	if (out.code >= 300) {
		(void)fprintf(stderr, "%s %s: %.*s\n", s->method, s->path, STRF(out.body));
		abort();
	}
	return out.body;
}

static void on_tick(struct source *src, short events)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct world *w = src->ctx;
	const struct step *s = w->next;

	(void)events;
	src->due = clock_ms() + TICK_MS;
	if (!s->after || str_find(read_log(&a, w->log), str_of(s->after)) < 0)
		return;
	w->next++;
	if (s->method)
		(void)ask(w, s);
	skipped_s += s->skip_s;
	if (s->signo)
		(void)raise(s->signo);
}

static void serve(struct world *w)
{
	struct sb_server_opts o = { .loop = w->loop, .sandbox = &w->sb };
	int fd = -1;

	sandbox_init(&w->sb, 1);
	if (sock_listen(S("127.0.0.1"), 0, &fd, &w->err) < 0)
		abort();
	w->conf.server = str_fmt(&w->a, "http://127.0.0.1:%u", sock_port(fd));
	sb_server_listen(sb_server_new(&o), fd, NULL);
}

static void show(struct world *w, const char *path)
{
	struct step s = { .method = "GET", .path = path, .body = "" };
	struct str body = ask(w, &s);

	if (write(w->log, body.p, body.n) != (ssize_t)body.n)
		abort();
}

/* Ends with the controller's status; adds events and lease to the log. */
static _Noreturn void child(const struct step *script, int log)
{
	static struct world w; /* reachable to the end */
	struct controller_opts o = { .conf = &w.conf,
				     .release = S("4.20.1"),
				     .lock_namespace = S("kube-system"),
				     .metrics = { .host = S("127.0.0.1") } };
	int rc;

	(void)alarm(LIMIT_S);
	w.err = ERR_INIT(&w.a);
	w.next = script;
	w.log = log;
	log_init(0, log);
	w.loop = o.loop = loop_new(&w.err);
	serve(&w);
	w.timer = (struct source){ .fd = -1, .ready = on_tick, .ctx = &w, .due = clock_ms() };
	loop_add(w.loop, &w.timer);
	rc = controller_run(&o, &w.err);
	show(&w, PATH_CORE "namespaces/" NS_MCO "/events");
	show(&w, PATH_LEASE "namespaces/kube-system/leases/" NAME_CONTROLLER);
	_exit(rc < 0 ? 99 : rc);
}

/* The exit status; the log is in *out. */
static int run(struct arena *a, const struct step *script, struct str *out)
{
	int log = memfd_create("log", MFD_CLOEXEC), status = 0;
	pid_t pid = fork();

	if (pid == 0)
		child(script, log);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	*out = read_log(a, log);
	(void)close(log);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* How often the text is in the log. */
static int count(struct str log, const char *text)
{
	int n = 0;

	for (ptrdiff_t at; (at = str_find(log, str_of(text))) >= 0; n++)
		log = str_from(log, (size_t)at + 1);
	return n;
}

#define FEATURE_GATE                                                                          \
	"{\"apiVersion\":\"" API_CONFIG "\",\"kind\":\"FeatureGate\",\"metadata\":{\"name\":" \
	"\"cluster\"},\"spec\":{}}"
#define ENTRY(version, on, off)                                                                    \
	"{\"status\":{\"featureGates\":[{\"version\":\"" version "\",\"enabled\":[{\"name\":\"" on \
	"\"}],\"disabled\":[{\"name\":\"" off "\"}]}]}}"
#define FEATURES(on, off)                                                                    \
	"FeatureGates updated to featuregates.Features{Enabled:[]v1.FeatureGateName{\\\"" on \
	"\\\"}, Disabled:[]v1.FeatureGateName{\\\"" off "\\\"}}"
#define NO_GATE "waiting for FeatureGate cluster: not found"
#define NO_ENTRY "waiting for FeatureGate cluster: unable to determine features: missing desired "
#define LATE "timed out waiting for FeatureGate cluster to have an entry for version 4.20.1"
#define RELEASED "\"holderIdentity\":\"\""

TEST gates_that_do_not_come(void)
{
	static const struct step script[] = {
		{ NO_GATE, "POST", GATES, FEATURE_GATE, 0, 0 },
		{ NO_ENTRY, "PATCH", GATES "/cluster/status", ENTRY("4.19.0", "A", "B"), 40, 0 },
		{ NO_ENTRY, NULL, NULL, NULL, 20, 0 },
		{ 0 },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str log;

	ASSERT_INT(1, run(&a, script, &log));
	ASSERT_INT(1, count(log, LATE));
	ASSERT_INT(0, count(log, "feature gates of"));
	ASSERT_INT(0, count(log, "FeatureGatesInitialized"));
	ASSERT_INT(1, count(log, RELEASED));
	PASS();
}

TEST gates_that_change(void)
{
	static const struct step script[] = {
		{ NO_GATE, "POST", GATES, FEATURE_GATE, 0, 0 },
		{ NO_ENTRY, "PATCH", GATES "/cluster/status", ENTRY("4.20.1", "A", "B"), 0, 0 },
		{ "feature gates of 4.20.1: 1 on, 1 off", "PATCH", GATES "/cluster/status",
		  ENTRY("4.19.0", "A", "B"), 0, 0 },
		{ "feature gates of", "PATCH", GATES "/cluster/status", ENTRY("4.20.1", "A", "B"),
		  70, 0 },
		{ "feature gates of", "PATCH", GATES "/cluster/status", ENTRY("4.20.1", "B", "A"),
		  0, 0 },
		{ 0 },
	};
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str log;

	ASSERT_INT(0, run(&a, script, &log));
	ASSERT_INT(1, count(log, "feature gates of"));
	ASSERT_INT(1, count(log, "feature gates changed: exiting"));
	ASSERT_INT(0, count(log, LATE));
	ASSERT_INT(1, count(log, "\"message\":\"" FEATURES("A", "B") "\""));
	ASSERT_INT(1, count(log, "\"message\":\"" FEATURES("B", "A") "\""));
	ASSERT_INT(1, count(log, "\"reason\":\"FeatureGatesInitialized\""));
	ASSERT_INT(1, count(log, "\"reason\":\"FeatureGatesModified\""));
	ASSERT_INT(1, count(log, RELEASED));
	PASS();
}

TEST a_signal_while_it_waits(void)
{
	static const struct step script[] = { { NO_GATE, NULL, NULL, NULL, 0, SIGTERM }, { 0 } };
	AUTO(arena) struct arena a = ARENA_INIT;
	struct str log;

	ASSERT_INT(0, run(&a, script, &log));
	ASSERT_INT(1, count(log, "Received SIGTERM, shutting down"));
	ASSERT_INT(0, count(log, LATE));
	ASSERT_INT(1, count(log, RELEASED));
	PASS();
}

SUITE(suite)
{
	RUN_TEST(gates_that_do_not_come);
	RUN_TEST(gates_that_change);
	RUN_TEST(a_signal_while_it_waits);
}

TEST_MAIN(suite)
