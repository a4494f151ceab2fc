/*
 * daemon_pin: the state of pinned images, for daemon_pin.c (rounds and their stages) and
 * daemon_pin_calls.c (calls to the container runtime).
 */
#ifndef ROLE_DAEMON_PIN_H
#define ROLE_DAEMON_PIN_H

#include "daemon_own.h"
#include "io/grpc_call.h"
#include "plan/pin.h"

#define PINNING_TIMEOUT "requeue: prefetching images incomplete after timeout: 5m0s"

enum pinning_stage {
	PINNING_REST, /* no round is under way */
	PINNING_ASK, /* ask the runtime which images it has */
	PINNING_SIZE, /* ask the registries for the sizes of the others */
	PINNING_PULL,
	PINNING_VERIFY, /* ask the runtime again */
	PINNING_WRITE, /* write CRI-O's config */
	PINNING_DONE,
};

/* One call to the runtime at a time. */
struct pinning_slot {
	struct pinning *p;
	struct grpc_call call;
	struct source timer; /* of the next retry, or the next image */
	struct arena a;
	struct pin_image *image; /* NULL: free */
	unsigned tries;
};

/* The sets that the pools of the node name, and the round that pins their images. */
struct pinning {
	struct daemon *d;
	struct pins now;
	struct pin_auth auth;
	struct arena a; /* of the round */
	struct arena kept;
	struct str failed; /* why the round will fail, once its pulls end */
	struct str reported; /* the status that the last failure reported */
	struct pinning_slot slots[PIN_WORKERS];
	struct job job;
	struct source timer;
	int64_t due; /* of the round, or of the next; 0: none */
	size_t n_slots, at, busy;
	unsigned failures;
	enum pinning_stage stage;
	bool changed, begun;
	bool draining; /* start no further pull */
};

/* Ends the round; it is retried after a back-off. */
void pinning_fail(struct pinning *p, struct str why);
/* Goes on with the round as far as nothing has to be awaited. */
void pinning_advance(struct pinning *p);

/* Reads the registry credentials and mirrors of the node. */
int pinning_load_auth(struct pinning *p, struct err *err);
/* Gives every free slot an image; false when no slot is busy. */
bool pinning_busy(struct pinning *p);
/* Cancels the slot's call and frees the slot. */
void pinning_release(struct pinning_slot *s);
/* The slot's timer. */
void pinning_on_slot(struct source *t, short events);

#endif
