/*
 * settle: runs the plans of the controllers over a set of objects, in this process,
 * until they have nothing more to do.
 *
 * What a plan wants written is written to copies; the set that was given stays as it
 * is. A key whose plan failed is planned again after the next write, unless only an
 * edit of its object helps (ERR_INVALID); who made a
 * MachineConfig that another plan has changed or deleted is planned again, as the
 * live controller does it.
 */
#ifndef PLAN_SETTLE_H
#define PLAN_SETTLE_H

#include "plan/generate.h"

struct settle_key {
	struct generate_key key;
	/* What there is stays: only MachineConfigs that are missing are made. */
	bool keep;
	bool due;
	int rc; /* of its last plan */
	struct str error; /* why that failed, or "" */
	unsigned long at; /* writes until then */
};

struct settle_keys {
	struct settle_key *v;
	size_t n, cap;
};

struct settle {
	struct arena *a;
	/* For the caller to complete before settle_run: version, gates, tree,
	 * secrets. The lists below are in it. */
	struct generate_view view;
	struct mc_list mcs; /* of one name the last one */
	struct mcp_list pools;
	struct mc_object_list kubelets, runtimes, images;
	struct mc_controller_config cc;
	struct template_cache templates;
	struct settle_keys keys;
	struct strs warnings; /* what the plans would log */
	unsigned long writes;
	/* Bodies are encoded and read again, as through an API server. */
	bool bodies;
	bool restless; /* the plans never came to rest */
};

/* Views set, which must outlive it; everything is in a. Without keys. */
void settle_init(struct settle *s, struct arena *a, const struct mc_set *set);

/* Says in the copy of the ControllerConfig that the template controller is done
 * with it; makes one that is empty where there is none. */
void settle_complete(struct settle *s);

/* Adds a key that is due; one that is there becomes due, and keep ends where it is
 * not given. */
void settle_add(struct settle *s, enum generate_kind kind, struct str name, bool keep);

/* Plans until nothing is due. */
void settle_run(struct settle *s);

/* Carries out what a plan wants written: as the key's keep has it. */
void settle_apply(struct settle *s, bool keep, const struct actions *list);

/* A MachineConfig in place of, or beside, those there are; NULL: deletes it. */
void settle_put(struct settle *s, struct str name, struct mc *mc);

#endif
