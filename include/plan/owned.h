/*
 * owned: the MachineConfigs that KubeletConfigs and ContainerRuntimeConfigs own: their
 * names, their owner references, and the owner's status.
 *
 * The first config of a kind for a pool gets 99-<pool>-generated-<what>, the next ones
 * the suffixes -1 to -9. An annotation of the owner has the suffix; its finalizers are
 * the names of the MachineConfigs, so that they are deleted before it.
 *
 * A suffix is chosen from those of all other configs: plan the configs of a kind one
 * after the other, each after the writes of the one before.
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
	const char *note, *key; /* its annotation and its key in upstream's messages */
	const char *cleanup; /* prefix of the names that other versions use */
	const char *sub, *state; /* of mcc_sub_controller_state */
	size_t kept; /* how many conditions are kept; 0: all */
	bool own_finalizers; /* a finalizer of others clears the list */
	bool names_unselected; /* the message names a config without pools */
	bool always_again; /* invalid configs are retried, too */
	/* The first run validates all configs before it generates from the first:
	 * upstream's name for them, and its prefix for that error, or NULL. */
	bool check_all;
	const char *many, *one, *wrap;
};

extern const struct owned_kind owned_kubelet, owned_runtime;

struct owned_view {
	struct instant now;
	struct str hash; /* this build's version */
	const struct owned_kind *kind;
	const struct mc_object *config; /* the config to plan */
	const struct mc_object_list *configs; /* all of its kind */
	const struct mcp_list *pools; /* all */
	const struct mc_list *mcs; /* all */
	/* As upstream's bootstrap: objects have no uid and no status, a pool takes one
	 * config of a kind, and an error ends the run. mcs has what was generated so far. */
	bool first_run;
};

/* The pools that its selector matches, in their order; an empty selector matches none. */
int owned_pools(struct arena *a, const struct owned_view *in, struct mcp_list *out,
		struct err *err);

/* The decisions of one plan so far; starts as { 0 }. */
struct owned_job {
	struct str suffix; /* the first pool's suffix is used for all; p NULL: not chosen yet */
	struct strs names; /* of its MachineConfigs */
};

/* The suffix annotation of a config, or NULL. */
const struct json *owned_suffix(const struct mc_object *config);

/* True when the config's status is for its generation and ends with Success. */
bool owned_settled(struct arena *a, const struct mc_object *config);

/* True when its selector matches the pool; an empty selector matches none. */
int owned_matches(struct arena *a, const struct mc_object *config, const struct mcp *pool,
		  bool *out, struct err *err);

/* True when the config is the controlling owner of mc. */
bool owned_controls(const struct owned_kind *kind, const struct mc_object *config,
		    const struct mc *mc);

/* True when another existing config of the kind owns it. */
bool owned_by_another(const struct owned_view *in, const struct mc *mc);

/* True when such a config will write it in its next plan. */
bool owned_by_turn(struct arena *a, const struct owned_view *in, const struct mc *mc);

/* The name of the MachineConfig for a pool with that suffix. */
struct str owned_mc_name(struct arena *a, const struct owned_kind *kind, const struct mcp *pool,
			 struct str suffix);

/*
 * The name of its MachineConfig for a pool. A settled config keeps its name, even
 * where another config has the same one: only an edit of the config gives it a
 * name that no other config has. ERR_INVALID in upstream's words.
 */
int owned_name(struct arena *a, const struct owned_view *in, struct owned_job *job,
	       const struct mcp *pool, struct str *out, struct err *err);

/* Two configs of a kind with the same MachineConfig for a pool, as upstream's workers may
 * leave them: it has the contents of one of them. */
struct owned_conflict {
	const struct mc_object *first, *second;
	struct str message;
};

struct owned_conflicts {
	struct owned_conflict *v;
	size_t n, cap;
};

/* Appends each pair of the set once. */
void owned_find_conflicts(struct arena *a, const struct mc_set *set, struct owned_conflicts *out);

/* Plans the writes for mc, made for pool: the annotation and the MachineConfig, where
 * they differ. */
void owned_write(struct arena *a, const struct owned_view *in, struct owned_job *job,
		 const struct mcp *pool, struct mc *mc, struct actions *out);

/* Makes all names of the job finalizers. */
void owned_finalize(struct arena *a, const struct owned_view *in, const struct owned_job *job,
		    struct actions *out);

/* Deletes the MachineConfig of the first finalizer, and the finalizer. */
void owned_delete(struct arena *a, const struct owned_view *in, struct actions *out);

/* The differences between the two kinds. */
struct owned_maker {
	int (*validate)(struct arena *a, const struct mc_object *config, struct err *err);
	/* Makes the MachineConfig of that name for the pool. *where replaces "Error" as
	 * the prefix of the error in the status; *without says why a part was left out. */
	int (*make)(struct arena *a, const void *ctx, const struct mcp *pool, struct str name,
		    struct mc **out, const char **where, struct str *without, struct err *err);
	/* True when mc, which this version made for the pool, may stay although its
	 * source changed. NULL: always true. */
	bool (*may_stay)(struct arena *a, const void *ctx, const struct mcp *pool,
			 const struct mc *mc);
	const void *ctx;
};

/*
 * Plans one object, from creation to deletion. ERR_INVALID when only an edit helps,
 * ERR_AGAIN otherwise; the actions in out are valid in any case.
 *
 * As upstream: the same version does not generate the MachineConfig of a settled config
 * again, even when its source changed.
 */
int owned_sync(struct arena *a, const struct owned_view *in, const struct owned_maker *maker,
	       struct actions *out, struct err *err);

/* Writes the condition Success, or Failure with that message, unless the status has it. */
void owned_status(struct arena *a, const struct owned_view *in, struct str failure,
		  struct actions *out);

/* ---- generated MachineConfigs of any kind -------------------------------- */

/*
 * Writes mc where it differs from the existing one: config, kernel arguments, the
 * controller's version and the owners; annotations are replaced. True when it added to
 * out.
 */
bool generated_write(struct arena *a, const struct mc_list *mcs, const struct mc *mc,
		     struct str reason, struct actions *out);

/* Deletes the MachineConfig under the name that older releases gave it. */
void generated_retire(struct arena *a, const struct mc_list *mcs, const char *prefix,
		      const struct mcp *pool, const char *what, struct actions *out);

/* Deletes MachineConfigs of other versions whose names start with prefix and contain
 * "generated-<what>", except those that another config will write. */
void generated_cleanup(struct arena *a, const struct owned_view *in, const char *prefix,
		       const char *what, struct actions *out);

const struct mc *generated_find(const struct mc_list *mcs, struct str name);

/* Base files for a pool's role; NULL members are not looked up. */
struct generated_base {
	struct str *kubelet; /* kubelet.conf */
	struct str *storage, *registries, *policy; /* all three have to exist */
	struct str *credentials; /* the credential providers at path */
	const char *path;
};

/* True when templates made it: no other generator, and no user. */
bool generated_by_templates(const struct mc *mc);

/* The file at path from the templates of a role. ERR_NOTFOUND. */
int generated_file(struct arena *a, const struct template_input *templates, struct str role,
		   const char *path, struct str *out, struct err *err);

/* True for pools that get the registries of the cluster. */
bool pool_built_in(const struct mcp *pool);

/* ERR_INVALID in upstream's words when there is no such file. */
int generated_base(struct arena *a, const struct template_input *templates, struct str role,
		   const struct generated_base *want, struct err *err);

#endif
