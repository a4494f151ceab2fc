/*
 * daemon_health: asks the kubelet's health endpoint every 30 s, for a metric and the log.
 */
#include "daemon_own.h"
#include "io/clock.h"
#include "io/http_client.h"
#include "io/repeat.h"

#define INTERVAL_MS 30000

static void again(struct daemon_health *h)
{
	h->timer.due = clock_ms() + (h->retry_ms ? h->retry_ms * 4 : INTERVAL_MS);
	loop_update(h->loop, &h->timer);
}

static void answered(struct http_call *c, int rc, struct err *err)
{
	struct daemon_health *h = c->ctx;

	h->asking = false;
	if (rc < 0) {
		h->failures++;
		if (log_due(LOG_WARNING, S("kubelet"), err->msg))
			log_warn("Got an error from auxiliary tools: kubelet "
				 "health check has failed %u times: %.*s",
				 h->failures, STRF(err->msg));
	} else {
		h->failures = 0;
		if (!str_is(c->result.body, "ok"))
			log_again(LOG_WARNING, S("kubelet"),
				  "Kubelet Healthz Endpoint returned: %.*s", STRF(c->result.body));
		else if (log_over(S("kubelet")))
			log_info("Kubelet health ok");
	}
	again(h);
}

static void ask(struct source *s, short events)
{
	struct daemon_health *h = s->ctx;

	(void)events;
	h->call = (struct http_call){ .method = S("GET"),
				      .url = h->url,
				      .total_ms = INTERVAL_MS,
				      .body_max = 4096,
				      .done = answered,
				      .ctx = h };
	h->asking = true;
	http_call_start(h->http, &h->call);
}

void daemon_health_begin(struct daemon_health *h)
{
	const struct http_client_opts o = { .per_host = 1 };

	if (!h->url.n)
		return;
	log_info("Enabling Kubelet Healthz Monitor");
	h->http = http_client_new(h->loop, &o);
	h->timer = (struct source){ .fd = -1, .ready = ask, .ctx = h };
	loop_add(h->loop, &h->timer);
	again(h);
}

void daemon_health_end(struct daemon_health *h)
{
	if (!h->http)
		return;
	if (h->asking)
		http_call_cancel(&h->call);
	loop_remove(h->loop, &h->timer);
	http_client_free(h->http);
}
