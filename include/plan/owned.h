/*
 * owned: the MachineConfigs that KubeletConfigs and ContainerRuntimeConfigs own:
 * their names, what ties them to their owner, and the owner's status.
 *
 * The first config of a kind for a pool has 99-<pool>-generated-<what>, the next
 * ones -1 to -9 behind it. Which is whose stands in an annotation of the owner;
 * its finalizers are the names of what it owns, so that they go before it does.
 *
 * A suffix is chosen by looking at those of all others: the configs of a kind
 * are to be planned one after the other, each from what the one before wrote.
 */
#ifndef PLAN_OWNED_H
#define PLAN_OWNED_H

#include "mc/load.h"
#include "plan/action.h"
#include "plan/template.h"

struct owned_kind {
	const char *kind; /* "KubeletConfig" */
	const char *plural; /* "kubeletconfigs" */
	const char *what; /* "kubelet" */
	const char *several; /* "kubelet config" in upstream's messages */
	const char *delete_them; /* "kubelet configs" */
	const char *note, *key; /* its annotation, its name: likewise */
	const char *cleanup; /* what those of other versions begin with */
	const char *sub, *state; /* of mcc_sub_controller_state */
	size_t kept; /* how many conditions stay; 0: all */
	bool own_finalizers; /* one that is not ours clears them all */
	bool told_of; /* one without pools is named in the message */
	bool always_again; /* what is not valid is tried again, too */
	/* Of the first run: all are validated before the first is made; what
	 * upstream calls them; what it puts before that error, or NULL. */
	bool check_all;
	const char *many, *one, *wrap;
};

extern const struct owned_kind owned_kubelet, owned_runtime;

struct owned_view {
	struct instant now;
	struct str hash; /* the version this program stands for */
	const struct owned_kind *kind;
	const struct mc_object *config; /* the one to be dealt with */
	const struct mc_object_list *configs; /* all of its kind */
	const struct mcp_list *pools; /* all */
	const struct mc_list *mcs; /* all */
	/* As upstream's bootstrap: the objects have no uid and no status, a pool
	 * takes one config of a kind, and what cannot be made is an error of the
	 * run. mcs are those made so far. */
	bool first_run;
};

/* The pools its selector matches, in their order; an empty one matches none. */
int owned_pools(struct arena *a, const struct owned_view *in, struct mcp_list *out,
		struct err *err);

/* What one plan has decided so far; begins as { 0 }. */
struct owned_job {
	struct str suffix; /* the first pool's holds for all; p NULL: open */
	struct strs names; /* of its MachineConfigs */
};

/* The annotation that says which MachineConfigs are a config's, or NULL. */
const struct json *owned_suffix(const struct mc_object *config);

/* Whether the config's status is of its generation and ends with Success. */
bool owned_settled(struct arena *a, const struct mc_object *config);

/* Whether its selector matches the pool; an empty one matches none. */
int owned_matches(struct arena *a, const struct mc_object *config, const struct mcp *pool,
		  bool *out, struct err *err);

/* Whether the config is the controlling owner of mc. */
bool owned_controls(const struct owned_kind *kind, const struct mc_object *config,
		    const struct mc *mc);

/* Another config of the kind, which is still there, has it as its own. */
bool owned_by_another(const struct owned_view *in, const struct mc *mc);

/* Such a one that will write it when it is planned. */
bool owned_by_turn(struct arena *a, const struct owned_view *in, const struct mc *mc);

/* What the MachineConfig for a pool is called with that suffix. */
struct str owned_mc_name(struct arena *a, const struct owned_kind *kind, const struct mcp *pool,
			 struct str suffix);

/*
 * The name of its MachineConfig for a pool. A settled config keeps its name, even
 * where another config has the same one: only an edit of the config gives it a
 * name that no other config has. ERR_INVALID in upstream's words.
 */
int owned_name(struct arena *a, const struct owned_view *in, struct owned_job *job,
	       const struct mcp *pool, struct str *out, struct err *err);

/* Two configs of a kind that have the same MachineConfig for a pool, as upstream's
 * workers may leave them: it holds what one of them asks for. */
struct owned_conflict {
	const struct mc_object *first, *second;
	struct str message;
};

struct owned_conflicts {
	struct owned_conflict *v;
	size_t n, cap;
};

/* Each pair of the set once. */
void owned_find_conflicts(struct arena *a, const struct mc_set *set, struct owned_conflicts *out);

/* Brings mc, made for pool, to the cluster: the annotation, the MachineConfig,
 * each where it is due. */
void owned_write(struct arena *a, const struct owned_view *in, struct owned_job *job,
		 const struct mcp *pool, struct mc *mc, struct actions *out);

/* Makes every name of the job a finalizer. */
void owned_finalize(struct arena *a, const struct owned_view *in, const struct owned_job *job,
		    struct actions *out);

/* Removes what the first finalizer names, and the finalizer. */
void owned_delete(struct arena *a, const struct owned_view *in, struct actions *out);

/* What the two kinds do differently. */
struct owned_maker {
	int (*validate)(struct arena *a, const struct mc_object *config, struct err *err);
	/* The MachineConfig of that name for the pool. *where is set to what goes
	 * before the error in the status instead of "Error", *without to why a
	 * part of it is left out. */
	int (*make)(struct arena *a, const void *ctx, const struct mcp *pool, struct str name,
		    struct mc **out, const char **where, struct str *without, struct err *err);
	/* Whether mc, which this version made for the pool, may stay as it is
	 * although what it was made from has changed; NULL: always. */
	bool (*may_stay)(struct arena *a, const void *ctx, const struct mcp *pool,
			 const struct mc *mc);
	const void *ctx;
};

/*
 * One object, from its deletion to its success. ERR_INVALID when only a change of
 * it helps, ERR_AGAIN otherwise; what is in out is to be done all the same.
 *
 * As upstream does: the MachineConfig of a settled config is not made again by
 * the same version, not even when what it was made from has changed.
 */
int owned_sync(struct arena *a, const struct owned_view *in, const struct owned_maker *maker,
	       struct actions *out, struct err *err);

/* Success, or Failure with that message. Nothing when it says so already. */
void owned_status(struct arena *a, const struct owned_view *in, struct str failure,
		  struct actions *out);

/* ---- generated MachineConfigs of any kind -------------------------------- */

/*
 * Writes mc where it differs from what there is: config, kernel arguments, the
 * controller's version and the owners; annotations are replaced.
 * True when something was added to out.
 */
bool generated_write(struct arena *a, const struct mc_list *mcs, const struct mc *mc,
		     struct str reason, struct actions *out);

/* The name older releases gave to prefix-pool-generated-what: deleted. */
void generated_retire(struct arena *a, const struct mc_list *mcs, const char *prefix,
		      const struct mcp *pool, const char *what, struct actions *out);

/* Deletes those of another version whose names begin with prefix and have
 * "generated-<what>" in them, but not what another config will write. */
void generated_cleanup(struct arena *a, const struct owned_view *in, const char *prefix,
		       const char *what, struct actions *out);

const struct mc *generated_find(const struct mc_list *mcs, struct str name);

/* What the templates have of these for a pool's role; those that are not NULL. */
struct generated_base {
	struct str *kubelet; /* kubelet.conf */
	struct str *storage, *registries, *policy; /* all three have to exist */
	struct str *credentials; /* the providers at path */
	const char *path;
};

/* Whether templates made it: not another generator, and not a user. */
bool generated_by_templates(const struct mc *mc);

/* The file at path as the templates have it for a role. ERR_NOTFOUND. */
int generated_file(struct arena *a, const struct template_input *templates, struct str role,
		   const char *path, struct str *out, struct err *err);

/* One that the registries of the cluster are for. */
bool pool_built_in(const struct mcp *pool);

/* ERR_INVALID in upstream's words when there is no such file. */
int generated_base(struct arena *a, const struct template_input *templates, struct str role,
		   const struct generated_base *want, struct err *err);

#endif
