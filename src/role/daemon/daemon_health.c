/*
 * Whether the kubelet answers: asked every half minute, for a metric and the log.
 */
#include "daemon_loop.h"
#include "io/clock.h"
#include "io/http_client.h"
#include "io/repeat.h"

#define INTERVAL_MS 30000

static void again(struct daemon *d)
{
	d->health_timer.due = clock_ms() + (d->retry_ms ? d->retry_ms * 4 : INTERVAL_MS);
	loop_update(d->loop, &d->health_timer);
}

static void answered(struct http_call *c, int rc, struct err *err)
{
	struct daemon *d = c->ctx;

	d->asking_health = false;
	if (rc < 0) {
		d->kubelet_failures++;
		if (log_due(LOG_WARNING, S("kubelet"), err->msg))
			log_warn("Got an error from auxiliary tools: kubelet "
				 "health check has failed %u times: %.*s",
				 d->kubelet_failures, STRF(err->msg));
	} else {
		d->kubelet_failures = 0;
		if (!str_is(c->result.body, "ok"))
			log_again(LOG_WARNING, S("kubelet"),
				  "Kubelet Healthz Endpoint returned: %.*s", STRF(c->result.body));
		else if (log_over(S("kubelet")))
			log_info("Kubelet health ok");
	}
	again(d);
}

static void ask(struct source *s, short events)
{
	struct daemon *d = s->ctx;

	(void)events;
	d->health = (struct http_call){ .method = S("GET"),
					.url = d->healthz,
					.total_ms = INTERVAL_MS,
					.body_max = 4096,
					.done = answered,
					.ctx = d };
	d->asking_health = true;
	http_call_start(d->http, &d->health);
}

void daemon_health_begin(struct daemon *d)
{
	const struct http_client_opts o = { .per_host = 1 };

	if (!d->healthz.n)
		return;
	log_info("Enabling Kubelet Healthz Monitor");
	d->http = http_client_new(d->loop, &o);
	d->health_timer = (struct source){ .fd = -1, .ready = ask, .ctx = d };
	loop_add(d->loop, &d->health_timer);
	again(d);
}

void daemon_health_end(struct daemon *d)
{
	if (!d->http)
		return;
	if (d->asking_health)
		http_call_cancel(&d->health);
	loop_remove(d->loop, &d->health_timer);
	http_client_free(d->http);
}
