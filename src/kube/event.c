/*
 * event: writes Events, one request at a time, in order.
 *
 * A repeated Event is a PATCH of its count; if that object is gone (404), the Event is created
 * again. A failed write clears the cached entry, so that the next one is created. An attempt
 * without a response is repeated, TRIES_MAX in all; a conflict after such an attempt means that it
 * had succeeded.
 */
#include "kube/event.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/codec.h"
#include "io/clock.h"
#include "io/repeat.h"
#include "mc/api.h"

/* As client-go: attempts for an Event that gets no response. */
#define TRIES_MAX 12
#define RETRY_MS 10000

/* One queued write; freed when the final response arrives. */
struct kube_event_call {
	struct kube_call call;
	struct kube_events *events;
	struct kube_event_call *next;
	struct arena a;
	uint64_t hash;
	struct str path; /* the collection: the Events of the namespace */
	struct str anew; /* the body to create when the patched Event is gone */
	struct source wait; /* for the next try */
	bool waiting;
	bool combined; /* one Event for several similar ones */
	int tries; /* attempts without a response */
};

static uint64_t mix(uint64_t h, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211u;
	return (h ^ 0xff) * 1099511628211u;
}

static void answered(struct kube_call *c, const struct kube_answer *ans);

static void again(struct source *s, short events)
{
	struct kube_event_call *call = s->ctx;
	const struct kube_call *c = &call->call;

	(void)events;
	loop_remove(kube_loop(call->events->kube), s);
	call->waiting = false;
	call->call = (struct kube_call){ .method = c->method,
					 .path = c->path,
					 .type = c->type,
					 .body = c->body,
					 .done = answered,
					 .ctx = call };
	kube_start(call->events->kube, &call->call);
}

static void again_later(struct kube_event_call *call)
{
	struct kube_events *e = call->events;

	call->wait = (struct source){
		.fd = -1,
		.due = clock_ms() + (e->retry_ms ? e->retry_ms : RETRY_MS),
		.ready = again,
		.ctx = call,
	};
	call->waiting = true;
	loop_add(kube_loop(e->kube), &call->wait);
}

static void answered(struct kube_call *c, const struct kube_answer *ans)
{
	struct kube_event_call *call = c->ctx;
	struct kube_events *e = call->events;

	if (ans->rc == -ERR_AGAIN && !ans->status && ++call->tries < TRIES_MAX) {
		again_later(call);
		return;
	}
	if (ans->rc == -ERR_NOTFOUND && call->anew.n) {
		*c = (struct kube_call){ .method = "POST",
					 .path = call->path,
					 .body = call->anew,
					 .done = answered,
					 .ctx = call };
		call->anew = S("");
		kube_start(e->kube, c);
		return;
	}
	/* a conflict after a retry: an attempt without a response had succeeded */
	if (ans->rc < 0 && !(call->tries && ans->rc == -ERR_CONFLICT))
		log_again(LOG_WARNING, S("event"), "event: %.*s", STRF(ans->message));
	else if (log_over(S("event")))
		log_info("event: the server accepts events again");
	/* after a failure the next Event is a POST, not a PATCH */
	for (size_t i = 0; ans->rc < 0 && i < KUBE_EVENTS_KEPT; i++)
		if (e->kept[i].hash == call->hash)
			e->kept[i].hash = 0;
	e->calls = call->next;
	e->n_calls--;
	arena_free(&call->a);
	free(call);
	if (e->calls)
		kube_start(e->kube, &e->calls->call);
}

static void add_time(struct arena *a, struct json *object, const char *key, struct instant now)
{
	struct buf b;

	buf_init(&b, a);
	rfc3339_add(&b, now);
	json_add_str(a, object, key, buf_str(&b));
}

/* The complete Event as JSON. */
static struct str whole(struct kube_event_call *call, size_t at, const char *source,
			const struct action_event *about, struct str message, struct instant now)
{
	struct kube_events *e = call->events;
	struct arena *a = &call->a;
	struct json *j = json_new(a, JSON_OBJECT), *part;

	json_add_str(a, j, "kind", S("Event"));
	json_add_str(a, j, "apiVersion", S(API_CORE));
	part = json_make(a, j, "metadata");
	json_add_str(a, part, "name", str_of(e->kept[at].name));
	json_add_str(a, part, "namespace", str_of(e->namespace));
	part = json_make(a, j, "involvedObject");
	if (about->kind.n)
		json_add_str(a, part, "kind", about->kind);
	json_add_str(a, part, "namespace", str_of(e->namespace));
	json_add_str(a, part, "name", about->name);
	if (about->uid.n)
		json_add_str(a, part, "uid", about->uid);
	if (about->api.n)
		json_add_str(a, part, "apiVersion", about->api);
	if (about->version.n)
		json_add_str(a, part, "resourceVersion", about->version);
	json_add_str(a, j, "reason", about->reason);
	json_add_str(a, j, "message", message);
	part = json_make(a, j, "source");
	json_add_str(a, part, "component", str_of(source));
	if (e->host.n)
		json_add_str(a, part, "host", e->host);
	add_time(a, j, "firstTimestamp", e->kept[at].first);
	add_time(a, j, "lastTimestamp", now);
	json_add(j, S("count"), json_new_i64(a, e->kept[at].count));
	json_add_str(a, j, "type", about->warning ? S("Warning") : S("Normal"));
	json_add(j, S("eventTime"), json_new(a, JSON_NULL));
	json_add_str(a, j, "reportingComponent", call->combined ? S("") : str_of(source));
	json_add_str(a, j, "reportingInstance", S(""));
	return json_format(a, j, 0);
}

static void count_up(struct kube_event_call *call, size_t at, struct str message,
		     struct instant now)
{
	struct kube_events *e = call->events;
	struct json *patch = json_new(&call->a, JSON_OBJECT);

	json_add(patch, S("count"), json_new_i64(&call->a, e->kept[at].count));
	add_time(&call->a, patch, "lastTimestamp", now);
	json_add_str(&call->a, patch, "message", message);
	call->anew = call->call.body;
	call->call.method = "PATCH";
	call->call.type = "application/strategic-merge-patch+json";
	call->call.path = str_fmt(&call->a, "%.*s/%s", STRF(call->call.path), e->kept[at].name);
	call->call.body = json_format(&call->a, patch, 0);
}

/* The index of the cached Event of that hash, its count increased; or of a new entry. */
static size_t keep(struct kube_events *e, uint64_t h, struct str name, struct instant now)
{
	size_t at = 0;

	while (at < KUBE_EVENTS_KEPT && e->kept[at].hash != h)
		at++;
	if (at < KUBE_EVENTS_KEPT) {
		e->kept[at].count++;
		return at;
	}
	at = e->next++ % KUBE_EVENTS_KEPT;
	e->kept[at].hash = h;
	e->kept[at].count = 1;
	e->kept[at].first = now;
	(void)snprintf(e->kept[at].name, sizeof(e->kept[at].name), "%.*s.%llx",
		       (int)(name.n < NAME_MAX ? name.n : NAME_MAX), name.p,
		       (unsigned long long)now.sec * 1000000000 + (unsigned long long)now.nsec);
	return at;
}

/* The hashes of one Event; object, similar and whole are never 0. */
struct event_keys {
	uint64_t object, similar, message, whole;
};

static struct event_keys keys_of(const char *source, const struct action_event *about,
				 struct str message)
{
	struct event_keys k;

	k.object = mix(mix(0, str_of(source)), about->uid);
	k.object = mix(mix(mix(k.object, about->name), about->kind), about->api);
	k.similar = mix(k.object, about->reason) + about->warning;
	k.message = mix(0, message);
	k.whole = mix(k.similar, message) | 1;
	k.object |= 1;
	k.similar |= 1;
	return k;
}

static struct kube_event_call *new_call(struct kube_events *e)
{
	struct kube_event_call *call = calloc(1, sizeof(*call));

	if (!call)
		abort();
	call->events = e;
	return call;
}

static void queue_call(struct kube_event_call *call)
{
	struct kube_events *e = call->events;
	struct kube_event_call **last = &e->calls;

	while (*last)
		last = &(*last)->next;
	*last = call;
	if (!e->n_calls++)
		kube_start(e->kube, &call->call);
}

/* Logs the line of client-go's recorder; a repeated warning is logged with back-off. */
static void log_event(const struct kube_events *e, const struct action_event *about,
		      struct str message)
{
	AUTO(arena) struct arena a = ARENA_INIT;
	const struct {
		const char *name;
		struct str value;
	} list[] = {
		{ "Kind", about->kind },      { "Namespace", str_of(e->namespace) },
		{ "Name", about->name },      { "UID", about->uid },
		{ "APIVersion", about->api }, { "ResourceVersion", about->version },
		{ "FieldPath", S("") },
	};
	struct buf b;

	buf_init(&b, &a);
	buf_addz(&b, "Event(v1.ObjectReference{");
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		buf_addf(&b, "%s%s:", i ? ", " : "", list[i].name);
		go_quote(&b, list[i].value);
	}
	buf_addf(&b, "}): type: '%s' reason: '%.*s' %.*s", about->warning ? "Warning" : "Normal",
		 STRF(about->reason), STRF(message));
	if (!about->warning)
		log_info("%.*s", STRF(buf_str(&b)));
	else if (log_due(LOG_INFO, about->reason, message))
		log_warn("%.*s", STRF(buf_str(&b)));
}

void kube_event(struct kube_events *e, const char *source, const struct action_event *about,
		struct str message)
{
	struct event_keys keys = keys_of(source, about, message);
	int64_t now_ms = clock_ms();
	struct kube_event_call *call;
	struct instant now;
	bool combined;
	size_t at;

	if (e->logged)
		log_event(e, about, message);
	if (e->n_calls >= KUBE_EVENTS_WAITING) {
		log_again(LOG_WARNING, S("event"), "event dropped, the queue is full: %.*s",
			  STRF(message));
		return;
	}
	now = clock_wall();
	combined = !about->each &&
		   correlate_combines(&e->correlator, keys.similar, keys.message, now_ms);
	at = keep(e, combined ? keys.similar : keys.whole, about->name, now);
	if (!about->each && !correlate_allows(&e->correlator, keys.object, now_ms))
		return;
	call = new_call(e);
	call->combined = combined;
	call->hash = e->kept[at].hash;
	if (combined)
		message = str_fmt(&call->a, "(combined from similar events): %.*s", STRF(message));
	call->path = str_fmt(&call->a, PATH_CORE "namespaces/%s/events", e->namespace);
	call->call = (struct kube_call){
		.method = "POST",
		.path = call->path,
		.body = whole(call, at, source, about, message, now),
		.done = answered,
		.ctx = call,
	};
	if (e->kept[at].count > 1)
		count_up(call, at, message, now);
	queue_call(call);
}

void kube_events_stop(struct kube_events *e)
{
	struct kube_event_call *c = e->calls;

	if (c && c->waiting)
		loop_remove(kube_loop(e->kube), &c->wait);
	else if (c)
		kube_cancel(&c->call);
	while ((c = e->calls)) {
		e->calls = c->next;
		arena_free(&c->a);
		free(c);
	}
}
