/*
 * mco-daemon firstboot: an Ignition config, fetched or from a file, applied to a
 * new root by ourselves.
 */
#include <unistd.h>

#include "io/file.h"
#include "io/http_client.h"
#include "io/log.h"
#include "io/tls.h"
#include "mco_daemon.h"
#include "node/ignite.h"

#define CONFIG_MAX ((size_t)64 << 20)
#define FIRST_WAIT_MS 100
#define LONGEST_WAIT_MS 5000 /* Ignition's */
#define ACCEPT                                                         \
	"Accept: application/vnd.coreos.ignition+json;version=3.5.0, " \
	"*/*;q=0.1\r\n"

struct opts {
	struct str root, config, url, ca;
	int64_t timeout;
	bool insecure;
};

static const struct flag flags[] = {
	{ .name = "root",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, root),
	  .value = "DIR",
	  .help = "the new system's root (default /sysroot)" },
	{ .name = "url",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, url),
	  .value = "URL",
	  .help = "where the config is: https://HOST:22623/config/POOL" },
	{ .name = "ca",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, ca),
	  .value = "FILE",
	  .help = "the authorities to trust, as PEM" },
	{ .name = "insecure",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, insecure),
	  .help = "believe whoever answers; for trials" },
	{ .name = "timeout",
	  .kind = FLAG_DURATION,
	  .offset = offsetof(struct opts, timeout),
	  .value = "TIME",
	  .help = "give up fetching after this (default never)" },
	{ .name = "config",
	  .kind = FLAG_STR,
	  .offset = offsetof(struct opts, config),
	  .value = "FILE",
	  .help = "the Ignition config in a file, or - for standard input" },
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->root = S("/sysroot");
}

/* ---- fetching ---------------------------------------------------------------- */

struct fetch {
	struct arena *a;
	struct loop *loop;
	struct http_client *client;
	struct http_call call;
	struct source timer;
	struct str url, text;
	int64_t wait, give_up;
	int tries, rc;
	struct err *err;
};

/* What a server may tell in another second; a refusal stays one. */
static bool worth_a_retry(int status)
{
	return status == 0 || status == 404 || status == 429 || status >= 500;
}

static void start(struct fetch *f)
{
	f->call = (struct http_call){ .method = S("GET"),
				      .url = f->url,
				      .fields = S(ACCEPT),
				      .body_max = CONFIG_MAX,
				      .done = f->call.done,
				      .ctx = f };
	log_info("GET %.*s: attempt #%d", STRF(f->url), ++f->tries);
	http_call_start(f->client, &f->call);
}

static void again(struct source *s, short events)
{
	(void)events;
	start(s->ctx);
}

static void done(struct http_call *c, int rc, struct err *err)
{
	struct fetch *f = c->ctx;
	int status = rc < 0 ? 0 : c->result.status;

	if (status == 200) {
		f->text = str_dup(f->a, c->result.body);
		log_info("GET result: OK, %zu bytes", f->text.n);
		f->rc = 0;
		loop_stop(f->loop);
		return;
	}
	if (rc < 0)
		f->rc = err_set(f->err, ERR_AGAIN, "%.*s: %.*s", STRF(f->url),
				STRF(err->msg));
	else
		f->rc = err_set(f->err, ERR_AGAIN,
				"%.*s: the server answers with status %d",
				STRF(f->url), status);
	log_warn("%.*s", STRF(f->err->msg));
	if (!worth_a_retry(status) ||
	    (f->give_up && loop_clock() + f->wait > f->give_up)) {
		loop_stop(f->loop);
		return;
	}
	f->timer.due = loop_clock() + f->wait;
	loop_update(f->loop, &f->timer);
	f->wait = f->wait * 2 < LONGEST_WAIT_MS ? f->wait * 2 : LONGEST_WAIT_MS;
}

static int trust(struct run *r, const struct opts *o, struct tls_client *tls)
{
	struct str pem;
	int rc;

	tls_client_set_insecure(tls, o->insecure);
	if (!o->ca.n)
		return 0;
	rc = file_read(r->a, str_z(r->a, o->ca), CONFIG_MAX, &pem, &r->err);
	return rc < 0 ? rc : tls_client_set_ca(tls, pem, &r->err);
}

static int fetch(struct run *r, const struct opts *o, struct str *text)
{
	struct tls_client *tls = tls_client_new(NULL);
	struct fetch f = {
		.a = r->a, .url = o->url, .wait = FIRST_WAIT_MS, .err = &r->err
	};
	struct http_client_opts opts = { .tls = tls,
					 .proxy = http_client_proxy_env() };
	int rc = trust(r, o, tls);

	f.loop = rc < 0 ? NULL : loop_new(&r->err);
	if (!f.loop) {
		tls_client_free(tls);
		return rc < 0 ? rc : -ERR_SYS;
	}
	if (o->timeout)
		f.give_up = loop_clock() + o->timeout / 1000000;
	f.client = http_client_new(f.loop, &opts);
	f.timer = (struct source){ .fd = -1, .ready = again, .ctx = &f };
	f.call.done = done;
	loop_add(f.loop, &f.timer);
	start(&f);
	rc = loop_run(f.loop, &r->err);
	loop_remove(f.loop, &f.timer);
	http_client_free(f.client);
	loop_free(f.loop);
	tls_client_free(tls);
	*text = f.text;
	return rc < 0 ? rc : f.rc;
}

static int run(struct run *r, const void *p)
{
	const struct opts *o = p;
	struct str text = S("");
	struct node n;
	int rc;

	if (r->words.n || !o->config.n == !o->url.n)
		return err_set(&r->err, ERR_INVALID,
			       "give either --url URL or --config FILE");
	if (o->url.n)
		rc = fetch(r, o, &text);
	else
		rc = file_read(r->a, str_z(r->a, o->config), CONFIG_MAX, &text,
			       &r->err);
	if (rc == 0)
		rc = daemon_open(r, o->root, false, &n);
	if (rc < 0)
		return rc;
	n.offline = true;
	rc = node_ignite(&n, r->a, text, &r->err);
	if (rc == 0)
		log_info("The config is applied to %.*s", STRF(o->root));
	node_close(&n);
	return rc;
}

const struct command daemon_firstboot = {
	.name = "firstboot",
	.args = "--url URL [--ca FILE] | --config FILE [--root DIR]",
	.summary = "fetch an Ignition config and apply it to a new root",
	.details =
		"Files, directories, links, users, groups, units and kernel "
		"arguments. Configs with\ndisks, raid, filesystems or luks are "
		"refused before anything is written. Fetching is\ntried again "
		"until it succeeds.",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
