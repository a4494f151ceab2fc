/*
 * kube/event: writes Events as client-go's recorder does.
 *
 * A repeated Event increases the count of the existing one; kube/correlate decides which are
 * combined or dropped. Writing is asynchronous and best effort: callers never wait. A write
 * without a response is attempted twelve times, ten seconds apart, and blocks those after it.
 */
#ifndef KUBE_EVENT_H
#define KUBE_EVENT_H

#include "base/rfc3339.h"
#include "kube/client.h"
#include "kube/correlate.h"
#include "plan/action.h"

#define KUBE_EVENTS_KEPT 64
/* Limit of the queue while the server is unreachable; further Events are dropped. */
#define KUBE_EVENTS_WAITING 500

struct kube_events {
	bool logged; /* also log each Event */
	struct kube *kube;
	const char *namespace;
	struct str host; /* of the source, or "" */
	int64_t retry_ms; /* between attempts; 0: ten seconds */
	/* the last Events, whose counts may increase */
	struct {
		uint64_t hash;
		unsigned count;
		struct instant first;
		char name[300];
	} kept[KUBE_EVENTS_KEPT];
	size_t next;
	struct correlator correlator;
	/* one at a time: a PATCH must not overtake the POST that creates its Event */
	struct kube_event_call *calls;
	size_t n_calls;
};

/* Queues an Event; copies its arguments. source is the component. */
void kube_event(struct kube_events *e, const char *source, const struct action_event *about,
		struct str message);

/* Cancels the running write and drops the queue. */
void kube_events_stop(struct kube_events *e);

#endif
