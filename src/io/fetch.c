/*
 * GET with retries, redirects and a deadline, the body passed on as it arrives.
 *
 * A retry starts from the first URL again, and tells the sink to restart. Headers
 * of the caller go to the first server only.
 */
#include "io/fetch.h"

#include <limits.h>

#include "base/backoff.h"
#include "data/flate.h"
#include "data/url.h"
#include "io/clock.h"
#include "io/http_client.h"
#include "io/log.h"
#include "io/tls.h"

#define FIRST_WAIT_MS 100
#define LONGEST_WAIT_MS 5000 /* Ignition's */
#define HOPS_MAX 10

struct fetch {
	struct arena *a;
	const struct fetch_opts *o;
	struct err *err; /* why the last try failed */
	struct loop *loop;
	struct http_client *client;
	struct tls_client *tls;
	struct http_call call;
	struct source timer;
	struct str url, fields;
	struct str first_url, first_fields; /* before redirects */
	struct buf pem; /* trusted authorities */
	int64_t give_up;
	unsigned failures; /* of this URL */
	int tries, hops, rc;
	/* the body of the response under way */
	const struct sink *to;
	struct flate *packed; /* by its Content-Encoding */
	bool good; /* status 200: pass the body on */
	bool refused; /* by the sink: do not retry */
	size_t n;
};

static struct str shown(const struct fetch *f)
{
	return url_public(f->a, f->url);
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

/* Milliseconds for this try; 0: no deadline. */
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

/* The target of a redirect; "" when there is none, or it must not be followed. */
static struct str moved(struct fetch *f, const struct http_head *head)
{
	struct str to = http_get(head, S("location"));
	ptrdiff_t path = str_chr(str_from(f->url, 8), '/');

	if (head->status / 100 != 3 || f->hops++ == HOPS_MAX)
		return S("");
	if (str_starts(to, S("/")) && !str_starts(to, S("//")))
		return str_fmt(f->a, "%.*s%.*s",
			       STRF(str_sub(f->url, 0, path < 0 ? f->url.n : (size_t)path + 8)),
			       STRF(to));
	f->fields = f->o->fields; /* the others were meant for the first server */
	/* never from https to http */
	return str_starts(to, S("https://")) ||
			       (str_starts(to, S("http://")) && str_starts(f->url, S("http://")))
		       ? str_dup(f->a, to)
		       : S("");
}

static void retry(struct fetch *f)
{
	int64_t wait;

	if (f->o->once) {
		end(f, -ERR_AGAIN);
		return;
	}
	wait = backoff_ms(FIRST_WAIT_MS, LONGEST_WAIT_MS, f->failures++);
	log_warn("%.*s: trying again in %lld ms", STRF(f->err->msg), (long long)wait);
	if (f->give_up && clock_ms() + wait > f->give_up) {
		end(f, -ERR_AGAIN);
		return;
	}
	f->url = f->first_url;
	f->fields = f->first_fields;
	f->hops = 0;
	f->timer.due = clock_ms() + wait;
	loop_update(f->loop, &f->timer);
}

/* ---- the body, passed on as it arrives ----------------------------------- */

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
	f->refused = f->to->restart(f->to->ctx, f->err) < 0;
}

static void body_failed(struct fetch *f)
{
	(void)err_wrap(f->err, "%.*s", STRF(shown(f)));
	if (f->refused)
		end(f, -(int)f->err->code);
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
		rc = f->packed ? flate_push(f->packed, part, &to, f->err)
			       : pass_on(f, part, f->err);
	if (!f->good || rc == 0)
		return;
	http_call_cancel(c);
	body_failed(f);
}

static void body_end(struct fetch *f)
{
	if (f->refused || (f->packed && flate_end(f->packed, f->err) < 0)) {
		body_failed(f);
		return;
	}
	log_info("GET result: OK, %zu bytes", f->n);
	end(f, 0);
}

/* The deadline ended a later try: the error of the try before says why. */
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
			(void)err_set(f->err, ERR_AGAIN, "%.*s", STRF(err->msg));
	} else {
		to = moved(f, c->result.head);
		(void)err_set(f->err, ERR_AGAIN, "%.*s: the server responded with status %d",
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

int fetch_get(struct fetch *f, struct str url, struct str fields, const struct sink *to,
	      struct err *err)
{
	struct url parts;
	int rc = url_parse(url, &parts, err);

	if (rc < 0)
		return err_wrap(err, "GET");
	f->url = f->first_url = url;
	f->fields = f->first_fields = fields;
	f->failures = 0;
	f->tries = f->hops = 0;
	f->to = to;
	f->err = err;
	f->timer = (struct source){ .fd = -1, .ready = again, .ctx = f };
	loop_add(f->loop, &f->timer);
	start(f);
	rc = loop_run(f->loop, err);
	loop_remove(f->loop, &f->timer);
	flate_free(f->packed);
	f->packed = NULL;
	return rc < 0 ? rc : f->rc;
}

int fetch_text(struct fetch *f, struct str url, struct str fields, size_t max, struct str *out,
	       struct err *err)
{
	struct sink_buf b = { .max = max };
	const struct sink to = sink_to_buf(&b);
	int rc;

	buf_init(&b.b, f->a);
	rc = fetch_get(f, url, fields, &to, err);
	*out = buf_str(&b.b);
	return rc;
}

int fetch_trust(struct fetch *f, struct str pem, struct err *err)
{
	buf_addf(&f->pem, "%.*s\n", STRF(pem));
	return tls_client_set_ca(f->tls, buf_str(&f->pem), err);
}

struct fetch *fetch_open(struct arena *a, const struct fetch_opts *o, struct err *err)
{
	struct http_client_opts opts = { .proxy = http_client_proxy_env() };
	struct fetch *f = ARENA_NEW(a, struct fetch);

	*f = (struct fetch){ .a = a, .o = o };
	f->loop = loop_new(err);
	if (!f->loop)
		return NULL;
	opts.tls = f->tls = tls_client_new(NULL);
	buf_init(&f->pem, a);
	tls_client_set_insecure(f->tls, o->insecure);
	f->client = http_client_new(f->loop, &opts);
	if (o->timeout_ms)
		f->give_up = clock_ms() + o->timeout_ms;
	return f;
}

void fetch_close(struct fetch *f)
{
	if (!f)
		return;
	http_client_free(f->client);
	loop_free(f->loop);
	tls_client_free(f->tls);
}
