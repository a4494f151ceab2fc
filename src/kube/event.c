#include "kube/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "io/log.h"

/* Its own storage, freed when it is answered. */
struct kube_event_call {
	struct kube_call call;
	struct kube_events *events;
	struct kube_event_call *next;
	struct arena a;
	uint64_t hash;
};

static uint64_t mix(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return (h ^ 0xff) * 1099511628211u;
}

static void answered(struct kube_call *c, const struct kube_answer *ans)
{
	struct kube_event_call *call = c->ctx, **p = &call->events->calls;

	if (ans->rc < 0)
		log_warn("event: %.*s", STRF(ans->message));
	/* one that cannot be counted up is written anew the next time */
	for (size_t i = 0; ans->rc < 0 && i < KUBE_EVENTS_KEPT; i++)
		if (call->events->kept[i].hash == call->hash)
			call->events->kept[i].hash = 0;
	while (*p != call)
		p = &(*p)->next;
	*p = call->next;
	arena_free(&call->a);
	free(call);
}

static void add_time(struct buf *b, const char *key, struct instant now)
{
	buf_addf(b, ",\"%s\":\"", key);
	rfc3339_add(b, now);
	buf_addc(b, '"');
}

static void create(struct kube_events *e, struct kube_event_call *call,
		   const char *name, const char *source,
		   const struct action_event *about, struct str message,
		   struct instant now)
{
	struct buf b;

	buf_init(&b, &call->a);
	buf_addf(&b,
		 "{\"kind\":\"Event\",\"apiVersion\":\"v1\",\"metadata\":{"
		 "\"name\":\"%s\",\"namespace\":\"%s\"},\"involvedObject\":{",
		 name, e->namespace);
	body_add(&b, S("kind"), about->kind);
	body_add(&b, S("namespace"), str_of(e->namespace));
	body_add(&b, S("name"), about->name);
	if (about->uid.n)
		body_add(&b, S("uid"), about->uid);
	body_add(&b, S("apiVersion"), about->api);
	buf_addc(&b, '}');
	body_add(&b, S("reason"), about->reason);
	body_add(&b, S("message"), message);
	buf_addf(&b, ",\"source\":{\"component\":\"%s\"}", source);
	add_time(&b, "firstTimestamp", now);
	add_time(&b, "lastTimestamp", now);
	buf_addf(&b,
		 ",\"count\":1,\"type\":\"%s\",\"eventTime\":null,"
		 "\"reportingComponent\":\"%s\",\"reportingInstance\":\"\"}",
		 about->warning ? "Warning" : "Normal", source);
	call->call.method = "POST";
	call->call.path =
		str_fmt(&call->a, "/api/v1/namespaces/%s/events", e->namespace);
	call->call.body = buf_str(&b);
}

static void count_up(struct kube_events *e, struct kube_event_call *call,
		     size_t at, struct str message, struct instant now)
{
	struct buf b;

	buf_init(&b, &call->a);
	buf_addf(&b, "{\"count\":%u", ++e->kept[at].count);
	add_time(&b, "lastTimestamp", now);
	body_add(&b, S("message"), message);
	buf_addc(&b, '}');
	call->call.method = "PATCH";
	call->call.type = "application/strategic-merge-patch+json";
	call->call.path = str_fmt(&call->a, "/api/v1/namespaces/%s/events/%s",
				  e->namespace, e->kept[at].name);
	call->call.body = buf_str(&b);
}

void kube_event(struct kube_events *e, const char *source,
		const struct action_event *about, struct str message)
{
	struct kube_event_call *call = calloc(1, sizeof(*call));
	uint64_t h = mix(mix(mix(0, str_of(source)), about->uid), about->name);
	struct timespec t;
	struct instant now;
	size_t at = 0;

	if (!call)
		abort();
	(void)clock_gettime(CLOCK_REALTIME, &t);
	now = (struct instant){ t.tv_sec, (int32_t)t.tv_nsec };
	h = mix(mix(mix(h, about->kind), about->reason), message);
	h = (h + about->warning) | 1;
	while (at < KUBE_EVENTS_KEPT && e->kept[at].hash != h)
		at++;
	call->hash = h;
	call->events = e;
	if (at < KUBE_EVENTS_KEPT) {
		count_up(e, call, at, message, now);
	} else {
		at = e->next++ % KUBE_EVENTS_KEPT;
		e->kept[at].hash = h;
		e->kept[at].count = 1;
		(void)snprintf(e->kept[at].name, sizeof(e->kept[at].name),
			       "%.*s.%llx", (int)(about->name.n & 255),
			       about->name.p,
			       (unsigned long long)t.tv_sec * 1000000000 +
				       (unsigned long long)t.tv_nsec);
		create(e, call, e->kept[at].name, source, about, message, now);
	}
	call->next = e->calls;
	e->calls = call;
	call->call.done = answered;
	call->call.ctx = call;
	kube_start(e->kube, &call->call);
}
