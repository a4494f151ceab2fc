/*
 * owned: the MachineConfigs that KubeletConfigs and ContainerRuntimeConfigs own:
 * their names, what ties them to their owner, and the owner's status.
 *
 * The first config of a kind for a pool has 99-<pool>-generated-<what>, the next
 * ones -1 to -9 behind it. Which is whose stands in an annotation of the owner;
 * its finalizers are the names of what it owns, so that they go before it does.
 */
#ifndef PLAN_OWNED_H
#define PLAN_OWNED_H

#include "mc/load.h"
#include "plan/action.h"
#include "plan/template.h"

#define OWNED_SUFFIX MC_PREFIX "mc-name-suffix"

struct owned_kind {
	const char *kind; /* "KubeletConfig" */
	const char *plural; /* "kubeletconfigs" */
	const char *what; /* "kubelet" */
	const char *several; /* "kubelet config" in upstream's messages */
	const char *delete_them; /* "kubelet configs" */
	const char *sub, *state; /* of mcc_sub_controller_state */
	size_t kept; /* how many conditions stay; 0: all */
	bool own_finalizers; /* one that is not ours clears them all */
};

extern const struct owned_kind owned_kubelet, owned_runtime;

struct owned_view {
	struct instant now;
	struct str hash; /* the version this program stands for */
	const struct owned_kind *kind;
	const struct mc_object *config; /* the one to be dealt with */
	const struct mc_objects *configs; /* all of its kind */
	const struct mc_pools *pools; /* all */
	const struct mcs *mcs; /* all */
};

/* The pools its selector matches, in their order; an empty one matches none. */
int owned_pools(struct arena *a, const struct owned_view *in,
		struct mc_pools *out, struct err *err);

/* What one plan has decided so far; begins as { 0 }. */
struct owned_job {
	struct str suffix; /* the first pool's holds for all; p NULL: open */
	struct strs names; /* of its MachineConfigs */
};

/* The name of its MachineConfig for a pool. ERR_INVALID in upstream's words. */
int owned_name(struct arena *a, const struct owned_view *in,
	       struct owned_job *job, const struct mc_pool *pool,
	       struct str *out, struct err *err);

/* Brings mc, made for pool, to the cluster: the annotation, the MachineConfig,
 * each where it is due. */
void owned_write(struct arena *a, const struct owned_view *in,
		 struct owned_job *job, const struct mc_pool *pool,
		 struct mc *mc, struct actions *out);

/* Makes every name of the job a finalizer. */
void owned_finalize(struct arena *a, const struct owned_view *in,
		    const struct owned_job *job, struct actions *out);

/* Removes what the first finalizer names, and the finalizer. */
void owned_delete(struct arena *a, const struct owned_view *in,
		  struct actions *out);

/* Success, or Failure with that message. Nothing when it says so already. */
void owned_status(struct arena *a, const struct owned_view *in,
		  struct str failure, struct actions *out);

/* ---- generated MachineConfigs of any kind ---- */

/*
 * Writes mc where it differs from what there is: config, kernel arguments, the
 * controller's version and the owners; annotations are replaced.
 * True when something was added to out.
 */
bool generated_write(struct arena *a, const struct mcs *mcs,
		     const struct mc *mc, struct str reason,
		     struct actions *out);

/* The name older releases gave to prefix-pool-generated-what: deleted. */
void generated_retire(struct arena *a, const struct mcs *mcs,
		      const char *prefix, const struct mc_pool *pool,
		      const char *what, struct actions *out);

/* Deletes those of another version whose names begin with prefix and have
 * "generated-<what>" in them. */
void generated_cleanup(struct arena *a, const struct mcs *mcs, struct str hash,
		       const char *prefix, const char *what,
		       struct actions *out);

const struct mc *generated_find(const struct mcs *mcs, struct str name);

/* What the templates have of these for a pool's role; those that are not NULL. */
struct generated_base {
	struct str *kubelet; /* kubelet.conf */
	struct str *storage, *registries, *policy; /* all three have to exist */
};

/* ERR_INVALID in upstream's words when there is no such file. */
int generated_base(struct arena *a, const struct template_input *templates,
		   struct str role, const struct generated_base *want,
		   struct err *err);

#endif
