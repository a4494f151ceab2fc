/*
 * mco-daemon firstboot: an Ignition config, fetched or from a file, applied to a
 * new root by ourselves.
 */
#include <limits.h>
#include <unistd.h>

#include "data/flate.h"
#include "data/url.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/http_client.h"
#include "io/log.h"
#include "io/tls.h"
#include "kube/config.h"
#include "mco_daemon.h"
#include "node/ignite.h"

#define CONFIG_MAX ((size_t)64 << 20)
#define FIRST_WAIT_MS 100
#define HOPS_MAX 10
#define LONGEST_WAIT_MS 5000 /* Ignition's */
#define ACCEPT                                                         \
	"Accept: application/vnd.coreos.ignition+json;version=3.5.0, " \
	"*/*;q=0.1\r\n"

struct opts {
	struct str root, config, url, ca;
	int64_t timeout;
	bool insecure, force;
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
	{ .name = "force",
	  .kind = FLAG_BOOL,
	  .offset = offsetof(struct opts, force),
	  .help = "even if the root is that of the running machine" },
	{ 0 },
};

static void defaults(void *p)
{
	((struct opts *)p)->root = S("/sysroot");
}

/* ---- fetching ------------------------------------------------------------ */

struct fetch {
	struct run *r;
	const struct opts *o;
	struct loop *loop;
	struct http_client *client;
	struct tls_client *tls;
	struct http_call call;
	struct source timer;
	struct str url, fields;
	struct str first_url, first_fields; /* what was asked for */
	struct buf pem; /* whom to believe */
	int64_t wait, give_up;
	int tries, hops, rc;
	bool once; /* what does not come at once does not come */
	/* ---- the body of the answer under way ---- */
	const struct sink *to;
	struct flate *packed; /* by its Content-Encoding */
	bool good; /* it is what was asked for: its body counts */
	bool refused; /* by the sink: not the server's fault */
	size_t n;
};

static struct str shown(const struct fetch *f)
{
	return url_public(f->r->a, f->url);
}

/*
 * A refusal is final, except the three that ask the client to try again. All other
 * errors are retried: the server or a proxy may not be ready, the address may still
 * belong to another host, and a clock that is not set makes a certificate invalid.
 */
static bool is_refusal(int status)
{
	return status / 100 == 4 && status != 408 && status != 425 && status != 429;
}

/* For this try; 0 when it may take as long as it takes. */
static int left_ms(const struct fetch *f)
{
	int64_t left = f->give_up - clock_ms();

	if (!f->give_up || left > INT_MAX)
		return 0;
	return left > 0 ? (int)left : 1;
}

static void on_head(struct http_call *c, const struct http_head *head);
static void on_body(struct http_call *c, struct str part);
static void done(struct http_call *c, int rc, struct err *err);

static void start(struct fetch *f)
{
	f->call = (struct http_call){ .method = S("GET"),
				      .url = f->url,
				      .fields = f->fields,
				      .total_ms = left_ms(f),
				      .on_head = on_head,
				      .on_body = on_body,
				      .done = done,
				      .ctx = f };
	log_info("GET %.*s: attempt #%d", STRF(shown(f)), ++f->tries);
	http_call_start(f->client, &f->call);
}

static void again(struct source *s, short events)
{
	(void)events;
	start(s->ctx);
}

static void end(struct fetch *f, int rc)
{
	f->rc = rc;
	loop_stop(f->loop);
}

/* Where it is instead; "" when that is not said, or not to be followed. */
static struct str moved(struct fetch *f, const struct http_head *head)
{
	struct str to = http_get(head, S("location"));
	ptrdiff_t path = str_chr(str_from(f->url, 8), '/');

	if (head->status / 100 != 3 || f->hops++ == HOPS_MAX)
		return S("");
	if (str_starts(to, S("/")) && !str_starts(to, S("//")))
		return str_fmt(f->r->a, "%.*s%.*s",
			       STRF(str_sub(f->url, 0, path < 0 ? f->url.n : (size_t)path + 8)),
			       STRF(to));
	f->fields = S(ACCEPT); /* the rest was for the first one alone */
	/* what was asked for safely is not taken otherwise */
	return str_starts(to, S("https://")) ||
			       (str_starts(to, S("http://")) && str_starts(f->url, S("http://")))
		       ? str_dup(f->r->a, to)
		       : S("");
}

static void retry(struct fetch *f)
{
	if (f->once) {
		end(f, -ERR_AGAIN);
		return;
	}
	log_warn("%.*s: trying again in %lld ms", STRF(f->r->err.msg), (long long)f->wait);
	if (f->give_up && clock_ms() + f->wait > f->give_up) {
		end(f, -ERR_AGAIN);
		return;
	}
	f->url = f->first_url;
	f->fields = f->first_fields;
	f->hops = 0;
	f->timer.due = clock_ms() + f->wait;
	loop_update(f->loop, &f->timer);
	f->wait = f->wait * 2 < LONGEST_WAIT_MS ? f->wait * 2 : LONGEST_WAIT_MS;
}

/* ---- the body: passed on as it comes ------------------------------------- */

static int pass_on(void *ctx, struct str part, struct err *err)
{
	struct fetch *f = ctx;
	int rc = f->to->put(f->to->ctx, part, err);

	f->refused = rc < 0;
	f->n += part.n;
	return rc;
}

static void body_begin(struct fetch *f, bool packed)
{
	flate_free(f->packed);
	f->packed = packed ? flate_new() : NULL;
	f->n = 0;
	f->refused = f->to->restart(f->to->ctx, &f->r->err) < 0;
}

static void body_failed(struct fetch *f)
{
	(void)err_wrap(&f->r->err, "%.*s", STRF(shown(f)));
	if (f->refused)
		end(f, -(int)f->r->err.code);
	else
		retry(f);
}

static void on_head(struct http_call *c, const struct http_head *head)
{
	struct fetch *f = c->ctx;

	f->good = head->status == 200;
	if (f->good)
		body_begin(f, str_is(http_get(head, S("content-encoding")), "gzip"));
}

static void on_body(struct http_call *c, struct str part)
{
	struct fetch *f = c->ctx;
	const struct sink to = { pass_on, NULL, f };
	int rc = f->refused ? -1 : 0;

	if (f->good && rc == 0)
		rc = f->packed ? flate_push(f->packed, part, &to, &f->r->err)
			       : pass_on(f, part, &f->r->err);
	if (!f->good || rc == 0)
		return;
	http_call_cancel(c);
	body_failed(f);
}

static void body_end(struct fetch *f)
{
	if (f->refused || (f->packed && flate_end(f->packed, &f->r->err) < 0)) {
		body_failed(f);
		return;
	}
	log_info("GET result: OK, %zu bytes", f->n);
	end(f, 0);
}

/* The time was up in a try that is not the first: the one before says why. */
static bool cut_short(const struct fetch *f)
{
	return f->give_up && clock_ms() >= f->give_up && f->tries > 1 && !f->hops;
}

static void done(struct http_call *c, int rc, struct err *err)
{
	struct fetch *f = c->ctx;
	int status = rc < 0 ? 0 : c->result.status;
	struct str to = S("");

	if (status == 200) {
		body_end(f);
		return;
	}
	if (rc < 0) {
		if (!cut_short(f))
			(void)err_set(&f->r->err, ERR_AGAIN, "%.*s", STRF(err->msg));
	} else {
		to = moved(f, c->result.head);
		(void)err_set(&f->r->err, ERR_AGAIN, "%.*s: the server answers with status %d",
			      STRF(shown(f)), status);
	}
	if (to.n) {
		f->url = to;
		start(f);
	} else if (is_refusal(status)) {
		end(f, -ERR_INVALID);
	} else {
		retry(f);
	}
}

static int get(struct fetch *f, struct str url, struct str fields, const struct sink *to)
{
	struct url parts;
	int rc = url_parse(url, &parts, &f->r->err);

	if (rc < 0)
		return err_wrap(&f->r->err, "GET");
	f->url = f->first_url = url;
	f->fields = f->first_fields = fields;
	f->wait = FIRST_WAIT_MS;
	f->tries = f->hops = 0;
	f->to = to;
	f->timer = (struct source){ .fd = -1, .ready = again, .ctx = f };
	loop_add(f->loop, &f->timer);
	start(f);
	rc = loop_run(f->loop, &f->r->err);
	loop_remove(f->loop, &f->timer);
	flate_free(f->packed);
	f->packed = NULL;
	return rc < 0 ? rc : f->rc;
}

static int get_text(struct fetch *f, struct str url, struct str fields, struct str *out)
{
	struct sink_buf b = { .max = CONFIG_MAX };
	const struct sink to = sink_to_buf(&b);
	int rc;

	buf_init(&b.b, f->r->a);
	rc = get(f, url, fields, &to);
	*out = buf_str(&b.b);
	return rc;
}

static int get_resource(void *ctx, const struct ign_obj *resource, const struct sink *to,
			struct err *err)
{
	const struct ign_objs *l = ign_list(resource, IGN_RESOURCE_HEADERS);
	struct fetch *f = ctx;
	struct buf b;
	int rc;

	buf_init(&b, f->r->a);
	buf_addz(&b, ACCEPT);
	for (size_t i = 0; i < l->n; i++)
		http_add_field(&b, ign_str(l->v[i], IGN_HEADER_NAME),
			       ign_str(l->v[i], IGN_HEADER_VALUE));
	rc = get(f, ign_str(resource, IGN_RESOURCE_SOURCE), buf_str(&b), to);
	if (rc < 0 && err != &f->r->err)
		rc = err_set(err, ERR_INVALID, "%.*s", STRF(f->r->err.msg));
	return rc;
}

static int trust(void *ctx, struct str pem, struct err *err)
{
	struct fetch *f = ctx;

	buf_addf(&f->pem, "%.*s\n", STRF(pem));
	return tls_client_set_ca(f->tls, buf_str(&f->pem), err);
}

static int open_fetch(struct fetch *f)
{
	struct run *r = f->r;
	struct http_client_opts opts = { .proxy = http_client_proxy_env() };
	struct str pem;
	int rc = 0;

	opts.tls = f->tls = tls_client_new(NULL);
	buf_init(&f->pem, r->a);
	tls_client_set_insecure(f->tls, f->o->insecure);
	if (f->o->ca.n) {
		rc = file_read(r->a, str_z(r->a, f->o->ca), CONFIG_MAX, &pem, &r->err);
		if (rc == 0)
			rc = trust(f, pem, &r->err);
	}
	f->loop = rc < 0 ? NULL : loop_new(&r->err);
	if (!f->loop)
		return rc < 0 ? rc : -ERR_SYS;
	f->client = http_client_new(f->loop, &opts);
	if (f->o->timeout)
		f->give_up = clock_ms() + f->o->timeout / 1000000;
	return 0;
}

static void close_fetch(struct fetch *f)
{
	http_client_free(f->client);
	if (f->loop)
		loop_free(f->loop);
	tls_client_free(f->tls);
}

int daemon_fetch(struct run *r, struct str url, struct str *out)
{
	const struct opts none = { 0 };
	struct fetch f = { .r = r, .o = &none, .once = true };
	int rc = open_fetch(&f);

	if (rc == 0 && str_starts(url, S("https")))
		rc = trust(&f, kube_system_ca(r->a), &r->err);
	if (rc == 0)
		rc = get_text(&f, url, S("Accept: */*\r\n"), out);
	close_fetch(&f);
	return rc;
}

static int ignite(struct fetch *f, struct str text)
{
	const struct ignite_source from = { get_resource, trust, f };
	struct run *r = f->r;
	struct node n;
	int rc = daemon_open(r, f->o->root, false, &n);

	if (rc < 0)
		return rc;
	n.offline = true;
	rc = ignite_apply(&n, r->a, text, &from, &r->err);
	if (rc == 0)
		log_info("The config is applied to %.*s", STRF(f->o->root));
	node_close(&n);
	return rc;
}

static int run(struct run *r, const void *p)
{
	struct fetch f = { .r = r, .o = p };
	struct str text = S("");
	int rc;

	if (r->words.n || !f.o->config.n == !f.o->url.n)
		return err_set(&r->err, ERR_INVALID, "give either --url URL or --config FILE");
	rc = daemon_guard_new(r, f.o->root, f.o->force);
	if (rc < 0)
		return rc;
	rc = open_fetch(&f);
	if (rc == 0 && f.o->url.n)
		rc = get_text(&f, f.o->url, S(ACCEPT), &text);
	else if (rc == 0)
		rc = file_read(r->a, str_z(r->a, f.o->config), CONFIG_MAX, &text, &r->err);
	if (rc == 0)
		rc = ignite(&f, text);
	close_fetch(&f);
	return rc;
}

const struct command daemon_firstboot = {
	.name = "firstboot",
	.args = "--url URL [--ca FILE] [--root DIR]\n--config FILE [--root DIR]",
	.summary = "fetch an Ignition config and apply it to a new root",
	.details = "Files, directories, links, users, groups, units and kernel "
		   "arguments; what it\npoints at is fetched first. Configs with "
		   "disks, raid, filesystems or luks are refused\nbefore anything "
		   "is written. Fetching is tried again, with the reason on the "
		   "console, until it succeeds\nor the server refuses (status "
		   "4xx); a run that was cut short is repeated.",
	.examples = "# From the machine config server\n"
		    "@ firstboot --url https://api-int.example.com:22623/config/worker \\\n"
		    "    --ca root-ca.pem\n"
		    "# From a file, to a root that is mounted\n"
		    "@ firstboot --config worker.ign --root /mnt",
	.flags = flags,
	.opts_size = sizeof(struct opts),
	.defaults = defaults,
	.run = run,
};
