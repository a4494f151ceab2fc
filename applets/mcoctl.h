#ifndef APPLETS_MCOCTL_H
#define APPLETS_MCOCTL_H

#include "applet.h"
#include "manifest_flags.h"
#include "kube/live.h"
#include "mc/find.h"
#include "plan/preview.h"
#include "plan/render_set.h"

extern const struct command mcoctl_blame;
extern const struct command mcoctl_cat;
extern const struct command mcoctl_convert;
extern const struct command mcoctl_diff;
extern const struct command mcoctl_dump;
extern const struct command mcoctl_files;
extern const struct command mcoctl_fmt;
extern const struct command mcoctl_hash;
extern const struct command mcoctl_options;
extern const struct command mcoctl_render;
extern const struct command mcoctl_validate;

/*
 * Renders one pool of a set. The version to render as is that of MCO_RAW and MCO_HASH,
 * or else that of the set. The result is in a; what other pools share stays in the
 * run's arena.
 */
int mcoctl_render_pool(struct arena *a, struct run *r, const struct mc_set *set,
		       const struct mcp *pool, struct rendered *out);

/* Warns when MCO_RAW and MCO_HASH differ from the set's version. */
void mcoctl_warn_version(const struct mc_set *set);

/*
 * Adds to set the MachineConfigs that controllers generate from its KubeletConfigs,
 * mirror sets and so on, where they are missing. With warn, it prints a warning for
 * each effect that it cannot determine, and a refusal of a controller is an error.
 */
int mcoctl_preview(struct run *r, struct mc_set *set, bool warn);

/* The same for commands that continue without refused objects and report them. */
void mcoctl_preview_some(struct run *r, struct mc_set *set, struct preview_refusals *refused);

/* plan_preview as the version of in's set, or of MCO_HASH. */
void mcoctl_plan(struct run *r, struct preview_in *in, struct preview *out);

/*
 * The config of the set that word names: a pool (rendered), a MachineConfig or a
 * Node's current config; see mc/ref.h.
 */
int mcoctl_named(struct run *r, const struct mc_set *set, struct str word,
		 struct named_config *out);

/* The config of a pool, rendered. */
int mcoctl_pool(struct run *r, const struct mc_set *set, const struct mcp *pool,
		struct named_config *out);

/* ERR_INVALID for a word with a slash that is neither a file nor TYPE/NAME. */
int mcoctl_check_word(struct run *r, struct str word);

/* Whether word is a file or directory; if not, it is a name in the cluster. */
bool mcoctl_is_file(struct run *r, struct str word);

/* What commands that read manifests or a cluster suggest when there is no cluster. */
#define LIVE_INSTEAD "manifests with -f PATH (- is standard input)"

/* Reads the cluster that flags select, with warnings on standard error; see kube/live.h. */
struct kube_live mcoctl_live(struct run *r, const struct kube_flags *flags, const char *instead);
int mcoctl_load_live(struct run *r, const struct kube_flags *flags, const char *instead,
		     enum live_rendered rendered, struct mc_set *set);

#endif
