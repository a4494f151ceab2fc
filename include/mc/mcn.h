/*
 * mcn: MachineConfigNodes, what the pool controller reads of them and how a
 * step of a node's update is reported in one.
 */
#ifndef MC_MCN_H
#define MC_MCN_H

#include "mc/condition.h"
#include "mc/knode.h"

/* What a pool's status is made of, per node. */
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

/* Views of tree. */
void mcn_decode(const struct json *tree, struct mcn *out);
size_t mcn_size(const struct mcn *m);
struct mcn *mcn_copy(void *mem, const struct mcn *m);

#define MCN_NOT_YET_SET "not-yet-set"

/* A step of an update and the phase it is part of. */
struct mcn_report {
	struct condition parent, child; /* child.type "": none */
};

struct mcn_in {
	const struct json *mcn; /* as it is now; NULL: there is none */
	const struct knode *node;
	const struct json *sets; /* pinnedImageSets; NULL: as they were */
	struct str pool; /* of the node, or MCN_NOT_YET_SET */
	struct instant now;
	bool image_mode; /* gate ImageModeStatusReporting */
};

/*
 * What to write for a report: NULL when nothing changes. *create says whether
 * it is a new object to be POSTed; else it is to be applied to the status with
 * field manager machine-config-operator, by force. *after is the object with it
 * applied, for the next report.
 */
struct json *mcn_report(struct arena *a, const struct mcn_in *in, const struct mcn_report *r,
			bool *create, struct json **after);

/* What a node's object says of it, without a status: to be applied. */
struct json *mcn_spec(struct arena *a, const struct knode *n, struct str pool);

/* The same of one that is not there yet: its Node owns it, as upstream's operator
 * has it. To change the owners of one that exists takes the right to delete it. */
struct json *mcn_new(struct arena *a, const struct knode *n, struct str pool);

/*
 * The object with the conditions that gate ImageModeStatusReporting asks for, in
 * place of the one it does away with; NULL when it has them.
 */
struct json *mcn_migrate(struct arena *a, const struct json *mcn, struct instant now);

#endif
