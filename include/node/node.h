/*
 * node: one machine that configs are applied to.
 *
 * Calls block: they wait for commands and fsync disks. A program with an event loop makes them in a
 * child process.
 */
#ifndef NODE_NODE_H
#define NODE_NODE_H

#include "mc/current.h"
#include "node/host.h"
#include "node/node_event.h"
#include "plan/os.h"
#include "plan/steps.h"

struct node {
	struct tree tree;
	struct host host;
	struct os_release os;
	/* No systemd runs on this root: units are enabled by symlinks, nothing is reloaded or
	 * rebooted. */
	bool offline;
	bool skip_reboot;
	bool pinned; /* images are pinned here: the OS image may be in the node's storage */
	bool again; /* repeats a first boot that was cut short */
	void (*event)(void *ctx, const struct node_event *e); /* or NULL */
	void *event_ctx;
	struct str booted_image; /* "" until it is known */
	int64_t retry_ms; /* the first wait between two attempts; 10 s */
};

/* Opens the root and reads its os-release. */
int node_open(struct node *n, struct arena *a, const char *root, struct err *err);
void node_close(struct node *n);

/* Calls n->event. node_event sends an Event of the cluster. */
void node_emit(const struct node *n, const struct node_event *e);
void node_event(const struct node *n, const char *reason, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Run a program: see args_words; x replaces the one %s. node_output returns its output without
 * surrounding white space. */
int node_do(struct node *n, struct arena *a, const char *words, const char *x, struct err *err);
int node_output(struct node *n, struct arena *a, const char *words, const char *x, struct str *out,
		struct err *err);

/* The currentconfig file. ERR_NOTFOUND when no config has been applied yet; ERR_INVALID when the
 * contents do not match the name of the config. */
int node_current(struct node *n, struct arena *a, struct mc_current *out, struct str *image,
		 struct err *err);
int node_store_current(struct node *n, const struct mc_current *c, struct str image,
		       struct err *err);

#endif
