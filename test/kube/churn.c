/*
 * For the tests of faults on real servers:
 *
 *   churn follow KUBECONFIG PATH           prints each change a cache tells of
 *   churn write KUBECONFIG PATH N SEED     makes N changes and prints them alike
 *   churn cut PORT TARGET SEED             a proxy that cuts; SIGUSR1: or not
 *   churn connect PORT                     a proxy for CONNECT; prints whereto
 *
 * PATH is that of configmaps in a namespace; a change is "+ KEY VERSION", "~ KEY
 * VERSION" or "- KEY". Port 0 is any; the proxies print theirs first. follow
 * prints how often it listed when SIGTERM ends it.
 */
#include "cutter.h"

#include <signal.h>

#include "io/log.h"
#include "kube/cache.h"
#include "kube/config.h"

static struct arena all;
static struct err err;
static struct loop *loop;

static void die(const char *what)
{
	(void)fprintf(stderr, "churn: %s: %.*s\n", what, STRF(err.msg));
	exit(1);
}

static struct kube *connect_to(const char *kubeconfig)
{
	static struct kube_conf conf;
	const struct kube_flags flags = { .kubeconfig = str_of(kubeconfig) };
	struct kube_opts o = { .loop = loop, .conf = &conf, .agent = "churn" };
	struct kube *k = NULL;

	if (kube_config_load(&all, &flags, false, &conf, &err) < 0 || kube_new(&o, &k, &err) < 0)
		die(kubeconfig);
	return k;
}

static void stop(void *ctx, int signo)
{
	(void)ctx;
	(void)signo;
	loop_stop(loop);
}

/* ---- follow -------------------------------------------------------------- */

static void *keep_version(const struct json *tree, void *ctx)
{
	(void)ctx;
	return strdup(str_z(&all, json_str_or(tree, "metadata.resourceVersion", S("0"))));
}

static void told(void *ctx, struct str key, const void *before, const void *now)
{
	(void)ctx;
	if (now)
		(void)printf("%c %.*s %s\n", before ? '~' : '+', STRF(key), (const char *)now);
	else
		(void)printf("- %.*s\n", STRF(key));
	(void)fflush(stdout);
}

static void synced(void *ctx)
{
	(void)ctx;
	(void)fprintf(stderr, "synced\n");
}

static int follow(const char *kubeconfig, const char *path)
{
	struct kube_cache_opts o = { .kube = connect_to(kubeconfig),
				     .path = path,
				     .what = "configmaps",
				     .make = keep_version,
				     .changed = told,
				     .synced = synced,
				     .page = 7 };
	struct kube_cache *c = kube_cache_start(&o);

	if (loop_run(loop, &err) < 0)
		die("follow");
	(void)printf("lists %llu\n", (unsigned long long)kube_cache_lists(c));
	kube_cache_free(c);
	kube_free(o.kube);
	return 0;
}

/* ---- write --------------------------------------------------------------- */

#define KEYS 20

struct answer {
	bool over;
	int rc;
	uint64_t version;
	struct str message;
};

static void answered(struct kube_call *c, const struct kube_answer *ans)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	struct err e = ERR_INIT(&a);
	struct answer *out = c->ctx;
	struct json *j = NULL;

	out->over = true;
	out->rc = ans->rc;
	out->message = str_dup(&all, ans->message);
	if (ans->rc == 0 && json_parse(&a, ans->body, NULL, &j, &e) == 0)
		out->version = strtoull(
			str_z(&a, json_str_or(j, "metadata.resourceVersion", S("0"))), NULL, 10);
}

static struct answer ask(struct kube *k, const char *method, struct str path, struct str body)
{
	struct answer out = { 0 };
	struct kube_call c = {
		.method = method, .path = path, .body = body, .done = answered, .ctx = &out
	};

	if (strcmp(method, "PATCH") == 0)
		c.type = "application/merge-patch+json";
	kube_start(k, &c);
	while (!out.over)
		if (loop_turn(loop, -1, &err) < 0)
			die("write");
	return out;
}

/* Returns the server's version of a key, or 0. Retries until the server answers. */
static uint64_t look(struct kube *k, struct str path)
{
	const struct timespec moment = { 0, 200000000 };

	for (int i = 0; i < 600; i++) {
		struct answer got = ask(k, "GET", path, S(""));

		if (got.rc == 0 || got.rc == -ERR_NOTFOUND)
			return got.version;
		(void)nanosleep(&moment, NULL);
	}
	(void)fprintf(stderr, "churn: the server does not come back\n");
	exit(1);
}

/* Makes one change, retrying after any fault; returns the resulting version. */
static uint64_t change(struct kube *k, const char *dir, unsigned key, const char *method,
		       uint64_t before, size_t number)
{
	struct str one = str_fmt(&all, "%s/c%02u", dir, key);
	struct str body = str_fmt(&all,
				  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\","
				  "\"metadata\":{\"name\":\"c%02u\"},\"data\":{"
				  "\"n\":\"%zu\",\"fill\":\"%0900u\"}}",
				  key, number, 0);

	for (;;) {
		bool create = strcmp(method, "POST") == 0;
		bool delete = strcmp(method, "DELETE") == 0;
		struct answer got =
			ask(k, method, create ? str_of(dir) : one, delete ? S("") : body);
		uint64_t now = delete ? 0 : got.version;

		if (got.rc < 0)
			now = look(k, one); /* an earlier attempt may have succeeded */
		if (got.rc == 0 || now != before)
			return now;
	}
}

static int write_changes(const char *kubeconfig, const char *dir, size_t n, uint64_t seed)
{
	struct kube *k = connect_to(kubeconfig);
	struct test_rng rng = { seed };
	struct str space = str_from(str_of(dir), 19); /* /api/v1/namespaces/ */
	uint64_t have[KEYS];

	space = str_sub(space, 0, (size_t)str_chr(space, '/'));
	for (unsigned i = 0; i < KEYS; i++)
		have[i] = look(k, str_fmt(&all, "%s/c%02u", dir, i));
	for (size_t i = 0; i < n; i++) {
		unsigned key = test_rand(&rng, KEYS);
		const char *method = !have[key]		       ? "POST"
				     : test_rand(&rng, 4) == 0 ? "DELETE"
							       : "PATCH";
		uint64_t before = have[key];

		have[key] = change(k, dir, key, method, before, i);
		(void)printf("%c %.*s/c%02u",
			     !before	 ? '+'
			     : have[key] ? '~'
					 : '-',
			     STRF(space), key);
		if (have[key])
			(void)printf(" %llu", (unsigned long long)have[key]);
		(void)printf("\n");
		(void)fflush(stdout);
	}
	kube_free(k);
	return 0;
}

/* ---- proxies ------------------------------------------------------------- */

static struct cutter cutter;

static void calm(void *ctx, int signo)
{
	(void)ctx;
	(void)signo;
	cutter.calm = !cutter.calm;
}

static int cut(const char *port, const char *target, const char *seed)
{
	cut_start(&cutter, loop, (uint16_t)strtoul(port, NULL, 10),
		  (uint16_t)strtoul(target, NULL, 10), strtoull(seed, NULL, 10));
	if (loop_signal(loop, SIGUSR1, calm, NULL, &err) < 0)
		die("cut");
	(void)printf("%u\n", cutter.port);
	(void)fflush(stdout);
	if (loop_run(loop, &err) < 0)
		die("cut");
	(void)printf("%zu cuts in %zu bytes\n", cutter.cuts, cutter.carried);
	cut_stop(&cutter);
	return 0;
}

static int connect_proxy(const char *port)
{
	cut_start(&cutter, loop, (uint16_t)strtoul(port, NULL, 10), 0, 1);
	cutter.calm = true;
	cutter.connect = true;
	(void)printf("%u\n", cutter.port);
	(void)fflush(stdout);
	if (loop_run(loop, &err) < 0)
		die("connect");
	cut_stop(&cutter);
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";
	int rc = 2;

	err = ERR_INIT(&all);
	loop = loop_new(&err);
	if (!loop || loop_signal(loop, SIGTERM, stop, NULL, &err) < 0)
		die("loop");
	if (argc == 4 && strcmp(verb, "follow") == 0)
		rc = follow(argv[2], argv[3]);
	else if (argc == 6 && strcmp(verb, "write") == 0)
		rc = write_changes(argv[2], argv[3], strtoul(argv[4], NULL, 10),
				   strtoull(argv[5], NULL, 10));
	else if (argc == 5 && strcmp(verb, "cut") == 0)
		rc = cut(argv[2], argv[3], argv[4]);
	else if (argc == 3 && strcmp(verb, "connect") == 0)
		rc = connect_proxy(argv[2]);
	else
		(void)fprintf(stderr, "churn: follow, write, cut or connect\n");
	loop_free(loop);
	arena_free(&all);
	return rc;
}
