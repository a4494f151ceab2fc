/*
 * kube/event: Events as client-go records them: one that is told again counts up
 * instead of being written anew. Nothing waits for them.
 */
#ifndef KUBE_EVENT_H
#define KUBE_EVENT_H

#include "kube/client.h"
#include "plan/action.h"

#define KUBE_EVENTS_KEPT 64

struct kube_events {
	struct kube *kube;
	const char *namespace;
	/* those told last, to be counted up */
	struct {
		uint64_t hash;
		unsigned count;
		char name[300];
	} kept[KUBE_EVENTS_KEPT];
	size_t next;
	struct kube_event_call *calls; /* under way */
};

/* source is the component; message is a view. */
void kube_event(struct kube_events *e, const char *source,
		const struct action_event *about, struct str message);

#endif
