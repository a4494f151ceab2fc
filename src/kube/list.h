/*
 * list: the objects of one collection, page by page, for tools.
 *
 * Each object is passed on as it arrives: neither a page nor the list is held whole. (A role
 * that follows a collection uses kube/cache.)
 */
#ifndef KUBE_LIST_H
#define KUBE_LIST_H

#include "kube/client.h"

struct kube_list {
	const char *path; /* of the collection, without a query */
	/* One object as JSON, valid within the call. -code ends the list with that error. */
	int (*item)(void *ctx, struct str text, struct err *err);
	/* The members of the page except its items: apiVersion, kind, metadata. Valid within
	 * the call; -code ends the list. */
	int (*page)(void *ctx, const struct json *head, struct err *err);
	/* The continue token has expired: all objects come again. */
	void (*restart)(void *ctx);
	void *ctx;
};

/* Runs the loop until the list is complete or has failed. */
int kube_list(struct kube *k, const struct kube_list *l, struct err *err);

#endif
