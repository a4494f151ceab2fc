/*
 * settle: runs the plans of the controllers over a set of objects, in this process, until
 * they have nothing more to do.
 *
 * Writes go to copies; the given set does not change. A key whose plan failed is retried
 * after the next write, unless only an edit of its object helps (ERR_INVALID). When a
 * plan changes or deletes a MachineConfig of another controller, that one is planned
 * again, as in the live controller.
 */
#ifndef PLAN_SETTLE_H
#define PLAN_SETTLE_H

#include "plan/generate.h"

struct settle_key {
	struct generate_key key;
	/* Existing MachineConfigs stay: only missing ones are created. */
	bool keep;
	bool due;
	int rc; /* result of its last plan */
	struct str error; /* its error, or "" */
	unsigned long at; /* number of writes by then */
};

struct settle_keys {
	struct settle_key *v;
	size_t n, cap;
};

struct settle {
	struct arena *a;
	/* The caller completes it before settle_run: version, gates, tree, secrets. It
	 * points to the lists below. */
	struct generate_view view;
	struct mc_list mcs; /* of each name the last one */
	struct mcp_list pools;
	struct mc_object_list kubelets, runtimes, images;
	struct mc_controller_config cc;
	struct template_cache templates;
	struct settle_keys keys;
	struct strs warnings; /* log lines of the plans */
	unsigned long writes;
	/* Encode and decode bodies, as an API server does. */
	bool bodies;
	bool restless; /* the plans did not converge */
};

/* Initialises s without keys. Views set, which must outlive it; allocates in a. */
void settle_init(struct settle *s, struct arena *a, const struct mc_set *set);

/* Marks the copy of the ControllerConfig as completed by the template controller; creates
 * an empty one when there is none. */
void settle_complete(struct settle *s);

/* Adds a due key, or makes an existing one due; keep is cleared unless given again. */
void settle_add(struct settle *s, enum generate_kind kind, struct str name, bool keep);

/* Plans until no key is due. */
void settle_run(struct settle *s);

/* Applies the writes of a plan, subject to the key's keep. */
void settle_apply(struct settle *s, bool keep, const struct actions *list);

/* Adds or replaces a MachineConfig; NULL deletes it. */
void settle_put(struct settle *s, struct str name, struct mc *mc);

#endif
