/*
 * kube/discovery: decides whether the server lacks a kind, when lists of it return 404.
 *
 * A server that has just started may not know its own kinds yet. So one 404 decides
 * nothing: the kind is absent when its CustomResourceDefinition does not exist, or when
 * lists still return 404 after half a minute.
 */
#ifndef KUBE_DISCOVERY_H
#define KUBE_DISCOVERY_H

#include "kube/client.h"

struct kube_discovery {
	/* ---- the caller's ---- */
	struct kube *kube;
	const char *path; /* of a list: "/apis/GROUP/VERSION/PLURAL" */
	/* The kind is absent from now on. Logged; called again only after
	 * kube_discovery_found. */
	void (*lacks)(void *ctx);
	void *ctx;
	/* ---- read-only ---- */
	bool absent;
	/* ---- its own ---- */
	struct kube_call call; /* reads the definition */
	struct arena a;
	int64_t since; /* when a list first returned 404; 0: none has */
	bool found;
	bool asking; /* call is under way */
};

/* A list returned 404: reads the definition, unless the answer is known or on its way. */
void kube_discovery_ask(struct kube_discovery *d);
/* A list was complete: the kind is not absent any more. */
void kube_discovery_found(struct kube_discovery *d);
/* Ends the request that is under way: lacks is not called. */
void kube_discovery_end(struct kube_discovery *d);

#endif
