/*
 * mcn: MachineConfigNodes: the fields that the pool controller reads, and the reports of a node's
 * update.
 */
#ifndef MC_MCN_H
#define MC_MCN_H

#include "mc/condition.h"
#include "mc/knode.h"

/* The fields that the status of a pool is computed from. */
struct mcn {
	struct str name, pool; /* spec.pool.name */
	struct str spec_desired; /* spec.configVersion.desired */
	struct str desired, desired_image; /* of status */
	struct str degraded_message;
	uint64_t conditions; /* a hash over all of them, to detect changes */
	bool any; /* has conditions */
	bool degraded; /* NodeDegraded is True */
	bool updated; /* Updated is True, and before any NodeDegraded */
	bool pinned; /* every pinned image set is complete */
};

/* The strings of *out are views of tree. */
void mcn_decode(const struct json *tree, struct mcn *out);
/* The bytes that a copy needs, and the copy itself, in mem. */
size_t mcn_size(const struct mcn *m);
struct mcn *mcn_copy(void *mem, const struct mcn *m);

#define MCN_NOT_YET_SET "not-yet-set"

/* A step of an update and the phase it is part of. */
struct mcn_report {
	struct condition parent, child; /* child.type "": none */
};

struct mcn_in {
	const struct json *mcn; /* the current object; NULL: it does not exist */
	const struct knode *node;
	const struct json *sets; /* pinnedImageSets; NULL: unchanged */
	struct str pool; /* of the node, or MCN_NOT_YET_SET */
	struct instant now;
	bool image_mode; /* gate ImageModeStatusReporting */
};

/*
 * The body of the write for a report; NULL when nothing changes. *create: POST it as a new object;
 * else apply it to the status, with force and field manager machine-config-operator. *after is the
 * resulting object, for the next report.
 */
struct json *mcn_report(struct arena *a, const struct mcn_in *in, const struct mcn_report *r,
			bool *create, struct json **after);

/* The object of a node without a status, for a server-side apply. */
struct json *mcn_spec(struct arena *a, const struct knode *n, struct str pool);

/* The same for a new object, with its Node as owner, as upstream's operator creates it. (To change
 * the owners of an existing object, an account needs the permission to delete it.) */
struct json *mcn_new(struct arena *a, const struct knode *n, struct str pool);

/*
 * The object with the conditions of gate ImageModeStatusReporting, which replace an older one; NULL
 * when it already has them.
 */
struct json *mcn_migrate(struct arena *a, const struct json *mcn, struct instant now);

#endif
