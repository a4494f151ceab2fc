/*
 * node: one machine that configs are applied to.
 *
 * What is done to it blocks: commands are waited for, disks are fsynced. A
 * program with a loop does it in a child process.
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
	/* No systemd runs on this root: units are enabled by links alone, and
	 * nothing is reloaded or rebooted. */
	bool offline;
	bool skip_reboot;
	bool pinned; /* images are kept here: the OS's may be among them */
	bool again; /* a first boot was cut short here, and is repeated */
	void (*event)(void *ctx, const struct node_event *e); /* or NULL */
	void *event_ctx;
	struct str booted_image; /* "" until it is known */
	int64_t retry_ms; /* the first wait between tries; 10 s */
};

/* Opens the root and finds out which OS it has. */
int node_open(struct node *n, struct arena *a, const char *root, struct err *err);
void node_close(struct node *n);

/* Calls n->event. node_event sends an Event of the cluster. */
void node_tell(const struct node *n, const struct node_event *e);
void node_event(const struct node *n, const char *reason, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Runs a program; a %s in words is x, one argument whatever is in it. The second
 * gives back what it says, without the blanks around it. */
int node_do(struct node *n, struct arena *a, const char *words, const char *x, struct err *err);
int node_ask(struct node *n, struct arena *a, const char *words, const char *x, struct str *out,
	     struct err *err);

/* currentconfig; ERR_NOTFOUND when nothing has been applied yet, ERR_INVALID when
 * it is not what its name says. */
int node_current(struct node *n, struct arena *a, struct mc_current *out, struct str *image,
		 struct err *err);
int node_store_current(struct node *n, const struct mc_current *c, struct str image,
		       struct err *err);

int reboot_node(struct node *n, struct arena *a, const char *rationale, struct err *err);
int reboot_into(struct node *n, struct arena *a, struct str name, struct err *err);
/* Untold and whatever skip_reboot says; err has how the command ended. */
int reboot_now(struct node *n, struct arena *a, const char *rationale, struct err *err);
/* Reloads or restarts crio; either failing has the same words, upstream's. */
int post_action_crio(struct node *n, struct arena *a, const char *verb, struct err *err);
/* "systemctl reload x" and so on, in order; a reboot for config name. The first
 * does one of them, and does not say so before. */
int post_action_run(struct node *n, struct arena *a, const struct update_action *act,
		    struct str name, struct err *err);
int post_action_run_all(struct node *n, struct arena *a, const struct update_plan *p,
			struct str name, struct err *err);

#endif
