/*
 * kube/event: Events as client-go records them: one that is told again counts up
 * instead of being written anew, and kube/correlate decides which are combined or
 * left out. Nothing waits for them. One that no server answers is told again,
 * twelve times in all, ten seconds apart; those after it wait.
 */
#ifndef KUBE_EVENT_H
#define KUBE_EVENT_H

#include "base/rfc3339.h"
#include "kube/client.h"
#include "kube/correlate.h"
#include "plan/action.h"

#define KUBE_EVENTS_KEPT 64
/* More than so many do not wait for a server that is away: they are left out. */
#define KUBE_EVENTS_WAITING 500

struct kube_events {
	bool logged; /* each is a line in the log, too */
	struct kube *kube;
	const char *namespace;
	struct str host; /* that the source is on, or "" */
	int64_t retry_ms; /* between tries; 0: ten seconds */
	/* those told last, to be counted up */
	struct {
		uint64_t hash;
		unsigned count;
		struct instant first;
		char name[300];
	} kept[KUBE_EVENTS_KEPT];
	size_t next;
	struct correlator correlator;
	/* one after the other: to count up what is being written is too early */
	struct kube_event_call *calls;
	size_t n_calls;
};

/* source is the component; message is a view. */
void kube_event(struct kube_events *e, const char *source, const struct action_event *about,
		struct str message);

/* Those that wait are given up. */
void kube_events_stop(struct kube_events *e);

#endif
