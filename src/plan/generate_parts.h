/* What the parts of plan/generate know of each other. */
#ifndef PLAN_GENERATE_PARTS_H
#define PLAN_GENERATE_PARTS_H

#include "base/map.h"
#include "mc/tls_profile.h"
#include "plan/generate.h"
#include "plan/kubelet.h"
#include "plan/registries.h"

struct generator {
	struct arena *a;
	const struct generate_in *in;
	struct tls_profile tls;
	struct map bases; /* role to the struct mcs of its templates */
	struct generated out;
	struct err *err;
};

void generator_init(struct generator *g, struct arena *a,
		    const struct generate_in *in, struct err *err);

/*
 * A file as the templates have it for a role: the first MachineConfig, by name,
 * that has it counts. ERR_NOTFOUND when none does.
 */
int base_file(struct generator *g, struct str role, const char *path,
	      struct str *out);

/* The three files that must be there together. */
struct runtime_base {
	struct str storage, registries, policy;
};

int runtime_base(struct generator *g, struct str role,
		 struct runtime_base *out);
int kubelet_base(struct generator *g, struct str pool, struct kubelet_in *out);

/* ---- each appends MachineConfigs to g->out ----------------------------------- */

int generate_registries(struct generator *g);

/* A kind whose objects choose pools, of which a pool takes one. */
struct chooser {
	enum mc_kind kind;
	bool check_all; /* before the first one is made */
	const char *name;
	const char *suffix; /* of the MachineConfig's name */
	const char *many, *one; /* what upstream calls them in its error */
	const char *wrap; /* what it puts before that; or NULL */
	int (*check)(struct arena *a, const struct mc_object *o,
		     struct err *err);
	int (*make)(struct generator *g, const struct mc_object *o,
		    struct str pool, struct str name, struct mc **out);
};

extern const struct chooser generate_kubelets, generate_runtimes;

#endif
